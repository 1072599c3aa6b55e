package programs

import (
	"errors"

	"nanoclaw/internal/config"
	"nanoclaw/internal/guard"
	"nanoclaw/internal/sandbox/commandpolicy"
	"nanoclaw/internal/shellanalysis"
	"nanoclaw/internal/tools"
)

// CommandPolicy are the configured lists of commands.
func CommandPolicy(c *config.Config) commandpolicy.Policy {
	return commandpolicy.Policy{Mode: c.Shell.EffectiveMode(c.Environment), Allow: c.Shell.Allow, Deny: c.Shell.Deny}
}

// CheckCommand applies the configured lists and the built-in rules. A line that bash would
// not understand runs nothing, and the session says so. What is undecided runs where a
// person approved it; what only a built-in rule asks about runs, too, where the guard,
// which knows the rules in force, let it pass.
func CheckCommand(c *config.Config, line string, cleared tools.Clearance) error {
	line, _ = shellanalysis.Mend(line)
	if refused := guard.RefuseCommand(Isolation(c, guard.Settings{}), line, cleared != ""); refused != "" {
		return &commandpolicy.RefusedError{Message: refused}
	}
	err := CommandPolicy(c).Check(line)
	var syntax *shellanalysis.SyntaxError
	var refused *commandpolicy.RefusedError
	if errors.As(err, &syntax) || errors.As(err, &refused) && refused.Undecided && cleared == tools.Approved {
		return nil
	}
	return err
}

// Isolation adds to the guard's settings where commands and code run.
func Isolation(c *config.Config, s guard.Settings) guard.Settings {
	s.ShellIsolated = c.Shell.Policy != "host"
	s.ShellNetwork = len(c.Shell.AllowHosts) > 0
	s.PythonIsolated = !c.CodeExecution.AllowHost
	return s
}
