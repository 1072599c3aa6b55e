package runs

import (
	"fmt"
	"time"

	"nanoclaw/internal/models"
	"nanoclaw/internal/runs/eventlog"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// Types of events.
const (
	EventMessageCreated   = "message.created"
	EventRunQueued        = "run.queued"
	EventRunStarted       = "run.started"
	EventThinkingDelta    = "thinking.delta"
	EventTextDelta        = "text.delta"
	EventCallStarted      = "tool_call.started"
	EventCallProgress     = "tool_call.progress"
	EventCallFinished     = "tool_call.finished"
	EventCallWaiting      = "tool_call.waiting"
	EventApprovalAsked    = "approval.requested"
	EventApprovalResolved = "approval.resolved"
	EventConversation     = "conversation.updated"
	EventConversationGone = "conversation.deleted"
	EventAgentStarted     = "agent.started"
	EventAgentFinished    = "agent.finished"
	EventModelRetry       = "model.retry" // a model call failed and is made again at a time
	EventUsage            = "usage"
	EventSnapshot         = "snapshot"
	EventMessageCompleted = "message.completed"
	EventRunFinished      = "run.finished"
	EventRunMessage       = "run.message"  // a person sent a message to a run at work, or the model gets it now
	EventTaskUpdated      = "task.updated" // of a background task, to the conversation that it was submitted in
)

// EventHead is what every event begins with.
type EventHead struct {
	Type           string `json:"type"`
	RunID          string `json:"run_id"`
	RootRunID      string `json:"root_run_id"`
	AgentPath      string `json:"agent_path"`
	ConversationID string `json:"conversation_id"`
	Time           string `json:"time"`
}

// Retry is a wait of a model turn: its request failed before the first word and is made again.
type Retry struct {
	StepID string   `json:"step_id" doc:"The model turn."`
	Error  *Failure `json:"error" doc:"Why the last try failed."`
	Model  string   `json:"model"`
	Try    int      `json:"try" doc:"The number of the coming retry, from 1."`
	Max    int      `json:"max" doc:"Retries that there are at most."`
	At     string   `json:"retry_at" doc:"When the request is made again, RFC 3339."`
}

// Payloads, by type; each is an object whose fields follow the head's.
type (
	messagePayload struct {
		Message *MessageView `json:"message"`
	}
	runPayload struct {
		Run *RunView `json:"run"`
	}
	startedPayload struct {
		Run     *RunView `json:"run"`
		Attempt int      `json:"attempt"`
	}
	deltaPayload struct {
		StepID string `json:"step_id"`
		Offset int    `json:"offset"` // in Unicode code points
		Delta  string `json:"delta"`
	}
	callStartedPayload struct {
		ToolCall startedCall `json:"tool_call"`
		StepID   string      `json:"step_id"`
	}
	startedCall struct {
		ID        string             `json:"id"`
		Type      string             `json:"type"`
		Function  tools.FunctionCall `json:"function"`
		AgentPath string             `json:"agent_path"`
	}
	progressPayload struct {
		ID       string   `json:"id"`
		Message  string   `json:"message,omitempty"`
		Fraction *float64 `json:"fraction,omitempty"`
	}
	callWaitingPayload struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	callFinishedPayload struct {
		ToolCall ToolCall `json:"tool_call"`
	}
	conversationPayload struct {
		Conversation any `json:"conversation"`
	}
	agentPayload struct {
		Run        *RunView `json:"run"`
		TaskName   string   `json:"task_name"`
		Success    *bool    `json:"success,omitempty"`
		Response   string   `json:"response,omitempty"`
		Error      string   `json:"error,omitempty"`
		Incomplete bool     `json:"incomplete,omitempty"`
	}
	usagePayload struct {
		Usage
		Model  string `json:"model"`
		StepID string `json:"step_id"`
	}
	steeringPayload struct {
		Message SteeringView `json:"message"`
	}
	approvalPayload struct {
		Approval *ApprovalView `json:"approval"`
	}
	finishedPayload struct {
		Run   *RunView `json:"run"`
		Error *Failure `json:"error,omitempty"`
		Title string   `json:"title,omitempty"`
	}
)

// encodeEvent writes one event: the head of the run that it is about, then the payload.
func encodeEvent(eventType string, run *models.Run, payload any) []byte {
	return splice(headOf(eventType, run), payload)
}

func headOf(eventType string, run *models.Run) EventHead {
	return EventHead{Type: eventType, RunID: run.ID, RootRunID: run.RootRunID, AgentPath: run.AgentPath,
		ConversationID: run.ConversationID,
		Time:           time.Now().UTC().Format(time.RFC3339Nano)}
}

func splice(head EventHead, payload any) []byte {
	event := encode(head)
	if rest := encode(payload); len(rest) > 2 {
		event = append(event[:len(event)-1], ',')
		event = append(event, rest[1:]...)
	}
	return event
}

func subjectOf(run *models.Run) string {
	return eventlog.EventSubject(run.UserID, run.ConversationID, run.RootRunID)
}

// eventRow is an event that is written with a change and sent after it.
func eventRow(eventType string, run *models.Run, payload any) *models.Outbox {
	return &models.Outbox{Subject: subjectOf(run), MessageID: store.NewID(), Payload: encodeEvent(eventType, run,
		payload)}
}

// workRow is the work message of a root run's present EnqueueNo.
func workRow(run *models.Run) *models.Outbox {
	return &models.Outbox{Subject: eventlog.WorkSubject, MessageID: fmt.Sprintf("%s/%d", run.ID, run.EnqueueNo),
		Payload: encode(job{RunID: run.ID, EnqueueNo: run.EnqueueNo})}
}

type job struct {
	RunID     string `json:"run_id"`
	EnqueueNo int    `json:"enqueue_no"`
}
