package config

import (
	"path"
	"slices"
	"strings"
)

// Modes of workspaces; CustomMode begins those that a program brings along.
const (
	LocalMode   = "local"
	RemoteMode  = "remote"
	SandboxMode = "sandbox"
	CustomMode  = "custom:"
)

// WorkspaceMode is how the files of a project are kept for an agent; without an agent
// as the API shows them.
func (c *Config) WorkspaceMode(projectID, agentID string) string {
	if mode := c.Workspace.Projects[projectID]; mode != "" {
		return mode
	}
	for _, a := range c.Agents {
		if a.ID == agentID && a.Workspace != "" {
			return a.Workspace
		}
	}
	return c.Workspace.Mode
}

// WorkspaceModes are all modes in use, by the key that chooses them.
func (c *Config) WorkspaceModes() map[string]string {
	modes := map[string]string{"workspace.mode": c.Workspace.Mode}
	for id, mode := range c.Workspace.Projects {
		modes[joinPath("workspace.projects", id)] = mode
	}
	for i, a := range c.Agents {
		if a.Workspace != "" {
			modes[indexPath("agents", i)+".workspace"] = a.Workspace
		}
	}
	return modes
}

// checkWorkspace looks at modes, and at what only some of them have.
func (ch *checker) checkWorkspace(c *Config) {
	used := map[string]bool{}
	for key, mode := range c.WorkspaceModes() {
		name, custom := strings.CutPrefix(mode, CustomMode)
		switch {
		case mode == LocalMode, mode == RemoteMode, custom && isName(name):
		case mode == SandboxMode:
			ch.checkSandbox(c, key)
		default:
			ch.problem(key, "is not a mode: use "+orList([]string{LocalMode, RemoteMode, SandboxMode,
				CustomMode + "<name>"}))
		}
		used[mode] = true
	}
	ch.checkModeKeys(c, used)
	var seen []string
	for i, prefix := range c.Workspace.SharedPrefixes {
		key := indexPath("workspace.shared_prefixes", i)
		cleaned := path.Clean(prefix)
		if !isBelowRoot(prefix) {
			ch.problem(key, "is not a path below a project's root: give a directory such as reports/, or a file")
		}
		ch.unique(key, cleaned, seen)
		seen = append(seen, cleaned)
	}
}

// checkModeKeys finds keys that belong to modes that nobody uses.
func (ch *checker) checkModeKeys(c *Config, used map[string]bool) {
	w, usual := c.Workspace, Default().Workspace
	for _, one := range []struct {
		key   string
		given bool
		modes []string
	}{
		{"workspace.shared_prefixes", len(w.SharedPrefixes) > 0, []string{RemoteMode}},
		{"workspace.tombstones", w.Tombstones, []string{RemoteMode}},
		{"workspace.isolation_scope", w.IsolationScope != usual.IsolationScope, []string{RemoteMode, SandboxMode}},
		{"workspace.sandbox_idle_timeout", w.SandboxIdle != usual.SandboxIdle, []string{SandboxMode}},
		{"workspace.sandbox_wait", w.SandboxWait != usual.SandboxWait, []string{SandboxMode}},
		{"workspace.sandbox_snapshots", w.SandboxKeep != usual.SandboxKeep, []string{SandboxMode}},
	} {
		if one.given && !slices.ContainsFunc(one.modes, func(mode string) bool { return used[mode] }) {
			modes := orList(one.modes)
			ch.problem(one.key, "has no effect with workspace.mode "+w.Mode+", and no project or agent has mode "+modes+
				": remove it, or set workspace.mode: "+modes)
		}
	}
}

// checkSandbox refuses settings that run programs outside of the sandbox whose files a
// mode promises.
func (ch *checker) checkSandbox(c *Config, key string) {
	if c.Shell.Policy == "host" {
		ch.problem(key, "sandbox and shell.policy host exclude each other: set shell.policy to sandbox or docker, or "+
			key+" to local")
	}
	if c.CodeExecution.AllowHost {
		ch.problem(key, "sandbox and code_execution.allow_host exclude each other: set code_execution.allow_host to "+
			"false, or "+key+" to local")
	}
}

// isBelowRoot says whether a path leads below a project's root, and not to what is the
// server's there.
func isBelowRoot(prefix string) bool {
	cleaned := path.Clean(prefix)
	escapes := path.IsAbs(prefix) || cleaned == ".." || strings.HasPrefix(cleaned, "../")
	return prefix != "" && cleaned != "." && !escapes && !strings.ContainsAny(prefix, "\x00\\") &&
		!slices.Contains(strings.Split(strings.ToLower(cleaned), "/"), ".nanoclaw")
}

func isName(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	})
}
