package shellanalysis

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"
)

// invocation is a call while it is looked at.
type invocation struct {
	Call   // what is known of it before it is listed
	hc     interp.HandlerContext
	args   []string
	input  *string // read from stdin; nil: it was not
	direct bool    // no function is meant
	quiet  bool    // it is not listed
}

// call is the interpreter's CallHandler: it lists a call and says what to do in its place.
func (d *dryRun) call(ctx context.Context, args []string) ([]string, error) {
	in := &invocation{hc: interp.HandlerCtx(ctx), args: args}
	if err := d.spend(in); err != nil {
		d.stop()
		return nil, err
	}
	for len(in.args) > 0 && strings.HasPrefix(in.args[0], internalPrefix) {
		result, err := d.internal(in)
		if result != nil || err != nil {
			return result, err
		}
	}
	if len(in.args) > 1 && in.args[0] == "--" { // time -- x
		in.args = in.args[1:]
	}
	if len(in.args) == 0 {
		return []string{"true"}, nil
	}
	result := d.follow(in)
	d.pending = ""
	if in.input != nil {
		d.pending = *in.input
	}
	if !in.quiet {
		d.list(in)
	}
	if isFunction := !in.Wrapped && !in.direct && d.functions[in.args[0]]; !isFunction && interp.IsBuiltin(result[0]) {
		result = append([]string{"builtin"}, result...) // not a function of the line by that name
	}
	return result, nil
}

// spend counts a step, and looks at the size of what the line has made so far.
func (d *dryRun) spend(in *invocation) error {
	size := 0
	for _, arg := range in.args {
		size += len(arg) + 8
	}
	if size <= maxValue && d.steps%16 == 0 {
		in.hc.Env.Each(func(_ string, v expand.Variable) bool {
			size = max(size, len(v.Str))
			for _, item := range v.List {
				size = max(size, len(item), len(v.List))
			}
			return size <= maxValue
		})
	}
	d.steps++
	d.bytes += size
	if d.steps > maxSteps || d.bytes > maxBytes || size > 4*maxValue {
		return errLimit
	}
	return nil
}

// internal does what a call that the rewriter added stands for. A nil result means that
// the rest of the arguments is a call of the line.
func (d *dryRun) internal(in *invocation) ([]string, error) {
	name, args := strings.TrimPrefix(in.args[0], internalPrefix), in.args[1:]
	if do := internalCalls[name]; do != nil {
		return do(d, in, args)
	}
	in.args = args
	switch name {
	case "with": // variables for this call alone: their names, comma-separated
		in.Variables = words(d.values(in, strings.Split(args[0], ",")))
		in.args = args[1:]
	case "wrapped":
		in.Wrapped = true
	case "open-ended":
		in.Open, in.Wrapped = true, true
	case "piped":
		in.Piped = true
	case "fed":
		in.Fed = true
	case "builtin":
		in.direct = true
	case "quiet":
		in.quiet, in.direct = true, true
	}
	return nil, nil
}

// internalCalls are the calls that the rewriter adds between those of the line.
var internalCalls = map[string]func(d *dryRun, in *invocation, args []string) ([]string, error){
	"round": func(d *dryRun, _ *invocation, args []string) ([]string, error) { // of a for loop
		return d.round(args[0], "for", true)
	},
	"condition": func(d *dryRun, in *invocation, args []string) ([]string, error) { // of a while loop
		return d.round(args[0], args[1], in.hc.LastExitStatus == 0)
	},
	"function": func(d *dryRun, _ *invocation, args []string) ([]string, error) {
		d.functions[args[0]] = true
		return []string{"true"}, nil
	},
	"uncalled": func(d *dryRun, _ *invocation, args []string) ([]string, error) { // it runs once in any case
		if d.called[args[0]] {
			return []string{"true"}, nil
		}
		d.called[args[0]] = true
		return args[:1], nil
	},
	"set": func(d *dryRun, in *invocation, args []string) ([]string, error) { // variables: their names
		d.add(Call{Variables: words(d.values(in, args)), Dir: d.dir(in)})
		return []string{"true"}, nil
	},
	"declare": func(d *dryRun, in *invocation, args []string) ([]string, error) {
		d.declare(in, args)
		return []string{"true"}, nil
	},
	"open": func(d *dryRun, in *invocation, args []string) ([]string, error) {
		d.addFile(args[1], args[0] == "w", d.dir(in))
		return []string{"true"}, nil
	},
	"substitute": func(d *dryRun, in *invocation, _ []string) ([]string, error) { // what it prints becomes a file
		d.temporary++
		name := fmt.Sprintf("/dev/fd/%d", 100+d.temporary)
		d.files[name] = d.read(in)
		return []string{"echo", name}, nil
	},
	"true": func(d *dryRun, _ *invocation, _ []string) ([]string, error) {
		d.flush()
		return []string{"true"}, nil
	},
	"start": func(*dryRun, *invocation, []string) ([]string, error) { return []string{"cd", workDir}, nil },
	"enter": func(d *dryRun, _ *invocation, _ []string) ([]string, error) { // a function
		if d.active++; d.active > maxDepth {
			d.active--
			return []string{"return"}, nil
		}
		return []string{"true"}, nil
	},
	"leave": func(d *dryRun, _ *invocation, _ []string) ([]string, error) {
		d.active--
		return []string{"true"}, nil
	},
}

