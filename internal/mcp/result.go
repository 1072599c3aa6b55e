package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nanoclaw/internal/services"
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

	images []tools.Image
}

// Images implements tools.Illustrated.
func (r result) Images() []tools.Image { return r.images }

// content is one part of a result. Type is text, image, audio, resource or
// resource_link. An image is the call's image of that number, counted from 1; other
// data is base64. Where one cannot be kept or has no room, Omitted says so.
type content struct {
	Type        string `json:"type"`
	Text        string `json:"text,omitempty"`
	MIMEType    string `json:"mime_type,omitempty"`
	Data        string `json:"data,omitempty"`
	Image       int    `json:"image,omitempty"`
	URI         string `json:"uri,omitempty"`
	Name        string `json:"name,omitempty"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Size        int64  `json:"size,omitempty"` // bytes of the data, or of what a link leads to
	Omitted     string `json:"omitted,omitempty"`
}

// answer turns a server's result into ours. One that says that it failed is an
// *Error with the texts as its message.
func (s *server) answer(ctx context.Context, call tools.Call, from *mcp.CallToolResult) (any, error) {
	made := result{Content: []content{}, Structured: from.StructuredContent}
	for _, part := range from.Content {
		made.Content = append(made.Content, convert(part))
	}
	made.keepImages(ctx, call, from.Content)
	made.dropRepeated()
	made.fitData(call.OutputLimit)
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
		made := content{Type: "resource_link", URI: part.URI, Name: part.Name, Title: part.Title,
			Description: part.Description, MIMEType: part.MIMEType}
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

// keepImages gives the images among the parts to whoever keeps them, and leaves
// their numbers in the result.
func (r *result) keepImages(ctx context.Context, call tools.Call, parts []mcp.Content) {
	var at []int
	var images [][]byte
	for i, part := range parts {
		if data, is := imageIn(part); is {
			at, images = append(at, i), append(images, data)
			r.Content[i].Data = ""
		}
	}
	if len(images) == 0 {
		return
	}
	store, err := services.Get(call.Services, tools.ImageStoreKey)
	if err != nil {
		for _, i := range at {
			r.Content[i].Omitted = "images of results are not kept here"
		}
		return
	}
	for n, kept := range store.KeepImages(ctx, call, images) {
		part := &r.Content[at[n]]
		if kept.Omitted != "" {
			part.Omitted = kept.Omitted
			continue
		}
		r.images = append(r.images, kept.Image)
		part.Image, part.MIMEType = len(r.images), kept.ContentType
	}
}

func imageIn(part mcp.Content) (data []byte, is bool) {
	switch part := part.(type) {
	case *mcp.ImageContent:
		return part.Data, true
	case *mcp.EmbeddedResource:
		if part.Resource == nil || len(part.Resource.Blob) == 0 {
			return nil, false
		}
		switch part.Resource.MIMEType {
		case "image/png", "image/jpeg", "image/gif", "image/webp":
			return part.Resource.Blob, true
		}
	}
	return nil, false
}

func blob(kind, mimeType string, data []byte) content {
	return content{Type: kind, MIMEType: mimeType, Size: int64(len(data)),
		Data: base64.StdEncoding.EncodeToString(data)}
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
			part.Omitted = fmt.Sprintf(
				"%d bytes of data have no room in a result of %d bytes (tool_defaults.output_limit)", part.Size, limit)
			part.Data = ""
			continue
		}
		room -= len(part.Data)
	}
}
