package tools

import (
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

// Shape is what a model is to see of a tool's arguments (see Tool.Tailor). A
// property that the tool does not have is a mistake in the program and panics.
type Shape struct{ schema *jsonschema.Schema }

// MaxItems bounds the list property.
func (s *Shape) MaxItems(property string, limit int) { s.property(property).MaxItems = &limit }

// Enum lists the values that the string property can have.
func (s *Shape) Enum(property string, values ...string) {
	enum := make([]any, len(values))
	for i, value := range values {
		enum[i] = value
	}
	s.property(property).Enum = enum
}

func (s *Shape) property(name string) *jsonschema.Schema {
	property := s.schema.Properties[name]
	if property == nil {
		panic(fmt.Sprintf("tools: a tool is tailored that has no argument %q", name))
	}
	return property
}

// Offer is the tool as an agent sees it, with the configuration in force, and
// whether it is of any use to the agent. Only the agent and the services of call
// are read.
func (t *Tool) Offer(call Call) (FunctionDefinition, bool) {
	function := t.ToDefinition().Function
	if t.Tailor == nil {
		return function, true
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(t.parameters, &schema); err != nil {
		panic(fmt.Sprintf("tools: the schema of %s does not parse: %v", t.Name, err))
	}
	if !t.Tailor(call, &Shape{&schema}) {
		return FunctionDefinition{}, false
	}
	parameters, err := encodeSchema(&schema)
	if err != nil {
		panic(fmt.Sprintf("tools: the tailored schema of %s does not encode: %v", t.Name, err))
	}
	function.Parameters = parameters
	return function, true
}
