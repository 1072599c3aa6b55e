// Command mcp-go takes the Go SDK's client of the Model Context Protocol through the
// product's server, over streamable HTTP and over the standard streams of nanoclaw mcp.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nanoclaw/clients/checks"
)

func main() {
	url, binary, config := os.Args[1], os.Args[2], os.Args[3]
	run("HTTP", &mcp.StreamableClientTransport{Endpoint: url + "/mcp", DisableStandaloneSSE: true})
	command := exec.Command(binary, "mcp", "--config", config)
	command.Stderr = os.Stderr
	run("stdio", &mcp.CommandTransport{Command: command})
}

// session is one connection, and what the server has said about progress.
type session struct {
	*mcp.ClientSession
	ctx context.Context

	mu       sync.Mutex
	progress []string
}

func run(name string, transport mcp.Transport) {
	s := &session{ctx: context.Background()}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.progress = append(s.progress, r.Params.Message)
		}})
	var err error
	if s.ClientSession, err = client.Connect(s.ctx, transport, nil); err != nil {
		log.Fatalf("MCP's Go SDK over %s: connect: %v", name, err)
	}
	checks.Run("MCP's Go SDK over "+name,
		checks.Check{What: "lists tools", Run: s.list},
		checks.Check{What: "asks an agent and goes on in its conversation", Run: s.text},
		checks.Check{What: "hears of tools and sub-agents", Run: s.hears},
		checks.Check{What: "is told which approval a run waits for", Run: s.approval},
		checks.Check{What: "cancels a run", Run: s.cancel},
		checks.Check{What: "reads errors as results", Run: s.failures},
		checks.Check{What: "asks 64 at once", Run: s.crowd},
		checks.Check{What: "closes", Run: s.Close})
}

type m = map[string]any

// answer is the result of ask_agent, get_run and cancel_run.
type answer struct {
	RunID          string   `json:"run_id"`
	ConversationID string   `json:"conversation_id"`
	Status         string   `json:"status"`
	Answer         string   `json:"answer"`
	Error          string   `json:"error"`
	WaitsFor       []string `json:"waits_for"`
}

// call returns the result of a tool, or its error.
func (s *session) call(tool string, arguments m, change ...func(*mcp.CallToolParams)) (made answer, err error) {
	params := &mcp.CallToolParams{Name: tool, Arguments: arguments}
	for _, one := range change {
		one(params)
	}
	result, err := s.CallTool(s.ctx, params)
	if err != nil {
		return made, err
	}
	if result.IsError {
		return made, errors.New(result.Content[0].(*mcp.TextContent).Text)
	}
	text, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return made, err
	}
	return made, json.Unmarshal(text, &made)
}

func (s *session) ask(text string) (answer, error) {
	return s.call("ask_agent", m{"message": text, "model": "scripted"})
}

func (s *session) expect(text, want string) error {
	got, err := s.ask(text)
	if err != nil {
		return err
	}
	return errors.Join(checks.Equal(got.Status, "completed"), checks.Equal(got.Answer, want))
}

func (s *session) list() error {
	found := map[string]bool{}
	for tool, err := range s.Tools(s.ctx, nil) {
		if err != nil {
			return err
		}
		found[tool.Name] = true
	}
	return errors.Join(checks.Equal(len(found), 9), checks.Equal(found["ask_agent"], true))
}

func (s *session) text() error {
	first, err := s.ask("say hello")
	if err != nil {
		return err
	}
	second, err := s.call("ask_agent", m{"message": "more", "model": "scripted",
		"conversation_id": first.ConversationID})
	if err != nil {
		return err
	}
	return errors.Join(checks.Equal(first.Answer, "Hello, world."), checks.Equal(second.Answer, "You said: more"),
		checks.Equal(second.ConversationID, first.ConversationID))
}

func (s *session) hears() error {
	got, err := s.call("ask_agent", m{"message": "ask two agents", "model": "scripted"},
		func(p *mcp.CallToolParams) { p.SetProgressToken("p") })
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	heard := strings.Join(s.progress, "; ")
	if !strings.Contains(heard, "calls multi_agent") || !strings.Contains(heard, "north") {
		return fmt.Errorf("it heard %q", heard)
	}
	return checks.Equal(got.Answer, "Both have answered.")
}

func (s *session) approval() error {
	waiting, err := s.ask("needs a person")
	if err != nil {
		return err
	}
	if len(waiting.WaitsFor) != 1 || !strings.Contains(waiting.WaitsFor[0], "get_current_time") {
		return fmt.Errorf("it waits for %v", waiting.WaitsFor)
	}
	_, err = s.call("cancel_run", m{"run_id": waiting.RunID})
	return errors.Join(err, checks.Equal(waiting.Status, "waiting_approval"))
}

func (s *session) cancel() error {
	begun, err := s.call("ask_agent", m{"message": "be patient", "model": "scripted", "wait_seconds": 1})
	if err != nil {
		return err
	}
	ended, err := s.call("cancel_run", m{"run_id": begun.RunID})
	if err != nil {
		return err
	}
	return errors.Join(checks.Equal(begun.Status, "running"), checks.Equal(ended.Status, "cancelled"))
}

func (s *session) failures() error {
	broken, err := s.ask("break down")
	if err != nil {
		return err
	}
	if !strings.Contains(broken.Error, "model_invalid_request") {
		return fmt.Errorf("the run failed with %q", broken.Error)
	}
	for tool, arguments := range map[string]m{
		"get_run": {"run_id": "nothing"}, "ask_agent": {"message": "x", "agent": "nobody"}, "no_such_tool": {},
	} {
		if _, err := s.call(tool, arguments); err == nil {
			return fmt.Errorf("%s %v went well", tool, arguments)
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
