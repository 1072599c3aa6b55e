package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
)

func jsonText(v any) (models.RawJSON, error) {
	text, err := json.Marshal(v)
	return models.RawJSON(text), err
}

// conversationMarkdown writes messages for people to read.
func conversationMarkdown(conv *models.Conversation, messages []models.Message) (string, error) {
	var b strings.Builder
	title := conv.Title
	if title == "" {
		title = "Conversation"
	}
	fmt.Fprintf(&b, "# %s\n\n%s\n", strings.Join(strings.Fields(title), " "), conv.CreatedAt.Std().Format(time.RFC3339))
	for i := range messages {
		message, err := runs.ViewMessage(&messages[i])
		if err != nil {
			return "", err
		}
		writeMessage(&b, message)
	}
	return b.String(), nil
}

func writeMessage(b *strings.Builder, message *Message) {
	who := "User"
	if message.Role == models.RoleAssistant {
		who = "Assistant"
		if message.Model != "" {
			who += " (" + message.Model + ")"
		}
	}
	fmt.Fprintf(b, "\n## %s\n", who)
	for _, a := range message.Attachments {
		fmt.Fprintf(b, "\n- attached: %s (%s, %d bytes)\n", a.Name, a.ContentType, a.Size)
	}
	if len(message.Steps) == 0 {
		fmt.Fprintf(b, "\n%s\n", message.Text)
		return
	}
	calls := map[string]runs.ToolCall{}
	for _, call := range message.ToolCalls {
		calls[call.ID] = call
	}
	for _, step := range message.Steps {
		switch step.Type {
		case "thinking":
			fmt.Fprintf(b, "\n<details><summary>Thinking</summary>\n\n%s\n\n</details>\n", step.Text)
		case "user":
			fmt.Fprintf(b, "\n### User, meanwhile\n\n%s\n", step.Text)
		case "text":
			fmt.Fprintf(b, "\n%s\n", step.Text)
		case "tool_result":
			call := calls[step.IDRef]
			fmt.Fprintf(b, "\n<details><summary>Tool: %s</summary>\n\n%s\n%s\n\n</details>\n",
				call.Function.Name, fenced("json", call.Function.Arguments), fenced("json", call.Result))
		}
	}
}

// fenced puts text into a fence that is longer than any in it.
func fenced(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + text + "\n" + fence
}
