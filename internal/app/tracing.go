package app

import (
	"context"
	"iter"

	"nanoclaw/internal/llm"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/telemetry"
	"nanoclaw/internal/tools"
)

// tracedModels hands out models whose calls are spans.
type tracedModels struct{ runs.Models }

// Get implements runs.Models.
func (m tracedModels) Get(id string) (llm.Model, error) {
	model, err := m.Models.Get(id)
	if err != nil {
		return nil, err
	}
	return tracedModel{model}, nil
}

type tracedModel struct{ llm.Model }

// Stream implements llm.Model. Names and attributes are those of OpenTelemetry's
// conventions for generative AI.
func (m tracedModel) Stream(ctx context.Context, request llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		info := m.Info()
		ctx, end := telemetry.Start(ctx, "chat "+info.ID, telemetry.String("gen_ai.operation.name", "chat"),
			telemetry.String("gen_ai.provider.name", info.Provider), telemetry.String("gen_ai.request.model", info.ID))
		failure := ""
		var said []telemetry.Attr
		defer func() { end(failure, said...) }()
		for event, err := range m.Model.Stream(ctx, request) {
			if err != nil {
				failure = tools.CodeOf(err)
			} else if event.Kind == llm.EventDone {
				usage := event.Response.Usage
				said = []telemetry.Attr{telemetry.Int("gen_ai.usage.input_tokens", usage.PromptTokens),
					telemetry.Int("gen_ai.usage.output_tokens", usage.CompletionTokens)}
			}
			if !yield(event, err) {
				return
			}
		}
	}
}
