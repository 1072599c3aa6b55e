package shellanalysis

import (
	"context"
	"io"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/interp"
)

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
	if stub := stubs[name]; stub != nil {
		if text, known := stub(d, in, args); known {
			return text
		}
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

// stub is what a program prints; false: that is not known.
type stub func(d *dryRun, in *invocation, args []string) (string, bool)

// stubs are programs whose output is known.
var stubs = map[string]stub{
	"cat": copied(false), "pv": copied(false), "unbuffer": copied(false), "tee": copied(true), "sponge": copied(true),
	"which": func(_ *dryRun, _ *invocation, args []string) (string, bool) {
		return "/usr/bin/" + last(args) + "\n", true
	},
	"realpath": fullPath, "readlink": fullPath,
	"basename": func(_ *dryRun, _ *invocation, args []string) (string, bool) {
		if len(args) == 0 {
			return "", false
		}
		name := path.Base(args[0])
		if len(args) > 1 {
			name = strings.TrimSuffix(name, last(args))
		}
		return name + "\n", true
	},
	"dirname": func(_ *dryRun, _ *invocation, args []string) (string, bool) {
		return path.Dir(last(args)) + "\n",
			true
	},
	"mktemp": func(*dryRun, *invocation, []string) (string, bool) { return "/tmp/mktemp\n", true },
	"git": func(_ *dryRun, _ *invocation, args []string) (string, bool) {
		return workDir + "\n", last(args) == "--show-toplevel"
	},
	"cp": copiesFile, "mv": copiesFile, "install": copiesFile, "ln": copiesFile,
	"dd": func(d *dryRun, in *invocation, args []string) (string, bool) {
		for _, arg := range args {
			if to, found := strings.CutPrefix(arg, "of="); found {
				d.files[absolute(in.hc.Dir, to)] = d.pending
				return "", true
			}
		}
		return "", false
	},
	"rm": silent, "mkdir": silent, "touch": silent, "chmod": silent, "chown": silent, "sleep": silent, "kill": silent,
}

func silent(*dryRun, *invocation, []string) (string, bool) { return "", true }

func fullPath(_ *dryRun, in *invocation, args []string) (string, bool) {
	return absolute(in.hc.Dir, last(args)) + "\n", true
}

// last is the last of some arguments, "" of none.
func last(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[len(args)-1]
}

func copiesFile(d *dryRun, in *invocation, args []string) (string, bool) {
	if len(args) > 1 {
		from, to := absolute(in.hc.Dir, args[len(args)-2]), absolute(in.hc.Dir, last(args))
		if text := d.contentsOrInput(from); text != "" {
			d.files[to] = text
		}
	}
	return "", true
}

func (d *dryRun) contentsOrInput(full string) string {
	if isStdin(full) {
		return d.pending
	}
	return d.files[full]
}

// copied is what cat and tee print: files and input as they are. Such as tee write the files.
func copied(writes bool) stub {
	return func(d *dryRun, in *invocation, args []string) (string, bool) {
		var out strings.Builder
		files := 0
		for _, arg := range args {
			full := absolute(in.hc.Dir, arg)
			switch {
			case len(arg) > 1 && arg[0] == '-':
				continue
			case writes:
				d.files[full] = d.pending
				continue
			case arg == "-" || isStdin(arg):
				out.WriteString(d.pending)
			default:
				out.WriteString(d.contents(full))
			}
			files++
		}
		if files == 0 {
			out.WriteString(d.pending)
		}
		return out.String(), true
	}
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
