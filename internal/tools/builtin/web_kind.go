package builtin

import "strings"

// webKind says how a body is read.
type webKind int

const (
	webBinary webKind = iota
	webHTML
	webPDF
	webText
)

// textTypes are media types beside text/* that hold text.
var textTypes = map[string]bool{
	"application/json": true, "application/ld+json": true, "application/javascript": true,
	"application/ecmascript": true,
	"application/xml":        true, "application/x-yaml": true, "application/yaml": true, "application/toml": true,
	"application/x-ndjson": true, "application/jsonl": true, "application/sql": true, "application/x-sh": true,
	"application/graphql": true, "application/x-tex": true, "application/rtf": true, "image/svg+xml": true,
}

// kindOf says how a media type is read.
func kindOf(mediaType string) webKind {
	switch {
	case mediaType == "text/html", mediaType == "application/xhtml+xml":
		return webHTML
	case mediaType == "application/pdf", mediaType == "application/x-pdf":
		return webPDF
	case strings.HasPrefix(mediaType, "text/"), textTypes[mediaType],
		strings.HasSuffix(mediaType, "+json"), strings.HasSuffix(mediaType, "+xml"), strings.HasSuffix(mediaType,
			"+yaml"):
		return webText
	}
	return webBinary
}

// readable says whether a body is worth reading; one without a type may be anything.
func readable(mediaType string) bool {
	return mediaType == "" || mediaType == "application/octet-stream" || kindOf(mediaType) != webBinary
}
