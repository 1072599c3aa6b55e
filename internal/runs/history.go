package runs

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/models"
)

// attachedTextLimit is in bytes of each attached text file.
const attachedTextLimit = 64 << 10

// history is the branch of the conversation that ends in the run's user message,
// as the model is to see it. The user's texts are word for word; notes are what
// has to be said about attachments in the system message.
func (s *Service) history(ctx context.Context, run *models.Run,
	info llm.Info) (messages []llm.Message, notes []string, err error) {
	branch, err := s.Store.Branch(ctx, run.ConversationID, run.UserMessageID)
	if err != nil {
		return nil, nil, err
	}
	steps, err := s.stepsOfBranch(ctx, branch)
	if err != nil {
		return nil, nil, err
	}
	for _, message := range branch {
		if message.Role == models.RoleAssistant {
			messages = append(messages, replay(&message, steps[message.RunID], info.ID)...)
			continue
		}
		user := llm.Message{Role: llm.RoleUser, Text: message.Text}
		more, err := s.attach(ctx, run.UserID, &user, message.Attachments, info)
		if err != nil {
			return nil, nil, err
		}
		notes = append(notes, more...)
		messages = append(messages, user)
	}
	return messages, notes, nil
}

func (s *Service) stepsOfBranch(ctx context.Context, branch []models.Message) (map[string][]*agent.Step, error) {
	var ids []string
	for _, message := range branch {
		if message.Role == models.RoleAssistant && message.RunID != "" {
			ids = append(ids, message.RunID)
		}
	}
	rows, calls, err := s.Store.StepsOfRuns(ctx, ids)
	if err != nil {
		return nil, err
	}
	runOf := map[string]string{}
	for _, row := range rows {
		runOf[row.ID] = row.RunID
	}
	byRun := map[string][]*agent.Step{}
	for _, step := range s.loopSteps(rows, calls) {
		byRun[runOf[step.ID]] = append(byRun[runOf[step.ID]], step)
	}
	return byRun, nil
}

// replay is an earlier answer with its tool calls and results; where retention
// has removed its steps, its text alone.
func replay(message *models.Message, steps []*agent.Step, modelID string) []llm.Message {
	var messages []llm.Message
	for _, step := range steps {
		messages = append(messages, agent.StepMessages(step, modelID, nil)...)
	}
	if len(messages) == 0 && message.Text != "" {
		return []llm.Message{{Role: llm.RoleAssistant, Text: message.Text}}
	}
	return messages
}

// attach adds a message's attachments: images to the message where the model
// sees them, text files and the rest as notes.
func (s *Service) attach(ctx context.Context, userID string, message *llm.Message, attachments []models.Attachment,
	info llm.Info) ([]string, error) {
	var notes []string
	for _, attachment := range attachments {
		shown := isImage(attachment.ContentType) && supports(info, "images")
		data, err := s.attached(ctx, userID, attachment, shown)
		if err != nil {
			return nil, fmt.Errorf("read attachment %q: %w", attachment.Name, err)
		}
		switch {
		case shown:
			message.Images = append(message.Images, llm.Image{MediaType: attachment.ContentType, Data: data})
		case isImage(attachment.ContentType):
			notes = append(notes,
				fmt.Sprintf("The user attached the image %q, which this model cannot see: say so if it matters.",
					attachment.Name))
		case utf8.Valid(data):
			text := string(data)
			if left := attachment.Size - int64(len(data)); left > 0 {
				text += fmt.Sprintf("\n[… %d bytes more]", left)
			}
			notes = append(notes, fmt.Sprintf("The user attached the file %q:\n```\n%s\n```", attachment.Name, text))
		default:
			notes = append(notes, fmt.Sprintf("The user attached the file %q (%s, %d bytes), which is not text.",
				attachment.Name, attachment.ContentType, attachment.Size))
		}
	}
	return notes, nil
}

// attached reads an attachment: as a whole, or what the model sees of a text, cut
// between two characters.
func (s *Service) attached(ctx context.Context, userID string, attachment models.Attachment,
	whole bool) ([]byte, error) {
	_, content, err := s.Store.OpenUpload(ctx, userID, attachment.UploadID)
	if err != nil {
		return nil, err
	}
	if whole {
		return io.ReadAll(content)
	}
	data, err := io.ReadAll(io.LimitReader(content, attachedTextLimit))
	if err != nil || len(data) < attachedTextLimit {
		return data, err
	}
	for cut := len(data) - 1; cut > len(data)-utf8.UTFMax; cut-- {
		if utf8.RuneStart(data[cut]) {
			if !utf8.FullRune(data[cut:]) {
				data = data[:cut]
			}
			break
		}
	}
	return data, nil
}

// imageOf reads an image of a tool's result.
func (s *Service) imageOf(ctx context.Context, userID, uploadID string) ([]byte, error) {
	upload, err := s.Store.GetUpload(ctx, userID, uploadID)
	if err != nil {
		return nil, err
	}
	return upload.Data, nil
}

func isImage(contentType string) bool {
	switch contentType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + fmt.Sprintf("\n[… %d bytes more]", len(text)-cut)
}

// summariser asks the run's own model for a summary of old turns.
func (s *Service) summariser(model llm.Model) func(context.Context, []llm.Message) (string, error) {
	return s.summaries.Wrap(model.Info().ID, func(ctx context.Context, old []llm.Message) (string, error) {
		var text strings.Builder
		for _, message := range old {
			fmt.Fprintf(&text, "%s: %s\n", message.Role, shorten(message.Text, 4000))
			for _, call := range message.ToolCalls {
				fmt.Fprintf(&text, "(called %s %s)\n", call.Name, shorten(call.Arguments, 500))
			}
		}
		request := llm.Request{Thinking: llm.ThinkingOff, Messages: []llm.Message{
			{Role: llm.RoleSystem,
				Text: "Summarise this part of a conversation for yourself, so that you can go on without it: " +
					"decisions, facts, file names, open tasks. At most 300 words, in the conversation's language."},
			{Role: llm.RoleUser, Text: text.String()},
		}}
		for event, err := range model.Stream(ctx, request) {
			if err != nil {
				return "", fmt.Errorf("summarise old turns: %w", err)
			}
			if event.Kind == llm.EventDone {
				return event.Response.Text, nil
			}
		}
		return "", fmt.Errorf("summarise old turns: the model gave no answer")
	})
}
