// Command openai-go takes OpenAI's official Go client through the product's /v1.
//
// It runs in two halves, so that the server can be killed between them: "begin" prints the
// id of a response under way, and "resume" reads that response from the server's next life.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"nanoclaw/clients/checks"
)

const model = "default/scripted"

// session is the client of one run of the program.
type session struct {
	openai.Client
	ctx context.Context
}

func main() {
	s := &session{ctx: context.Background(), Client: openai.NewClient(option.WithBaseURL(os.Args[1]+"/v1"),
		option.WithAPIKey("any"), option.WithMaxRetries(0))}
	switch half := os.Args[2]; half {
	case "begin":
		checks.Run("openai-go, chat completions", s.chatChecks()...)
		checks.Run("openai-go, responses", s.responseChecks()...)
		id, err := s.begin()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("begun", id)
	case "resume":
		checks.Run("openai-go, after kill -9", checks.Check{What: "a response goes on where it was",
			Run: func() error { return s.resume(os.Args[3]) }})
	default:
		log.Fatalf("unknown half %q", half)
	}
}

func (s *session) chatChecks() []checks.Check {
	return []checks.Check{
		{What: "lists agents as models", Run: s.models},
		{What: "answers with text and usage", Run: s.text},
		{What: "streams text and reasoning", Run: s.stream},
		{What: "runs parallel tools and sub-agents", Run: s.serverTools},
		{What: "takes a picture", Run: s.picture},
		{What: "runs the client's own tools", Run: s.clientTools},
		{What: "refuses what needs an approval", Run: s.refusal},
		{What: "reads errors", Run: s.failures},
		{What: "answers 64 at once", Run: s.crowd},
	}
}

func says(text string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: model,
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)}}
}

// ask returns the first choice of a completion.
func (s *session) ask(p openai.ChatCompletionNewParams) (openai.ChatCompletionMessage, error) {
	answer, err := s.Chat.Completions.New(s.ctx, p)
	if err != nil {
		return openai.ChatCompletionMessage{}, err
	}
	return answer.Choices[0].Message, nil
}

func (s *session) expect(text, want string) error {
	message, err := s.ask(says(text))
	if err != nil {
		return err
	}
	return checks.Equal(message.Content, want)
}

func (s *session) models() error {
	list, err := s.Models.List(s.ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(list.Data, func(m openai.Model) bool { return m.ID == model }) {
		return fmt.Errorf("%s is not among %d models", model, len(list.Data))
	}
	one, err := s.Models.Get(s.ctx, model)
	if err != nil {
		return err
	}
	return checks.Equal(one.ID, model)
}

func (s *session) text() error {
	answer, err := s.Chat.Completions.New(s.ctx, says("say hello"))
	if err != nil {
		return err
	}
	if answer.Usage.TotalTokens == 0 {
		return errors.New("without usage")
	}
	return checks.Equal(answer.Choices[0].Message.Content, "Hello, world.")
}

func (s *session) stream() error {
	p := says("say hello")
	p.StreamOptions.IncludeUsage = openai.Bool(true)
	stream := s.Chat.Completions.NewStreaming(s.ctx, p)
	defer stream.Close()
	var whole openai.ChatCompletionAccumulator
	var reasoning strings.Builder
	for stream.Next() {
		chunk := stream.Current()
		if !whole.AddChunk(chunk) {
			return fmt.Errorf("a chunk does not fit: %s", chunk.RawJSON())
		}
		if len(chunk.Choices) > 0 {
			extra := chunk.Choices[0].Delta.JSON.ExtraFields["reasoning_content"]
			reasoning.WriteString(strings.Trim(extra.Raw(), `"`))
		}
	}
	return errors.Join(stream.Err(), checks.Equal(whole.Choices[0].Message.Content, "Hello, world."),
		checks.Equal(reasoning.String(), "A greeting is due."), checks.Equal(whole.Usage.TotalTokens > 0, true))
}

func (s *session) serverTools() error {
	return errors.Join(s.expect("two sums", "Let me see.\n\nTwo and four."),
		s.expect("ask two agents", "Both have answered."))
}

func (s *session) picture() error {
	const red = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ" +
		"/pLvAAAAAElFTkSuQmCC"
	message, err := s.ask(openai.ChatCompletionNewParams{Model: model,
		Messages: []openai.ChatCompletionMessageParamUnion{
			openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
				openai.TextContentPart("what is the red square"),
				openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: red}),
			})}})
	if err != nil {
		return err
	}
	return checks.Equal(message.Content, "I see it.")
}

func (s *session) clientTools() error {
	p := says("ask my tools")
	p.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
		Name: "client_weather", Parameters: openai.FunctionParameters{"type": "object"}})}
	asked, err := s.ask(p)
	if err != nil {
		return err
	}
	p.Messages = append(p.Messages, asked.ToParam())
	for _, call := range asked.ToolCalls {
		p.Messages = append(p.Messages, openai.ToolMessage("sun", call.ID))
	}
	answer, err := s.ask(p)
	if err != nil {
		return err
	}
	return errors.Join(checks.Equal(len(asked.ToolCalls), 2),
		checks.Equal(strings.HasPrefix(answer.Content, "The tools said: "), true))
}

func (s *session) refusal() error {
	message, err := s.ask(says("needs a person"))
	if err != nil {
		return err
	}
	if !strings.Contains(message.Refusal, "/c/") {
		return fmt.Errorf("refusal %q has no link", message.Refusal)
	}
	return nil
}

func (s *session) failures() error {
	unknown, king := says("x"), says("x")
	unknown.Model = "nobody"
	king.Messages = []openai.ChatCompletionMessageParamUnion{openai.ToolMessage("x", "call_nothing")}
	for _, one := range []struct {
		params openai.ChatCompletionNewParams
		status int
		code   string
	}{
		{unknown, 404, "model_not_found"},
		{king, 400, "unexpected_tool_result"},
		{says("break down"), 500, "model_invalid_request"},
	} {
		_, err := s.ask(one.params)
		var failure *openai.Error
		if !errors.As(err, &failure) || failure.StatusCode != one.status || failure.Code != one.code ||
			failure.Message == "" {
			return fmt.Errorf("%v; want %d %s", err, one.status, one.code)
		}
	}
	return nil
}

func (s *session) crowd() error {
	failed := make([]error, 64)
	var all sync.WaitGroup
	for i := range failed {
		text := fmt.Sprintf("number %d", i)
		all.Go(func() { failed[i] = s.expect(text, "You said: "+text) })
	}
	all.Wait()
	return errors.Join(failed...)
}
