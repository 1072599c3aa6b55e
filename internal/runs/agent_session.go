package runs

import (
	"context"
	"fmt"

	"nanoclaw/internal/agent"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/models"
)

const chatPromptText = `Another agent, %s, talks to you: the user's messages here are its messages, and your answer goes back to it alone. Answer completely; where something that you need is missing, say what.`

// subAgentPrompt is the system message of a run below another one: a task of
// multi_agent, or an agent that another one talks to.
func (s *Service) subAgentPrompt(ctx context.Context, run *models.Run, profile Profile,
	offered []llm.ToolDef) (string, error) {
	if run.Settings.Session == "" {
		return s.childPrompt(ctx, run, profile, offered)
	}
	parent, err := s.Store.Run(ctx, "", run.ParentRunID)
	if err != nil {
		return "", err
	}
	place, err := s.placePrompt(ctx, run, offered)
	if err != nil {
		return "", err
	}
	return joinParts([]string{
		firstOf(profile.SystemPrompt, s.Settings().SystemPrompt, defaultPrompt),
		fmt.Sprintf(chatPromptText, firstOf(parent.Agent, DefaultAgent)), place,
	}), nil
}

// sessionHistory are the earlier turns of the session that a run belongs to, as
// the model is to see them. A turn that came to nothing is left out.
func (s *Service) sessionHistory(ctx context.Context, run *models.Run, modelID string) ([]llm.Message, error) {
	if run.Settings.Session == "" || run.Settings.Session == run.ID {
		return nil, nil
	}
	turns, err := s.Store.SessionRuns(ctx, run.ConversationID, run.Settings.Session)
	if err != nil {
		return nil, err
	}
	var messages []llm.Message
	for _, turn := range turns {
		if turn.ID >= run.ID { // ids grow with time
			break
		}
		steps, err := s.finishedSteps(ctx, turn.ID)
		if err != nil {
			return nil, err
		}
		said := replayTurn(turn, steps, modelID)
		if len(said) > 0 {
			messages = append(append(messages, llm.Message{Role: llm.RoleUser, Text: turn.Input.Text}), said...)
		}
	}
	return messages, nil
}

// replayTurn is what an agent said and did in an earlier turn; where retention has
// removed its steps, its answer alone.
func replayTurn(turn *models.Run, steps []*agent.Step, modelID string) []llm.Message {
	var messages []llm.Message
	for _, step := range steps {
		messages = append(messages, agent.StepMessages(step, modelID, nil)...)
	}
	if len(messages) == 0 && turn.Response != "" {
		return []llm.Message{{Role: llm.RoleAssistant, Text: turn.Response}}
	}
	return messages
}
