package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"nanoclaw/internal/app"
	"nanoclaw/internal/config"
)

// flagSet is a command's flags and the arguments between them.
type flagSet struct {
	*flag.FlagSet
	args []string
	help func()
}

// flags makes a command's flags. usage is the line behind "nanoclaw "; about, where
// it is not empty, is told between it and the flags.
func (p *program) flags(name, usage, about string) *flagSet {
	set := &flagSet{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError)}
	set.SetOutput(io.Discard)
	set.Usage = func() {} // a mistake is told in one line
	set.help = func() {
		fmt.Fprintf(p.stdout, "Usage: nanoclaw %s\n", usage)
		if about != "" {
			fmt.Fprintf(p.stdout, "\n%s\n", strings.TrimSpace(about))
		}
		var list strings.Builder
		set.SetOutput(&list)
		set.PrintDefaults()
		if list.Len() > 0 {
			fmt.Fprintf(p.stdout, "\nFlags:\n%s", list.String())
		}
	}
	return set
}

// source adds the flags of every command that reads the configuration.
func (p *program) source(set *flagSet) *config.Source {
	source := &config.Source{Env: p.env, Advise: app.Advise}
	set.StringVar(&source.Path, "config", "", "the configuration `FILE` (default config.yml, which need not exist)")
	set.StringVar(&source.Flags.DataDir, "data", "", "the data `DIR`ectory (data_dir)")
	return source
}

// anyNumber of arguments.
const anyNumber = -1

// parse reads flags before, between and behind arguments, of which there may be
// so many; what follows "--" is an argument. done says that the help was asked for
// and printed.
func (p *program) parse(set *flagSet, args []string, most int) (done bool, err error) {
	for {
		err := set.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			set.help()
			return true, nil
		}
		if err != nil {
			return false, usagef("%s: %v: nanoclaw %s -h tells the flags", set.Name(), err, set.Name())
		}
		rest := set.Args()
		if len(rest) == 0 {
			break
		}
		if ended := len(args) > len(rest) && args[len(args)-len(rest)-1] == "--"; ended {
			set.args = append(set.args, rest...)
			break
		}
		set.args = append(set.args, rest[0])
		args = rest[1:]
	}
	if most != anyNumber && len(set.args) > most {
		return false, usagef("%s: %q is one argument too many", set.Name(), set.args[most])
	}
	return false, nil
}