// declare lists declare, export and the like: the program and its arguments.
func (d *dryRun) declare(in *invocation, args []string) {
	call := Call{Words: words(args[:1]), Dir: d.dir(in)}
	for _, arg := range args[1:] {
		if syntax.ValidName(arg) && in.hc.Env.Get(arg).IsSet() {
			call.Variables = append(call.Variables, word(d.values(in, []string{arg})[0]))
		}
		call.Words = append(call.Words, word(arg))
		if strings.HasPrefix(arg, string(markerStart)) {
			call.Opaque = "a variable whose name is not known is set"
		}
	}
	d.add(call)
}

// Rounds of loops.
const (
	maxRounds     = 1000 // over items and lines
	maxTestRounds = 24   // with a test, whose outcome is mostly not known
	maxFreeRounds = 2    // with a program
)

// round says whether a loop goes on. Its body is looked at once in any case.
func (d *dryRun) round(id, kind string, holds bool) ([]string, error) {
	d.rounds[id]++
	limit := map[string]int{"for": maxRounds, "read": maxRounds, "test": maxTestRounds, "until": maxTestRounds}[kind]
	holds = holds != (kind == "until")
	switch n := d.rounds[id]; {
	case kind == "for" && n > limit:
		return nil, errLimit
	case kind == "for":
		return []string{"true"}, nil
	case kind == "read" && n > limit:
		return nil, errLimit
	case n == 1, holds && n <= max(limit, maxFreeRounds):
		return []string{"true"}, nil
	}
	return []string{"false"}, nil
}

// values are variables with what they hold: "NAME=value", arrays with blanks.
func (d *dryRun) values(in *invocation, names []string) []string {
	var list []string
	for _, name := range names {
		v := in.hc.Env.Get(name)
		value := v.String()
		if len(v.List) > 0 {
			value = strings.Join(v.List, " ")
		}
		list = append(list, name+"="+value)
	}
	return list
}

func words(texts []string) []Word {
	var list []Word
	for _, text := range texts {
		list = append(list, word(text))
	}
	return list
}

func (d *dryRun) dir(in *invocation) string {
	if in.hc.Dir == workDir || in.hc.Dir == "/" && d.steps <= 1 {
		return ""
	}
	return render(in.hc.Dir)
}

// read is what stands in the input of a call; "" where it has none.
func (d *dryRun) read(in *invocation) string {
	if in.input == nil {
		text := ""
		if in.hc.Stdin != nil {
			data, _ := io.ReadAll(io.LimitReader(in.hc.Stdin, 4*maxValue))
			text = string(data)
		}
		in.input = &text
	}
	return *in.input
}

// list adds an invocation to the calls.
func (d *dryRun) list(in *invocation) {
	call := in.Call
	call.Words, call.Dir = words(in.args), d.dir(in)
	texts := slices.Clone(in.args[1:])
	if in.input != nil {
		if *in.input != "" {
			input := word(strings.TrimSuffix(*in.input, "\n"))
			call.Input = &input
		}
		texts = append(texts, *in.input)
	}
	for _, text := range texts {
		for _, u := range unknownsOf(text) {
			name := u.name
			if u.kind == fromFile {
				name = "cat"
			}
			if u.kind != fromVariable && !slices.Contains(call.Sources, name) {
				call.Sources = append(call.Sources, name)
			}
		}
	}
	d.add(call)
}

// maxCalls bounds the list.
const maxCalls = 3000

func (d *dryRun) add(call Call) {
	call.Writes, call.Reads = append(call.Writes, d.opened.Writes...), append(call.Reads, d.opened.Reads...)
	d.opened = Call{}
	key := fmt.Sprint(call)
	if d.seen[key] || len(d.a.Calls) >= maxCalls {
		return
	}
	d.seen[key] = true
	call.Guess = d.guess
	d.a.Calls = append(d.a.Calls, call)
}

// addFile notes a file that a redirection opens, for the next call that is listed.
func (d *dryRun) addFile(name string, written bool, dir string) {
	d.opened.Dir = dir
	if written {
		d.opened.Writes = append(d.opened.Writes, word(name))
	} else {
		d.opened.Reads = append(d.opened.Reads, word(name))
	}
}

// flush lists files that were opened for no call.
func (d *dryRun) flush() {
	if call := d.opened; len(call.Writes)+len(call.Reads) > 0 {
		d.opened = Call{}
		d.add(call)
	}
}
