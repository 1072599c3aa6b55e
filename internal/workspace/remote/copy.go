package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/nats-io/nats-server/v2/server"
)

// copies is how often a directory is copied until the copy is one of a single moment.
const copies = 5

// Copy copies the directory of a server in a process, which may be at work, to one that
// does not exist, and checks the copy.
func Copy(ctx context.Context, dir, to string) (err error) {
	for range copies {
		if err = errors.Join(os.RemoveAll(to), copyStreams(ctx, dir, to)); err == nil {
			err = Check(ctx, to)
		}
		if err == nil || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return errors.Join(fmt.Errorf("copy %s: %w: where a server works in it, stop it and try again", dir, err),
			os.RemoveAll(to))
	}
	return nil
}

// copyStreams copies names before what they name: contents that are added meanwhile do no
// harm.
func copyStreams(ctx context.Context, dir, to string) error {
	streams := filepath.Join(server.JetStreamStoreDir, "$G", "streams")
	entries, err := os.ReadDir(filepath.Join(dir, streams))
	if err != nil {
		return err
	}
	own := namesOf("")
	first := []string{own.journal, "KV_" + own.records}
	slices.SortStableFunc(entries, func(a, b fs.DirEntry) int {
		return rank(first, a.Name()) - rank(first, b.Name())
	})
	for _, entry := range entries {
		name := filepath.Join(streams, entry.Name())
		if err := copyTree(ctx, filepath.Join(dir, name), filepath.Join(to, name)); err != nil {
			return err
		}
	}
	return nil
}

func rank(first []string, name string) int {
	if at := slices.Index(first, name); at >= 0 {
		return at
	}
	return len(first)
}

// indexFile is made anew from the messages where it is missing. A copy might not fit them.
const indexFile = "index.db"

// copyTree copies files and directories; what goes meanwhile is left out.
func copyTree(ctx context.Context, from, to string) error {
	return filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		rest, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rest)
		switch {
		case entry.IsDir():
			return os.MkdirAll(target, 0o700)
		case !entry.Type().IsRegular() || entry.Name() == indexFile:
			return nil
		}
		return copyFile(name, target)
	})
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
