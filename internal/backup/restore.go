package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"nanoclaw/internal/config"
	"nanoclaw/internal/datadir"
	"nanoclaw/internal/store"
	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/remote"
)

// RestoreOptions say which archive comes to which place.
type RestoreOptions struct {
	File       string
	Config     *config.Config // says where the data lies
	ConfigFile string         // of Config; it need not exist
	Force      bool           // where there is data, put it aside
	Now        time.Time
}

// RestoreReport says what was restored.
type RestoreReport struct {
	Created  time.Time // the backup
	Version  string    // that made it
	Projects int
	// Config is where the archive's configuration file was written: the
	// configuration file itself where there was none, a file beside it where there
	// is another one; empty: it is the one that is there, or there is none.
	Config  string
	Secrets string   // the same of the secrets beside it
	Aside   []string // directories with what was there before
}

// DataExistsError says that a restore would have to put data aside.
type DataExistsError struct{ What string }

func (e *DataExistsError) Error() string {
	return e.What + " is there already: nothing was changed"
}

// Restore puts an archive of Create in the place of the data that Config names. The
// whole archive is checked before anything is touched; what is there already is
// moved into a directory beside it, never deleted. It returns a *datadir.LockedError where a
// process owns the data directory, and a *DataExistsError where there is data and
// Force is not set. A configuration file that is there stays.
func Restore(ctx context.Context, o RestoreOptions) (_ *RestoreReport, err error) {
	if o.Config.Database.URL != "" {
		return nil, errors.New(
			"the database is PostgreSQL's, which its own tools restore: stop all servers, bring the " +
				"copy back with pg_restore into an empty database, and let nanoclaw doctor check it; to restore an archive of " +
				"nanoclaw backup, leave database.url empty",
		)
	}
	var lock *datadir.Lock
	defer func() {
		if lock != nil {
			err = errors.Join(err, lock.Release())
		}
	}()
	// A directory that is not there is made when the archive is known to be good.
	if _, statErr := os.Stat(o.Config.DataDir); statErr == nil {
		if lock, err = datadir.Own(o.Config.DataDir); err != nil {
			return nil, err
		}
	}
	if err := o.mayReplace(); err != nil {
		return nil, err
	}
	file, err := os.Open(o.File)
	if err != nil {
		return nil, fmt.Errorf("open the backup: %w", err)
	}
	defer file.Close()
	contents, err := readArchive(ctx, file, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.File, err)
	}
	if lock == nil {
		if lock, err = datadir.Own(o.Config.DataDir); err != nil {
			return nil, err
		}
		if err := o.mayReplace(); err != nil {
			return nil, err
		}
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read the backup again: %w", err)
	}
	r := &restore{RestoreOptions: o, contents: contents}
	defer func() { err = errors.Join(err, r.clear()) }()
	if err := r.stage(ctx, file); err != nil {
		return nil, err
	}
	return r.finish(ctx)
}

// mayReplace is a *DataExistsError where data would be replaced that nobody gave up.
func (o *RestoreOptions) mayReplace() error {
	if o.Force {
		return nil
	}
	database := o.Config.DatabaseFile()
	if _, err := os.Lstat(database); err == nil {
		return &DataExistsError{"the database " + database}
	} else if !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("look at the database: %w", err)
	}
	for _, name := range dataTrees {
		if at := filepath.Join(o.Config.DataDir, name); isDir(at) {
			return &DataExistsError{"the directory " + at}
		}
	}
	projects, err := managedProjects(o.Config.WorkspaceRoot)
	if err == nil && len(projects) > 0 {
		err = &DataExistsError{"a project's directory " + filepath.Join(o.Config.WorkspaceRoot, projects[0])}
	}
	return err
}

// restore is a restore under way.
type restore struct {
	RestoreOptions
	contents   *archiveContents
	data       string // staging directory beside the database
	workspaces string // staging directory in the workspace root
	trees      string // staging directory in the data directory
}

// stage unpacks the archive beside the places where it belongs, and proves that the
// database opens.
func (r *restore) stage(ctx context.Context, file io.Reader) error {
	var err error
	if r.data, err = stagingDirectory(filepath.Dir(r.Config.DatabaseFile()), r.contents.bytes); err != nil {
		return err
	}
	if r.workspaces, err = stagingDirectory(r.Config.WorkspaceRoot, r.contents.bytes); err != nil {
		return err
	}
	if r.trees, err = stagingDirectory(r.Config.DataDir, r.contents.bytes); err != nil {
		return err
	}
	u := &unpacker{}
	if u.data, err = os.OpenRoot(r.data); err != nil {
		return fmt.Errorf("unpack the backup: %w", err)
	}
	defer u.data.Close()
	if u.trees, err = os.OpenRoot(r.trees); err != nil {
		return fmt.Errorf("unpack the backup: %w", err)
	}
	defer u.trees.Close()
	if u.workspaces, err = os.OpenRoot(r.workspaces); err != nil {
		return fmt.Errorf("unpack the backup: %w", err)
	}
	defer u.workspaces.Close()
	if _, err := readArchive(ctx, file, u.visit); err != nil {
		return fmt.Errorf("%s: %w", r.File, err)
	}
	if err := u.finish(); err != nil {
		return err
	}
	if slices.Contains(r.contents.trees, archiveShared) {
		if err := remote.Check(ctx, filepath.Join(r.trees, archiveShared)); err != nil {
			return fmt.Errorf("open the restored shared files: %w", err)
		}
	}
	return r.proveDatabase(ctx)
}

