package api

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"nanoclaw/internal/runs"
	"nanoclaw/internal/tools"
)

// The shapes of events, for the document alone: package runs writes them.
type (
	// StartedToolCall is a call whose result is not known yet.
	StartedToolCall struct {
		ID        string             `json:"id"`
		Type      string             `json:"type"`
		Function  tools.FunctionCall `json:"function"`
		AgentPath string             `json:"agent_path"`
	}
	eventMessage struct {
		Message *Message `json:"message"`
	}
	eventRun struct {
		Run *Run `json:"run"`
	}
	eventStarted struct {
		Run     *Run `json:"run"`
		Attempt int  `json:"attempt"`
	}
	eventDelta struct {
		StepID string `json:"step_id"`
		Offset int    `json:"offset" doc:"Of the delta in the step's text, in Unicode code points."`
		Delta  string `json:"delta"`
	}
	eventCallStarted struct {
		ToolCall StartedToolCall `json:"tool_call"`
		StepID   string          `json:"step_id"`
	}
	eventCallProgress struct {
		ID       string   `json:"id"`
		Message  string   `json:"message,omitempty"`
		Fraction *float64 `json:"fraction,omitempty"`
	}
	eventCallWaiting struct {
		ID   string `json:"id" doc:"A call of a tool that the client brought along: it waits for the client's result."`
		Name string `json:"name"`
	}
	eventCallFinished struct {
		ToolCall tools.Record `json:"tool_call"`
	}
	eventConversation struct {
		Conversation *Conversation `json:"conversation"`
	}
	eventDeleted  struct{}
	eventApproval struct {
		Approval *Approval `json:"approval"`
	}
	eventAgent struct {
		Run        *Run   `json:"run"`
		TaskName   string `json:"task_name"`
		Success    *bool  `json:"success,omitempty"`
		Response   string `json:"response,omitempty"`
		Error      string `json:"error,omitempty"`
		Incomplete bool   `json:"incomplete,omitempty"`
	}
	eventModelRetry struct{ runs.Retry }
	eventRunMessage struct {
		Message runs.SteeringView `json:"message" doc:"Sent into the run; told again once the model gets it."`
	}
	eventUsage struct {
		runs.Usage
		Model  string `json:"model"`
		StepID string `json:"step_id" doc:"The model turn that it was spent on."`
	}
	eventSnapshot struct {
		runs.Snapshot
		Runs []runs.Snapshot `json:"runs,omitempty" doc:"All that are active, the one above first."`
	}
	eventFinished struct {
		Run   *Run          `json:"run"`
		Error *runs.Failure `json:"error,omitempty"`
		Title string        `json:"title,omitempty"`
	}
)

var eventShapes = []struct {
	eventType string
	payload   reflect.Type
}{
	{runs.EventMessageCreated, reflect.TypeFor[eventMessage]()},
	{runs.EventRunQueued, reflect.TypeFor[eventRun]()},
	{runs.EventRunStarted, reflect.TypeFor[eventStarted]()},
	{runs.EventThinkingDelta, reflect.TypeFor[eventDelta]()},
	{runs.EventTextDelta, reflect.TypeFor[eventDelta]()},
	{runs.EventCallStarted, reflect.TypeFor[eventCallStarted]()},
	{runs.EventCallProgress, reflect.TypeFor[eventCallProgress]()},
	{runs.EventCallWaiting, reflect.TypeFor[eventCallWaiting]()},
	{runs.EventCallFinished, reflect.TypeFor[eventCallFinished]()},
	{runs.EventApprovalAsked, reflect.TypeFor[eventApproval]()},
	{runs.EventApprovalResolved, reflect.TypeFor[eventApproval]()},
	{runs.EventConversation, reflect.TypeFor[eventConversation]()},
	{runs.EventConversationGone, reflect.TypeFor[eventDeleted]()},
	{runs.EventAgentStarted, reflect.TypeFor[eventAgent]()},
	{runs.EventAgentFinished, reflect.TypeFor[eventAgent]()},
	{runs.EventModelRetry, reflect.TypeFor[eventModelRetry]()},
	{runs.EventUsage, reflect.TypeFor[eventUsage]()},
	{runs.EventSnapshot, reflect.TypeFor[eventSnapshot]()},
	{runs.EventMessageCompleted, reflect.TypeFor[eventMessage]()},
	{runs.EventRunFinished, reflect.TypeFor[eventFinished]()},
	{runs.EventRunMessage, reflect.TypeFor[eventRunMessage]()},
	{runs.EventTaskUpdated, reflect.TypeFor[eventRun]()},
}

// eventSchema is one of all events, told apart by their type.
func eventSchema(s *server) *huma.Schema {
	const name = "Event"
	registry := s.api.OpenAPI().Components.Schemas
	ref := &huma.Schema{Ref: schemaPrefix + name}
	if registry.Map()[name] != nil {
		return ref
	}
	event := &huma.Schema{
		Description:   "The data of one server-sent event.",
		Discriminator: &huma.Discriminator{PropertyName: "type", Mapping: map[string]string{}},
	}
	for _, shape := range eventShapes {
		kind := eventSchemaName(shape.eventType)
		registry.Map()[kind] = flatEvent(registry, shape.eventType, shape.payload)
		event.OneOf = append(event.OneOf, &huma.Schema{Ref: schemaPrefix + kind})
		event.Discriminator.Mapping[shape.eventType] = schemaPrefix + kind
	}
	registry.Map()[name] = event
	return ref
}

// eventSchemaName is RunStartedEvent for run.started.
func eventSchemaName(eventType string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(eventType, func(r rune) bool { return r == '.' || r == '_' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String() + "Event"
}

// flatEvent is one object of the head's and the payload's fields, as it is sent.
func flatEvent(registry huma.Registry, eventType string, payload reflect.Type) *huma.Schema {
	flat := &huma.Schema{Type: huma.TypeObject, Properties: map[string]*huma.Schema{}}
	for _, part := range []reflect.Type{reflect.TypeFor[runs.EventHead](), payload} {
		schema := huma.SchemaFromType(registry, part)
		for field, property := range schema.Properties {
			flat.Properties[field] = property
		}
		flat.Required = append(flat.Required, schema.Required...)
	}
	flat.Properties["type"] = &huma.Schema{Type: huma.TypeString, Enum: []any{eventType}}
	return flat
}
