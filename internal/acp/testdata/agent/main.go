// Command agent is an agent of the Agent Client Protocol for tests. What it does
// with a message depends on the message's first word.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/coder/acp-go-sdk"
)

type agent struct {
	connection *acp.AgentSideConnection
	cwd        string
	fs         acp.FileSystemCapabilities
	cancelled  chan struct{}
}

func main() {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "broken":
			fmt.Fprintln(os.Stderr, "cannot find the model: key sk-very-secret")
			os.Exit(4)
		case "deaf": // reads nothing, says nothing, does not want to end
			_ = exec.Command("sh", "-c", "trap '' TERM; while :; do sleep 1; done").Run()
			return
		}
	}
	a := &agent{cancelled: make(chan struct{})}
	a.connection = acp.NewAgentSideConnection(a, os.Stdout, os.Stdin)
	<-a.connection.Done()
}

func (a *agent) Initialize(_ context.Context, p acp.InitializeRequest) (acp.InitializeResponse, error) {
	a.fs = p.ClientCapabilities.Fs
	if p.ClientCapabilities.Terminal {
		return acp.InitializeResponse{}, fmt.Errorf("a terminal is offered")
	}
	return acp.InitializeResponse{ProtocolVersion: acp.ProtocolVersionNumber}, nil
}

func (a *agent) NewSession(_ context.Context, p acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	if len(os.Args) > 1 && os.Args[1] == "login" {
		return acp.NewSessionResponse{}, acp.NewAuthRequired(nil)
	}
	a.cwd = p.Cwd
	return acp.NewSessionResponse{SessionId: "s1"}, nil
}

func (a *agent) Cancel(context.Context, acp.CancelNotification) error {
	// A mark for the test, beside the agent's own program.
	if path := os.Getenv("MARK"); path != "" {
		if err := os.WriteFile(path, []byte("cancelled"), 0o600); err != nil {
			return err
		}
	}
	close(a.cancelled)
	return nil
}

func (a *agent) update(ctx context.Context, u acp.SessionUpdate) error {
	return a.connection.SessionUpdate(ctx, acp.SessionNotification{SessionId: "s1", Update: u})
}

func (a *agent) say(ctx context.Context, format string, args ...any) error {
	return a.update(ctx, acp.UpdateAgentMessageText(fmt.Sprintf(format, args...)))
}

func (a *agent) Prompt(ctx context.Context, p acp.PromptRequest) (acp.PromptResponse, error) {
	words := strings.Fields(p.Prompt[0].Text.Text)
	reason, err := a.do(ctx, words[0], words[1:])
	return acp.PromptResponse{StopReason: reason}, err
}

func (a *agent) do(ctx context.Context, what string, args []string) (acp.StopReason, error) {
	end := acp.StopReasonEndTurn
	switch what {
	case "report":
		plan := acp.UpdatePlan(
			acp.PlanEntry{Content: "look", Priority: acp.PlanEntryPriorityHigh, Status: acp.PlanEntryStatusCompleted},
			acp.PlanEntry{Content: "write it down", Priority: acp.PlanEntryPriorityLow, Status: acp.PlanEntryStatusInProgress})
		status := acp.ToolCallStatusCompleted
		for _, u := range []acp.SessionUpdate{
			plan, acp.UpdateAgentThoughtText("hm"), acp.UpdateAgentMessageText("I look. "),
			acp.StartToolCall("t1", "Search the web"), acp.UpdateToolCall("t1", acp.WithUpdateStatus(status)),
			acp.UpdateAgentMessageText("Found "), acp.UpdateAgentMessageText("it."),
		} {
			if err := a.update(ctx, u); err != nil {
				return end, err
			}
		}
		return end, nil
	case "where":
		here, err := os.Getwd()
		if err != nil {
			return end, err
		}
		return end, a.say(ctx, "cwd=%s session=%s read=%v write=%v env=%s", here, a.cwd, a.fs.ReadTextFile, a.fs.WriteTextFile, strings.Join(os.Environ(), " "))
	case "copy":
		return end, a.copy(ctx, args[0], args[1])
	case "terminal":
		_, err := a.connection.CreateTerminal(ctx, acp.CreateTerminalRequest{SessionId: "s1", Command: "ls"})
		return end, a.say(ctx, "terminal: %v", err)
	case "permission":
		return end, a.permission(ctx, args)
	case "long":
		return end, a.say(ctx, "%s", strings.Repeat("x", 3<<20))
	case "wait":
		child := exec.Command("sh", "-c", "trap '' TERM; echo $$ > "+args[0]+"; while :; do sleep 1; done")
		if err := child.Start(); err != nil {
			return end, err
		}
		if err := a.say(ctx, "waiting"); err != nil {
			return end, err
		}
		select {} // whatever it is told
	case "orphan": // leaves a child that holds all that it can
		child := exec.Command("sh", "-c", "echo $$ > "+args[0]+"; exec sleep 300")
		child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
		child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := child.Start(); err != nil {
			return end, err
		}
		switch args[1] {
		case "die":
			os.Exit(3)
		case "stay":
			if err := a.say(ctx, "waiting"); err != nil {
				return end, err
			}
			select {}
		}
		return end, a.say(ctx, "left it")
	case "die":
		fmt.Fprintln(os.Stderr, "panic: out of tokens")
		os.Exit(5)
	case "max":
		return acp.StopReasonMaxTokens, a.say(ctx, "half")
	case "no":
		return acp.StopReasonRefusal, nil
	}
	return end, a.say(ctx, "what?")
}

