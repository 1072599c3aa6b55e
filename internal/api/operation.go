package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"
)

// basePath is where the API is; the document's paths begin below it.
const basePath = "/api/v1"

// op describes one route for the document.
func op(method, path, id, tag, summary string, more ...func(*huma.Operation)) huma.Operation {
	o := huma.Operation{
		Method: method, Path: path, OperationID: id, Tags: []string{tag}, Summary: summary,
		MaxBodyBytes: -1, BodyReadTimeout: -1, // limitBody does both
	}
	for _, change := range more {
		change(&o)
	}
	return o
}

func describe(text string) func(*huma.Operation) {
	return func(o *huma.Operation) { o.Description = text }
}

func status(code int) func(*huma.Operation) {
	return func(o *huma.Operation) { o.DefaultStatus = code }
}

// handle adds a route whose input huma checks and whose output it encodes.
func handle[I, O any](s *server, o huma.Operation, do func(context.Context, *I) (*O, error)) {
	if o.Method == http.MethodPost {
		o.Parameters = append(o.Parameters, idempotencyParam())
	}
	s.documentErrors(&o)
	s.noteRight(o, basePath+echoRoute(o.Path))
	huma.Register(s.api, o, func(ctx context.Context, in *I) (out *O, err error) {
		if err = s.checkMode(o); err == nil && isDecision(o) {
			err = s.requirePerson(ctx)
		}
		if err == nil {
			out, err = do(ctx, in)
		}
		if err == nil {
			return out, nil
		}
		problem := *problemOf(err)
		finishProblem(ctx, &problem)
		return nil, &problem
	})
}

func (s *server) documentErrors(o *huma.Operation) {
	if o.Responses == nil {
		o.Responses = map[string]*huma.Response{}
	}
	o.Responses["default"] = &huma.Response{Description: "Error", Content: map[string]*huma.MediaType{
		"application/problem+json": {Schema: schemaOf[Problem](s)},
	}}
}

// plain adds a route that answers by itself: raw bodies, wildcards, streams. Its
// operation is written by hand. In the document's path {path} at the end is what
// Echo calls a wildcard.
func (s *server) plain(o huma.Operation, do echo.HandlerFunc) {
	s.documentErrors(&o)
	for _, segment := range strings.Split(o.Path, "/") {
		if strings.HasPrefix(segment, "{") {
			o.Parameters = append([]*huma.Param{pathParam(strings.Trim(segment, "{}"))}, o.Parameters...)
		}
	}
	s.api.OpenAPI().AddOperation(&o)
	route := basePath + echoRoute(o.Path)
	s.noteRight(o, route)
	s.echo.Add(o.Method, route, do)
	if o.Method == http.MethodGet {
		s.echo.Add(http.MethodHead, route, do)
	}
	if o.Method != http.MethodGet && o.RequestBody != nil {
		s.takesFiles[o.Method+" "+route] = true
	}
}

// echoRoute is a path of the document as Echo writes it.
func echoRoute(path string) string {
	return strings.NewReplacer("{path}", "*", "{", ":", "}", "").Replace(path)
}

func pathParam(name string) *huma.Param {
	p := &huma.Param{Name: name, In: "path", Required: true, Schema: &huma.Schema{Type: "string"}}
	if name == "path" {
		p.Description = "A file's path from the project's root. Each of its names is percent-encoded once; its " +
			"slashes may be (%2F) or not."
	}
	return p
}

func queryParam(name, kind, doc string) *huma.Param {
	return &huma.Param{Name: name, In: "query", Description: doc, Schema: &huma.Schema{Type: kind}}
}

func headerParam(name, doc string) *huma.Param {
	return &huma.Param{Name: name, In: "header", Description: doc, Schema: &huma.Schema{Type: "string"}}
}

// answers documents a success of a plain route; an empty content type is no body.
func answers(code, doc, contentType string, schema *huma.Schema, headers ...string) func(*huma.Operation) {
	return func(o *huma.Operation) {
		if o.Responses == nil {
			o.Responses = map[string]*huma.Response{}
		}
		r := o.Responses[code]
		if r == nil {
			r = &huma.Response{Description: doc, Headers: map[string]*huma.Param{},
				Content: map[string]*huma.MediaType{}}
			o.Responses[code] = r
		}
		if contentType != "" {
			r.Content[contentType] = &huma.MediaType{Schema: schema}
		}
		for _, name := range headers {
			r.Headers[name] = &huma.Param{Schema: &huma.Schema{Type: "string"}}
		}
	}
}

// takes documents the body of a plain route.
func takes(contentType string, schema *huma.Schema) func(*huma.Operation) {
	return func(o *huma.Operation) {
		o.RequestBody = &huma.RequestBody{Required: true,
			Content: map[string]*huma.MediaType{contentType: {Schema: schema}}}
	}
}

func params(list ...*huma.Param) func(*huma.Operation) {
	return func(o *huma.Operation) { o.Parameters = append(o.Parameters, list...) }
}

// anyType is the content type of bytes that have one of their own: a person's file.
const anyType = "*/*"

func binary() *huma.Schema { return &huma.Schema{Type: "string", Format: "binary"} }
