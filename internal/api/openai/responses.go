package openai

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"nanoclaw/internal/api/wire"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
)

// response is what /v1/responses answers. Fields that no agent has are what OpenAI has
// by default, since clients expect them.
type response struct {
	ID                 string             `json:"id"`
	Object             string             `json:"object"`
	CreatedAt          int64              `json:"created_at"`
	CompletedAt        *int64             `json:"completed_at"`
	Status             string             `json:"status"`
	Background         bool               `json:"background"`
	Error              *responseError     `json:"error"`
	IncompleteDetails  *incompleteDetails `json:"incomplete_details"`
	Instructions       *string            `json:"instructions"`
	MaxOutputTokens    *int               `json:"max_output_tokens"`
	Model              string             `json:"model"`
	Output             []any              `json:"output"`
	ParallelToolCalls  bool               `json:"parallel_tool_calls"`
	PreviousResponseID *string            `json:"previous_response_id"`
	Conversation       *conversationRef   `json:"conversation"`
	Reasoning          map[string]any     `json:"reasoning"`
	Store              bool               `json:"store"`
	Temperature        float64            `json:"temperature"`
	Text               map[string]any     `json:"text"`
	ToolChoice         string             `json:"tool_choice"`
	Tools              []any              `json:"tools"`
	TopP               float64            `json:"top_p"`
	TopLogprobs        int                `json:"top_logprobs"`
	PresencePenalty    float64            `json:"presence_penalty"`
	FrequencyPenalty   float64            `json:"frequency_penalty"`
	MaxToolCalls       *int               `json:"max_tool_calls"`
	ServiceTier        string             `json:"service_tier"`
	SafetyIdentifier   *string            `json:"safety_identifier"`
	PromptCacheKey     *string            `json:"prompt_cache_key"`
	Truncation         string             `json:"truncation"`
	Usage              *responseUsage     `json:"usage"`
	Metadata           map[string]any     `json:"metadata"`
}

type responseError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

type incompleteDetails struct {
	Reason string `json:"reason"`
}

type conversationRef struct {
	ID string `json:"id"`
}

type responseUsage struct {
	InputTokens         int            `json:"input_tokens"`
	InputTokensDetails  map[string]int `json:"input_tokens_details"`
	OutputTokens        int            `json:"output_tokens"`
	OutputTokensDetails map[string]int `json:"output_tokens_details"`
	TotalTokens         int            `json:"total_tokens"`
}

// newResponse is a response of a run that has no output yet.
func newResponse(run *runs.RunView, id, modelID string) response {
	return response{
		ID: id, Object: "response", CreatedAt: run.CreatedAt.Std().Unix(), Status: "in_progress", Model: modelID,
		Output: []any{}, ParallelToolCalls: true, Conversation: &conversationRef{"conv_" + run.ConversationID},
		Reasoning: map[string]any{"effort": nil, "summary": nil}, Store: true,
		Text:       map[string]any{"format": map[string]any{"type": "text"}},
		ToolChoice: "auto", Tools: []any{}, Truncation: "disabled", Metadata: map[string]any{},
		Temperature: 1, TopP: 1, ServiceTier: "default",
	}
}

func (h *handler) respond(w http.ResponseWriter, r *http.Request) error {
	var body responsesRequest
	if err := wire.ReadJSON(r, &body); err != nil {
		return err
	}
	req, err := body.asked(r)
	if err != nil {
		return err
	}
	ctx := r.Context()
	if body.Stream {
		done, err := h.OpenStream(ctx)
		if err != nil {
			return err
		}
		defer done()
	}
	x, err := h.begin(ctx, req)
	if err != nil {
		return err
	}
	id := responsePrefix + x.run.ID
	if x.cursor != "" { // a further response of the same run
		id += "_" + x.cursor
	}
	made := newResponse(x.run, id, body.Model)
	made.Background = body.Background
	if body.Temperature != nil {
		made.Temperature = *body.Temperature
	}
	if body.Metadata != nil {
		made.Metadata = body.Metadata
	}
	if body.PreviousResponseID != "" {
		made.PreviousResponseID = &body.PreviousResponseID
	}
	if body.Background && !body.Stream {
		made.Status = "queued"
		wire.WriteJSON(w, http.StatusOK, made)
		return nil
	}
	return h.answer(w, r, x, made, body.Stream, -1)
}

