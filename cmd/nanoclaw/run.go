package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nanoclaw/internal/config"
)

const runUsage = `run [--project DIR] [--model ID] [--conversation ID] [--yes[=SEVERITY]] [--json] ["PROMPT" | -]`

const runAbout = `
Sends one message and shows the run that answers it, to its end. A server that owns the data directory is
used; else one runs in this process for the time of the command. Without PROMPT, or for "-", the message
is read from standard input. Flags may stand behind it; -- ends them.

Without --project the agent has no files to work on. A server of its own takes the directory of --project
as it is; one that runs already takes it below project_roots.

On a terminal what is at work is redrawn in place; NO_COLOR is obeyed. In a pipe there are plain lines.

A call that needs an approval is asked about: y approves it, n denies it (n REASON tells the model why),
c approves it for this conversation, a always, e opens its arguments in $EDITOR (or takes a line of JSON).
Where nobody can be asked it is denied, unless --yes approves it.

Ctrl-C stops the run; a second one leaves at once. Exit code: 0 completed; 1 failed, or ended after a call
that was not allowed with nothing done since; 2 wrong command line (an unknown model or conversation included);
130 stopped.`

// runFlags are the command line of nanoclaw run.
type runFlags struct {
	turn
	json bool
	yes  severityFlag
}

func (p *program) runTurn(ctx context.Context, args []string) error {
	var f runFlags
	set := p.flags("run", runUsage, runAbout)
	source := p.source(set)
	set.StringVar(&f.project, "project", "", "work on the files in `DIR`; a project is made for it where there is none")
	set.StringVar(&f.model, "model", "", "the `ID` of the model (default: the conversation's, else default_model)")
	set.StringVar(&f.conversation, "conversation", "", "go on with the conversation `ID`")
	set.BoolVar(&f.json, "json", false, "print the events, one JSON object a line")
	set.Var(&f.yes, "yes",
		"approve calls that need it: all, or with a `severity` (critical, high, medium, low, info) those\nwhose "+
			"findings are no worse, and deny the others")
	if done, err := p.parse(set, args, anyNumber); done || err != nil {
		return err
	}
	if err := p.complete(&f, set.args); err != nil {
		return err
	}
	return p.runOn(ctx, *source, f)
}

// complete finds the prompt and the project's directory.
func (p *program) complete(f *runFlags, args []string) error {
	f.prompt = strings.Join(args, " ")
	if len(args) == 0 || slices.Equal(args, []string{"-"}) {
		if _, _, typed := p.terminal(p.stdin); typed && len(args) == 0 {
			return usagef(`run: a prompt is missing: nanoclaw run "what to do"`)
		}
		text, err := io.ReadAll(p.stdin)
		if err != nil {
			return fmt.Errorf("read the prompt from standard input: %w", err)
		}
		f.prompt = strings.TrimSpace(string(text))
	}
	if strings.TrimSpace(f.prompt) == "" {
		return usagef("run: the prompt is empty")
	}
	if f.project == "" {
		return nil
	}
	dir, err := filepath.Abs(f.project)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return usagef("--project: %v", err)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return usagef("--project: %s is no directory", dir)
	}
	f.project = dir
	return nil
}

// runOn runs the turn on the server that there is, or on one of its own.
func (p *program) runOn(ctx context.Context, source config.Source, f runFlags) (err error) {
	view := p.newView(f.json)
	server, err := p.connect(ctx, source, f.project, view)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	api := newClient(server.url)
	api.token = p.token()
	api.access, _ = p.env("NANOCLAW_TOKEN")
	api.locate = func(ctx context.Context, failed int) error { return server.locate(ctx, api, failed) }
	if p.pause > 0 {
		api.pause = p.pause
	}
	run, conversation, err := f.begin(ctx, api)
	if err != nil {
		if ctx.Err() != nil {
			return errStopped
		}
		return err
	}
	view.approver = p.newApprover(api, view, f.yes)
	return p.watch(ctx, api, server, view, run.ID, conversation)
}
