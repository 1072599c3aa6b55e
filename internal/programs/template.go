package programs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"

	"nanoclaw/internal/config"
	"nanoclaw/internal/shellanalysis"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

// TemplatePrefix begins the names of the tools that command templates are.
const TemplatePrefix = "run_"

// TemplateGroup is the group of their tools in the registry.
const TemplateGroup = "shell.templates"

// Templates are the tools of the command templates that are configured. They run as
// shell_execute does: in its session, by its policy, under its limits and its guard.
func (s *Service) Templates(list []config.Template) ([]*tools.Tool, error) {
	made := make([]*tools.Tool, 0, len(list))
	for _, one := range list {
		template, err := newTemplate(one)
		if err != nil {
			return nil, fmt.Errorf("read the command template %q: %w", one.Name, err)
		}
		tool, err := template.tool(s)
		if err != nil {
			return nil, fmt.Errorf("make a tool of the command template %q: %w", one.Name, err)
		}
		made = append(made, tool)
	}
	return made, nil
}

// template is a command template with its command read.
type template struct {
	config.Template
	command *shellanalysis.Template
	success *success
}

func newTemplate(one config.Template) (*template, error) {
	command, err := shellanalysis.ParseTemplate(one.Command)
	if err != nil {
		return nil, err
	}
	success, err := newSuccess(one.Success)
	return &template{one, command, success}, err
}

func (t *template) tool(s *Service) (*tools.Tool, error) {
	schema, err := json.Marshal(t.schema())
	if err != nil {
		return nil, err
	}
	all, err := json.Marshal(t.Template)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(all)
	tool := &tools.Tool{
		Name: TemplatePrefix + t.Name, Description: t.Description, Category: "shell", Effect: tools.Writes, Timeout: -1,
		AnyFile: true, Definition: hex.EncodeToString(digest[:]),
		Command: func(args map[string]any) string {
			line, err := t.fill(args)
			if err != nil {
				return "" // the call fails with it
			}
			return line
		},
		Preflight: func(_ context.Context, _ tools.Call, raw json.RawMessage) error {
			_, err := t.line(raw)
			return err
		},
		Run: func(ctx context.Context, call tools.Call, raw json.RawMessage) (any, error) {
			line, err := t.line(raw)
			if err != nil {
				return nil, err
			}
			return t.run(ctx, s, call, line)
		},
	}
	return tool, json.Unmarshal(schema, &tool.Schema)
}

// property is the JSON Schema of a parameter.
type property struct {
	Type        string   `json:"type"`
	Description string   `json:"description,omitempty"`
	Enum        []string `json:"enum,omitempty"`
	Pattern     string   `json:"pattern,omitempty"`
	MaxLength   int      `json:"maxLength,omitempty"`
	Minimum     *float64 `json:"minimum,omitempty"`
	Maximum     *float64 `json:"maximum,omitempty"`
	Default     any      `json:"default,omitempty"`
}

func (t *template) schema() any {
	properties, required := map[string]property{}, []string{}
	for _, p := range t.Parameters {
		one := property{Type: p.Type, Description: p.Description, Minimum: p.Minimum, Maximum: p.Maximum}
		if p.Type == "text" || p.Type == "path" {
			one.Type, one.Enum, one.MaxLength = "string", p.Enum, p.MaxLength
			if p.Pattern != "" {
				one.Pattern = "^(?:" + p.Pattern + ")$"
			}
		}
		if p.Default == "" {
			required = append(required, p.Name)
		} else {
			one.Default = typed(p)
		}
		properties[p.Name] = one
	}
	return map[string]any{"type": "object", "properties": properties, "required": required,
		"additionalProperties": false}
}

// typed is a parameter's default as JSON has it.
func typed(p config.TemplateParameter) any {
	switch p.Type {
	case "integer", "number":
		return json.Number(p.Default)
	case "boolean":
		return p.Default == "true"
	}
	return p.Default
}

func (t *template) line(raw json.RawMessage) (string, error) {
	var args map[string]any
	if err := json.Unmarshal(raw, &args); err != nil {
		return "", tools.Errorf(tools.CodeInvalidArguments, "invalid arguments: %v", err)
	}
	return t.fill(args)
}