// answer follows the run and answers with the response, or with its events behind
// the number after.
func (h *handler) answer(w http.ResponseWriter, r *http.Request, x *exchange, made response, stream bool,
	after int) error {
	out := &responseBuilder{response: made, after: after}
	idle := func() error { return nil }
	if stream {
		out.events = wire.NewEvents(w)
		idle = out.events.Idle
	}
	ctx := r.Context()
	if err := out.begin(); err != nil {
		return err
	}
	end, err := h.follow(ctx, x, out.add, idle)
	if err != nil {
		if ctx.Err() != nil || !stream || !out.events.Begun() {
			return err
		}
		_, code, message := h.Problem(ctx, err)
		return out.send("error", map[string]any{"code": code, "message": message, "param": nil})
	}
	if end.end == endFailed && !stream && len(out.response.Output) == 0 {
		WriteError(w, statusOf(end.failure), end.failure.Code, end.failure.Message)
		return nil
	}
	if err := out.finish(r, end); err != nil {
		return err
	}
	if !stream {
		wire.WriteJSON(w, http.StatusOK, out.response)
	}
	return nil
}

// getResponse answers with a response that was started before: as it is, or with its
// events from the first one, or behind the number starting_after.
func (h *handler) getResponse(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	run, err := h.responseRun(ctx, r)
	if err != nil {
		return err
	}
	made := newResponse(run, r.PathValue("id"), run.Agent)
	x := &exchange{run: run, clientTools: map[string]bool{}}
	stored, err := h.Store.Run(ctx, h.User(ctx), run.ID)
	if err != nil {
		return err
	}
	for _, tool := range stored.Settings.ClientTools {
		x.clientTools[tool.Name] = true
	}
	stream, after := r.URL.Query().Get("stream") == "true", -1
	if given := r.URL.Query().Get("starting_after"); given != "" {
		if after, err = strconv.Atoi(given); err != nil || after < 0 {
			return wrong("starting_after", fmt.Sprintf("%q is no number of an event", given))
		}
	}
	if !stream && !models.RunEnded(run.Status) {
		waiting, err := h.Runs.WaitingClientCalls(ctx, h.User(ctx), run.ID)
		if err != nil {
			return err
		}
		if len(waiting) == 0 && run.Status != models.RunWaitingApproval {
			if run.Status == models.RunQueued {
				made.Status = "queued"
			}
			wire.WriteJSON(w, http.StatusOK, made)
			return nil
		}
	}
	if stream {
		done, err := h.OpenStream(ctx)
		if err != nil {
			return err
		}
		defer done()
	}
	return h.answer(w, r, x, made, stream, after)
}

func (h *handler) responseRun(ctx context.Context, r *http.Request) (*runs.RunView, error) {
	run, err := h.Runs.Run(ctx, h.User(ctx), runOf(r.PathValue("id")))
	if err != nil {
		if status, _, _ := h.Problem(ctx, err); status == http.StatusNotFound {
			return nil, &requestError{http.StatusNotFound, "id", "not_found", "there is no response with this id"}
		}
	}
	return run, err
}

func (h *handler) cancelResponse(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	run, err := h.responseRun(ctx, r)
	if err != nil {
		return err
	}
	if run, err = h.Runs.Cancel(ctx, h.User(ctx), run.ID); err != nil {
		return err
	}
	made := newResponse(run, r.PathValue("id"), run.Agent)
	made.Status = "cancelled"
	if run.Status == models.RunCompleted {
		made.Status = "completed"
	}
	wire.WriteJSON(w, http.StatusOK, made)
	return nil
}
