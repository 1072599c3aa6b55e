package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// openFile opens a regular file for reading. What is opened is what was looked
// at: never a FIFO, a device or a file that took the name's place meanwhile.
func (l *Local) openFile(ctx context.Context, name string) (*os.File, fs.FileInfo, error) {
	for range maxSwaps {
		found, err := l.resolve(ctx, name, how{follow: true})
		if err != nil {
			return nil, nil, err
		}
		f, info, err := found.openFile(name)
		found.close()
		if !errors.Is(err, errSwapped) {
			return f, info, diskError(name, err)
		}
	}
	return nil, nil, swappedError(name)
}

// openFile opens the place for reading. Its errors name the caller's path.
func (p *place) openFile(name string) (*os.File, fs.FileInfo, error) {
	if p.info == nil {
		return nil, nil, fs.ErrNotExist
	}
	if err := readable(name, p.info); err != nil {
		return nil, nil, err
	}
	return openSame(p.dir, p.name, p.info, name)
}

// openSame opens a regular file of dir without ever waiting, and checks that it
// is the one that info describes. Errors call it shown.
func openSame(dir *os.Root, name string, info fs.FileInfo, shown string) (*os.File, fs.FileInfo, error) {
	f, err := dir.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) || leftRoot(err) {
		return nil, nil, errSwapped
	}
	if err != nil {
		return nil, nil, err
	}
	opened, err := f.Stat()
	if err == nil && !os.SameFile(info, opened) {
		err = errSwapped
	}
	if err == nil {
		err = readable(shown, opened)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, opened, nil
}

// readable refuses what is no ordinary file of this project (FS6).
func readable(name string, info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return Errorf(CodeNotAFile, name, "it is a directory, not a file")
	case !mode.IsRegular():
		return Errorf(CodeNotAFile, name, "it is %s, not a regular file", special(mode))
	}
	if links := inodeOf(info).links; links > 1 {
		return Errorf(CodeAccessDenied, name, "the file has %d hard links, so it may be a file outside the project",
			links)
	}
	return nil
}

func special(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	}
	return fmt.Sprintf("special (%s)", mode.Type())
}
