package demo

import (
	"encoding/json"
	"regexp"
)

// arguments are a step's as its tool takes them, in JSON.
func (s step) arguments() string {
	args := map[string]any{}
	optional := func(name, value string) {
		if value != "" {
			args[name] = value
		}
	}
	switch s.kind {
	case kindList:
		args["path"] = s.path
		if s.path == "" {
			args["path"] = "."
		}
		if s.recursive {
			args["recursive"] = true
		}
	case kindGlob:
		args["pattern"] = s.text
		optional("path", s.path)
	case kindGrep:
		args["pattern"] = regexp.QuoteMeta(s.text) // the tool takes a regular expression
		if !s.exact {
			args["case_sensitive"] = false
		}
		optional("path", s.path)
	case kindRead:
		args["path"] = s.path
		if s.firstLine > 0 {
			args["start_line"], args["end_line"] = s.firstLine, s.lastLine
		}
	case kindWrite, kindAppend:
		args["path"], args["content"] = s.path, s.text
	case kindEdit:
		args["path"], args["old_string"], args["new_string"] = s.path, s.old, s.text
		if s.every {
			args["replace_all"] = true
		}
	case kindDelete:
		args["path"] = s.path
		if s.recursive {
			args["recursive"] = true
		}
	case kindMove:
		args["from"], args["to"] = s.path, s.to
	case kindMkdir, kindExists:
		args["path"] = s.path
	case kindCompute:
		args["expression"] = s.text
	case kindTime:
		optional("timezone", s.text)
	case kindWeather:
		args["city"] = s.text
	case kindWebSearch:
		args["query"] = s.text
	case kindFetch:
		args["url"] = s.text
	case kindShell:
		args["command"] = s.text
	case kindPython:
		args["code"] = s.text
	case kindAgents:
		tasks := make([]map[string]any, len(s.tasks))
		for i, t := range s.tasks {
			tasks[i] = map[string]any{"name": t.name, "instruction": t.instruction}
		}
		args["tasks"] = tasks
	}
	return compact(args)
}

// called takes over what the step's call was really made with: the results that
// went into it.
func (s *step) called(arguments string) {
	var args struct {
		Content    *string `json:"content"`
		Expression *string `json:"expression"`
	}
	if err := json.Unmarshal([]byte(arguments), &args); err != nil {
		return // the step keeps what the request says
	}
	if args.Content != nil {
		s.text = *args.Content
	}
	if args.Expression != nil {
		s.text = *args.Expression
	}
}
