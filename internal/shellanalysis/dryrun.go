package shellanalysis

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// Bounds of a dry run.
const (
	maxSteps   = 6000            // calls, of both passes together
	maxBytes   = 4 << 20         // of all arguments
	maxValue   = 16 << 10        // of one variable, argument list or input
	maxTime    = 2 * time.Second // far more than any line within the other bounds takes
	maxOut     = 128 << 10       // of what a call prints
	maxDepth   = 24              // of functions
	maxScripts = 400             // that the line runs
)

// errLimit ends a dry run that does too much.
var errLimit = errors.New("the command is too involved to be looked at")

// dryRun is one pass over a line.
type dryRun struct {
	a     *Analysis
	seen  map[string]bool // calls that are listed
	steps int
	bytes int

	guess     bool // variables that the line does not set are empty
	functions map[string]bool
	called    map[string]bool
	files     map[string]string // what the line writes, by absolute path
	rounds    map[string]int    // of each loop
	scripts   int               // that were started
	loops     int               // of the line and its scripts
	active    int               // functions that run
	temporary int
	opened    Call     // files that redirections opened for the next call
	fetched   []string // directories that the line downloads
	stop      context.CancelFunc
	pending   string // input of the call that is made, read when it was listed
}

// dryRun runs the line twice: once with unknown values for the variables that it does
// not set, once without them and with branches in the opposite order.
func (a *Analysis) dryRun(file *syntax.File) {
	// Of a run that is given up nothing is shared with the result.
	a.Obfuscations, a.NotUnderstood = slices.Clip(a.Obfuscations), slices.Clip(a.NotUnderstood)
	a.Functions = slices.Clip(a.Functions)
	done := make(chan *Analysis, 1)
	go func() { // which ends: every pass is bounded in steps and memory
		b := *a
		defer func() { done <- &b }()
		defer func() {
			if p := recover(); p != nil {
				b.notUnderstood(Limit, fmt.Sprintf("the command cannot be followed: %v", p), a.Source)
			}
		}()
		d := &dryRun{a: &b, seen: map[string]bool{}}
		source := a.Source
		if a.SyntaxError != nil {
			source = printed(file.Stmts) // what stands in front of the error
		}
		d.pass(source, false)
		d.pass(source, true)
	}()
	select {
	case b := <-done:
		*a = *b
	case <-time.After(maxTime):
		a.notUnderstood(Limit, errLimit.Error(), a.Source)
	}
}

func (d *dryRun) pass(source string, guess bool) {
	d.guess, d.functions, d.called, d.files, d.rounds, d.scripts = guess, map[string]bool{}, map[string]bool{},
		map[string]string{}, map[string]int{}, 0
	d.active, d.temporary, d.opened, d.fetched = 0, 0, Call{}, nil
	ctx, cancel := context.WithTimeout(context.Background(), maxTime)
	defer cancel()
	d.stop = cancel
	file, err := Parse(source)
	if err != nil {
		d.a.notUnderstood(Limit, "the command cannot be followed: "+err.Error(), d.a.Source)
		return
	}
	stmts, err := rewrite(file.Stmts, rewriteOptions{reversed: guess, loops: &d.loops})
	if err != nil {
		d.a.notUnderstood(Limit, err.Error(), d.a.Source)
		return
	}
	runner, err := interp.New(
		interp.Env(environment(!guess)), interp.Dir("/"), interp.StdIO(nil, io.Discard, io.Discard),
		interp.CallHandler(d.call),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return d.exec }),
		interp.OpenHandler(d.open), interp.ReadDirHandler2(noDirectory), interp.StatHandler(anyStat),
		interp.AccessHandler(anyAccess),
	)
	if err != nil {
		d.a.notUnderstood(Limit, err.Error(), d.a.Source)
		return
	}
	start := []*syntax.Stmt{internalStmt("start"),
		{Cmd: &syntax.CallExpr{Assigns: []*syntax.Assign{{Name: literal("TMPDIR"), Value: textWord("/tmp")}}}}}
	file.Name, file.Stmts = "bash", append(start, stmts...)
	err = runner.Run(ctx, file)
	d.flush()
	var exited interp.ExitStatus
	if (err != nil || ctx.Err() != nil) && !errors.As(err, &exited) {
		reason := errLimit.Error()
		if ctx.Err() == nil {
			reason = "the command cannot be followed: " + err.Error()
		}
		d.a.notUnderstood(Limit, reason, d.a.Source)
	}
}

// environment are the variables that a line finds.
func environment(unknown bool) expand.Environ {
	return expand.FuncEnviron(func(name string) string {
		if user, found := strings.CutPrefix(name, "HOME "); found {
			return "/home/" + user
		}
		if value := knownVariables[name]; value != "" || !unknown || emptyVariables[name] || !syntax.ValidName(name) {
			return value
		}
		return marker(fromVariable, name)
	})
}

var knownVariables = map[string]string{
	"HOME": homeDir, "PATH": "/usr/local/bin:/usr/bin:/bin", "SHELL": "/bin/bash", "BASH": "/bin/bash",
	"LANG": "C.UTF-8", "UID": "1000", "EUID": "1000", "GID": "1000", "OSTYPE": "linux-gnu",
	// The interpreter opens files of a certain name in TMPDIR past the handlers: nothing can be in there.
	"TMPDIR": os.DevNull + "/none",
}

// emptyVariables have a meaning to the interpreter.
var emptyVariables = setOf("IFS OPTIND OPTARG PS3 REPLY PWD OLDPWD CDPATH LC_ALL")

// noDirectory leaves patterns as they are.
func noDirectory(context.Context, string) ([]fs.DirEntry, error) { return nil, nil }

// anyStat makes a directory of every path, for cd and test.
func anyStat(context.Context, string, bool) (fs.FileInfo, error) { return fs.Stat(embed.FS{}, ".") }

func anyAccess(context.Context, string, interp.AccessMode) error { return nil }
