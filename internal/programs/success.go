package programs

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/itchyny/gojq"

	"nanoclaw/internal/config"
)

// success is what a command has to lead to.
type success struct {
	config.Success
	output, notOutput *regexp.Regexp // nil: nothing is asked
	json              *gojq.Code
}

// outcome is what a command led to.
type outcome struct {
	exitCode       int
	stdout, stderr string
	cut            bool // the middle of an output is missing
	exists         func(ctx context.Context, path string) (bool, error)
}

// jsonTimeout bounds a jq expression, which may run for ever.
const jsonTimeout = 2 * time.Second

func newSuccess(wanted config.Success) (made *success, err error) {
	made = &success{Success: wanted}
	if wanted.Output != "" {
		if made.output, err = regexp.Compile(wanted.Output); err != nil {
			return nil, fmt.Errorf("success.output: %w", err)
		}
	}
	if wanted.NotOutput != "" {
		if made.notOutput, err = regexp.Compile(wanted.NotOutput); err != nil {
			return nil, fmt.Errorf("success.not_output: %w", err)
		}
	}
	if wanted.JSON != "" {
		query, err := gojq.Parse(wanted.JSON)
		if err != nil {
			return nil, fmt.Errorf("success.json: %w", err)
		}
		if made.json, err = gojq.Compile(query, gojq.WithEnvironLoader(func() []string { return nil })); err != nil {
			return nil, fmt.Errorf("success.json: %w", err)
		}
	}
	return made, nil
}

// unmet says what a command has not led to; empty: it was a success.
func (s *success) unmet(ctx context.Context, o outcome) (string, error) {
	codes := s.ExitCodes
	if len(codes) == 0 {
		codes = []int{0}
	}
	if !slices.Contains(codes, o.exitCode) {
		return fmt.Sprintf("its exit status is %d, expected was %s", o.exitCode, words(codes)), nil
	}
	if why := s.unmetOutput(o); why != "" {
		return why, nil
	}
	for _, path := range s.Files {
		there, err := o.exists(ctx, path)
		if err != nil {
			return "", fmt.Errorf("look for %s behind a command: %w", path, err)
		}
		if !there {
			return fmt.Sprintf("the file %s, which it has to leave behind, is not there", path), nil
		}
	}
	return s.unmetJSON(ctx, o), nil
}

// unmetOutput looks at the outputs. Where their middle is missing, what must not occur in
// them may have: nobody can tell.
func (s *success) unmetOutput(o outcome) string {
	text := o.stdout + "\n" + o.stderr
	switch {
	case s.output != nil && !s.output.MatchString(text):
		return fmt.Sprintf("its output holds nothing that matches %s", s.Output)
	case s.notOutput == nil:
		return ""
	case o.cut:
		return fmt.Sprintf("its output is too long to know that nothing in it matches %s", s.NotOutput)
	}
	if found := s.notOutput.FindString(text); found != "" || s.notOutput.MatchString(text) {
		return fmt.Sprintf("its output holds %.200q, which must not occur (%s)", found, s.NotOutput)
	}
	return ""
}

func (s *success) unmetJSON(ctx context.Context, o outcome) string {
	if s.json == nil {
		return ""
	}
	var value any
	decoder := json.NewDecoder(strings.NewReader(o.stdout))
	if err := decoder.Decode(&value); err != nil {
		return fmt.Sprintf("its standard output is not JSON: %v", err)
	}
	ctx, cancel := context.WithTimeout(ctx, jsonTimeout)
	defer cancel()
	first, any := s.json.RunWithContext(ctx, value).Next()
	if err, failed := first.(error); failed {
		return fmt.Sprintf("%s cannot be told of its output: %v", s.JSON, err)
	}
	if !any || first == nil || first == false {
		return fmt.Sprintf("%s does not hold of its output", s.JSON)
	}
	return ""
}

func words(codes []int) string {
	texts := make([]string, len(codes))
	for i, code := range codes {
		texts[i] = fmt.Sprint(code)
	}
	return strings.Join(texts, " or ")
}
