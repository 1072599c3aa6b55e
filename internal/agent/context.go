package agent

import (
	"context"
	"fmt"

	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/tokens"
)

// contextOf is what the model sees: the spec's context and the run's own steps
// with their results, and between them what the person said meanwhile. Notes stand behind the
// results that they are about. The bytes of images in results are missing still.
func contextOf(spec Spec, steps []*Step, said []Steering, notes map[string]string) []llm.Message {
	messages := append([]llm.Message(nil), spec.Context...)
	for i, step := range steps {
		for ; len(said) > 0 && said[0].Before <= i; said = said[1:] {
			messages = Said(messages, said[0].Text)
		}
		messages = append(messages, StepMessages(step, spec.Model.Info().ID, notes)...)
	}
	for _, one := range said {
		messages = Said(messages, one.Text)
	}
	chooseImages(messages, spec.Model.Info())
	return messages
}

// Said adds what a person said. Behind another message of theirs it goes on there: many models
// want the roles to alternate.
func Said(messages []llm.Message, text string) []llm.Message {
	if n := len(messages); n > 0 && messages[n-1].Role == llm.RoleUser {
		messages[n-1].Text += "\n\n" + text
		return messages
	}
	return append(messages, llm.Message{Role: llm.RoleUser, Text: text})
}

// StepMessages is a finished step as the model modelID is to see it again. What a
// provider wants back word for word goes only to the model that said it. The
// provider's call ids are made unique within the step.
func StepMessages(step *Step, modelID string, notes map[string]string) []llm.Message {
	said := llm.Message{Role: llm.RoleAssistant, Text: step.Response.Text}
	if step.ModelID == modelID {
		said.Reasoning, said.Opaque = step.Response.Reasoning, step.Response.Opaque
	}
	results := make([]llm.Message, 0, len(step.Calls))
	seen := map[string]bool{}
	for i, call := range step.Calls {
		id := call.ProviderID
		if id == "" || seen[id] {
			id = fmt.Sprintf("call_%d_%d", step.Number, i)
		}
		seen[id] = true
		said.ToolCalls = append(said.ToolCalls, llm.ToolCall{ID: id, Name: call.Name, Arguments: replayable(call)})
		content := `{"success":false,"error":"the call was not finished","code":"cancelled"}`
		var images []llm.Image
		if call.Record != nil {
			content = call.Record.Result
			for _, image := range call.Record.Images {
				images = append(images, llm.Image{MediaType: image.ContentType, ID: image.UploadID, Size: image.Size})
			}
		}
		if note := notes[call.ID]; note != "" {
			content += "\n\n" + note
		}
		results = append(results, llm.Message{Role: llm.RoleTool, Text: content, Images: images, ToolCallID: id,
			ToolName: call.Name})
	}
	if said.Text == "" && len(said.ToolCalls) == 0 {
		return nil
	}
	return append([]llm.Message{said}, results...)
}

// replayable is the call's arguments as JSON that every provider accepts: what
// the executor made of them, since some refuse a history with broken JSON.
func replayable(call *Call) string {
	arguments := call.Arguments
	if call.Record != nil {
		arguments = call.Record.Function.Arguments
	}
	if !validObject(arguments) {
		return "{}"
	}
	return arguments
}

// fit makes the request smaller than the model's window, leaving room for the answer.
func fit(ctx context.Context, spec Spec, request llm.Request, window int) (llm.Request, error) {
	if window <= 0 {
		return request, nil
	}
	reserve := request.MaxTokens
	if reserve <= 0 || reserve > window/2 {
		reserve = min(4096, window/4)
	}
	fitted, _, err := llm.Fit(ctx, request, window, reserve, tokens.CountRequest, spec.Summarise)
	return fitted, err
}
