package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"nanoclaw/internal/terminal"
)

// asker asks the person at the terminal.
type asker struct {
	p     *program
	v     *view
	out   io.Writer
	input *bufio.Reader
	lines chan lineRead // of reads under way
	reads bool          // one is: its line answers the next question
}

type lineRead struct {
	text string
	err  error
}

// newAsker is nil where there is nobody to ask: the input is no terminal, or
// neither output is.
func (p *program) newAsker(v *view) *asker {
	if _, _, typed := p.terminal(p.stdin); !typed {
		return nil
	}
	for _, out := range []io.Writer{p.stderr, p.stdout} {
		if _, _, shown := p.terminal(out); shown {
			return &asker{p: p, v: v, out: out, input: bufio.NewReader(p.stdin), lines: make(chan lineRead, 1)}
		}
	}
	return nil
}

// choices are what can be typed; wide where a coverage can stand behind c and a.
const (
	choices = "Approve? [y]es, [n]o, for this [c]onversation, [a]lways, [e]dit: "
	wide    = "Approve? [y]es, [n]o, for this [c]onversation, [a]lways, [e]dit; c and a take a word from above, " +
		"as in \"c tool\": "
)

// scopes are the words for an approval of more than one call.
var scopes = map[string]string{"c": "conversation", "conversation": "conversation", "a": "always", "always": "always"}

// about asks about one call until it has an answer. false: it was resolved
// elsewhere meanwhile, or ctx ended. Nothing else is drawn as long as it asks.
func (a *asker) about(ctx context.Context, one terminal.Approval, resolved <-chan struct{}) (decision, bool) {
	a.v.hold()
	defer a.v.release()
	a.say("\n" + one.Question())
	prompt := choices
	if len(one.Coverages) > 1 {
		prompt = wide
	}
	for {
		text, err := a.line(ctx, resolved, prompt)
		switch {
		case errors.Is(err, errResolved):
			a.say("\n(decided elsewhere)\n")
			return decision{}, false
		case ctx.Err() != nil:
			return decision{}, false
		case err != nil:
			a.say("\n")
			return decision{Decision: "deny", Reason: "the person at the terminal gave no answer"}, true
		}
		word, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
		if scope := scopes[strings.ToLower(word)]; scope != "" {
			covers := strings.ToLower(strings.TrimSpace(rest))
			if covers == "" || one.Offers(covers) {
				return decision{Decision: "approve", Scope: scope, Covers: covers}, true
			}
			a.say(fmt.Sprintf("%q is none of the words above\n", covers))
			continue
		}
		switch strings.ToLower(word) {
		case "y", "yes":
			return decision{Decision: "approve", Scope: "once"}, true
		case "n", "no":
			return decision{Decision: "deny", Reason: strings.TrimSpace(rest)}, true
		case "e", "edit":
			arguments, err := a.edit(ctx, one, resolved)
			if err == nil {
				return decision{Decision: "approve", Scope: "once", Arguments: arguments}, true
			}
			if errors.Is(err, errResolved) || ctx.Err() != nil {
				return decision{}, false
			}
			a.say(fmt.Sprintf("%v\n", err))
		}
	}
}

// edit lets the person write other arguments: in an editor, or as a line of JSON.
func (a *asker) edit(ctx context.Context, one terminal.Approval, resolved <-chan struct{}) (map[string]any, error) {
	before := ""
	if one.Call != nil {
		before = one.Call.Function.Arguments
	}
	var text string
	var err error
	if editor := a.p.editor(); editor != "" {
		text, err = a.p.editText(ctx, editor, terminal.PrettyJSON(before)+"\n")
	} else {
		text, err = a.line(ctx, resolved, "Arguments as one line of JSON: ")
	}
	if err != nil {
		return nil, err
	}
	var arguments map[string]any
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&arguments); err != nil || arguments == nil {
		return nil, fmt.Errorf("this is no JSON object: %w", errors.Join(err, errNoObject))
	}
	return arguments, nil
}

var errNoObject = errors.New(`write it as {"name": "value"}`)

// errResolved says that the question has its answer from elsewhere.
var errResolved = errors.New("decided elsewhere")

// line asks for one line. A read cannot be taken back: what is typed after all
// answers the question that comes next.
func (a *asker) line(ctx context.Context, resolved <-chan struct{}, prompt string) (string, error) {
	a.say(prompt)
	if !a.reads {
		a.reads = true
		go func() {
			text, err := a.input.ReadString('\n')
			if err != nil && text != "" {
				err = nil // the last line lacks its end
			}
			a.lines <- lineRead{text, err}
		}()
	}
	select {
	case read := <-a.lines:
		a.reads = false
		return read.text, read.err
	case <-resolved:
		return "", errResolved
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func (a *asker) say(text string) {
	a.v.mu.Lock()
	defer a.v.mu.Unlock()
	// Where that fails there is nobody to tell it.
	_, _ = io.WriteString(a.out, text)
}
