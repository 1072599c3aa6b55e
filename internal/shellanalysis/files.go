package shellanalysis

import (
	"context"
	"io"
	"os"
	"path"
	"strings"

	"mvdan.cc/sh/v3/interp"
)

// open is the interpreter's OpenHandler: files are in memory.
func (d *dryRun) open(ctx context.Context, name string, flag int, _ os.FileMode) (io.ReadWriteCloser, error) {
	in := &invocation{hc: interp.HandlerCtx(ctx)}
	write := flag&(os.O_WRONLY|os.O_RDWR) != 0
	d.addFile(name, write, d.dir(in))
	full := absolute(in.hc.Dir, name)
	if write {
		if flag&os.O_APPEND == 0 {
			d.files[full] = ""
		}
		return &memoryFile{d: d, name: full}, nil
	}
	return &memoryFile{Reader: strings.NewReader(d.contents(full))}, nil
}

// contents are what a file holds: what the line wrote, or something unknown.
func (d *dryRun) contents(full string) string {
	if text, written := d.files[full]; written {
		return text
	}
	if full == os.DevNull {
		return ""
	}
	return marker(fromFile, full) + "\n"
}

func absolute(dir, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}

// memoryFile is a file of a dry run.
type memoryFile struct {
	*strings.Reader
	d    *dryRun
	name string
}

func (f *memoryFile) Write(data []byte) (int, error) {
	if f.d != nil && len(f.d.files[f.name])+len(data) <= maxOut {
		f.d.files[f.name] += string(data)
	}
	return len(data), nil
}

func (f *memoryFile) Close() error { return nil }
