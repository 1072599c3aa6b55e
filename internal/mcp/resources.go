package mcp

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nanoclaw/internal/tools"
)

// maxResources is how many resources and templates one answer lists.
const maxResources = 200

// resource is something that a server lets be read. URITemplate stands in the place
// of URI where parts of the address are to be filled in (RFC 6570).
type resource struct {
	URI         string `json:"uri,omitempty"`
	URITemplate string `json:"uri_template,omitempty"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	MIMEType    string `json:"mime_type,omitempty"`
	Size        int64  `json:"size,omitempty"`
}

type resourceList struct {
	Resources []resource `json:"resources"`
	More      bool       `json:"more,omitempty"`
}

type resourceArgs struct {
	URI string `json:"uri" jsonschema:"uri of the resource, as list_resources shows it" minLength:"1"`
}

// resourceTools make the resources of a server readable: list_resources and
// read_resource stand beside its own tools, under the same rules (tools, effects).
// A server that has a tool of that name keeps it.
func (s *server) resourceTools(session *session, own []*tools.Tool) []*tools.Tool {
	hello := session.client.InitializeResult()
	if hello == nil || hello.Capabilities == nil || hello.Capabilities.Resources == nil {
		return nil
	}
	var made []*tools.Tool
	add := func(name string, define func(name string, options ...tools.Option) *tools.Tool) {
		full := ToolName(s.name, name)
		taken := slices.ContainsFunc(own, func(t *tools.Tool) bool { return t.Name == full })
		if taken || !s.allows(name) {
			return
		}
		effect := s.effect(&mcp.Tool{Name: name})
		made = append(made, define(full, tools.Category(Category), tools.Effect(effect),
			tools.Timeout(s.config.Timeout.Std())))
	}
	add("list_resources", func(name string, options ...tools.Option) *tools.Tool {
		about := fmt.Sprintf("List the resources that the MCP server %s lets you read with read_resource.", s.name)
		return tools.Define(name, about, s.listResources, options...)
	})
	add("read_resource", func(name string, options ...tools.Option) *tools.Tool {
		about := fmt.Sprintf("Read a resource of the MCP server %s.", s.name)
		return tools.Define(name, about, s.readResource, options...)
	})
	return made
}

func (s *server) listResources(ctx context.Context, _ tools.Call, _ struct{}) (resourceList, error) {
	list := resourceList{Resources: []resource{}}
	session, err := s.present()
	if err != nil {
		return list, err
	}
	err = session.request(ctx, func(ctx context.Context) error {
		for one, err := range session.client.Resources(ctx, nil) {
			if err != nil {
				return err
			}
			if list.More = len(list.Resources) == maxResources; list.More {
				return nil
			}
			list.Resources = append(list.Resources, resource{URI: one.URI, Name: one.Name,
				Description: cutRunes(one.Description, maxDescription), MIMEType: one.MIMEType, Size: one.Size})
		}
		for one, err := range session.client.ResourceTemplates(ctx, nil) {
			if err != nil {
				return err
			}
			if list.More = len(list.Resources) == maxResources; list.More {
				return nil
			}
			list.Resources = append(list.Resources, resource{URITemplate: one.URITemplate, Name: one.Name,
				Description: cutRunes(one.Description, maxDescription), MIMEType: one.MIMEType})
		}
		return nil
	})
	if err != nil {
		return list, s.failure(ctx, session, tools.Volatile, err)
	}
	return list, nil
}

func (s *server) readResource(ctx context.Context, call tools.Call, args resourceArgs) (result, error) {
	session, err := s.present()
	if err != nil {
		return result{}, err
	}
	var read *mcp.ReadResourceResult
	err = session.request(ctx, func(ctx context.Context) (err error) {
		read, err = session.client.ReadResource(ctx, &mcp.ReadResourceParams{URI: args.URI})
		return err
	})
	if err != nil {
		return result{}, s.failure(ctx, session, tools.Volatile, err)
	}
	made := result{Content: []content{}}
	var parts []mcp.Content
	for _, one := range read.Contents {
		part := &mcp.EmbeddedResource{Resource: one}
		parts, made.Content = append(parts, part), append(made.Content, convert(part))
	}
	made.keepImages(ctx, call, parts)
	made.fitData(call.OutputLimit)
	return made, nil
}
