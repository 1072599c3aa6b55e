package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nanoclaw/internal/tools"
)

const (
	// codeNotFound is the code of a server or a prompt that is not there.
	codeNotFound = "not_found"
	// maxPrompts is how many prompts of one server are listed.
	maxPrompts = 200
	// promptsTimeout is how long listing or filling in may take: a person waits for it.
	promptsTimeout = 10 * time.Second
)

var _ tools.MCPPrompts = (*Servers)(nil)

// Prompts implements tools.MCPPrompts. A server that does not answer is left out.
func (s *Servers) Prompts(ctx context.Context) []tools.MCPPrompt {
	ctx, cancel := context.WithTimeout(ctx, promptsTimeout)
	defer cancel()
	var (
		mu     sync.Mutex
		listed = []tools.MCPPrompt{}
		wg     sync.WaitGroup
	)
	for _, one := range s.all() {
		wg.Go(func() {
			found, err := one.prompts(ctx)
			if err != nil {
				s.Logger.Warn("the prompts of an MCP server cannot be listed", "server", one.name, "error",
					s.Redact(err.Error()))
			}
			mu.Lock()
			defer mu.Unlock()
			listed = append(listed, found...)
		})
	}
	wg.Wait()
	slices.SortFunc(listed, func(a, b tools.MCPPrompt) int {
		return cmp.Or(strings.Compare(a.Server, b.Server), strings.Compare(a.Name, b.Name))
	})
	return listed
}

func (s *Servers) all() []*server {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*server, 0, len(s.byName))
	for _, one := range s.byName {
		all = append(all, one)
	}
	return all
}

// prompts are those of one server; none where it is not ready or has none.
func (s *server) prompts(ctx context.Context) ([]tools.MCPPrompt, error) {
	session, err := s.present()
	if err != nil || !session.hasPrompts() {
		return nil, nil
	}
	var found []tools.MCPPrompt
	err = session.request(ctx, func(ctx context.Context) error {
		for one, err := range session.client.Prompts(ctx, nil) {
			if err != nil {
				return err
			}
			if len(found) == maxPrompts {
				return nil
			}
			prompt := tools.MCPPrompt{Server: s.name, Name: one.Name, Title: one.Title,
				Description: cutRunes(one.Description, maxDescription), Arguments: []tools.MCPPromptArgument{}}
			for _, argument := range one.Arguments {
				prompt.Arguments = append(prompt.Arguments, tools.MCPPromptArgument{
					Name: argument.Name, Description: cutRunes(argument.Description, maxDescription),
					Required: argument.Required})
			}
			found = append(found, prompt)
		}
		return nil
	})
	return found, err
}

func (s *session) hasPrompts() bool {
	hello := s.client.InitializeResult()
	return hello != nil && hello.Capabilities != nil && hello.Capabilities.Prompts != nil
}

// Prompt implements tools.MCPPrompts.
func (s *Servers) Prompt(ctx context.Context, serverName, name string,
	arguments map[string]string) (tools.MCPPromptText, error) {
	made := tools.MCPPromptText{Messages: []tools.MCPPromptMessage{}}
	s.mu.Lock()
	one := s.byName[serverName]
	s.mu.Unlock()
	if one == nil {
		return made, tools.Errorf(codeNotFound, "there is no MCP server %q", serverName)
	}
	session, err := one.present()
	if err != nil {
		return made, err
	}
	if !session.hasPrompts() {
		return made, tools.Errorf(codeNotFound, "the MCP server %q has no prompts", serverName)
	}
	ctx, cancel := context.WithTimeout(ctx, promptsTimeout)
	defer cancel()
	var got *mcp.GetPromptResult
	err = session.request(ctx, func(ctx context.Context) (err error) {
		got, err = session.client.GetPrompt(ctx, &mcp.GetPromptParams{Name: name, Arguments: arguments})
		return err
	})
	switch {
	case err != nil && ctx.Err() != nil:
		return made, tools.Errorf(tools.CodeTimeout, "the MCP server %q did not answer within %s", serverName,
			promptsTimeout)
	case err != nil:
		return made, one.failure(ctx, session, tools.Volatile, err)
	case got.NeedsInput():
		return made, tools.Errorf(codeFailed, "the prompt asks for more input, which this client does not offer")
	}
	made.Description = got.Description
	for _, message := range got.Messages {
		made.Messages = append(made.Messages, tools.MCPPromptMessage{Role: string(message.Role),
			Text: promptText(message.Content)})
	}
	return made, nil
}

// promptText is a part of a prompt as text.
func promptText(part mcp.Content) string {
	made := convert(part)
	switch {
	case made.Text != "":
		return made.Text
	case made.URI != "":
		return fmt.Sprintf("[%s: %s]", made.Type, made.URI)
	}
	return fmt.Sprintf("[%s]", made.Type)
}
