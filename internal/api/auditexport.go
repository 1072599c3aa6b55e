package api

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// Content types of exports.
const (
	textCSV   = "text/csv"
	jsonLines = "application/jsonl"
	ndJSON    = "application/x-ndjson"
)

// auditFormat is the export that an Accept header asks for: the first of the types
// in it that the audit has; empty: the list.
func auditFormat(accept string) string {
	for part := range strings.SplitSeq(accept, ",") {
		kind, _, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		switch kind {
		case textCSV, jsonLines, ndJSON:
			return kind
		case "application/json", "application/*", "*/*":
			return ""
		}
	}
	return ""
}

// exportAudit streams all lines of a filter: nothing is held but what is being sent.
func (s *server) exportAudit(ctx context.Context, c echo.Context, query store.AuditQuery, format string) {
	header := c.Response().Header()
	name, contentType := "audit.jsonl", format
	if format == textCSV {
		name, contentType = "audit.csv", textCSV+"; charset=utf-8"
	}
	header.Set("Content-Type", contentType)
	header.Set("Content-Disposition", disposition(name, true))
	header.Set("X-Accel-Buffering", "no")
	if c.Request().Method == http.MethodHead {
		return
	}
	out := bufio.NewWriterSize(c.Response(), 32<<10)
	line, err := auditLines(out, format)
	if err == nil {
		err = s.Store.EachAudit(ctx, query, line)
	}
	if err == nil {
		err = out.Flush()
	}
	if err == nil {
		return
	}
	if c.Response().Committed {
		requestOf(ctx).logger.Warn("an export of the audit was cut off", "error", err)
		panic(http.ErrAbortHandler) // the client must not take it for whole
	}
	c.Error(fmt.Errorf("export the audit: %w", err))
}

// auditLines is what writes one line of an export.
func auditLines(out *bufio.Writer, format string) (func(*models.Audit) error, error) {
	if format != textCSV {
		lines := json.NewEncoder(out)
		lines.SetEscapeHTML(false)
		return func(a *models.Audit) error { return lines.Encode(viewAudit(a)) }, nil
	}
	table := csv.NewWriter(out)
	row := func(cells []string) error {
		if err := table.Write(cells); err != nil {
			return err
		}
		table.Flush() // into out, which has the buffer
		return table.Error()
	}
	err := row([]string{"id", "time", "kind", "user_id", "project_id", "conversation_id", "run_id", "call_id",
		"agent_path", "tool",
		"arguments", "resolved_path", "outcome", "severity", "detail", "duration", "root_run_id", "hash"})
	return func(a *models.Audit) error {
		return row([]string{strconv.FormatInt(a.ID, 10), a.Time.Std().Format(time.RFC3339Nano), cell(a.Kind),
			cell(a.UserID), cell(a.ProjectID),
			cell(a.ConversationID), cell(a.RunID), cell(a.CallID), cell(a.AgentPath), cell(a.Tool), cell(a.Arguments),
			cell(a.ResolvedPath),
			cell(a.Outcome), cell(a.Severity), cell(a.Detail), strconv.FormatFloat(float64(a.DurationMicros)/1e6, 'f',
				-1, 64),
			cell(a.RootRunID), cell(a.Hash)})
	}, err
}

// cell keeps a spreadsheet from running a text as a formula. Spaces before the
// sign do not matter to it, and the wide forms of the signs are signs too.
func cell(text string) string {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " \u00a0\u3000"))
	if strings.ContainsRune("=+-@\t\r\n|%＝＋－＠", first) && text != "" {
		return "'" + text
	}
	return text
}
