package terminal

import (
	"encoding/json"
	"fmt"
)

// File is a file that a call handed to the person.
type File struct {
	UploadID string `json:"upload_id"`
	Name     string `json:"name"`
	Size     int64  `json:"size"` // bytes
}

// handedOver are lines that tell of the files that a call handed to the person: name,
// size, caption, and where each is.
func handedOver(c Call) []string {
	var result struct {
		Data struct{ Path, Caption string }
	}
	_ = json.Unmarshal([]byte(c.Result), &result) // without a path the name and the address still tell
	var lines []string
	for _, file := range c.Files {
		text := fmt.Sprintf("%s (%s)", revealLine(file.Name), sizeOf(file.Size))
		if caption := revealLine(result.Data.Caption); caption != "" {
			text += ": " + caption
		}
		if path := revealLine(result.Data.Path); path != "" && path != revealLine(file.Name) {
			text += ", in the project at " + path
		}
		lines = append(lines, text+", GET /api/v1/uploads/"+revealLine(file.UploadID))
	}
	return lines
}

func sizeOf(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return plural(int(bytes), "byte")
	case bytes < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}
