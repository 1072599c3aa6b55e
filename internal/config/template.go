package config

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"

	"github.com/itchyny/gojq"

	"nanoclaw/internal/shellanalysis"
)

// Template is a command that agents call as a tool: run_<name>.
type Template struct {
	Name        string              `yaml:"name" check:"required" doc:"Name of the tool behind run_: small letters, digits and _; unique."`
	Description string              `yaml:"description" check:"required" doc:"What the model is told of it."`
	Command     string              `yaml:"command" check:"required" doc:"Command line in bash, run at the project's root. {{name}} is the place of a parameter: a word or a part of one, outside of quotes. Its value is quoted by itself, and cannot begin an option."`
	Parameters  []TemplateParameter `yaml:"parameters" doc:"What may vary. Each has its place in command."`
	Timeout     Duration            `yaml:"timeout" check:"zero,min=1s,max=24h" doc:"Time of one call. 0: shell.timeout."`
	Success     Success             `yaml:"success" doc:"What has to hold after the command, else the call has failed."`
}

// TemplateParameter is a value that a call gives.
type TemplateParameter struct {
	Name        string   `yaml:"name" check:"required" doc:"Name in command: small letters, digits and _."`
	Description string   `yaml:"description" doc:"What the model is told of it."`
	Type        string   `yaml:"type" check:"oneof=text|integer|number|boolean|path" doc:"path: of a file or directory in the project."`
	Pattern     string   `yaml:"pattern" check:"regexp" doc:"Regular expression that a text or a path has to match as a whole."`
	Enum        []string `yaml:"enum" check:"required" doc:"The only values of a text. Empty: any."`
	Minimum     *float64 `yaml:"minimum" check:"min=-9007199254740991,max=9007199254740991" doc:"Of an integer or a number."`
	Maximum     *float64 `yaml:"maximum" check:"min=-9007199254740991,max=9007199254740991" doc:"Of an integer or a number."`
	MaxLength   int      `yaml:"max_length" check:"min=1,max=100000" doc:"Of a text or a path, in characters."`
	Default     string   `yaml:"default" doc:"Value of a call that gives none. Empty: the parameter is required."`
}

// Success is what a command has to lead to.
type Success struct {
	ExitCodes []int    `yaml:"exit_codes" check:"min=0,max=255" doc:"Exit statuses of a success. Empty: 0."`
	Output    string   `yaml:"output" check:"regexp" doc:"Regular expression that has to occur in the output."`
	NotOutput string   `yaml:"not_output" check:"regexp" doc:"Regular expression that must not occur in the output."`
	Files     []string `yaml:"files" check:"required" doc:"Paths in the project that have to be there afterwards."`
	JSON      string   `yaml:"json" doc:"jq expression on the standard output, which has to be JSON; its first result must be neither false nor null."`
}

func (p *TemplateParameter) setDefaults() { p.Type, p.MaxLength = "text", 4096 }

// templateName is what templates and their parameters are called.
var templateName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,47}$`)

func (ch *checker) checkTemplates(c *Config) {
	var names []string
	for i, one := range c.Shell.Templates {
		path := indexPath("shell.templates", i)
		ch.templateName(path+".name", one.Name)
		ch.unique(path+".name", one.Name, names)
		names = append(names, one.Name)
		ch.templateParameters(path, one)
		if one.Success.JSON == "" {
			continue
		}
		query, err := gojq.Parse(one.Success.JSON)
		if err == nil {
			_, err = gojq.Compile(query)
		}
		if err != nil {
			ch.problem(path+".success.json", "is no jq expression: "+err.Error())
		}
	}
}

func (ch *checker) templateName(path, name string) {
	if name != "" && !templateName.MatchString(name) {
		ch.problem(path, fmt.Sprintf("is %q: use up to 48 small letters, digits and _, a letter first", name))
	}
}

func (ch *checker) templateParameters(path string, one Template) {
	var declared []string
	for i, p := range one.Parameters {
		at := indexPath(path+".parameters", i)
		ch.templateName(at+".name", p.Name)
		ch.unique(at+".name", p.Name, declared)
		declared = append(declared, p.Name)
		if p.Default == "" {
			continue
		}
		if err := p.Check(p.Default); err != nil {
			ch.problem(at+".default", err.Error())
		}
	}
	if one.Command == "" {
		return
	}
	parsed, err := shellanalysis.ParseTemplate(one.Command)
	if err != nil {
		ch.problem(path+".command", err.Error())
		return
	}
	for _, name := range parsed.Names() {
		if !slices.Contains(declared, name) {
			ch.problem(path+".command", fmt.Sprintf("has a place for {{%s}}, which is none of parameters", name))
		}
	}
	for i, p := range one.Parameters {
		if p.Name != "" && !slices.Contains(parsed.Names(), p.Name) {
			ch.problem(indexPath(path+".parameters", i)+".name",
				fmt.Sprintf("is %q, but command has no place {{%s}}", p.Name, p.Name))
		}
	}
}

// Check says why a value, as the command would get it, is not one of the parameter's.
func (p TemplateParameter) Check(value string) error {
	switch p.Type {
	case "integer", "number":
		number, err := strconv.ParseFloat(value, 64)
		switch {
		case err != nil || math.IsInf(number, 0) || math.IsNaN(number):
			return fmt.Errorf("%q is not a number", value)
		case p.Type == "integer" && number != math.Trunc(number):
			return fmt.Errorf("%q is not an integer", value)
		case p.Minimum != nil && number < *p.Minimum || p.Maximum != nil && number > *p.Maximum:
			return fmt.Errorf("%s is out of the range that minimum and maximum allow", value)
		}
		return nil
	case "boolean":
		if value != "true" && value != "false" {
			return fmt.Errorf("%q is neither true nor false", value)
		}
		return nil
	}
	return p.checkText(value)
}

func (p TemplateParameter) checkText(value string) error {
	switch {
	case len([]rune(value)) > p.MaxLength:
		return fmt.Errorf("is longer than %d characters", p.MaxLength)
	case len(p.Enum) > 0 && !slices.Contains(p.Enum, value):
		return fmt.Errorf("%q is none of %q", value, p.Enum)
	case p.Pattern == "":
		return nil
	}
	pattern, err := p.Whole()
	if err != nil {
		return err
	}
	if !pattern.MatchString(value) {
		return fmt.Errorf("%q does not match %s", value, p.Pattern)
	}
	return nil
}

// Whole is Pattern as it has to match a whole value.
func (p TemplateParameter) Whole() (*regexp.Regexp, error) {
	return regexp.Compile(`\A(?:` + p.Pattern + `)\z`)
}
