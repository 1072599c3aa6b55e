package config

import (
	"strings"
	"testing"
)

// WS2, WS5: a mode that is unknown, two that exclude each other, and a prefix that
// escapes are refused with the keys and the choices.
func TestWorkspaceModesAreChecked(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"workspace: {mode: remotely}\n":                        {"workspace.mode", "local, remote, sandbox or custom:<name>"},
		"workspace: {mode: 'custom:'}\n":                       {"workspace.mode", "is not a mode"},
		"workspace: {mode: [local, remote]}\n":                 {"workspace.mode", "has to be text"},
		"workspace: {projects: {p1: both}}\n":                  {"workspace.projects.p1", "is not a mode"},
		"agents: [{id: x, workspace: nowhere}]\n":              {"agents[0].workspace", "is not a mode"},
		"workspace: {shared_prefixes: [reports/]}\n":           {"workspace.shared_prefixes", "workspace.mode local"},
		"workspace: {isolation_scope: session}\n":              {"workspace.isolation_scope", "workspace.mode local"},
		"workspace: {tombstones: true}\n":                      {"workspace.tombstones", "workspace.mode local"},
		"workspace: {mode: remote, isolation_scope: galaxy}\n": {"workspace.isolation_scope", "session"},
		"workspace: {sandbox_wait: 1s}\n":                      {"workspace.sandbox_wait", "has mode sandbox"},
		"workspace: {mode: sandbox, tombstones: true}\n":       {"workspace.tombstones", "workspace.mode sandbox"},
		"workspace: {mode: sandbox}\nshell: {policy: host}\n":  {"workspace.mode", "shell.policy"},
		"workspace: {projects: {p: sandbox}}\ncode_execution: {allow_host: true}\n": {"workspace.projects.p",
			"code_execution.allow_host"},
		"workspace: {mode: remote, shared_prefixes: [../x]}\n":  {"workspace.shared_prefixes[0]", "below a project's root"},
		"workspace: {mode: remote, shared_prefixes: [/etc]}\n":  {"workspace.shared_prefixes[0]", "below a project's root"},
		"workspace: {mode: remote, shared_prefixes: ['.']}\n":   {"workspace.shared_prefixes[0]", "below a project's root"},
		"workspace: {mode: remote, shared_prefixes: [a, a/]}\n": {"workspace.shared_prefixes[1]", "twice"},
	} {
		_, _, err := Parse([]byte(text), "config.yml", nil)
		for _, part := range want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%q: %v, want %q", text, err, part)
			}
		}
	}
}

// WS2: the mode of a project wins over that of an agent, which wins over the server's.
func TestWorkspaceModeOfAProjectAndAnAgent(t *testing.T) {
	t.Parallel()
	c, _, err := Parse([]byte("workspace: {mode: remote, shared_prefixes: [reports/], projects: {p1: 'custom:mine'}}\n"+
		"agents: [{id: coder, workspace: local}]\n"), "config.yml", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range [][3]string{{"p1", "coder", "custom:mine"}, {"p2", "coder", "local"}, {"p2", "", "remote"},
		{"p2", "other", "remote"}} {
		if got := c.WorkspaceMode(want[0], want[1]); got != want[2] {
			t.Errorf("project %s, agent %s: %s, want %s", want[0], want[1], got, want[2])
		}
	}
}
