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
// which some providers insist on.
func encodeSchema(schema *jsonschema.Schema) (json.RawMessage, error) {
	if schema.Type == "object" && schema.Properties == nil {
		copied := *schema
		copied.Properties = map[string]*jsonschema.Schema{}
		schema = &copied
	}
	return json.Marshal(schema)
}

// emptyObject is the schema of a tool without arguments.
func emptyObject() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type:                 "object",
		Properties:           map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}},
	}
}
