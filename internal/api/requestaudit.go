package api

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/workspace"
)

// fileChange is a request that changes files, for the audit (FS5).
type fileChange struct {
	operation string // its id in the document
	project   string
	run       string // that it is about; empty: none
	path      string // the file that it names
	arguments map[string]any
	result    func() any // more to note, once it is done; nil: nothing
}

// maxDetail bounds what is noted of a result, in bytes.
const maxDetail = 16 << 10

// audited runs a request that changes files and writes a row about it, whatever
// came of it. A row that cannot be written is an error in the log: the change has
// happened.
func (s *server) audited(ctx context.Context, change fileChange, do func() error) error {
	begun := time.Now()
	err := do()
	row := &models.Audit{
		Time: models.TimeOf(begun), Kind: models.AuditRequest, UserID: currentUser(ctx), ProjectID: change.project,
		RunID: change.run,
		Tool:  change.operation, Arguments: s.auditArguments(change), Outcome: "success",
		DurationMicros: time.Since(begun).Microseconds(),
	}
	if err != nil {
		problem := problemOf(err)
		row.Outcome, row.Detail = problem.Code, s.covered(problem.Detail)
	}
	if change.result != nil && err == nil {
		if text, failed := json.Marshal(change.result()); failed == nil {
			row.Detail = store.ShortText(s.covered(string(text)), maxDetail)
		}
	}
	if change.path != "" {
		row.ResolvedPath = s.covered(s.resolvedPath(ctx, change.project, change.path))
	}
	if failed := s.Store.AppendAudit(context.WithoutCancel(ctx), []*models.Audit{row}); failed != nil {
		requestOf(ctx).logger.Error("a change over the API could not be audited", "operation", change.operation,
			"error", failed)
	}
	return err
}

func (s *server) auditArguments(change fileChange) string {
	arguments := map[string]any{}
	maps.Copy(arguments, change.arguments)
	if change.path != "" {
		arguments["path"] = change.path
	}
	for name, value := range arguments {
		if text, ok := value.(string); ok {
			arguments[name] = s.covered(text)
		}
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		return "{}"
	}
	return string(text)
}

// covered is a text without the secrets that redaction finds.
func (s *server) covered(text string) string {
	if s.Redact == nil {
		return text
	}
	return s.Redact(text)
}

func (s *server) resolvedPath(ctx context.Context, projectID, path string) string {
	files, err := s.files(ctx, projectID)
	if err != nil {
		return ""
	}
	return workspace.ResolvedPath(ctx, files, path)
}
