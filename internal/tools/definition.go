package tools

import (
	"encoding/json"

	"github.com/google/jsonschema-go/jsonschema"
)

// Definition offers a tool to a model in the OpenAI function format.
type Definition struct {
	Type     string             `json:"type"` // always "function"
	Function FunctionDefinition `json:"function"`
}

// FunctionDefinition is the function part of a Definition.
type FunctionDefinition struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of an object
}

// ToDefinition is the tool in the OpenAI function format. Injected arguments
// are not in it. The tool must have come from Define or be registered.
func (t *Tool) ToDefinition() Definition {
	return Definition{Type: "function", Function: FunctionDefinition{
		Name:        t.Name,
		Description: t.Description,
		Parameters:  t.parameters,
	}}
}

// encodeSchema writes a schema for the model: an object always has properties,
// which some providers insist on. That other properties are refused and
// how long a text may be is left out: it takes room in every model call, and
// Validate reports both.
func encodeSchema(schema *jsonschema.Schema) (json.RawMessage, error) {
	schema = schema.CloneSchemas()
	abridge(schema)
	if schema.Type == "object" && schema.Properties == nil {
		schema.Properties = map[string]*jsonschema.Schema{}
	}
	return json.Marshal(schema)
}

// abridge drops what is not worth its room from a schema and all in it.
func abridge(schema *jsonschema.Schema) {
	if schema == nil {
		return
	}
	if refusesAll(schema.AdditionalProperties) {
		schema.AdditionalProperties = nil
	}
	schema.MinLength, schema.MaxLength = nil, nil
	for _, property := range schema.Properties {
		abridge(property)
	}
	abridge(schema.Items)
}

// emptyObject is the schema of a tool without arguments.
func emptyObject() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type:                 "object",
		Properties:           map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
}
