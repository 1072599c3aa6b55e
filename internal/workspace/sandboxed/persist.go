package sandboxed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/remote"
)

// local is what stateFile says of the copy of a sandbox on this machine.
type local struct {
	Copy  string `json:"copy"`            // names the copy; snapshots of it have it as their origin
	From  string `json:"from,omitempty"`  // the snapshot that it was made from
	Dirty bool   `json:"dirty,omitempty"` // it may hold what no snapshot does
}

// write stores it in a sandbox's directory, atomically.
func (l *local) write(dir string, dirty bool) error {
	l.Dirty = dirty
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	temporary := filepath.Join(dir, stateFile+".new")
	if err := os.WriteFile(temporary, data, 0o600); err != nil {
		return fmt.Errorf("note what a sandbox holds: %w", err)
	}
	return os.Rename(temporary, filepath.Join(dir, stateFile))
}

func readLocal(dir string) (l local, found bool, err error) {
	data, err := os.ReadFile(filepath.Join(dir, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return l, false, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &l)
	}
	if err != nil {
		return l, false, fmt.Errorf("read what a sandbox holds: %w", err)
	}
	return l, true, nil
}

// prepare makes the directory of a leased sandbox what it has to be: as it is where
// nothing newer is stored, else what the newest good snapshot holds.
func (sb *sandbox) prepare(ctx context.Context, store *remote.Store, o workspace.Opening) (err error) {
	if sb.states, err = store.States(ctx, sb.ns); err != nil {
		return err
	}
	// Whoever had the sandbox before can store nothing from now on.
	if err := sb.states.Claim(ctx); err != nil {
		return err
	}
	here, found, err := readLocal(sb.dir)
	if err != nil {
		return err
	}
	newest := sb.states.Newest()
	if found && (newest == nil || newest.ID == here.From || newest.Origin == here.Copy) {
		sb.local = here
	} else if err := sb.make(ctx, here, found, o); err != nil {
		return err
	}
	if !sb.local.Dirty {
		if sb.stored, err = fingerprint(ctx, sb.dir); err != nil {
			return err
		}
	}
	return sb.local.write(sb.dir, true)
}

// make makes the directory anew, and puts one that is there out of the way.
func (sb *sandbox) make(ctx context.Context, here local, found bool, o workspace.Opening) (err error) {
	fresh := sb.dir + ".new" // no other process has this sandbox: what is left there is nobody's
	if err := errors.Join(removeAll(fresh), os.MkdirAll(fresh, 0o700)); err != nil {
		return fmt.Errorf("make a sandbox: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removeAll(fresh))
		}
	}()
	sb.local = local{Copy: uuid.NewString()}
	for {
		newest := sb.states.Newest()
		if newest == nil {
			if len(sb.states.List) > 0 {
				return damagedAll(sb.states.List[0])
			}
			if err := seed(ctx, o.Local.Dir(), fresh); err != nil {
				return err
			}
			sb.local.Dirty = true
			break
		}
		err := restore(ctx, sb.states, *newest, fresh)
		var damaged *remote.DamagedError
		if !errors.As(err, &damaged) {
			if err != nil {
				return err
			}
			sb.local.From = newest.ID
			break
		}
		sb.all.Logger.Error("a snapshot of a sandbox cannot be used: the one before it is", "sandbox", sb.id,
			"error", err)
		if err := sb.states.MarkDamaged(ctx, newest.ID); err != nil {
			return err
		}
	}
	if err := sb.local.write(fresh, sb.local.Dirty); err != nil {
		return err
	}
	if err := sb.clear(here, found); err != nil {
		return err
	}
	return os.Rename(fresh, sb.dir)
}

// damagedAll says that no snapshot of a sandbox can be used.
func damagedAll(newest remote.State) error {
	return workspace.Errorf(workspace.CodeInternal, "",
		"every snapshot of this sandbox is damaged (the newest, of %s, had the SHA-256 %s): restore a backup of the "+
			"store of shared files", newest.Created.UTC().Format(time.RFC3339), newest.SHA256)
}

