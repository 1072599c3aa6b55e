package api

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"strings"
	"unicode/utf8"
)

const plainText = "text/plain; charset=utf-8"

// SniffLength is how many bytes of a file its kind is found from.
const SniffLength = 512

// harmlessType is the content type of a person's bytes: as given, or by the name,
// or by the first bytes. What a page of ours could load as a script or style is
// plain text, and so is source code that the system's table takes for something else.
func harmlessType(name, given string, content io.Reader) (string, error) {
	contentType := given
	if contentType == "" {
		contentType = typeByName(name)
	}
	seeker, canSeek := content.(io.ReadSeeker)
	if contentType == "" && canSeek {
		head := make([]byte, SniffLength)
		n, err := io.ReadFull(seeker, head)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return "", fmt.Errorf("read the file's beginning: %w", err)
		}
		if _, err := seeker.Seek(0, io.SeekStart); err != nil {
			return "", fmt.Errorf("read the file from its beginning: %w", err)
		}
		contentType = sniff(head[:n])
	}
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return "application/octet-stream", nil
	}
	switch {
	case isCode(media):
		return plainText, nil
	case strings.HasPrefix(media, "text/") && !strings.Contains(contentType, "charset"):
		return contentType + "; charset=utf-8", nil
	}
	return contentType, nil
}

func isCode(media string) bool {
	return strings.Contains(media, "javascript") || strings.Contains(media, "ecmascript") || media == "text/css" ||
		media == "application/wasm"
}

// sniff is http.DetectContentType, but for text that it takes for bytes.
func sniff(head []byte) string {
	found := http.DetectContentType(head)
	if strings.HasPrefix(found, "text/") && !strings.HasPrefix(found, "text/plain") {
		return plainText // a page or XML without a name that says so stays text
	}
	if found == "application/octet-stream" && utf8.Valid(head) && !strings.ContainsRune(string(head), 0) {
		return plainText
	}
	return found
}

// typeByName is "" where the name tells nothing.
func typeByName(name string) string {
	ext := strings.ToLower(path.Ext(name))
	switch ext {
	case "":
		return ""
	case ".ts", ".tsx", ".jsx", ".go", ".py", ".rs", ".c", ".h", ".cc", ".cpp", ".java", ".rb", ".sh", ".sql", ".yml",
		".yaml",
		".toml", ".ini", ".cfg", ".conf", ".log", ".vue", ".mod", ".sum", ".env", ".php", ".pl", ".lua", ".bat", ".ps1":
		return plainText
	case ".md", ".markdown":
		return "text/markdown; charset=utf-8"
	case ".csv":
		return "text/csv; charset=utf-8"
	case ".json":
		return "application/json"
	case ".ipynb":
		return "application/json"
	}
	return mime.TypeByExtension(ext)
}

// policyFor is the content security policy of a person's bytes. A sandbox would
// break a browser's viewers of pictures, sound and PDF, which run no scripts.
func policyFor(contentType string) string {
	media, _, _ := strings.Cut(contentType, ";")
	media = strings.TrimSpace(media)
	passive := strings.HasPrefix(media, "image/") && media != "image/svg+xml" || strings.HasPrefix(media, "audio/") ||
		strings.HasPrefix(media, "video/") || media == "application/pdf"
	if passive {
		return "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; media-src 'self'; object-src 'self'; " +
			"frame-ancestors 'self'"
	}
	return "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
}
