package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"nanoclaw/clients/checks"
)

func (s *session) responseChecks() []checks.Check {
	return []checks.Check{
		{What: "answers with text and reasoning", Run: s.respond},
		{What: "resumes a stream that was cut", Run: s.cut},
		{What: "continues behind an earlier response", Run: s.goOn},
		{What: "asks for an approval and takes the decision", Run: s.approval},
		{What: "cancels", Run: s.cancel},
	}
}

func input(text string) responses.ResponseNewParams {
	return responses.ResponseNewParams{Model: model,
		Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(text)}}
}

func (s *session) respond() error {
	answer, err := s.Responses.New(s.ctx, input("say hello"))
	if err != nil {
		return err
	}
	return errors.Join(checks.Equal(answer.OutputText(), "Hello, world."),
		checks.Equal(answer.Output[0].AsReasoning().Summary[0].Text, "A greeting is due."))
}

// cut reads the first two events of a stream, and the others from a second request.
func (s *session) cut() error {
	p := input("two sums")
	p.Background = openai.Bool(true)
	first := s.Responses.NewStreaming(s.ctx, p)
	var events []responses.ResponseStreamEventUnion
	for len(events) < 2 && first.Next() {
		events = append(events, first.Current())
	}
	if err := errors.Join(first.Err(), first.Close()); err != nil {
		return err
	}
	rest := s.Responses.GetStreaming(s.ctx, events[0].Response.ID,
		responses.ResponseGetParams{StartingAfter: openai.Int(events[1].SequenceNumber)},
		option.WithQuery("stream", "true")) // openai-go 3.96 writes it into the body of the GET
	defer rest.Close()
	for rest.Next() {
		events = append(events, rest.Current())
	}
	var text strings.Builder
	for i, event := range events {
		if event.SequenceNumber != int64(i) {
			return fmt.Errorf("event %d has the number %d", i, event.SequenceNumber)
		}
		if event.Type == "response.output_text.delta" {
			text.WriteString(event.Delta)
		}
	}
	return errors.Join(rest.Err(), checks.Equal(text.String(), "Let me see.Two and four."),
		checks.Equal(events[len(events)-1].Type, "response.completed"))
}

func (s *session) goOn() error {
	first, err := s.Responses.New(s.ctx, input("first"))
	if err != nil {
		return err
	}
	p := input("second")
	p.PreviousResponseID = openai.String(first.ID)
	second, err := s.Responses.New(s.ctx, p)
	if err != nil {
		return err
	}
	return errors.Join(checks.Equal(second.OutputText(), "You said: second"),
		checks.Equal(second.Conversation.ID, first.Conversation.ID))
}

func (s *session) approval() error {
	asked, err := s.Responses.New(s.ctx, input("needs a person"))
	if err != nil {
		return err
	}
	at := slices.IndexFunc(asked.Output, func(item responses.ResponseOutputItemUnion) bool {
		return item.Type == "mcp_approval_request"
	})
	if at < 0 {
		return fmt.Errorf("no question in %s", asked.RawJSON())
	}
	request := asked.Output[at].AsMcpApprovalRequest()
	decision := &responses.ResponseInputItemMcpApprovalResponseParam{ApprovalRequestID: request.ID, Approve: true}
	answer, err := s.Responses.New(s.ctx, responses.ResponseNewParams{Model: model,
		PreviousResponseID: openai.String(asked.ID), Input: responses.ResponseNewParamsInputUnion{
			OfInputItemList: responses.ResponseInputParam{{OfMcpApprovalResponse: decision}}}})
	if err != nil {
		return err
	}
	return errors.Join(checks.Equal(request.Name, "get_current_time"),
		checks.Equal(answer.OutputText(), "It is noon."))
}

func (s *session) cancel() error {
	p := input("be patient")
	p.Background = openai.Bool(true)
	begun, err := s.Responses.New(s.ctx, p)
	if err != nil {
		return err
	}
	ended, err := s.Responses.Cancel(s.ctx, begun.ID)
	if err != nil {
		return err
	}
	return checks.Equal(ended.Status, responses.ResponseStatusCancelled)
}

func (s *session) begin() (id string, err error) {
	p := input("two sums")
	p.Background = openai.Bool(true)
	begun, err := s.Responses.New(s.ctx, p)
	if err != nil {
		return "", err
	}
	return begun.ID, nil
}

func (s *session) resume(id string) error {
	for begun := time.Now(); time.Since(begun) < 30*time.Second; time.Sleep(50 * time.Millisecond) {
		now, err := s.Responses.Get(s.ctx, id, responses.ResponseGetParams{})
		if err != nil {
			return err
		}
		if now.Status == responses.ResponseStatusCompleted {
			return checks.Equal(strings.HasSuffix(now.OutputText(), "Two and four."), true)
		}
	}
	return errors.New("it has not ended within 30 seconds")
}