// clear makes room for the directory. One with changes that no snapshot holds stays beside it.
func (sb *sandbox) clear(here local, found bool) error {
	if _, err := os.Lstat(sb.dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if found && !here.Dirty {
		return removeAll(sb.dir)
	}
	aside := fmt.Sprintf("%s.aside-%s", sb.dir, time.Now().UTC().Format("20060102T150405.000Z"))
	sb.all.Logger.Warn("another process went on with a sandbox before this machine's changes were stored: they are "+
		"in the directory", "sandbox", sb.id, "directory", aside)
	return os.Rename(sb.dir, aside)
}

// seed makes the directories of a new sandbox, with a copy of the project's files on this
// machine.
func seed(ctx context.Context, project, dir string) error {
	for _, kept := range keptDirs {
		if err := os.Mkdir(filepath.Join(dir, kept), 0o700); err != nil {
			return fmt.Errorf("make a sandbox: %w", err)
		}
	}
	from, err := os.OpenRoot(project)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("make a sandbox: %w", err)
	}
	defer from.Close()
	names, err := fs.ReadDir(from.FS(), ".")
	if err != nil {
		return fmt.Errorf("make a sandbox: %w", err)
	}
	var dirs []string
	for _, name := range names {
		dirs = append(dirs, name.Name())
	}
	to, err := os.OpenRoot(filepath.Join(dir, rootDir))
	if err != nil {
		return fmt.Errorf("make a sandbox: %w", err)
	}
	defer to.Close()
	out, in := io.Pipe()
	packed := make(chan struct{})
	go func() {
		defer close(packed)
		_, err := pack(ctx, from, in, dirs...)
		in.CloseWithError(err)
	}()
	err = unpack(ctx, out, to, nil)
	err = errors.Join(err, out.Close())
	<-packed
	if err != nil {
		return fmt.Errorf("copy the project into its sandbox: %w", err)
	}
	return nil
}

// restore makes a directory what a snapshot holds.
func restore(ctx context.Context, states *remote.States, state remote.State, dir string) error {
	for _, kept := range keptDirs { // of a snapshot that turned out to be damaged
		if err := removeAll(filepath.Join(dir, kept)); err != nil {
			return err
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("restore a sandbox: %w", err)
	}
	defer root.Close()
	err = states.Read(ctx, state, func(in io.Reader) error { return unpack(ctx, in, root, keptDirs) })
	if err != nil {
		return fmt.Errorf("restore a sandbox: %w", err)
	}
	return nil
}

// persist stores the sandbox, where anything in it has changed since that was done last.
func (sb *sandbox) persist(ctx context.Context) error {
	sb.mu.Lock()
	sb.unstored = false
	sb.mu.Unlock()
	now, err := fingerprint(ctx, sb.dir)
	if err == nil && now != sb.stored {
		err = sb.snapshot(ctx)
	}
	if err != nil {
		sb.mu.Lock()
		sb.unstored = true
		sb.mu.Unlock()
		return err
	}
	sb.stored = now
	return nil
}

func (sb *sandbox) snapshot(ctx context.Context) error {
	root, err := os.OpenRoot(sb.dir)
	if err != nil {
		return fmt.Errorf("store a sandbox: %w", err)
	}
	defer root.Close()
	skipped := 0
	err = sb.states.Add(ctx, sb.local.Copy, sb.all.Settings().Snapshots, func(out io.Writer) (err error) {
		skipped, err = pack(ctx, root, out, keptDirs...)
		return err
	})
	if err == nil && skipped > 0 {
		sb.all.Logger.Warn("files of a sandbox cannot be read, and its snapshot does not hold them", "sandbox", sb.id,
			"files", skipped)
	}
	return err
}

// makeWritable gives this user's directories back the rights that commands took from them.
func makeWritable(root *os.Root) {
	// What cannot be changed shows when it is removed.
	_ = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, _ error) error {
		if entry != nil && entry.IsDir() {
			_ = root.Chmod(name, 0o700)
		}
		return nil
	})
}
