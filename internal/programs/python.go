package programs

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"unicode"

	"nanoclaw/internal/config"
	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/sandbox/python"
	"nanoclaw/internal/tools"
)

// pythonService is the part of the service that runs Python.
type pythonService Service

var _ tools.Python = (*pythonService)(nil)

// Levels implements tools.Python.
func (p *pythonService) Levels() []string {
	return python.LevelsFrom(p.Live.Current().CodeExecution.LoosestStrictness)
}

// Run implements tools.Python.
func (p *pythonService) Run(ctx context.Context, call tools.Call, code tools.PythonCode) (tools.PythonResult, error) {
	s := (*Service)(p)
	c := s.Live.Current()
	settings := c.CodeExecution
	if !settings.Enabled {
		return tools.PythonResult{}, tools.Errorf(tools.CodeUnavailable,
			"Python is switched off (code_execution.enabled)")
	}
	level := code.Strictness
	if level == "" {
		level = settings.DefaultStrictness
	}
	if python.Looser(level, settings.LoosestStrictness) {
		return tools.PythonResult{}, tools.Errorf(tools.CodeBlocked,
			"strictness %s is not allowed here: the loosest is %s (code_execution.loosest_strictness)", level,
			settings.LoosestStrictness)
	}
	policy, err := s.pythonPolicy(ctx, c)
	if err != nil {
		return tools.PythonResult{}, err
	}
	project, err := s.site(ctx, c, call.ProjectID)
	if err != nil {
		return tools.PythonResult{}, err
	}
	runner, err := s.pythonRunner(c, policy)
	if err != nil {
		return tools.PythonResult{}, err
	}
	timeout := settings.Timeouts[level].Std()
	if timeout <= 0 {
		timeout = config.Default().CodeExecution.Timeouts[level].Std()
	}
	limit := call.OutputLimit * 2 / 5
	if limit <= 0 {
		limit = 20 << 10
	}
	masked, err := s.Projects.Masked(ctx, call.ProjectID)
	if err != nil {
		return tools.PythonResult{}, err
	}
	done, err := runner.Run(ctx, python.Request{
		Code: code.Source, Level: level, Extra: settings.ExtraAllowedModules[level], Project: project.dir, Masked: masked,
		Timeout: timeout, OutputLimit: limit,
	})
	if err != nil {
		return tools.PythonResult{}, err
	}
	attachments := s.keepFigures(ctx, call, done.Figures)
	return tools.PythonResult{
		Attachments: attachments, LeftOut: done.FiguresLeftOut + len(done.Figures) - len(attachments),
		Strictness: level, Stdout: done.Stdout, Stderr: done.Stderr, Value: done.Value, Error: done.Error,
		Traceback: done.Traceback,
		Blocked:   done.Blocked, TimedOut: done.TimedOut, Timeout: timeout, Cancelled: done.Cancelled,
		Duration:      done.Duration,
		StdoutDropped: done.StdoutDropped, StderrDropped: done.StderrDropped, Limits: done.Limits,
	}, nil
}

// figureTypes are the files that are kept of figures, by their endings.
var figureTypes = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp", ".gif": "image/gif",
	".svg": "image/svg+xml", ".pdf": "application/pdf",
}

// keepFigures keeps figures where long outputs lie too. What finds no room there is
// left out.
func (s *Service) keepFigures(ctx context.Context, call tools.Call,
	figures []python.Figure) []tools.Attachment {
	if len(figures) == 0 || call.ProjectID == "" || call.ID == "" {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	var kept []tools.Attachment
	for i, figure := range figures {
		// The name is the code's: only its ending and harmless letters are taken.
		ending := strings.ToLower(path.Ext(figure.Name))
		kind, known := figureTypes[ending]
		if !known {
			continue
		}
		stem := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_' {
				return r
			}
			return '-'
		}, strings.TrimSuffix(figure.Name, path.Ext(figure.Name)))
		name := fmt.Sprintf("%d-%.60s%s", i+1, stem, ending)
		at, err := s.putOutput(ctx, call, call.ID+"/"+name, bytes.NewReader(figure.Data))
		if err != nil {
			continue
		}
		kept = append(kept, tools.Attachment{Name: name, ContentType: kind, Size: int64(len(figure.Data)), Path: at})
	}
	return kept
}

// pythonPolicy is where Python runs: isolated, or on the host where development
// says so in as many words.
func (s *Service) pythonPolicy(ctx context.Context, c *config.Config) (sandbox.Policy, error) {
	wanted := shellPolicy(c)
	if wanted.Policy == "host" {
		wanted.Policy = "sandbox"
	}
	policy, err := s.policies.find(ctx, wanted)
	if err != nil && c.CodeExecution.AllowHost && c.Environment == "development" {
		return s.policies.find(ctx, sandbox.Settings{Policy: "host", Environment: c.Environment})
	}
	return policy, err
}

// pythonRunner is the runner of a policy. After a change of the configuration it
// is another one.
func (s *Service) pythonRunner(c *config.Config, policy sandbox.Policy) (*python.Runner, error) {
	interpreter, err := findPython(c)
	if err != nil {
		return nil, err
	}
	wanted := python.Settings{Policy: policy, Memory: c.CodeExecution.Memory.Bytes(), Interpreter: interpreter}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, tools.Errorf(tools.CodeUnavailable, "the server is shutting down")
	}
	if s.runner != nil && !reflect.DeepEqual(s.runner.Settings(), wanted) {
		old := s.runner
		s.runner = nil
		go old.Close()
	}
	if s.runner == nil {
		s.runner = python.NewRunner(wanted)
	}
	return s.runner, nil
}

// findPython is the configured interpreter. One that would show the server's own
// data to the code is refused.
func findPython(c *config.Config) (python.Interpreter, error) {
	found, err := python.FindInterpreter(c.CodeExecution.Python)
	if err != nil {
		return python.Interpreter{}, tools.Errorf(tools.CodeUnavailable, "%v (code_execution.python)", err)
	}
	for _, dir := range found.Visible {
		for _, own := range []string{c.DataDir, c.WorkspaceRoot} {
			for _, path := range config.AbsolutePaths(own) {
				if inside, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(inside) {
					return python.Interpreter{}, tools.Errorf(tools.CodeUnavailable,
						"%s would show %s to the code: make a virtual environment elsewhere (code_execution.python)",
						dir, own)
				}
			}
		}
	}
	return found, nil
}
