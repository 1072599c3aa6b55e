package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"nanoclaw/internal/backup"
	"nanoclaw/internal/config"
)

const backupAbout = `
Writes the database, the projects' directories below workspace_root, shared files and snapshots of sandboxes
in data_dir, skills of users, the configuration file and its secrets to one archive; in a directory it gets a
name with the time. A server may go on working meanwhile. The archive holds all that the server knows, keys
of the configuration included: only you can read it.
Directories that projects were opened in by path are not part of it.`

func (p *program) backup(ctx context.Context, args []string) error {
	set := p.flags("backup", "backup [--config FILE] [--data DIR] FILE.tar.gz|DIR", backupAbout)
	source := p.source(set)
	if done, err := p.parse(set, args, 1); done || err != nil {
		return err
	}
	if len(set.args) == 0 {
		return usagef("backup: say where to: FILE.tar.gz, or a directory")
	}
	c, _, err := p.load(*source)
	if err != nil {
		return err
	}
	file, _ := source.File()
	report, err := backup.Create(ctx, backup.Options{Config: c, ConfigFile: file, Version: version, To: set.args[0],
		Now: time.Now()})
	if err != nil {
		return stoppedOr(ctx, err)
	}
	for _, name := range report.Skipped {
		fmt.Fprintf(p.stderr, "left out: %s\n", name)
	}
	_, err = fmt.Fprintf(p.stdout, "%s: %s, %s\n", report.File, size(report.Size), projects(report.Projects))
	return err
}

const restoreAbout = `
Puts a backup in the place of the data. The archive is checked as a whole before anything is touched. No
server may own the data directory. Where there is data, nothing happens without --force; with it, what is
there is moved into directories before-restore-…, never deleted. A configuration file that is there stays;
another one in the backup is written beside it.`

func (p *program) restore(ctx context.Context, args []string) error {
	set := p.flags("restore", "restore [--force] [--config FILE] [--data DIR] FILE.tar.gz", restoreAbout)
	source := p.source(set)
	force := set.Bool("force", false, "where there is data, put it aside")
	if done, err := p.parse(set, args, 1); done || err != nil {
		return err
	}
	if len(set.args) == 0 {
		return usagef("restore: say which FILE.tar.gz")
	}
	c, _, err := p.load(*source)
	if err != nil {
		return err
	}
	file, _ := source.File()
	report, err := backup.Restore(ctx, backup.RestoreOptions{File: set.args[0], Config: c, ConfigFile: file,
		Force: *force,
		Now:   time.Now()})
	var exists *backup.DataExistsError
	if errors.As(err, &exists) {
		return fmt.Errorf("%w; --force puts it aside", err)
	}
	if err != nil {
		return stoppedOr(ctx, err)
	}
	fmt.Fprintf(p.stdout, "Restored the backup of %s (nanoclaw %s): %s\n",
		report.Created.Format("2006-01-02 15:04:05 MST"), report.Version, projects(report.Projects))
	for _, dir := range report.Aside {
		fmt.Fprintf(p.stdout, "What was there before is in %s\n", dir)
	}
	switch report.Config {
	case "":
	case file:
		fmt.Fprintf(p.stdout, "Its configuration is in %s\n", file)
		p.compare(*source, c)
	default:
		fmt.Fprintf(p.stdout, "%s stays as it is; that of the backup is in %s\n", file, report.Config)
	}
	if report.Secrets != "" {
		fmt.Fprintf(p.stdout, "The secrets of its configuration are in %s\n", report.Secrets)
	}
	return nil
}

// compare warns where the configuration that came with a backup looks for the data
// elsewhere.
func (p *program) compare(source config.Source, used *config.Config) {
	restored, _, err := source.Load()
	if err != nil {
		fmt.Fprintf(p.stderr, "warning: the restored configuration does not load:\n%v\n", err)
		return
	}
	for _, place := range []struct{ key, used, says string }{
		{"data_dir", used.DataDir, restored.DataDir},
		{"workspace_root", used.WorkspaceRoot, restored.WorkspaceRoot},
		{"database.sqlite_file", used.Database.SQLiteFile, restored.Database.SQLiteFile},
	} {
		if place.used != place.says {
			fmt.Fprintf(p.stderr,
				"warning: the restored configuration says %s: %q, but the data was restored to %q: change it, or "+
					"move the data\n",
				place.key, place.says, place.used)
		}
	}
}

// stoppedOr is errStopped where a person stopped the command.
func stoppedOr(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return errStopped
	}
	return err
}

func projects(n int) string {
	if n == 1 {
		return "1 project"
	}
	return fmt.Sprintf("%d projects", n)
}

// size is a number of bytes for people.
func size(bytes int64) string {
	if bytes < 1<<20 {
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}
