package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/sandbox/python"
)

// pythonModules runs the configured Python where execute_python runs it, and
// imports the modules that config.yml allows beside the built-in list. Where
// neither is configured there is nothing to check.
func (v *visit) pythonModules(ctx context.Context) []Check {
	settings := v.config.CodeExecution
	modules := map[string]bool{}
	for _, extra := range settings.ExtraAllowedModules {
		for _, module := range extra {
			modules[module] = true
		}
	}
	if settings.Python == "" && len(modules) == 0 {
		return nil
	}
	const name = "python_modules"
	interpreter, err := python.FindInterpreter(settings.Python)
	if err != nil {
		return warn(name, err.Error(), "set code_execution.python to a virtual environment: python3 -m venv DIRECTORY")
	}
	policy, err := v.pythonPolicy(ctx)
	if err != nil {
		return warn(name, "cannot be checked: "+err.Error(), forTools)
	}
	runner := python.NewRunner(python.Settings{Policy: policy, Memory: settings.Memory.Bytes(),
		Interpreter: interpreter})
	defer runner.Close()
	var code strings.Builder
	code.WriteString("import importlib, sys\nmissing = []\n")
	wanted := slices.Sorted(maps.Keys(modules))
	for _, module := range wanted {
		fmt.Fprintf(&code, "try: importlib.import_module(%q)\nexcept BaseException as e: missing.append(%q)\n", module,
			module)
	}
	code.WriteString("print('%d.%d.%d' % sys.version_info[:3])\nprint(', '.join(missing))\n")
	got, err := runner.Run(ctx, python.Request{Code: code.String(), Level: python.Lenient, Timeout: 30 * time.Second,
		OutputLimit: 4 << 10})
	if err == nil && (got.Error != "" || got.TimedOut) {
		err = fmt.Errorf("it does not run: %s", got.Error)
	}
	if err != nil {
		return warn(name, err.Error(), "name another Python (code_execution.python)")
	}
	version, missing, _ := strings.Cut(strings.TrimSpace(got.Stdout), "\n")
	if missing != "" {
		return warn(name, "Python "+version+" cannot import "+missing+" (code_execution.extra_allowed_modules)",
			"install them into a virtual environment, and name it as code_execution.python")
	}
	return ok(name, strings.TrimSuffix("Python "+version+" imports "+strings.Join(wanted, ", "), " imports "))
}

// pythonPolicy is where execute_python runs.
func (v *visit) pythonPolicy(ctx context.Context) (sandbox.Policy, error) {
	wanted := sandbox.Settings{Policy: v.config.Shell.Policy, Environment: v.config.Environment,
		Image: v.config.Shell.Image}
	if wanted.Policy == "host" {
		wanted.Policy = "sandbox"
	}
	policy, err := v.machine.open(ctx, wanted)
	if err != nil && v.config.CodeExecution.AllowHost {
		wanted.Policy = "host"
		return v.machine.open(ctx, wanted)
	}
	return policy, err
}
