package workspace

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// Access is on whose behalf files are opened. What is empty is unknown.
type Access struct {
	UserID         string
	ConversationID string
	AgentID        string // agent profile
	ProjectID      string // where a run works
}

type accessKey struct{}

// WithAccess is a context for everything that is done on somebody's behalf.
func WithAccess(ctx context.Context, access Access) context.Context {
	return context.WithValue(ctx, accessKey{}, access)
}

// AccessOf is on whose behalf a context is; nobody's where WithAccess was not called.
func AccessOf(ctx context.Context) Access {
	access, _ := ctx.Value(accessKey{}).(Access)
	return access
}

// Opening is what a mode opens.
type Opening struct {
	ProjectID string
	Access    Access
	InPlace   bool          // the project is a directory of the user's
	Local     *Local        // the project's directory on this machine
	Limits    func() Limits // of the project, also after a reload
}

// Mode opens the files of projects in one way. What it returns is used for one call:
// what is costly it keeps itself.
type Mode func(ctx context.Context, o Opening) (Filesystem, error)

// CustomPrefix begins the modes that a program brings along in config.yml.
const CustomPrefix = "custom:"

var custom = struct {
	sync.Mutex
	modes map[string]Mode
}{modes: map[string]Mode{}}

// RegisterMode makes a mode known as custom:<name>. It is called from init; a name that
// is empty or taken is a mistake in the program and panics.
func RegisterMode(name string, mode Mode) {
	custom.Lock()
	defer custom.Unlock()
	if name == "" || mode == nil || custom.modes[name] != nil {
		panic(fmt.Sprintf("workspace: the mode %q is empty or registered twice", name))
	}
	custom.modes[name] = mode
}

// CustomModes are the names that RegisterMode made known, sorted, with CustomPrefix.
func CustomModes() []string {
	custom.Lock()
	defer custom.Unlock()
	names := []string{}
	for _, name := range slices.Sorted(maps.Keys(custom.modes)) {
		names = append(names, CustomPrefix+name)
	}
	return names
}

func customMode(name string) (Mode, error) {
	known := CustomModes()
	custom.Lock()
	defer custom.Unlock()
	if mode := custom.modes[name]; mode != nil {
		return mode, nil
	}
	return nil, Errorf(CodeUnavailable, "", "the program has no workspace mode %s%s: it has %q (workspace.mode)",
		CustomPrefix, name, known)
}
