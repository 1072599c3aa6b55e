package tools

import (
	"cmp"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Registry holds tools by name. Reading is lock-free and sees one consistent
// state; changing it is safe for many goroutines at once.
type Registry struct {
	mu    sync.Mutex // held by writers
	state atomic.Pointer[registryState]
}

// registryState is never changed after it was published.
type registryState struct {
	byName map[string]registered
	list   []*Tool // by category, then name
}

type registered struct {
	tool   *Tool
	group  string // empty: registered one by one
	origin string
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	r := &Registry{}
	r.state.Store(&registryState{byName: map[string]registered{}})
	return r
}

var defaultRegistry = NewRegistry()

// Default is the registry that Register fills: the tools that ship.
func Default() *Registry { return defaultRegistry }

// Register adds a tool to the default registry. It is called from init() and
// panics on a tool that is not complete and on a name that is taken, naming both places.
func Register(t *Tool) { defaultRegistry.register(t, callerOf(2)) }

// Register adds a tool and panics on a tool that is not complete and on a name
// that is taken, naming both places.
func (r *Registry) Register(t *Tool) { r.register(t, callerOf(2)) }

func (r *Registry) register(t *Tool, origin string) {
	if t == nil {
		panic(fmt.Sprintf("tools: a nil tool is registered at %s", origin))
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := t.prepare(); err != nil {
		panic(fmt.Sprintf("tools: %v (registered at %s)", err, origin))
	}
	current := r.state.Load()
	if taken, found := current.byName[t.Name]; found {
		panic(fmt.Sprintf("tools: %q is registered twice: at %s and at %s", t.Name, taken.place(), origin))
	}
	t.origin = origin
	byName := maps.Clone(current.byName)
	byName[t.Name] = registered{tool: t, origin: origin}
	r.publish(byName)
}

// SetGroup replaces the tools of a group (those of one MCP server) all at once;
// no tools empties it. A name that another group or a tool of its own holds, a
// repeated name and an incomplete tool are errors, and nothing changes.
func (r *Registry) SetGroup(group string, members []*Tool) error {
	if group == "" {
		return fmt.Errorf("set tools of a group: the group has no name")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	byName := maps.Clone(r.state.Load().byName)
	maps.DeleteFunc(byName, func(_ string, entry registered) bool { return entry.group == group })
	for _, t := range members {
		if t == nil {
			return fmt.Errorf("set tools of group %q: a tool is nil", group)
		}
		if err := t.prepare(); err != nil {
			return fmt.Errorf("set tools of group %q: %w", group, err)
		}
		if taken, found := byName[t.Name]; found {
			return fmt.Errorf("set tools of group %q: the name %q is taken by %s", group, t.Name, taken.place())
		}
		byName[t.Name] = registered{tool: t, group: group}
	}
	r.publish(byName)
	return nil
}

// Get finds a tool by its exact name, in constant time.
func (r *Registry) Get(name string) (*Tool, bool) {
	entry, found := r.state.Load().byName[name]
	return entry.tool, found
}

// List is every tool, by category and then by name. The slice is the caller's.
func (r *Registry) List() []*Tool { return slices.Clone(r.state.Load().list) }

// Clone is a registry with the same tools that changes on its own from then on.
func (r *Registry) Clone() *Registry {
	clone := &Registry{}
	clone.state.Store(r.state.Load())
	return clone
}

// publish makes byName the state that readers see.
func (r *Registry) publish(byName map[string]registered) {
	list := make([]*Tool, 0, len(byName))
	for _, entry := range byName {
		list = append(list, entry.tool)
	}
	slices.SortFunc(list, func(a, b *Tool) int {
		return cmp.Or(strings.Compare(a.Category, b.Category), strings.Compare(a.Name, b.Name))
	})
	r.state.Store(&registryState{byName: byName, list: list})
}

// place is where an entry comes from, for messages.
func (e registered) place() string {
	if e.group != "" {
		return fmt.Sprintf("group %q", e.group)
	}
	return e.origin
}

// callerOf is the place "folder/file.go:12" that many frames up the stack.
func callerOf(skip int) string {
	_, file, line, ok := runtime.Caller(skip)
	if !ok {
		return "an unknown place"
	}
	parts := strings.Split(file, "/")
	if len(parts) > 2 {
		parts = parts[len(parts)-2:]
	}
	return fmt.Sprintf("%s:%d", strings.Join(parts, "/"), line)
}
