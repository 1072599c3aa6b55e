package acp

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/coder/acp-go-sdk"
)

const (
	// maxResponse is how much of an agent's text is kept, in bytes.
	maxResponse = 1 << 20
	// progressInterval is the least time between two notes on text that comes.
	progressInterval = 200 * time.Millisecond
)

// SessionUpdate implements acp.Client: it collects what the agent says and tells
// what it does.
func (t *task) SessionUpdate(_ context.Context, params acp.SessionNotification) (err error) {
	defer t.guarded(&err)()
	update := params.Update
	switch {
	case update.AgentMessageChunk != nil:
		t.say(update.AgentMessageChunk.Content)
	case update.AgentThoughtChunk != nil:
		t.tell("thinking", true)
	case update.ToolCall != nil:
		t.mu.Lock()
		t.titles[update.ToolCall.ToolCallId] = update.ToolCall.Title
		t.paragraph()
		t.mu.Unlock()
		t.tell(cut(update.ToolCall.Title, 300), false)
	case update.ToolCallUpdate != nil:
		t.tellStatus(update.ToolCallUpdate)
	case update.Plan != nil:
		t.tellPlan(update.Plan.Entries)
	}
	return nil
}

// say adds to the answer.
func (t *task) say(block acp.ContentBlock) {
	text := ""
	switch {
	case block.Text != nil:
		text = block.Text.Text
	case block.ResourceLink != nil:
		text = fmt.Sprintf("[%s](%s)", block.ResourceLink.Name, block.ResourceLink.Uri)
	case block.Image != nil:
		text = "[an image, which is not kept]"
	case block.Audio != nil:
		text = "[a sound, which is not kept]"
	case block.Resource != nil && block.Resource.Resource.TextResourceContents != nil:
		text = block.Resource.Resource.TextResourceContents.Text
	}
	t.mu.Lock()
	if room := maxResponse - t.text.Len(); len(text) > room {
		text = cutBytes(text, max(room, 0))
		t.answer.Incomplete = true
	}
	t.text.WriteString(text)
	length := t.text.Len()
	t.mu.Unlock()
	t.tell(fmt.Sprintf("answering, %d bytes so far", length), true)
}

// paragraph separates what was said before a tool call from what comes after it.
// mu is held.
func (t *task) paragraph() {
	if said := t.text.String(); said != "" && !strings.HasSuffix(said, "\n\n") && t.text.Len() < maxResponse {
		t.text.WriteString("\n\n")
	}
}

func (t *task) tellStatus(update *acp.SessionToolCallUpdate) {
	t.mu.Lock()
	if update.Title != nil && *update.Title != "" {
		t.titles[update.ToolCallId] = *update.Title
	}
	title := t.titles[update.ToolCallId]
	t.mu.Unlock()
	if title == "" || update.Status == nil {
		return
	}
	t.tell(fmt.Sprintf("%s: %s", cut(title, 300), *update.Status), false)
}

func (t *task) tellPlan(entries []acp.PlanEntry) {
	done := 0
	current := ""
	for _, entry := range entries {
		switch entry.Status {
		case acp.PlanEntryStatusCompleted:
			done++
		case acp.PlanEntryStatusInProgress:
			current = ": " + cut(entry.Content, 300)
		}
	}
	if len(entries) > 0 {
		t.report(fmt.Sprintf("%d of %d steps done%s", done, len(entries), current), float64(done)/float64(len(entries)))
	}
}

// tell passes progress on; a note that is only a sign of life comes now and then.
func (t *task) tell(message string, sparse bool) {
	t.mu.Lock()
	now := time.Now()
	if sparse && now.Sub(t.told) < progressInterval {
		t.mu.Unlock()
		return
	}
	t.told = now
	t.mu.Unlock()
	t.report(message, -1)
}

func (t *task) report(message string, fraction float64) {
	t.call.Progress(message, fraction)
}

// cut shortens a text for people, on one line.
func cut(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= limit {
		return text
	}
	return cutBytes(text, limit) + "…"
}

func cutBytes(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// A terminal is not offered; an agent that asks for one all the same is told so.

// CreateTerminal implements acp.Client.
func (t *task) CreateTerminal(context.Context, acp.CreateTerminalRequest) (acp.CreateTerminalResponse, error) {
	t.refuse("open a terminal", "this server offers external agents no terminal")
	return acp.CreateTerminalResponse{}, acp.NewMethodNotFound(acp.ClientMethodTerminalCreate)
}

// KillTerminal implements acp.Client.
func (t *task) KillTerminal(context.Context, acp.KillTerminalRequest) (acp.KillTerminalResponse, error) {
	return acp.KillTerminalResponse{}, acp.NewMethodNotFound(acp.ClientMethodTerminalKill)
}

// TerminalOutput implements acp.Client.
func (t *task) TerminalOutput(context.Context, acp.TerminalOutputRequest) (acp.TerminalOutputResponse, error) {
	return acp.TerminalOutputResponse{}, acp.NewMethodNotFound(acp.ClientMethodTerminalOutput)
}

// ReleaseTerminal implements acp.Client.
func (t *task) ReleaseTerminal(context.Context, acp.ReleaseTerminalRequest) (acp.ReleaseTerminalResponse, error) {
	return acp.ReleaseTerminalResponse{}, acp.NewMethodNotFound(acp.ClientMethodTerminalRelease)
}

// WaitForTerminalExit implements acp.Client.
func (t *task) WaitForTerminalExit(context.Context,
	acp.WaitForTerminalExitRequest) (acp.WaitForTerminalExitResponse, error) {
	return acp.WaitForTerminalExitResponse{}, acp.NewMethodNotFound(acp.ClientMethodTerminalWaitForExit)
}
