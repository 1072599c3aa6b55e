package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"nanoclaw/internal/api/turn"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/tools"
)

const (
	responsePrefix = "resp_"
	approvalPrefix = "mcpr_"
)

type responsesRequest struct {
	Model              string          `json:"model"`
	Input              json.RawMessage `json:"input"`
	Instructions       string          `json:"instructions"`
	PreviousResponseID string          `json:"previous_response_id"`
	Conversation       json.RawMessage `json:"conversation"`
	Stream             bool            `json:"stream"`
	Background         bool            `json:"background"`
	Tools              []responsesTool `json:"tools"`
	ToolChoice         json.RawMessage `json:"tool_choice"`
	Temperature        *float64        `json:"temperature"`
	MaxOutputTokens    int             `json:"max_output_tokens"`
	Reasoning          struct {
		Effort string `json:"effort"`
	} `json:"reasoning"`
	Text struct {
		Format struct {
			Type string `json:"type"`
		} `json:"format"`
	} `json:"text"`
	Metadata map[string]any `json:"metadata"`
}

type responsesTool struct {
	Type string `json:"type"`
	models.ClientTool
}

// item is an entry of the input.
type item struct {
	Type              string          `json:"type"`
	Role              string          `json:"role"`
	Content           json.RawMessage `json:"content"`
	CallID            string          `json:"call_id"`
	Name              string          `json:"name"`
	Arguments         string          `json:"arguments"`
	Output            json.RawMessage `json:"output"`
	ApprovalRequestID string          `json:"approval_request_id"`
	Approve           bool            `json:"approve"`
	Reason            string          `json:"reason"`
}

// approvalResponse is a person's decision on a call that waits.
type approvalResponse struct {
	id      string
	approve bool
	reason  string
}

// asked translates the request.
func (c *responsesRequest) asked(r *http.Request) (asked, error) {
	if kind := c.Text.Format.Type; kind != "" && kind != "text" {
		return asked{}, wrong(
			"text.format",
			"answers are text: leave the format out, and say in the prompt which form "+
				"the answer should have",
		)
	}
	if err := checkSampling(c.Temperature, c.MaxOutputTokens); err != nil {
		return asked{}, err
	}
	req := asked{model: c.Model, wait: waits(r, c.Metadata), conversationID: c.conversationID(),
		afterRun: runOf(c.PreviousResponseID)}
	req.start = runs.StartRequest{Temperature: c.Temperature, MaxTokens: c.MaxOutputTokens,
		Thinking: thinking(c.Reasoning.Effort), ProjectID: metadata(c.Metadata, "project_id")}
	var list []models.ClientTool
	for _, tool := range c.Tools {
		if tool.Type == "function" { // the others are OpenAI's own: the agent has its own, too
			list = append(list, tool.ClientTool)
		}
	}
	var err error
	if req.start.ClientTools, err = chosenTools(list, c.ToolChoice); err != nil {
		return asked{}, err
	}
	if c.Instructions != "" {
		req.messages = append(req.messages, turn.Message{Role: turn.System, Text: c.Instructions})
	}
	return req, c.readInput(&req)
}

func (c *responsesRequest) conversationID() string {
	var id string
	if json.Unmarshal(c.Conversation, &id) != nil {
		var object struct {
			ID string `json:"id"`
		}
		_ = json.Unmarshal(c.Conversation, &object) // absent
		id = object.ID
	}
	if id == "" {
		id = metadata(c.Metadata, "conversation_id")
	}
	return strings.TrimPrefix(id, "conv_")
}

// runOf is the run of a response's id: several responses can be of one run.
func runOf(responseID string) string {
	id, _, _ := strings.Cut(strings.TrimPrefix(responseID, responsePrefix), "_")
	return id
}

func (c *responsesRequest) readInput(req *asked) error {
	var text string
	if json.Unmarshal(c.Input, &text) == nil && text != "" {
		req.messages = append(req.messages, turn.Message{Role: turn.User, Text: text})
		return nil
	}
	var items []item
	if err := json.Unmarshal(c.Input, &items); err != nil || len(items) == 0 {
		return wrong("input", "the input is neither a text nor a list of items")
	}
	for i, one := range items {
		if err := one.read(fmt.Sprintf("input[%d]", i), req); err != nil {
			return err
		}
	}
	return nil
}

func (one item) read(param string, req *asked) error {
	switch one.Type {
	case "message", "":
		made, err := chatMessage{Role: one.Role}.turn(param)
		if err == nil {
			err = readContent(one.Content, param+".content", &made)
		}
		req.messages = append(req.messages, made)
		return err
	case "function_call":
		call := tools.Invocation{ID: one.CallID, Name: one.Name, Arguments: one.Arguments}
		if n := len(req.messages); n > 0 && req.messages[n-1].Role == turn.Assistant {
			req.messages[n-1].Calls = append(req.messages[n-1].Calls, call)
			return nil
		}
		req.messages = append(req.messages, turn.Message{Role: turn.Assistant, Calls: []tools.Invocation{call}})
	case "function_call_output":
		if one.CallID == "" {
			return wrong(param+".call_id", "say which call this is the output of")
		}
		made := turn.Message{Role: turn.Tool, CallID: one.CallID}
		if err := readContent(one.Output, param+".output", &made); err != nil {
			return err
		}
		req.messages = append(req.messages, made)
	case "mcp_approval_response":
		req.approvals = append(req.approvals, approvalResponse{strings.TrimPrefix(one.ApprovalRequestID,
			approvalPrefix), one.Approve, one.Reason})
	case "reasoning", "mcp_call", "mcp_approval_request", "item_reference", "mcp_list_tools":
		// what an earlier answer had beside its text: it is in the conversation
	default:
		return wrong(param+".type", fmt.Sprintf("items of type %q are not taken", one.Type))
	}
	return nil
}

// decide carries out the decisions of a request, and returns the run that goes on.
func (h *handler) decide(ctx context.Context, user string, req asked) (*runs.RunView, error) {
	if err := h.Person(ctx); err != nil {
		return nil, err
	}
	runID := ""
	for _, one := range req.approvals {
		decided, err := h.Runs.Decide(ctx, runs.DecideRequest{ApprovalID: one.id, UserID: user, Approve: one.approve,
			Reason: one.reason})
		if err != nil {
			return nil, err
		}
		runID = decided.RootRunID
	}
	return h.Runs.Run(ctx, user, runID)
}
