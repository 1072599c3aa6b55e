package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"nanoclaw/internal/config"
)

const configAbout = `
check  reports everything that is wrong with the file, with line and column, and what it says without effect
print  writes the configuration in force, secrets covered, with where each value comes from:
       default, file, environment or flag
get    writes the value of one KEY, such as sub_agent.max_tasks or models[0].id, secrets covered`

func (p *program) config(_ context.Context, args []string) error {
	set := p.flags("config", "config check|print|get KEY [--config FILE]", configAbout)
	source := p.source(set)
	if done, err := p.parse(set, args, 2); done || err != nil {
		return err
	}
	if len(set.args) == 0 {
		return usagef("config: say check, print or get KEY")
	}
	word, rest := set.args[0], set.args[1:]
	if wanted := map[string]int{"check": 0, "print": 0, "get": 1}; len(rest) != wanted[word] {
		return usagef("config %s takes %d arguments, not %d", word, wanted[word], len(rest))
	}
	switch word {
	case "check":
		return p.configCheck(*source)
	case "print":
		return p.configPrint(*source)
	case "get":
		return p.configGet(*source, rest[0])
	}
	return usagef("config: there is no %q: say check, print or get KEY", word)
}

// load reads the configuration; its problems are shown one to a line.
func (p *program) load(source config.Source) (*config.Config, config.Warnings, error) {
	c, warnings, err := source.Load()
	var problems config.Problems
	if errors.As(err, &problems) {
		fmt.Fprintln(p.stderr, problems.Error())
		return nil, nil, errTold
	}
	return c, warnings, err
}

func (p *program) configCheck(source config.Source) error {
	path, _ := source.File()
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("check %s: %w: name the file with --config", path, err)
	}
	_, warnings, err := p.load(source)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		fmt.Fprintf(p.stdout, "warning: %s\n", w)
	}
	_, err = fmt.Fprintf(p.stdout, "%s is valid\n", path)
	return err
}

func (p *program) configPrint(source config.Source) error {
	c, _, err := p.load(source)
	if err != nil {
		return err
	}
	return c.Print(p.stdout)
}

func (p *program) configGet(source config.Source, key string) error {
	c, _, err := p.load(source)
	if err != nil {
		return err
	}
	value, found, err := c.Value(key)
	switch {
	case err != nil:
		return usagef("config get: %q %v", key, err)
	case !found:
		return fmt.Errorf("there is no key %s: nanoclaw config print lists them", key)
	}
	_, err = fmt.Fprintln(p.stdout, value)
	return err
}
