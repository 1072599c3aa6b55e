// Package backup copies all data into one archive, and puts an archive in the place of
// the data. It works on files alone: a server may run while a backup is made, and none
// may while one is restored.
package backup

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/remote"
)

// Options say what is copied and where to.
type Options struct {
	Config     *config.Config
	ConfigFile string // of Config; it need not exist
	Version    string // of this program
	// To is a file that does not exist yet and ends in .tar.gz or .tgz, or a
	// directory, in which the file gets a name with the time.
	To  string
	Now time.Time
}

// Report says what a backup holds.
type Report struct {
	File     string
	Size     int64    // bytes of the file
	Projects int      // project directories
	Skipped  []string // what is neither file, directory nor link, and what cannot be read
}

// Create writes the database as it is at one moment, the directories of projects
// below workspace_root with the trash of all projects, and the configuration file to one archive that only its
// owner can read. A server may go on working: files that change meanwhile are
// copied as they are when their turn comes. Not part of it are directories that
// projects were opened in by path, and the NATS folder, which holds nothing that
// the database does not hold but the replay of events; nor are the versions of files
// that runs changed: such a run cannot be reverted in what was restored. Shared files of
// workspace.mode remote that are in data_dir are as of one moment, too; so are sandboxes,
// as their last snapshots have them.
func Create(ctx context.Context, o Options) (*Report, error) {
	if o.Config.Database.URL != "" {
		return nil, errors.New("the database is PostgreSQL's, which its own tools back up: pg_dump -Fc writes a copy " +
			"while servers work on it; copy workspace_root and the configuration file beside it")
	}
	file, err := backupFile(o.To, o.Now)
	if err != nil {
		return nil, err
	}
	report := &Report{File: file}
	if o.Config.NATS.URL != "" {
		report.Skipped = append(report.Skipped, "shared files and sandboxes, which are on the NATS servers (nats.url): "+
			"nats account backup copies them")
	}
	partial := file + ".partial"
	out, err := os.OpenFile(partial, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make the backup: %w", err)
	}
	err = writeBackup(ctx, o, partial, out, report)
	if err == nil {
		err = out.Sync()
	}
	if err == nil {
		report.Size, err = out.Seek(0, io.SeekCurrent)
	}
	if err = errors.Join(err, out.Close()); err == nil {
		err = os.Rename(partial, file)
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(partial))
	}
	return report, nil
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// backupFile is the name of the archive.
func backupFile(to string, now time.Time) (string, error) {
	info, err := os.Stat(to)
	if err == nil && info.IsDir() {
		to = filepath.Join(to, "nanoclaw-"+now.UTC().Format("20060102T150405Z")+".tar.gz")
		_, err = os.Stat(to)
	}
	switch {
	case err == nil:
		return "", fmt.Errorf("%s exists already: choose another name", to)
	case !errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("look at the backup's place: %w", err)
	case !strings.HasSuffix(to, ".tar.gz") && !strings.HasSuffix(to, ".tgz"):
		return "", fmt.Errorf("%s is not a directory, and the name of an archive has to end in .tar.gz", to)
	}
	return to, nil
}

// writeBackup writes the archive. partial is the name under which it is written:
// the copy of the database lies beside it meanwhile.
func writeBackup(ctx context.Context, o Options, partial string, out io.Writer,
	report *Report) (err error) {
	database := partial + ".db"
	if err := copyDatabase(ctx, o.Config.DatabaseFile(), database); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(database)) }()
	packed := gzip.NewWriter(out)
	w := newArchiveWriter(packed, o.Now.Truncate(time.Second))
	if err := w.head(archiveHead{Format: archiveFormat, Version: o.Version, Created: o.Now.UTC()}); err != nil {
		return err
	}
	if err := w.file(archiveDatabase, database); err != nil {
		return err
	}
	if err := backupConfig(w, o.ConfigFile); err != nil {
		return err
	}
	if err := backupProjects(ctx, w, o.Config.WorkspaceRoot, report); err != nil {
		return err
	}
	if err := backupDataTrees(ctx, w, o.Config.DataDir, partial, report); err != nil {
		return err
	}
	if err := w.close(); err != nil {
		return err
	}
	return packed.Close()
}

// backupDataTrees copies the directories of data_dir that hold what nothing else does.
// Shared files are copied beside the archive first, until the copy is of one moment.
func backupDataTrees(ctx context.Context, w *archiveWriter, dataDir, partial string, report *Report) (err error) {
	for _, name := range dataTrees {
		from := filepath.Join(dataDir, name)
		if !isDir(from) {
			continue
		}
		if name == archiveShared {
			staged := partial + ".data"
			defer func() { err = errors.Join(err, os.RemoveAll(staged)) }()
			from = filepath.Join(staged, name)
			if err := remote.Copy(ctx, filepath.Join(dataDir, name), from); err != nil {
				return err
			}
		}
		root, err := os.OpenRoot(filepath.Dir(from))
		if err != nil {
			return fmt.Errorf("back up %s: %w", name, err)
		}
		skipped, err := w.tree(ctx, root, name, "")
		report.Skipped = append(report.Skipped, skipped...)
		if err = errors.Join(err, root.Close()); err != nil {
			return err
		}
	}
	return nil
}

// backupProjects copies the directories of projects.
func backupProjects(ctx context.Context, w *archiveWriter, workspaceRoot string, report *Report) error {
	projects, err := managedProjects(workspaceRoot)
	if err != nil || len(projects) == 0 {
		return err
	}
	root, err := os.OpenRoot(workspaceRoot)
	if err != nil {
		return fmt.Errorf("open the workspace root: %w", err)
	}
	defer root.Close()
	if err := w.directory(archiveProjects, tar.Header{Mode: 0o700}); err != nil {
		return err
	}
	for _, id := range projects {
		skipped, err := w.tree(ctx, root, id, archiveProjects)
		if err != nil {
			return err
		}
		report.Skipped = append(report.Skipped, skipped...)
		if id != workspace.TrashDir {
			report.Projects++
		}
	}
	return nil
}

// managedProjects are the names of the directories below the workspace root that
// belong to projects, and of that of their trashes.
func managedProjects(workspaceRoot string) ([]string, error) {
	entries, err := os.ReadDir(workspaceRoot)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the workspace root: %w", err)
	}
	var names []string
	for _, entry := range entries {
		if entry.IsDir() && (projectID.MatchString(entry.Name()) || entry.Name() == workspace.TrashDir) {
			names = append(names, entry.Name())
		}
	}
	return names, nil
}

// backupConfig writes the configuration file and its secrets as they are at one moment.
func backupConfig(w *archiveWriter, file string) error {
	release, err := config.Lock(file)
	if err != nil {
		return err
	}
	defer release()
	if err := w.file(archiveConfig, file); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := w.file(archiveSecrets, config.SecretsFile(file)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
