package tools

import (
	"context"
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// Tool is a tool as the registry holds it. Make one with Define (from a Go
// function) or, for a tool that lives elsewhere (MCP), fill it by hand.
type Tool struct {
	Name        string
	Description string // for the model
	Category    string
	Effect      EffectKind
	Timeout     time.Duration // 0: the executor's default; negative: no limit of its own

	// Schema is what the model sees and its arguments are checked against:
	// injected properties are not in it.
	Schema *jsonschema.Schema

	// Injected names the properties that the executor fills. What the model
	// supplies for one is dropped.
	Injected []Injection

	// Files are the arguments that name files of the project. AnyFile says that a call
	// can do anything with any file, whatever its arguments are.
	Files   []FileArgument
	AnyFile bool

	// Stamp, for a tool that Reads, says which version of the world a call with
	// these (injected) arguments would see. A cached result is served only while
	// the stamp is what it was before the call ran. An error or an empty stamp:
	// the call is not cached.
	Stamp func(ctx context.Context, call Call, args json.RawMessage) (string, error)

	// Preflight, optional, says why a call cannot succeed (an *Error, or another error
	// with a code), before a person is asked to approve it. It must have no effects,
	// and looks only at what the call's MayLook allows: its answer reaches the model
	// unapproved. nil: the call may succeed, or nobody can tell.
	Preflight func(ctx context.Context, call Call, args json.RawMessage) error

	// Tailor, optional, fits what a model sees of the tool to the configuration in
	// force, and says whether the tool is of any use to this agent at all. Calls are
	// still checked against Schema.
	Tailor func(ctx context.Context, call Call, shape *Shape) (useful bool)

	// Run does the work. args are valid for the schema, with the injected
	// properties added. The value that it returns must encode as JSON.
	Run func(ctx context.Context, call Call, args json.RawMessage) (any, error)

	// ReadOn, optional, tells the model how to get at the rest of a result that was
	// cut at the output limit.
	ReadOn string

	// Resolves, for a tool that Writes, names the properties in which it puts secrets
	// into the place of their placeholders by itself. In its other arguments a
	// placeholder is refused.
	Resolves []string

	// Command, for a tool that runs a shell command of its own, is the command line of a
	// call with these arguments. It is judged as the one of shell_execute is.
	Command func(args map[string]any) string

	// Definition, for a tool that lives elsewhere, is a digest of what it says of itself.
	// A standing approval holds for the definition that it was given for.
	Definition string

	origin     string          // where it was registered: "file.go:12"
	prepared   bool            // the fields below are set
	parameters json.RawMessage // Schema as the model sees it
	lastOffer  atomic.Pointer[tailored]
	validator  *validator
}

// Injection says that the argument property Property is filled with Call.ContextValue of
// Value. It makes the value part of what is cached, compared and approved; the tool and
// the services that it calls read the Call itself.
type Injection struct {
	Property string
	Value    string
	Required bool // the call fails with a clear error where the value is missing
}