// fill is the command line of a call with these arguments.
func (t *template) fill(args map[string]any) (string, error) {
	values := map[string]string{}
	for _, p := range t.Parameters {
		value, err := valueOf(p, args[p.Name])
		if err == nil {
			err = p.Check(value)
		}
		if err == nil && p.Type == "path" {
			if err = workspace.CheckPath(value); err == nil && len(value) > 0 && value[0] == '-' {
				value = "./" + value
			}
		}
		if err != nil {
			return "", tools.Errorf(tools.CodeInvalidArguments, "%s: %v", p.Name, err)
		}
		values[p.Name] = value
	}
	line, err := t.command.Fill(values)
	if err != nil {
		return "", tools.Errorf(tools.CodeInvalidArguments, "%v", err)
	}
	return line, nil
}

// valueOf is an argument as the command gets it.
func valueOf(p config.TemplateParameter, given any) (string, error) {
	switch v := given.(type) {
	case nil:
		if p.Default == "" {
			return "", fmt.Errorf("it is missing")
		}
		return p.Default, nil
	case string:
		return v, nil
	case bool:
		return strconv.FormatBool(v), nil
	case json.Number:
		return v.String(), nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	}
	return "", fmt.Errorf("it is neither a text, a number, nor true or false")
}

// templateResult is what a command template answers.
type templateResult struct {
	Command  string   `json:"command"`
	ExitCode int      `json:"exit_code"`
	Stdout   string   `json:"stdout"`
	Stderr   string   `json:"stderr"`
	Duration float64  `json:"duration"`          // seconds
	Dropped  int64    `json:"dropped,omitempty"` // bytes that are missing in the middle of the outputs
	Files    []string `json:"files,omitempty"`   // the whole outputs then
	Limits   []string `json:"limits,omitempty"`  // that the command met
}

// codeUnexpected is the code of a command that ran, but not to what its template calls a success.
const codeUnexpected = "unexpected_result"

// run runs a command in a subshell, so that what it does to the shell ends with it.
func (t *template) run(ctx context.Context, s *Service, call tools.Call, line string) (any, error) {
	project := ""
	if call.ProjectID != "" {
		project = "."
	}
	done, err := s.Shell().Execute(ctx, call, tools.ShellCommand{Line: "(\n" + line + "\n)", Dir: project,
		Timeout: t.Timeout.Std()})
	if err != nil {
		return nil, err
	}
	result := templateResult{Command: line, ExitCode: done.ExitCode, Stdout: done.Stdout, Stderr: done.Stderr,
		Duration: done.Duration.Seconds(), Dropped: done.StdoutDropped + done.StderrDropped, Limits: done.Limits}
	for _, file := range []string{done.StdoutFile, done.StderrFile} {
		if file != "" {
			result.Files = append(result.Files, file)
		}
	}
	switch {
	case done.TimedOut:
		return nil, &tools.Error{Code: tools.CodeTimeout, Data: result,
			Message: "the command did not end within " + done.Timeout.String() + " and was stopped"}
	case done.Cancelled:
		return nil, &tools.Error{Code: tools.CodeCancelled, Data: result,
			Message: "the command was stopped before it ended"}
	}
	unmet, err := t.success.unmet(ctx, outcome{exitCode: done.ExitCode, stdout: done.Stdout, stderr: done.Stderr,
		cut: result.Dropped > 0, exists: s.existsIn(call.ProjectID)})
	if err != nil {
		return nil, err
	}
	if unmet != "" {
		return nil, &tools.Error{Code: codeUnexpected, Data: result, Message: "the command ran, but " + unmet}
	}
	return result, nil
}

// existsIn says whether a path is there in a project.
func (s *Service) existsIn(projectID string) func(ctx context.Context, path string) (bool, error) {
	return func(ctx context.Context, path string) (bool, error) {
		if projectID == "" {
			return false, nil
		}
		files, err := s.Projects.Open(ctx, projectID)
		if err != nil {
			return false, err
		}
		return files.Exists(ctx, path)
	}
}
