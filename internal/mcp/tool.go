package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nanoclaw/internal/tools"
)

const (
	// maxDescription is the longest description that a model is shown, in bytes.
	maxDescription = 8 << 10
	// maxSchema is the longest schema of a tool's arguments, in bytes of JSON.
	maxSchema = 64 << 10
	// Category groups the tools in lists.
	Category = "mcp"
)

// makeTools turns what a server lists into tools of ours, sorted by name. What
// cannot be offered as it is stands in problems.
func (s *server) makeTools(listed []*mcp.Tool) (made []*tools.Tool, problems []string) {
	byName := map[string]string{} // what has a name of ours already
	listed = slices.SortedFunc(slices.Values(listed), func(a, b *mcp.Tool) int {
		return strings.Compare(a.Name,
			b.Name)
	})
	for _, one := range listed {
		if !s.allows(one.Name) {
			continue
		}
		name := ToolName(s.name, one.Name)
		if first, taken := byName[name]; taken {
			problems = append(problems, fmt.Sprintf("%q is left out: it would be called %s, as %q already is", one.Name,
				name, first))
			continue
		}
		byName[name] = one.Name
		tool, problem := s.makeTool(name, one)
		if problem != "" {
			problems = append(problems, problem)
		}
		made = append(made, tool)
	}
	slices.SortFunc(made, func(a, b *tools.Tool) int { return strings.Compare(a.Name, b.Name) })
	return made, problems
}

// allows says whether the configuration has a tool of this name offered.
func (s *server) allows(name string) bool {
	named := func(glob string) bool { return matches(glob, name) }
	return len(s.config.Tools) == 0 || slices.ContainsFunc(s.config.Tools, named)
}

func matches(glob, name string) bool {
	matched, err := path.Match(glob, name)
	return err == nil && matched || glob == name
}

func (s *server) makeTool(name string, listed *mcp.Tool) (_ *tools.Tool, problem string) {
	effect := s.effect(listed)
	tool := &tools.Tool{
		Name: name, Description: describe(listed), Category: Category,
		Effect: effect, Timeout: s.config.Timeout.Std(),
		Preflight: func(context.Context, tools.Call, json.RawMessage) error {
			_, err := s.present()
			return err
		},
		Run: func(ctx context.Context, call tools.Call, args json.RawMessage) (any, error) {
			return s.run(ctx, call, listed.Name, effect, args)
		},
	}
	// A foreign schema may use what ours does not understand: its server
	// checks the arguments then.
	encoded, err := json.Marshal(listed.InputSchema)
	switch {
	case err == nil && len(encoded) > maxSchema:
		err = fmt.Errorf("it is %d bytes long, at most %d are taken", len(encoded), maxSchema)
	case err == nil:
		err = json.Unmarshal(encoded, &tool.Schema)
	}
	switch {
	case err != nil:
		problem = fmt.Sprintf("the schema of %q cannot be used, so that any arguments are passed on: %v", listed.Name,
			err)
		err = json.Unmarshal([]byte(`{"type":"object"}`), &tool.Schema)
	case tool.Schema == nil:
		err = json.Unmarshal([]byte(`{"type":"object"}`), &tool.Schema)
	case tool.Schema.Type != "object":
		tool.Schema.Type, tool.Schema.Types = "object", nil
	}
	digest := sha256.Sum256(fmt.Appendf(nil, "%q %q %s %s", listed.Name, describe(listed), effect, encoded))
	tool.Definition = hex.EncodeToString(digest[:])
	if err != nil {
		panic(fmt.Sprintf("mcp: the schema of no arguments does not parse: %v", err))
	}
	return tool, problem
}

func describe(listed *mcp.Tool) string {
	text := strings.TrimSpace(listed.Description)
	if text == "" {
		text = strings.TrimSpace(listed.Title)
	}
	if text == "" {
		text = listed.Name
	}
	return cutRunes(text, maxDescription)
}

// effect is what the configuration says of the tool by its name, then by "*"; else
// the tool counts as writing. What the server itself says is a claim: it may make
// a tool stricter than "*" does, and makes one laxer only where the configuration
// trusts this server's annotations. Such a tool is Volatile: it may be called again
// and beside others, but what it read may change at any time, so nothing is cached.
func (s *server) effect(listed *mcp.Tool) tools.EffectKind {
	if configured, found := s.config.Effects[listed.Name]; found {
		return tools.EffectKind(configured)
	}
	hints := listed.Annotations
	if hints != nil && hints.DestructiveHint != nil && *hints.DestructiveHint && !hints.ReadOnlyHint {
		return tools.Writes
	}
	if configured, found := s.config.Effects["*"]; found {
		return tools.EffectKind(configured)
	}
	if s.config.TrustAnnotations && hints != nil && hints.ReadOnlyHint {
		return tools.Volatile
	}
	return tools.Writes
}

// leaveOutTaken drops tools whose names others hold. servers.mu is held.
func (s *server) leaveOutTaken(made []*tools.Tool) (kept []*tools.Tool, problems []string) {
	own := map[string]bool{}
	for _, name := range s.status.Tools {
		own[name] = true
	}
	for _, tool := range made {
		if _, taken := s.servers.Registry.Get(tool.Name); taken && !own[tool.Name] {
			problems = append(problems,
				fmt.Sprintf("%s is left out: another tool has this name; rename the server in config.yml", tool.Name))
			continue
		}
		kept = append(kept, tool)
	}
	return kept, problems
}

// run is one call of a tool, by the server's name of it.
func (s *server) run(ctx context.Context, call tools.Call, name string, effect tools.EffectKind,
	args json.RawMessage) (any, error) {
	session, err := s.present()
	if err != nil {
		return nil, err
	}
	result, err := session.call(ctx, call, name, args)
	if err != nil {
		return nil, s.failure(ctx, session, effect, err)
	}
	return s.answer(ctx, call, result)
}

// failure is what the model is told of a request that the session could not make.
func (s *server) failure(ctx context.Context, session *session, effect tools.EffectKind, err error) error {
	if ctx.Err() != nil {
		return err
	}
	var refused *jsonrpc.Error
	if errors.As(err, &refused) {
		return s.refusal(refused)
	}
	return s.loss(session, effect, err)
}

// refusal is what the model is told when the server answers with an error of the protocol.
func (s *server) refusal(refused *jsonrpc.Error) error {
	code := codeFailed
	if refused.Code == jsonrpc.CodeInvalidParams {
		code = tools.CodeInvalidArguments
	}
	return tools.Errorf(code, "the MCP server %q refused the call: %s", s.name, cutRunes(refused.Message,
		maxDescription))
}

// loss is what the model is told when the server was lost in the middle of a call.
func (s *server) loss(session *session, effect tools.EffectKind, err error) error {
	reason := s.servers.Redact(session.explain(err).Error())
	if effect == tools.Writes {
		return tools.Errorf(tools.CodeOutcomeUnknown,
			"the MCP server %q was lost during this call: it may have taken effect or not. Look at the state of "+
				"things before you repeat it (%s)", s.name, reason)
	}
	return tools.Errorf(tools.CodeUnavailable,
		"the MCP server %q was lost during this call and is being started again: try again in a moment (%s)", s.name,
		reason)
}

// cutRunes shortens a text that is too long, between two characters.
func cutRunes(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	cut := limit
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}