// stagingDirectory makes a directory in dir, in which there is room.
func stagingDirectory(dir string, bytes int64) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the place of the restored data: %w", err)
	}
	var stat unix.Statfs_t
	if err := unix.Statfs(dir, &stat); err == nil {
		if free := int64(stat.Bavail) * int64(stat.Bsize); free < bytes {
			return "", fmt.Errorf("the backup holds %d MiB, and only %d MiB are free in %s", bytes>>20, free>>20, dir)
		}
	}
	staging, err := os.MkdirTemp(dir, ".restore-*")
	if err != nil {
		return "", fmt.Errorf("make the place of the restored data: %w", err)
	}
	return staging, nil
}

// proveDatabase opens the restored database and brings it up to date. One of a
// newer program is refused.
func (r *restore) proveDatabase(ctx context.Context) error {
	file := filepath.Join(r.data, archiveDatabase)
	if err := checkDatabase(ctx, file); err != nil {
		return err
	}
	s, err := store.Open(ctx, store.Options{SQLiteFile: file, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return fmt.Errorf("open the restored database: %w", err)
	}
	return s.Close()
}

// finish moves what is staged into its place.
func (r *restore) finish(ctx context.Context) (*RestoreReport, error) {
	report := &RestoreReport{Created: r.contents.head.Created, Version: r.contents.head.Version,
		Projects: len(r.contents.projects)}
	if slices.Contains(r.contents.projects, workspace.TrashDir) {
		report.Projects--
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var s swap
	stamp := "before-restore-" + r.Now.UTC().Format("20060102T150405.000Z")
	database := r.Config.DatabaseFile()
	for _, old := range []string{database, database + "-wal", database + "-shm"} {
		s.aside(old, filepath.Join(filepath.Dir(database), stamp))
	}
	// Directories of sandboxes are newer than the snapshots that come back.
	for _, old := range append([]string{"nats", "sandboxes"}, dataTrees...) {
		s.aside(filepath.Join(r.Config.DataDir, old), filepath.Join(r.Config.DataDir, stamp))
	}
	projects, err := managedProjects(r.Config.WorkspaceRoot)
	if err != nil {
		return nil, err
	}
	for _, id := range projects {
		s.aside(filepath.Join(r.Config.WorkspaceRoot, id), filepath.Join(r.Config.WorkspaceRoot, stamp))
	}
	s.move(filepath.Join(r.data, archiveDatabase), database)
	for _, name := range r.contents.trees {
		s.move(filepath.Join(r.trees, name), filepath.Join(r.Config.DataDir, name))
	}
	for _, id := range r.contents.projects {
		s.move(filepath.Join(r.workspaces, id), filepath.Join(r.Config.WorkspaceRoot, id))
	}
	if err := s.run(); err != nil {
		return nil, fmt.Errorf("put the restored data in its place: %w", err)
	}
	report.Aside = s.asides
	if r.contents.config {
		err = r.placeConfig(report)
	}
	return report, err
}

// placeConfig writes the archive's configuration file and its secrets where there are none,
// and both beside where one of them says something else: a key must not meet the
// configuration of another server.
func (r *restore) placeConfig(report *RestoreReport) error {
	to := r.ConfigFile
	texts, isThere := map[string][]byte{}, map[string]bool{}
	for _, name := range []string{archiveConfig, archiveSecrets} {
		file := r.ConfigFile
		if name == archiveSecrets {
			file = config.SecretsFile(file)
		}
		text, err := os.ReadFile(filepath.Join(r.data, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("read the restored configuration: %w", err)
		}
		texts[name] = text
		present, err := os.ReadFile(file)
		switch {
		case err == nil && bytes.Equal(present, text):
			isThere[name] = true
		case err == nil && name == archiveSecrets && !r.contents.secrets && isThere[archiveConfig]:
		case err == nil:
			to = r.ConfigFile + ".from-backup"
		case !errors.Is(err, os.ErrNotExist):
			return fmt.Errorf("compare the configuration: %w", err)
		}
	}
	isBeside := to != r.ConfigFile
	if isBeside || !isThere[archiveConfig] {
		if err := config.Save(to, texts[archiveConfig]); err != nil {
			return err
		}
		report.Config = to
	}
	if r.contents.secrets && (isBeside || !isThere[archiveSecrets]) {
		report.Secrets = config.SecretsFile(to)
		return config.Save(report.Secrets, texts[archiveSecrets])
	}
	return nil
}

// clear removes what is left of the staging.
func (r *restore) clear() error {
	var err error
	for _, dir := range []string{r.data, r.workspaces, r.trees} {
		if dir != "" {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}
	return err
}
