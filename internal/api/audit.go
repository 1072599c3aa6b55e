package api

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// AuditLine is one line of who did what.
type AuditLine struct {
	ID             int64     `json:"id"`
	Time           time.Time `json:"time"`
	Kind           string    `json:"kind" enum:"call,decision,request" doc:"call: an agent's tool call. decision: what the guard or a person decided about one. request: a change over the API."`
	UserID         string    `json:"user_id"`
	ProjectID      string    `json:"project_id"`
	ConversationID string    `json:"conversation_id"`
	RunID          string    `json:"run_id"`
	RootRunID      string    `json:"root_run_id"`
	CallID         string    `json:"call_id"`
	AgentPath      string    `json:"agent_path"`
	Tool           string    `json:"tool" doc:"Of a request its operation, such as delete-file."`
	Arguments      string    `json:"arguments" doc:"JSON text, with secrets covered."`
	ResolvedPath   string    `json:"resolved_path" doc:"The file on the server, of a call that names one."`
	Outcome        string    `json:"outcome" doc:"success, or the code of the failure."`
	Severity       string    `json:"severity" doc:"Of the guard's worst finding; empty: none."`
	Detail         string    `json:"detail"`
	Duration       float64   `json:"duration" doc:"Seconds."`
	Hash           string    `json:"hash" doc:"Of this line and the one before it: nanoclaw audit verify checks them."`
}

func viewAudit(a *models.Audit) AuditLine {
	return AuditLine{
		ID: a.ID, Time: a.Time.Std(), Kind: a.Kind, UserID: a.UserID, ProjectID: a.ProjectID,
		ConversationID: a.ConversationID,
		RunID:          a.RunID, RootRunID: a.RootRunID, CallID: a.CallID, AgentPath: a.AgentPath, Tool: a.Tool,
		Arguments: a.Arguments, ResolvedPath: a.ResolvedPath,
		Outcome: a.Outcome, Severity: a.Severity, Detail: a.Detail, Duration: float64(a.DurationMicros) / 1e6,
		Hash: a.Hash,
	}
}

type listAuditInput struct {
	PageInput
	Accept       string `header:"Accept" hidden:"true"`
	Kind         string `query:"kind" enum:"call,decision,request"`
	Tool         string `query:"tool" doc:"The tool's name."`
	User         string `query:"user" doc:"The user's id."`
	Project      string `query:"project" doc:"The project's id."`
	Conversation string `query:"conversation" doc:"The conversation's id."`
	Run          string `query:"run" doc:"The run's id; of a root run with its sub-agents."`
	Agent        string `query:"agent" doc:"The agent's path, such as main/research, with those below it."`
	Outcome      string `query:"outcome" doc:"success, or the code of a failure."`
	Severity     string `query:"severity" enum:"CRITICAL,HIGH,MEDIUM,LOW,INFO"`
	Since        string `query:"since" doc:"From this moment on: a time, or a day in UTC."`
	Until        string `query:"until" doc:"Before this moment; of a day, to its end."`
}

func (in *listAuditInput) query() (store.AuditQuery, error) {
	query := store.AuditQuery{
		Kind: in.Kind, Tool: in.Tool, UserID: in.User, ProjectID: in.Project, ConversationID: in.Conversation,
		RunID:     in.Run,
		AgentPath: in.Agent, Outcome: in.Outcome, Severity: in.Severity, Page: in.page(),
	}
	var err error
	if query.Since, err = moment("since", in.Since, 0); err != nil {
		return query, err
	}
	query.Until, err = moment("until", in.Until, 24*time.Hour)
	return query, err
}

type auditOutput struct{ Body func(huma.Context) }

func (s *server) registerAudit() {
	lines := &huma.Schema{Type: "string", Description: "One line as JSON each."}
	handle(s, op("GET", "/audit", "list-audit", "Audit", "Tool calls, decisions and changes, newest first",
		describe("Your own; of an administrator, everybody's. With Accept: text/csv or application/jsonl all lines of "+
			"the filter as a table or as JSON, one line each; limit and cursor do not matter then."),
		answers("200", "OK", "application/json", schemaOf[List[AuditLine]](s)),
		answers("200", "OK", "text/csv", &huma.Schema{Type: "string"}),
		answers("200", "OK", jsonLines, lines),
		answers("200", "OK", ndJSON, lines),
	), s.listAudit)
}

func (s *server) listAudit(ctx context.Context, in *listAuditInput) (*auditOutput, error) {
	query, err := in.query()
	if err != nil {
		return nil, err
	}
	if owner := s.ownerFilter(ctx); owner != "" {
		query.UserID = owner
	}
	if format := auditFormat(in.Accept); format != "" {
		return &auditOutput{func(hc huma.Context) { s.exportAudit(ctx, humaecho.Unwrap(hc), query, format) }}, nil
	}
	part, err := s.Store.ListAudit(ctx, query)
	if err != nil {
		return nil, err
	}
	return &auditOutput{func(hc huma.Context) {
		c := humaecho.Unwrap(hc)
		if err := c.JSON(200, newList(part, viewAudit)); err != nil {
			c.Error(err)
		}
	}}, nil
}

// moment reads a time, or a day, to which dayEnd is added.
func moment(name, text string, dayEnd time.Duration) (models.Time, error) {
	if text == "" {
		return 0, nil
	}
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return models.TimeOf(at), nil
	}
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return 0, invalidField("query."+name,
			quoted(text)+" is neither a time, such as 2026-11-20T08:00:00Z, nor a day, such as 2026-11-20")
	}
	return models.TimeOf(day.Add(dayEnd)), nil
}
