package executor

import (
	"context"
	"fmt"
	"runtime/debug"

	"nanoclaw/internal/jsontree"
	"nanoclaw/internal/tools"
)

// encodedResult is a tool's answer as the record has it: JSON that always
// parses, without secrets, within the limit.
type encodedResult struct {
	text    string
	success bool
	code    string // of a failure
	images  []tools.Image
	files   []tools.SentFile
}

// encode makes the result of what a tool returned: its data, as JSON, or its error.
func (r *batchRun) encode(readOn string, data []byte, failure error) encodedResult {
	if failure == nil {
		return r.cover(readOn, data, nil)
	}
	result := tools.Failed(failure)
	if result.Data != nil {
		encoded, err := jsontree.Encode(result.Data)
		if err != nil {
			result.Error += fmt.Sprintf(" (its data cannot be written as JSON: %v)", err)
		} else if string(encoded) != "null" {
			data = encoded
		}
	}
	return r.cover(readOn, data, &result)
}

// cover redacts, truncates and writes a result. When that itself fails nothing of
// the result is shown.
func (r *batchRun) cover(readOn string, data []byte, failure *tools.Result) (encoded encodedResult) {
	defer func() {
		if p := recover(); p != nil {
			r.log.ErrorContext(context.Background(), "redacting a tool's result panicked", "run_id", r.env.Call.RunID,
				"panic", p, "stack", string(debug.Stack()))
			encoded = encodedResult{
				text: `{"success":false,"error":"the result is withheld: covering the secrets in it failed","code":"internal"}`,
				code: tools.CodeInternal,
			}
		}
	}()
	limit := r.limits.OutputLimit
	secrets := 0
	redact := func(s string) string {
		redacted := r.redact(s)
		if redacted != s {
			secrets += r.count(s)
		}
		return redacted
	}
	var cut truncation
	out := make([]byte, 0, len(data)+64)
	if failure != nil {
		message := &jsontree.Node{Kind: jsontree.Text, Text: redact(failure.Error)}
		cut.truncate(message, "error", limit)
		limit = max(limit-len(message.Text), limit/4)
		out = jsontree.AppendString(append(out, `{"success":false,"error":`...), message.Text)
		out = jsontree.AppendString(append(out, `,"code":`...), failure.Code)
	} else {
		out = append(out, `{"success":true`...)
	}
	var tree *jsontree.Node
	if len(data) > 0 {
		parsed, err := jsontree.Parse(data)
		if err != nil {
			panic(err)
		}
		tree = parsed
		redactTree(tree, redact)
	}
	if secrets > 0 {
		out = fmt.Appendf(out, `,"redacted":%d`, secrets)
	}
	if tree != nil {
		cut.truncate(tree, "data", limit)
		out = tree.Append(append(out, `,"data":`...))
	}
	if note := cut.message(r.limits.OutputLimit, readOn); note != "" {
		out = jsontree.AppendString(append(out, `,"truncated":`...), note)
	}
	encoded = encodedResult{text: string(append(out, '}')), success: failure == nil}
	if failure != nil {
		encoded.code = failure.Code
	}
	return encoded
}

// fail answers a call that never ran.
func (r *batchRun) fail(t *task, err error) {
	r.answer(t, r.encode("", nil, err))
}

func (r *batchRun) answer(t *task, result encodedResult) {
	t.phase, t.code = answered, result.code
	t.record = r.record(t, result)
}

// copyAnswer answers a duplicate with what its first got. Images and files stand with the first
// alone.
func (r *batchRun) copyAnswer(t, first *task) {
	r.answer(t, encodedResult{text: first.record.Result, success: first.record.Success, code: first.code})
	t.record.Skipped, t.record.DuplicateOf = true, first.inv.ID
}

func (r *batchRun) record(t *task, result encodedResult) tools.Record {
	return tools.Record{
		ID:            t.inv.ID,
		Type:          "function",
		Function:      tools.FunctionCall{Name: t.inv.Name, Arguments: t.shown.Arguments},
		Result:        result.text,
		Success:       result.success,
		ExecutionTime: t.took.Seconds(),
		AgentPath:     r.env.Call.AgentPath,
		Images:        result.images,
		Files:         result.files,
	}
}

func (r *batchRun) cancelled(t *task) tools.Record {
	return r.record(t, r.encode("", nil, errRunEnded))
}

var errRunEnded = &tools.Error{Code: tools.CodeCancelled, Message: "the run ended before the call was answered"}

func (r *batchRun) auditEntry(t *task) AuditEntry {
	call := r.env.Call
	entry := AuditEntry{
		Time:           t.began,
		CallID:         t.inv.ID,
		Tool:           t.inv.Name,
		Arguments:      t.shown.Arguments,
		RunID:          call.RunID,
		RootRunID:      call.RootRunID,
		ConversationID: call.ConversationID,
		ProjectID:      call.ProjectID,
		UserID:         call.UserID,
		AgentPath:      call.AgentPath,
		Profile:        call.Profile,
		Success:        t.record.Success,
		Code:           t.code,
		Result:         t.record.Result,
		Cached:         t.record.Cached,
		DuplicateOf:    t.record.DuplicateOf,
		Verdict:        t.decision.Verdict,
		Permission:     t.decision.Permission,
		Findings:       t.decision.Findings,
		Duration:       t.took,
	}
	if t.tool != nil {
		entry.Effect = t.tool.Effect
	}
	if t.args != nil {
		covered, _ := redactValue(t.args, r.redact)
		entry.Arguments = encodeArguments(covered)
	}
	if t.grant != nil {
		entry.DecidedBy = t.grant.By
	}
	return entry
}
