package tools

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

// Shape is what a model is to see of a tool's arguments (see Tool.Tailor). A
// property that the tool does not have is a mistake in the program and panics.
type Shape struct{ changes []shapeChange }

// shapeChange is what one property is to be. The other fields are zero.
type shapeChange struct {
	Property string
	MaxItems int      `json:",omitempty"`
	Enum     []string `json:",omitempty"`
}

// tailored are the parameters of a tool for the changes of its Shape.
type tailored struct {
	changes    string
	parameters json.RawMessage
}

// MaxItems bounds the list property.
func (s *Shape) MaxItems(property string, limit int) {
	s.changes = append(s.changes, shapeChange{Property: property, MaxItems: limit})
}

// Enum lists the values that the string property can have.
func (s *Shape) Enum(property string, values ...string) {
	s.changes = append(s.changes, shapeChange{Property: property, Enum: values})
}

// Offer is the tool as an agent sees it, with the configuration in force, and
// whether it is of any use to the agent. Of call only the agent, the conversation, the
// project and the services are read.
func (t *Tool) Offer(ctx context.Context, call Call) (FunctionDefinition, bool) {
	function := t.ToDefinition().Function
	if t.Tailor == nil {
		return function, true
	}
	var shape Shape
	if !t.Tailor(ctx, call, &shape) {
		return FunctionDefinition{}, false
	}
	if len(shape.changes) > 0 {
		function.Parameters = t.tailor(shape.changes)
	}
	return function, true
}

// tailor is the schema with the changes. The last one is kept: the configuration
// changes rarely, and every step of every run asks.
func (t *Tool) tailor(changes []shapeChange) json.RawMessage {
	key, err := json.Marshal(changes)
	if err != nil {
		panic(fmt.Sprintf("tools: the shape of %s does not encode: %v", t.Name, err))
	}
	if last := t.lastOffer.Load(); last != nil && last.changes == string(key) {
		return last.parameters
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(t.parameters, &schema); err != nil {
		panic(fmt.Sprintf("tools: the schema of %s does not parse: %v", t.Name, err))
	}
	for _, change := range changes {
		property := schema.Properties[change.Property]
		if property == nil {
			panic(fmt.Sprintf("tools: %s is tailored, and has no argument %q", t.Name, change.Property))
		}
		if change.MaxItems > 0 {
			property.MaxItems = &change.MaxItems
		}
		if len(change.Enum) > 0 {
			property.Enum = nil
		}
		for _, value := range change.Enum {
			property.Enum = append(property.Enum, value)
		}
	}
	parameters, err := encodeSchema(&schema)
	if err != nil {
		panic(fmt.Sprintf("tools: the tailored schema of %s does not encode: %v", t.Name, err))
	}
	t.lastOffer.Store(&tailored{string(key), parameters})
	return parameters
}
