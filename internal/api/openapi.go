package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"

	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
)

const schemaPrefix = "#/components/schemas/"

// document builds what huma needs to describe the API.
func (s *server) document() huma.Config {
	registry := huma.NewMapRegistry(schemaPrefix, schemaName)
	registry.RegisterTypeAlias(reflect.TypeFor[models.Time](), reflect.TypeFor[time.Time]())
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "NanoClaw", Version: s.Version,
				Description: "Conversations with agents that work in projects. Errors are application/problem+json. " +
					"Ids are UUIDv7, times RFC 3339 in UTC. Lists take limit and cursor.",
				License: &huma.License{Name: "Apache-2.0"},
			},
			Servers: []*huma.Server{{URL: basePath}},
			Components: &huma.Components{Schemas: registry, SecuritySchemes: map[string]*huma.SecurityScheme{
				"token": {Type: "http", Scheme: "bearer",
					Description: "An API token. In auth_mode single there are none: a client on the same machine " +
						"needs no credential."},
			}},
			Security: []map[string][]string{{}, {"token": {}}},
		},
		Formats: map[string]huma.Format{"application/json": jsonFormat, "json": jsonFormat},
	}
}

// schemaName keeps "View" out of the names that clients see.
func schemaName(t reflect.Type, hint string) string {
	name := strings.TrimSuffix(huma.DefaultSchemaNamer(t, hint), "View")
	if strings.HasSuffix(t.PkgPath(), "internal/tools") && name == "Record" {
		return "ToolCall"
	}
	return name
}

func schemaOf[T any](s *server) *huma.Schema {
	return s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, "")
}

// registerDocument adds the routes of the document itself. It is written at the
// first request: that costs more than the whole start.
func (s *server) registerDocument() {
	written := sync.OnceValues(func() (doc writtenDocument, err error) {
		api := s.api.OpenAPI()
		s.refine(api)
		if doc.json, err = json.Marshal(api); err == nil {
			doc.yaml, err = api.YAML()
		}
		return doc, err
	})
	for name, contentType := range map[string]string{"json": "application/openapi+json",
		"yaml": "application/openapi+yaml"} {
		o := op(http.MethodGet, "/openapi."+name, "get-openapi-"+name, "Meta",
			"This document as "+strings.ToUpper(name), needs(rightPublic),
			answers("200", "OK", contentType, &huma.Schema{}))
		s.plain(o, func(c echo.Context) error {
			doc, err := written()
			if err != nil {
				return fmt.Errorf("write the OpenAPI document: %w", err)
			}
			text := doc.json
			if name == "yaml" {
				text = doc.yaml
			}
			return c.Blob(http.StatusOK, contentType, text)
		})
	}
}

type writtenDocument struct{ json, yaml []byte }

// refine says what Go types do not: which fields are null before something happened.
func (s *server) refine(api *huma.OpenAPI) {
	for name, schema := range api.Components.Schemas.Map() {
		if t := api.Components.Schemas.TypeFromRef(schemaPrefix + name); t != nil {
			markNullable(schema, t)
		}
	}
	snapshot := api.Components.Schemas.Map()[eventSchemaName(runs.EventSnapshot)]
	markNullable(snapshot, reflect.TypeFor[eventSnapshot]())
}

// markNullable marks a struct's fields that are written as null: pointers to objects,
// and times but those of making and changing.
func markNullable(schema *huma.Schema, t reflect.Type) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return
	}
	for _, field := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		property := schema.Properties[name]
		if property == nil || strings.Contains(options, "omit") {
			continue
		}
		switch {
		case field.Type.Kind() == reflect.Pointer && property.Ref != "":
			schema.Properties[name] = &huma.Schema{OneOf: []*huma.Schema{{Ref: property.Ref}, {Type: "null"}},
				Description: property.Description}
		case field.Type == reflect.TypeFor[models.Time]() && name != "created_at" && name != "updated_at" &&
			name != "time":
			property.Nullable = true
		}
	}
}
