package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	"nanoclaw/internal/api/turn"
	"nanoclaw/internal/api/wire"
)

// part is one part of a message's content, of both interfaces.
type part struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Refusal  string          `json:"refusal"`
	ImageURL json.RawMessage `json:"image_url"` // {"url":…} in chat completions, the URL itself in responses
	File     *fileContent    `json:"file"`
	fileContent
}

type fileContent struct {
	Filename string `json:"filename"`
	FileData string `json:"file_data"`
	FileID   string `json:"file_id"`
}

// readContent reads a text, or a list of parts, into a message.
func readContent(raw json.RawMessage, param string, into *turn.Message) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	if raw[0] == '"' {
		return json.Unmarshal(raw, &into.Text)
	}
	var parts []part
	if err := json.Unmarshal(raw, &parts); err != nil {
		return wrong(param, "the content is neither a text nor a list of parts")
	}
	var texts []string
	for i, one := range parts {
		at := fmt.Sprintf("%s[%d]", param, i)
		switch one.Type {
		case "text", "input_text", "output_text", "summary_text":
			texts = append(texts, one.Text)
		case "refusal":
			texts = append(texts, one.Refusal)
		case "image_url", "input_image":
			file, err := readImage(one.ImageURL, at)
			if err != nil {
				return err
			}
			into.Files = append(into.Files, file)
		case "file", "input_file":
			file, err := readFile(one, at)
			if err != nil {
				return err
			}
			into.Files = append(into.Files, file)
		default:
			return wrong(at, fmt.Sprintf("parts of type %q are not taken: send text, image_url or file", one.Type))
		}
	}
	into.Text = strings.Join(texts, "\n")
	return nil
}

func readImage(raw json.RawMessage, param string) (turn.File, error) {
	var address string
	if json.Unmarshal(raw, &address) != nil {
		var object struct {
			URL string `json:"url"`
		}
		if err := json.Unmarshal(raw, &object); err != nil {
			return turn.File{}, wrong(param, "the image has no URL")
		}
		address = object.URL
	}
	contentType, data, err := wire.ReadDataURL(address)
	if err != nil {
		return turn.File{}, wrong(param, "the image: "+err.Error())
	}
	_, kind, _ := strings.Cut(contentType, "/")
	switch contentType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return turn.File{Name: "image." + kind, ContentType: contentType, Data: data}, nil
	}
	return turn.File{}, wrong(param, fmt.Sprintf("%q is no kind of image that models see: send PNG, JPEG, GIF or WebP",
		contentType))
}

func readFile(one part, param string) (turn.File, error) {
	content := one.fileContent
	if one.File != nil {
		content = *one.File
	}
	if content.FileData == "" {
		return turn.File{}, wrong(param, "send the file itself as file_data: files are not kept here")
	}
	contentType, data, err := wire.ReadDataURL(content.FileData)
	if err != nil {
		return turn.File{}, wrong(param, "the file: "+err.Error())
	}
	name := content.Filename
	if name == "" {
		name = "file"
	}
	return turn.File{Name: name, ContentType: contentType, Data: data}, nil
}
