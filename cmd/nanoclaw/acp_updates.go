package main

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/coder/acp-go-sdk"

	events "nanoclaw/internal/api/turn"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/tools"
)

// updatesOf is what an editor is shown of an event: the root agent's words, and the
// calls of all agents.
func updatesOf(event events.Event, dir string) []acp.SessionUpdate {
	call := event.Call
	switch {
	case event.Type == runs.EventTextDelta && event.Root:
		return []acp.SessionUpdate{acp.UpdateAgentMessageText(event.Text)}
	case event.Type == runs.EventThinkingDelta && event.Root:
		return []acp.SessionUpdate{acp.UpdateAgentThoughtText(event.Text)}
	case event.Type == runs.EventCallStarted:
		return []acp.SessionUpdate{acp.StartToolCall(acp.ToolCallId(call.ID), titleOf(call.Function, event.AgentPath),
			acp.WithStartKind(kindOf(call.Function.Name)), acp.WithStartStatus(acp.ToolCallStatusInProgress),
			acp.WithStartRawInput(parsed(call.Function.Arguments)),
			acp.WithStartLocations(locationsOf(call.Function, dir)))}
	case event.Type == runs.EventCallFinished:
		status := acp.ToolCallStatusCompleted
		if !call.Success {
			status = acp.ToolCallStatusFailed
		}
		return []acp.SessionUpdate{acp.UpdateToolCall(acp.ToolCallId(call.ID), acp.WithUpdateStatus(status),
			acp.WithUpdateContent([]acp.ToolCallContent{acp.ToolContent(acp.TextBlock(call.Result))}),
			acp.WithUpdateRawOutput(parsed(call.Result)))}
	}
	return nil
}

func titleOf(function tools.FunctionCall, agentPath string) string {
	title := function.Name
	if path := argument(function, "path"); path != "" {
		title += " " + path
	} else if command := argument(function, "command"); command != "" {
		title = command
	}
	if _, below, is := strings.Cut(agentPath, "/"); is {
		title = below + ": " + title
	}
	return title
}

// kinds are the protocol's kinds of tools; those that are not here are other.
var kinds = map[string]acp.ToolKind{
	"file_read": acp.ToolKindRead, "file_list": acp.ToolKindRead, "file_exists": acp.ToolKindRead,
	"file_grep": acp.ToolKindSearch, "file_glob": acp.ToolKindSearch, "web_search": acp.ToolKindSearch,
	"file_write": acp.ToolKindEdit, "file_append": acp.ToolKindEdit, "file_edit": acp.ToolKindEdit,
	"file_mkdir": acp.ToolKindEdit, "file_delete": acp.ToolKindDelete, "file_move": acp.ToolKindMove,
	"shell_execute": acp.ToolKindExecute, "execute_python": acp.ToolKindExecute,
	"fetch_page": acp.ToolKindFetch, "crawl_batch": acp.ToolKindFetch,
}

func kindOf(tool string) acp.ToolKind {
	if kind, known := kinds[tool]; known {
		return kind
	}
	return acp.ToolKindOther
}

// locationsOf is the file that a call is about, for editors that follow the agent.
func locationsOf(function tools.FunctionCall, dir string) []acp.ToolCallLocation {
	path := argument(function, "path")
	if path == "" || dir == "" || !strings.HasPrefix(function.Name, "file_") {
		return nil
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return []acp.ToolCallLocation{{Path: path}}
}

// argument is an argument of a call that is a text; empty: there is none.
func argument(function tools.FunctionCall, name string) string {
	var arguments map[string]any
	_ = json.Unmarshal([]byte(function.Arguments), &arguments) // what no model should send has none
	text, _ := arguments[name].(string)
	return text
}

// findingsOf are the reasons why a call needs an approval.
func findingsOf(approval *runs.ApprovalView) []acp.ToolCallContent {
	list := []acp.ToolCallContent{acp.ToolContent(acp.TextBlock("```json\n" + approval.ToolCall.Function.Arguments +
		"\n```"))}
	for _, finding := range approval.Findings {
		list = append(list, acp.ToolContent(acp.TextBlock(string(finding.Severity)+": "+finding.Message)))
	}
	return list
}

// parsed is JSON as a value, and other text as it is.
func parsed(text string) any {
	var value any
	if json.Unmarshal([]byte(text), &value) == nil {
		return value
	}
	return text
}