// copy reads a file through the client and writes it through the client.
func (a *agent) copy(ctx context.Context, from, to string) error {
	read, err := a.connection.ReadTextFile(ctx, acp.ReadTextFileRequest{SessionId: "s1", Path: a.path(from), Line: acp.Ptr(2), Limit: acp.Ptr(1)})
	if err != nil {
		return a.say(ctx, "read: %v", err)
	}
	_, err = a.connection.WriteTextFile(ctx, acp.WriteTextFileRequest{SessionId: "s1", Path: a.path(to), Content: read.Content})
	if err != nil {
		return a.say(ctx, "write: %v", err)
	}
	return a.say(ctx, "copied %q", read.Content)
}

func (a *agent) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return a.cwd + "/" + name
}

func (a *agent) permission(ctx context.Context, kinds []string) error {
	var options []acp.PermissionOption
	for _, kind := range kinds {
		options = append(options, acp.PermissionOption{Kind: acp.PermissionOptionKind(kind), Name: kind, OptionId: acp.PermissionOptionId(kind)})
	}
	answer, err := a.connection.RequestPermission(ctx, acp.RequestPermissionRequest{
		SessionId: "s1", Options: options,
		ToolCall: acp.ToolCallUpdate{ToolCallId: "t9", Title: acp.Ptr("rm -rf build"), Kind: acp.Ptr(acp.ToolKindExecute)},
	})
	switch {
	case err != nil:
		return a.say(ctx, "permission: %v", err)
	case answer.Outcome.Selected != nil:
		return a.say(ctx, "chosen %s because %v", answer.Outcome.Selected.OptionId, answer.Meta["reason"])
	}
	return a.say(ctx, "cancelled because %v", answer.Meta["reason"])
}

func (a *agent) Authenticate(context.Context, acp.AuthenticateRequest) (acp.AuthenticateResponse, error) {
	return acp.AuthenticateResponse{}, nil
}

func (a *agent) CloseSession(context.Context, acp.CloseSessionRequest) (acp.CloseSessionResponse, error) {
	return acp.CloseSessionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionClose)
}

func (a *agent) ListSessions(context.Context, acp.ListSessionsRequest) (acp.ListSessionsResponse, error) {
	return acp.ListSessionsResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionList)
}

func (a *agent) ResumeSession(context.Context, acp.ResumeSessionRequest) (acp.ResumeSessionResponse, error) {
	return acp.ResumeSessionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionResume)
}

func (a *agent) SetSessionConfigOption(context.Context, acp.SetSessionConfigOptionRequest) (acp.SetSessionConfigOptionResponse, error) {
	return acp.SetSessionConfigOptionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionSetConfigOption)
}

func (a *agent) SetSessionMode(context.Context, acp.SetSessionModeRequest) (acp.SetSessionModeResponse, error) {
	return acp.SetSessionModeResponse{}, nil
}
