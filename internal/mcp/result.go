package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nanoclaw/internal/tools"
)

// codeFailed is the code of a call that the server itself reports as failed.
const codeFailed = "mcp_error"

// defaultOutput is the room of a result where the call says nothing, in bytes.
const defaultOutput = 50 << 10

// result is what a call of an MCP tool answers.
type result struct {
	Content    []content `json:"content"`
	Structured any       `json:"structured,omitempty"`
}

// content is one part of a result. Type is text, image, audio, resource or
// resource_link. Data is base64; where there is no room for it, Omitted says so.
type content struct {
	Type        string `json:"type"`
	Text        string `json:"text,omitempty"`
	MIMEType    string `json:"mime_type,omitempty"`
	Data        string `json:"data,omitempty"`
	URI         string `json:"uri,omitempty"`
	Name        string `json:"name,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Size        int64  `json:"size,omitempty"` // bytes of the data, or of what a link leads to
	Omitted     string `json:"omitted,omitempty"`
}

// answer turns a server's result into ours. One that says that it failed is an
// *Error with the texts as its message.
func (s *server) answer(from *mcp.CallToolResult, limit int) (any, error) {
	if from.NeedsInput() {
		return nil, tools.Errorf(codeFailed, "the tool asks for more input from a person, which this client does not offer")
	}
	made := result{Content: []content{}, Structured: from.StructuredContent}
	for _, part := range from.Content {
		made.Content = append(made.Content, convert(part))
	}
	made.dropRepeated()
	made.fitData(limit)
	if !from.IsError {
		return made, nil
	}
	var texts []string
	others := made.Structured != nil
	for _, part := range made.Content {
		if part.Type == "text" {
			texts = append(texts, part.Text)
		} else {
			others = true
		}
	}
	message := strings.TrimSpace(strings.Join(texts, "\n"))
	if message == "" {
		message = "the tool failed and did not say why"
	}
	failure := tools.Errorf(codeFailed, "%s", message)
	if others {
		failure.Data = made
	}
	return nil, failure
}

func convert(part mcp.Content) content {
	switch part := part.(type) {
	case *mcp.TextContent:
		return content{Type: "text", Text: part.Text}
	case *mcp.ImageContent:
		return blob("image", part.MIMEType, part.Data)
	case *mcp.AudioContent:
		return blob("audio", part.MIMEType, part.Data)
	case *mcp.ResourceLink:
		made := content{Type: "resource_link", URI: part.URI, Name: part.Name, Title: part.Title, Description: part.Description, MIMEType: part.MIMEType}
		if part.Size != nil {
			made.Size = *part.Size
		}
		return made
	case *mcp.EmbeddedResource:
		if part.Resource == nil {
			return content{Type: "resource", Omitted: "the server sent an empty resource"}
		}
		made := blob("resource", part.Resource.MIMEType, part.Resource.Blob)
		made.URI, made.Text = part.Resource.URI, part.Resource.Text
		return made
	}
	return content{Type: "unknown", Omitted: fmt.Sprintf("a part of kind %T, which is not understood", part)}
}

func blob(kind, mimeType string, data []byte) content {
	return content{Type: kind, MIMEType: mimeType, Size: int64(len(data)), Data: base64.StdEncoding.EncodeToString(data)}
}

// dropRepeated leaves out a text that only repeats the structured result, as
// servers send it for clients that do not know structured results.
func (r *result) dropRepeated() {
	if r.Structured == nil || len(r.Content) != 1 || r.Content[0].Type != "text" {
		return
	}
	var said any
	if json.Unmarshal([]byte(r.Content[0].Text), &said) != nil {
		return
	}
	if one, err := json.Marshal(said); err == nil {
		if other, err := json.Marshal(r.Structured); err == nil && string(one) == string(other) {
			r.Content = []content{}
		}
	}
}

// fitData omits data that has no room beside the texts: half an image is none.
func (r *result) fitData(limit int) {
	if limit <= 0 {
		limit = defaultOutput
	}
	room := limit
	for _, part := range r.Content {
		const around = 100 // bytes of names and the like
		room -= len(part.Text) + len(part.URI) + len(part.Description) + around
	}
	for i := range r.Content {
		part := &r.Content[i]
		if part.Data == "" {
			continue
		}
		if len(part.Data) > room {
			part.Omitted = fmt.Sprintf("%d bytes of data have no room in a result of %d bytes (tool_defaults.output_limit)", part.Size, limit)
			part.Data = ""
			continue
		}
		room -= len(part.Data)
	}
}
