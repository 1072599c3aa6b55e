package programs

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/sandbox/sandboxtest"
	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/remote"
	"nanoclaw/internal/workspace/sandboxed"
)

// WS1, WS2, WS6: commands, the session, Python and file operations of a sandbox see the
// same files, with its own HOME and no other directory of the server; ending what runs in
// it ends its session.
func TestCommandsRunInTheSandboxOfTheirFiles(t *testing.T) {
	t.Parallel()
	for name, policy := range sandboxtest.Policies(t) {
		if name == "host" {
			continue // refused beside mode sandbox
		}
		t.Run(policy.Name(), func(t *testing.T) {
			t.Parallel()
			shell := "policy: " + name
			if name == "docker" {
				shell += ", image: '" + sandboxtest.Image(t) + "'"
			}
			testSandbox(t, "workspace: {mode: sandbox}\ncode_execution: {loosest_strictness: lenient}\nshell: {"+shell+"}\n")
		})
	}
}

func testSandbox(t *testing.T, config string) {
	p, call := newPlace(t, config)
	dir := t.TempDir()
	store, err := remote.Open(t.Context(), remote.Options{Dir: filepath.Join(dir, "files")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	all := sandboxed.New(sandboxed.Options{Dir: filepath.Join(dir, "sandboxes"), TTL: time.Hour, Leases: alone{},
		Store:    func(context.Context) (*remote.Store, error) { return store, nil },
		Settings: func() sandboxed.Settings { return sandboxed.Settings{IdleTimeout: time.Hour, Snapshots: 1} },
		Execute:  p.Execute, End: p.EndIn})
	t.Cleanup(func() { all.Close(context.Background()) })
	settings := workspace.SettingsFrom(p.Live.Current())
	settings.Root = filepath.Join(dir, "projects")
	if err := p.Projects.Configure(settings); err != nil {
		t.Fatal(err)
	}
	p.Projects.AddMode("sandbox", func(ctx context.Context, o workspace.Opening) (workspace.Filesystem, error) {
		return all.Open(ctx, remote.Namespace{Project: o.ProjectID}, o)
	})
	opened, err := p.Projects.Open(t.Context(), call.ProjectID)
	if err != nil {
		t.Fatal(err)
	}
	files := opened.(workspace.SandboxFilesystem)
	if _, err := files.Write(t.Context(), "sub/f", []byte("of a tool"), workspace.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	got, err := files.Execute(t.Context(), workspace.Command{Line: "cat f; echo $X; echo made > ../g; exit 3", Dir: "sub",
		Env: map[string]string{"X": "given"}})
	if err != nil || got.ExitCode != 3 || got.Stdout != "of a toolgiven\n" {
		t.Fatalf("executing is %+v, %v", got, err)
	}
	if read, err := files.Read(t.Context(), "g", 0, 0); err != nil || string(read.Data) != "made\n" {
		t.Errorf("the command's file is %q, %v", read.Data, err)
	}
	call.ID = "call"
	for tool, args := range map[string]map[string]any{
		"shell_execute":  {"command": "cat g; echo home > ~/h; ls " + dir},
		"execute_python": {"code": "print(open('g').read())", "strictness": "lenient"},
	} {
		result := executeTool(t, tool, call, args)
		if text := encode(t, result); !strings.Contains(text, `made`) || strings.Contains(text, "sandboxes\\n") {
			t.Errorf("%s is %s", tool, text)
		}
	}
	home := opened.(*sandboxed.Files).Home()
	if kept, err := os.ReadFile(filepath.Join(home, "h")); err != nil || string(kept) != "home\n" {
		t.Errorf("HOME holds %q, %v", kept, err)
	}
	if p.sessions.Count() != 1 {
		t.Fatalf("there are %d sessions", p.sessions.Count())
	}
	if err := p.EndIn(t.Context(), opened.(*sandboxed.Files).Dir()); err != nil || p.sessions.Count() != 0 {
		t.Errorf("ended, there are %d sessions, %v", p.sessions.Count(), err)
	}
}

// alone are leases without anybody else.
type alone struct{}

func (alone) Take(context.Context, string) (bool, error)   { return true, nil }
func (alone) Drop(context.Context, string) error           { return nil }
func (alone) Want(context.Context, string) error           { return nil }
func (alone) Wanted(context.Context, string) (bool, error) { return false, nil }
func (alone) Held(context.Context, string) (bool, error)   { return false, nil }
