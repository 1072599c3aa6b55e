package shellanalysis

import (
	"context"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/interp"
)

var makeVariable = regexp.MustCompile(`\$[({]([A-Za-z_]\w*)[)}]`)

// exec is the interpreter's ExecHandler: programs print what is known of their output,
// and a marker for the rest.
func (d *dryRun) exec(ctx context.Context, args []string) error {
	if len(args) > 1 && args[0] == internalPrefix+"run" {
		in := &invocation{hc: interp.HandlerCtx(ctx), args: args[1:]}
		out := d.output(in)
		_, err := io.WriteString(in.hc.Stdout, out[:min(len(out), maxOut)])
		return err
	}
	return nil
}

// output is what a program prints.
func (d *dryRun) output(in *invocation) string {
	name, args := baseName(in.args[0]), in.args[1:]
	d.download(name, in, args)
	last := ""
	if len(args) > 0 {
		last = args[len(args)-1]
	}
	switch name {
	case "cat", "tee", "sponge", "pv", "unbuffer":
		return d.copied(name, in, args)
	case "which", "realpath", "readlink":
		if name == "which" {
			return "/usr/bin/" + last + "\n"
		}
		return absolute(in.hc.Dir, last) + "\n"
	case "basename":
		if len(args) > 0 {
			return strings.TrimSuffix(path.Base(args[0]), last) + base(args) + "\n"
		}
	case "dirname":
		return path.Dir(last) + "\n"
	case "mktemp":
		return "/tmp/mktemp\n"
	case "git":
		if last == "--show-toplevel" {
			return workDir + "\n"
		}
	case "cp", "mv", "install", "ln":
		if len(args) > 1 {
			from, to := absolute(in.hc.Dir, args[len(args)-2]), absolute(in.hc.Dir, last)
			if text := d.contentsOrInput(in, from); text != "" {
				d.files[to] = text
			}
		}
		return ""
	case "dd":
		for _, arg := range args {
			if to, found := strings.CutPrefix(arg, "of="); found {
				d.files[absolute(in.hc.Dir, to)] = d.pending
				return ""
			}
		}
	case "rm", "mkdir", "touch", "chmod", "chown", "sleep", "kill":
		return ""
	}
	kind := fromProgram
	if table().Decoders[name] {
		kind = fromDecoder
	}
	text := marker(kind, name)
	if table().Readers[name] {
		text += markersOf(d.pending)
	}
	return text + "\n"
}

// base is the name of a file, if no ending was taken off it.
func base(args []string) string {
	if len(args) == 1 {
		return path.Base(args[0])
	}
	return ""
}

func (d *dryRun) contentsOrInput(in *invocation, full string) string {
	if isStdin(full) {
		return d.pending
	}
	return d.files[full]
}

// copied is what cat and tee print: files and input as they are.
func (d *dryRun) copied(name string, in *invocation, args []string) string {
	var out strings.Builder
	files := 0
	for _, arg := range args {
		switch {
		case len(arg) > 1 && arg[0] == '-':
		case name == "tee" || name == "sponge":
			d.files[absolute(in.hc.Dir, arg)] = d.pending
		case arg == "-" || isStdin(arg):
			out.WriteString(d.pending)
			files++
		default:
			out.WriteString(d.contents(absolute(in.hc.Dir, arg)))
			files++
		}
	}
	if files == 0 {
		out.WriteString(d.pending)
	}
	return out.String()
}

// download notes the files and directories that a program fetches.
func (d *dryRun) download(name string, in *invocation, args []string) {
	options, known := table().Downloaders[name]
	switch {
	case known:
		kind := fromProgram
		if table().Decoders[name] {
			kind = fromDecoder
		}
		for i := range args {
			if file := downloaded(args, i, options, table().Decoders[name]); file != "" {
				d.files[absolute(in.hc.Dir, file)] = marker(kind, name) + "\n"
			}
		}
	case name == "git" && len(args) > 1 && slices.Contains(args, "clone"):
		target := strings.TrimSuffix(path.Base(args[len(args)-1]), ".git")
		d.fetched = append(d.fetched, absolute(in.hc.Dir, target)+"/")
	case name == "tar" && slices.ContainsFunc(unknownsOf(d.pending), func(u unknown) bool {
		return u.kind == fromProgram && (u.name == "curl" || u.name == "wget")
	}):
		d.fetched = append(d.fetched, in.hc.Dir+"/")
	}
}

// downloaded is the file that a program makes by one of its arguments: the value of an
// option, or the last part of an address or of the name of an archive; "": none.
func downloaded(args []string, i int, options []string, archive bool) string {
	arg := args[i]
	switch {
	case i > 0 && slices.Contains(options, args[i-1]):
		return arg
	case archive, strings.ContainsAny(arg, "/:"):
		base := path.Base(arg)
		return strings.TrimSuffix(base[strings.LastIndexByte(base, ':')+1:], ".gz")
	}
	return ""
}
