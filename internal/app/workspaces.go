package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"nanoclaw/internal/config"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/store"
	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/composite"
	"nanoclaw/internal/workspace/layered"
	"nanoclaw/internal/workspace/remote"
	"nanoclaw/internal/workspace/sandboxed"
)

// workspaces are the modes of projects' files beside local.
type workspaces struct {
	live    *config.Live
	options remote.Options

	mu     sync.Mutex
	store  *remote.Store // nil: nobody needed it yet
	failed error         // why it could not be opened
	tried  time.Time

	sandboxes *sandboxed.Sandboxes
}

// openAgain is how long a store that could not be opened is left alone.
const openAgain = 5 * time.Second

func newWorkspaces(a *App) *workspaces {
	c := a.Live.Current()
	w := &workspaces{live: a.Live, options: remote.Options{Dir: filepath.Join(c.DataDir, "files"), Logger: a.Logger}}
	if servers := natsServers(c.NATS); servers != nil {
		w.options.Remote = &remote.Servers{Prefix: servers.Prefix, Copies: servers.Copies,
			Connect: func(ctx context.Context) (*nats.Conn, error) { return servers.Connect(ctx, a.Logger) }}
	}
	w.sandboxes = a.newSandboxes(c, w)
	return w
}

// checkModes refuses the modes of a configuration that this program does not have.
func checkModes(c *config.Config) error {
	known := workspace.CustomModes()
	for key, mode := range c.WorkspaceModes() {
		if strings.HasPrefix(mode, workspace.CustomPrefix) && !slices.Contains(known, mode) {
			return fmt.Errorf("%s: this program has no mode %s: it has local, remote and %q", key, mode, known)
		}
	}
	return nil
}

// remoteStore opens the store of shared files when it is needed for the first time.
func (w *workspaces) remoteStore(ctx context.Context) (*remote.Store, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.store != nil {
		return w.store, nil
	}
	if w.failed == nil || time.Since(w.tried) > openAgain {
		w.store, w.failed = remote.Open(context.WithoutCancel(ctx), w.options)
		w.tried = time.Now()
	}
	if w.failed != nil {
		return nil, &workspace.Error{Code: workspace.CodeUnavailable, Err: w.failed,
			Message: "the store of shared files cannot be opened: see the server log, and tell the user"}
	}
	return w.store, nil
}

// removeProject deletes what the store has of a project.
func (w *workspaces) removeProject(ctx context.Context, projectID string) error {
	if err := w.sandboxes.RemoveProject(ctx, projectID); err != nil {
		return err
	}
	files, err := w.usedStore(ctx)
	if files == nil || err != nil {
		return err
	}
	return files.RemoveProject(ctx, projectID)
}

// usedStore is the store of shared files; nil: no project ever had any.
func (w *workspaces) usedStore(ctx context.Context) (*remote.Store, error) {
	w.mu.Lock()
	unopened := w.store == nil
	w.mu.Unlock()
	if unopened && w.options.Remote == nil {
		if _, err := os.Stat(w.options.Dir); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	return w.remoteStore(ctx)
}

func (w *workspaces) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.store != nil {
		w.store.Close()
	}
}

// knowledge is what mode remote shares of every project, beside shared_prefixes and the
// sessions of agents.
var knowledge = []string{"AGENTS.md", "MEMORY.md", "memory/", "skills/"}

// What begins the scope of a conversation's and of a user's files.
const (
	sessionScope = "session/"
	userScope    = "user/"
)

// hiddenScope ends the scope of tombstones.
const hiddenScope = "#hidden"

// openRemote is the mode remote: the project's disk with shared prefixes in the store.
func (w *workspaces) openRemote(ctx context.Context, o workspace.Opening) (workspace.Filesystem, error) {
	c := w.live.Current()
	store, err := w.remoteStore(ctx)
	var layers workspace.Filesystem
	if err != nil {
		layers = remote.Away{Err: err} // local files go on
	} else {
		ns := remote.Namespace{Project: o.ProjectID, Scope: scopeOf(c, o.Access)}
		var hidden workspace.Filesystem
		if c.Workspace.Tombstones {
			hidden = store.Files(remote.Namespace{Project: ns.Project, Scope: ns.Scope + hiddenScope}, nil)
		}
		layers = layered.New(store.Files(ns, o.Limits), o.Local, hidden, o.Limits)
	}
	var routes []composite.Route
	for _, prefix := range sharedPrefixes(c) {
		routes = append(routes, composite.Route{Prefix: prefix, Files: layers})
	}
	return composite.New(o.Local, routes, o.Limits)
}

// sharedPrefixes are all paths that mode remote shares. A configured path without a
// slash is a file.
func sharedPrefixes(c *config.Config) []string {
	all := append([]string{}, knowledge...)
	all = append(all, "agents/"+runs.DefaultAgent+"/sessions/")
	for _, agent := range c.Agents {
		all = append(all, "agents/"+agent.ID+"/sessions/")
	}
	all = append(all, c.Workspace.SharedPrefixes...)
	seen := map[string]bool{}
	unique := all[:0]
	for _, prefix := range all {
		if name := strings.TrimSuffix(prefix, "/"); !seen[name] {
			seen[name] = true
			unique = append(unique, prefix)
		}
	}
	return unique
}

// scopeOf is whose files of a project somebody sees, by workspace.isolation_scope. Who
// is unknown has files of nobody's.
func scopeOf(c *config.Config, access workspace.Access) string {
	switch c.Workspace.IsolationScope {
	case "session":
		return sessionScope + access.ConversationID
	case "agent":
		return "agent/" + access.AgentID
	case "global":
		return ""
	}
	return userScope + access.UserID
}

// runContext is on whose behalf everything for a run is done. Who started it may be a member
// of another's project, and reaches there what an editor does.
func runContext(ctx context.Context, run *models.Run) context.Context {
	agent := run.Agent
	if agent == "" {
		agent = runs.DefaultAgent
	}
	ctx = store.WithLevel(ctx, store.EditorsToo)
	return workspace.WithAccess(ctx, workspace.Access{UserID: run.UserID, ConversationID: run.HomeConversation(),
		AgentID: agent, ProjectID: run.ProjectID})
}
