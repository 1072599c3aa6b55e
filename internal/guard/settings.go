package guard

import (
	"fmt"

	"nanoclaw/internal/config"
)

// Levels of the guard, as config.yml names them.
const (
	Strict = "strict" // every call asks
	Smart  = "smart"  // findings of MEDIUM and worse ask
	Auto   = "auto"   // findings of LOW and worse ask
	Off    = "off"    // nothing asks; what is denied stays denied
)

// Settings are what the guard goes by. Compile them once per change of the
// configuration: those that are not compiled are compiled at every check.
type Settings struct {
	Guard  config.Guard
	Limits config.ToolLimits

	// Profiles are the rules on files of every agent profile, by id. A profile that
	// is not named here may do nothing with files.
	Profiles map[string][]config.Permission

	// Protected are absolute paths that no tool has business in: the server's own
	// data directory and configuration.
	Protected []string

	// Addresses are the server's own, as host:port: no tool has business there either.
	Addresses []string

	// Databases are the names that db_query takes beside files of the project.
	Databases map[string]bool

	// Command is what the lists of commands (shell.allow, shell.deny) say about a
	// command line. Nil: there are none.
	Command func(line string) CommandAnswer

	// ShellIsolated says that commands run in a sandbox or a container: only what
	// outlives it is judged. ShellNetwork says that they may reach hosts from there.
	ShellIsolated, ShellNetwork bool

	// PythonIsolated says the same of Python code.
	PythonIsolated bool

	compiled *rulebook
}

// CommandAnswer is what the lists of commands say. Both empty: nothing against it.
type CommandAnswer struct {
	Refused string // why it may not run, whoever approves it
	Unclear string // why the lists cannot decide: a person has to
}

// Compile reads the rules, so that no check has to. The error names the rule that
// is wrong.
func (s Settings) Compile() (Settings, error) {
	book, err := newRulebook(s)
	if err != nil {
		return s, fmt.Errorf("compile the guard's rules: %w", err)
	}
	s.compiled = book
	return s, nil
}
