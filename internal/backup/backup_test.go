package backup

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/datadir"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

const (
	projectA = "01a1fa20-0066-7ead-9d95-8914daa95ad4"
	projectB = "01a1fa20-2205-7a4e-aadc-64df5a38be70"
)

var backupTime = time.Date(2026, 11, 20, 17, 0, 0, 0, time.UTC)

// estate is data, workspaces and a configuration file on disk, without a server.
type estate struct {
	t      *testing.T
	dir    string
	config *config.Config
	file   string // of the configuration
}

func newEstate(t *testing.T) *estate {
	t.Helper()
	e := &estate{t: t, dir: t.TempDir(), config: config.Default()}
	e.config.DataDir, e.config.WorkspaceRoot = filepath.Join(e.dir, "data"), filepath.Join(e.dir, "workspaces")
	e.file = filepath.Join(e.dir, "config.yml")
	return e
}

// fill makes a database with one project, and the files of two.
func (e *estate) fill(name string) *estate {
	e.t.Helper()
	lock, err := datadir.Own(e.config.DataDir)
	e.must(err)
	e.must(lock.Release())
	s := e.open()
	if err := s.CreateProject(e.t.Context(), &models.Project{ID: projectA, UserID: models.LocalUserID,
		Name: name}); err != nil {
		e.t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		e.t.Fatal(err)
	}
	for file, text := range map[string]string{
		"config.yml": "max_iterations: 7\n", "config.secrets.yml": "MODELS_A_API_KEY: secret\n", "data/nats/jetstream": "not kept", "workspaces/elsewhere/x": "not kept",
		"workspaces/" + projectA + "/文件/深/a b.txt": name, "workspaces/" + projectA + "/raw\xff\xfe": "bytes",
		"workspaces/" + projectB + "/run.sh": "#!/bin/sh",
		"workspaces/" + projectA + "/" + strings.Repeat("l", 120) + "/" + strings.Repeat("m", 250): "deep",
	} {
		file = filepath.Join(e.dir, file)
		e.must(os.MkdirAll(filepath.Dir(file), 0o700))
		e.must(os.WriteFile(file, []byte(text), 0o640))
	}
	e.must(os.Symlink("文件/深/a b.txt", filepath.Join(e.config.WorkspaceRoot, projectA, "inside")))
	e.must(os.Symlink("/etc/passwd", filepath.Join(e.config.WorkspaceRoot, projectA, "outside")))
	e.must(syscall.Mkfifo(filepath.Join(e.config.WorkspaceRoot, projectA, "pipe"), 0o600))
	script := filepath.Join(e.config.WorkspaceRoot, projectB, "run.sh")
	e.must(os.Chmod(script, 0o750))
	e.must(os.Mkdir(filepath.Join(e.config.WorkspaceRoot, projectB, "empty"), 0o500))
	e.must(os.Chtimes(script, backupTime, backupTime))
	return e
}

func (e *estate) must(err error) {
	e.t.Helper()
	if err != nil {
		e.t.Fatal(err)
	}
}

func (e *estate) open() *store.Store {
	e.t.Helper()
	s, err := store.Open(context.WithoutCancel(e.t.Context()), store.Options{SQLiteFile: e.config.DatabaseFile()})
	e.must(err)
	return s
}

// name is the name of the estate's one project.
func (e *estate) name() string {
	e.t.Helper()
	s := e.open()
	project, err := s.GetProject(e.t.Context(), models.LocalUserID, projectA)
	e.must(err)
	e.must(s.Close())
	return project.Name
}

func (e *estate) backup(to string) (*Report, error) {
	return Create(e.t.Context(), Options{Config: e.config, ConfigFile: e.file, Version: "v1", To: to,
		Now: backupTime})
}

// archive is the file of a backup.
func (e *estate) archive() string {
	e.t.Helper()
	report, err := e.backup(e.t.TempDir())
	e.must(err)
	return report.File
}

func (e *estate) restore(file string, force bool) (*RestoreReport, error) {
	return Restore(e.t.Context(), RestoreOptions{File: file, Config: e.config, ConfigFile: e.file, Force: force,
		Now: backupTime.Add(time.Hour)})
}

// tree says what stands below the estate's directory: name, kind, mode and text.
func (e *estate) tree(below string) string {
	e.t.Helper()
	var b strings.Builder
	root := filepath.Join(e.dir, below)
	e.must(filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		e.must(err)
		rest, err := filepath.Rel(root, path)
		e.must(err)
		fmt.Fprintf(&b, "%q %s", rest, info.Mode())
		switch {
		case info.Mode().IsRegular() && !strings.HasPrefix(filepath.Base(path), "nanoclaw."):
			text, err := os.ReadFile(path)
			e.must(err)
			fmt.Fprintf(&b, " %q", text)
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			e.must(err)
			b.WriteString(" -> " + target)
		}
		b.WriteByte('\n')
		return nil
	}))
	return b.String()
}

// CH14
func TestABackupRestoresDatabaseFilesAndConfiguration(t *testing.T) {
	t.Parallel()
	from := newEstate(t).fill("kept 保存")
	running := from.open() // a server goes on working
	folder := t.TempDir()
	report, err := from.backup(folder)
	from.must(err)
	from.must(running.Close())
	info, err := os.Stat(report.File)
	from.must(err)
	if report.File != filepath.Join(folder, "nanoclaw-20261120T170000Z.tar.gz") || report.Projects != 2 ||
		report.Size != info.Size() || info.Mode().Perm() != 0o600 {
		t.Errorf("%+v, mode %v, %d bytes", report, info.Mode(), info.Size())
	}
	if strings.Join(report.Skipped, " ") != projectA+"/pipe" {
		t.Errorf("left out: %q", report.Skipped)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("beside the backup there is %v, %v", entries, err)
	}

	to := newEstate(t)
	restored, err := to.restore(report.File, false)
	to.must(err)
	if restored.Projects != 2 || restored.Version != "v1" || !restored.Created.Equal(backupTime) ||
		restored.Config != to.file || len(restored.Aside) > 0 {
		t.Errorf("%+v", restored)
	}
	if got := to.name(); got != "kept 保存" {
		t.Errorf("the project is called %q", got)
	}
	from.must(os.Remove(filepath.Join(from.config.WorkspaceRoot, projectA, "pipe")))
	for _, id := range []string{projectA, projectB} {
		if got, want := to.tree("workspaces/"+id), from.tree("workspaces/"+id); got != want {
			t.Errorf("restored\n%s\nwant\n%s", got, want)
		}
	}
	if info, err := os.Stat(filepath.Join(to.config.WorkspaceRoot, projectB, "run.sh")); err != nil ||
		!info.ModTime().Equal(backupTime) {
		t.Errorf("the time of a file is %v, %v", info.ModTime(), err)
	}
	if text, err := os.ReadFile(to.file); err != nil || string(text) != "max_iterations: 7\n" {
		t.Errorf("the configuration is %q, %v", text, err)
	}
	// US8: the keys of models come back with it, for the server alone.
	secrets, err := os.ReadFile(restored.Secrets)
	if err != nil || string(secrets) != "MODELS_A_API_KEY: secret\n" || restored.Secrets != config.SecretsFile(to.file) {
		t.Errorf("the secrets are %q in %q, %v", secrets, restored.Secrets, err)
	}
	if info, err := os.Stat(restored.Secrets); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode of the secrets is %v, %v", info.Mode(), err)
	}
	if got := to.tree("data"); strings.Contains(got, "nats") || strings.Contains(got, ".restore") ||
		!strings.Contains(got, `"nanoclaw.db" -rw-------`) {
		t.Errorf("the data directory holds\n%s", got)
	}
}

// CH14
func TestARestorePutsAsideWhatWasThereAndKeepsIt(t *testing.T) {
	t.Parallel()
	archive := newEstate(t).fill("new").archive()
	e := newEstate(t).fill("old")
	e.must(os.WriteFile(e.file, []byte("max_iterations: 9\n"), 0o600))
	e.must(os.Remove(filepath.Join(e.config.WorkspaceRoot, projectA, "pipe")))
	before := e.tree(".")
	var exists *DataExistsError
	if _, err := e.restore(archive, false); !errors.As(err, &exists) {
		t.Fatalf("without force: %v", err)
	}
	if after := e.tree("."); after != before {
		t.Errorf("a refused restore changed\n%s\ninto\n%s", before, after)
	}
	old := e.tree("workspaces/" + projectA)
	report, err := e.restore(archive, true)
	e.must(err)
	if e.name() != "new" {
		t.Errorf("the project is called %q", e.name())
	}
	stamp := "before-restore-20261120T180000.000Z"
	if want := filepath.Join(e.config.DataDir, stamp) + " " + filepath.Join(e.config.WorkspaceRoot,
		stamp); strings.Join(report.Aside, " ") != want {
		t.Errorf("aside: %q, want %q", report.Aside, want)
	}
	if got := e.tree("workspaces/" + stamp + "/" + projectA); got != old {
		t.Errorf("put aside\n%s\nwant\n%s", got, old)
	}
	if got := e.tree("workspaces"); !strings.Contains(got, `"elsewhere/x"`) {
		t.Error("a directory of the workspace root that is no project is gone")
	}
	if got := e.tree("data/" + stamp); !strings.Contains(got, `"nats/jetstream"`) {
		t.Errorf("the event log is not put aside:\n%s", got)
	}
	if text, err := os.ReadFile(e.file); err != nil || string(text) != "max_iterations: 9\n" || report.Config != e.file+
		".from-backup" {
		t.Errorf("the configuration is %q, %v; the backup's is in %q", text, err, report.Config)
	}
	// US8: its keys come beside it, not to another configuration.
	if secrets, err := os.ReadFile(config.SecretsFile(report.Config)); err != nil || report.Secrets !=
		config.SecretsFile(report.Config) || string(secrets) != "MODELS_A_API_KEY: secret\n" {
		t.Errorf("the backup's secrets are %q in %q, %v", secrets, report.Secrets, err)
	}
	e.config.DataDir = filepath.Join(e.dir, "data", stamp)
	if e.name() != "old" {
		t.Errorf("the database that was put aside has %q", e.name())
	}
}

// CH14
func TestARestoreIsRefusedWhileAProcessOwnsTheData(t *testing.T) {
	t.Parallel()
	e := newEstate(t).fill("old")
	archive := e.archive()
	lock, err := datadir.Own(e.config.DataDir)
	e.must(err)
	defer lock.Release()
	for _, force := range []bool{false, true} {
		var locked *datadir.LockedError
		if _, err := e.restore(archive, force); !errors.As(err, &locked) {
			t.Errorf("force %t: %v", force, err)
		}
	}
}

func TestARestoreWithTheDatabaseElsewherePutsItThere(t *testing.T) {
	t.Parallel()
	archive := newEstate(t).fill("kept").archive()
	e := newEstate(t)
	e.config.Database.SQLiteFile = filepath.Join(e.dir, "databases", "own.db")
	_, err := e.restore(archive, false)
	e.must(err)
	if e.name() != "kept" {
		t.Error(e.name())
	}
	if _, err := os.Stat(filepath.Join(e.dir, "databases", "own.db")); err != nil {
		t.Error(err)
	}
}

func TestARestoreThatFailsHalfwayTakesItsMovesBack(t *testing.T) {
	t.Parallel()
	e := newEstate(t).fill("old")
	before := e.tree("workspaces/" + projectB)
	var s swap
	s.aside(filepath.Join(e.config.WorkspaceRoot, projectB), filepath.Join(e.dir, "aside"))
	s.move(filepath.Join(e.dir, "missing"), filepath.Join(e.config.WorkspaceRoot, projectB))
	if err := s.run(); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if after := e.tree("workspaces/" + projectB); after != before {
		t.Errorf("is now\n%s", after)
	}
	if _, err := os.Stat(filepath.Join(e.dir, "aside")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	s = swap{}
	s.move(e.file, e.config.DatabaseFile())
	if err := s.run(); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Error(err)
	}
}

func TestABackupThatCannotBeMadeLeavesNothing(t *testing.T) {
	t.Parallel()
	e := newEstate(t)
	folder := t.TempDir()
	if _, err := e.backup(folder); err == nil || !strings.Contains(err.Error(), "nothing to back up") {
		t.Error(err)
	}
	e.fill("x")
	archive := filepath.Join(folder, "b.tgz")
	_, err := e.backup(archive)
	e.must(err)
	for to, want := range map[string]string{
		archive: "exists already", filepath.Join(folder, "b.zip"): "end in .tar.gz", filepath.Join(folder, "missing",
			"b.tar.gz"): "no such file",
	} {
		if _, err := e.backup(to); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", to, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Create(ctx, Options{Config: e.config, ConfigFile: e.file, To: folder,
		Now: backupTime}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

// part is one entry of an archive that a test makes by hand.
type part struct {
	tar.Header
	text string
}

func file(name, text string) part {
	return part{tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600}, text}
}
func dir(name string) part {
	return part{tar.Header{Typeflag: tar.TypeDir, Name: name, Mode: 0o700}, ""}
}
func link(name, target string) part {
	return part{tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: target}, ""}
}

// pack writes an archive whose sums are right, whatever it holds. change, where it
// is not nil, changes the end.
func pack(t testing.TB, parts []part, change func(*archiveEnd)) []byte {
	t.Helper()
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	w := tar.NewWriter(packed)
	sum := newArchiveSum()
	for _, p := range parts {
		p.Size = int64(len(p.text))
		p.Format = tar.FormatPAX
		sum.add(&p.Header)
		sum.hash.Write([]byte(p.text))
		if err := errors.Join(w.WriteHeader(&p.Header), write(w, p.text)); err != nil {
			t.Fatal(err)
		}
	}
	end := sum.end()
	if change != nil {
		change(&end)
	}
	text, err := json.Marshal(end)
	if err == nil {
		err = errors.Join(w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: archiveEndName, Mode: 0o600,
			Size: int64(len(text))}), write(w, string(text)))
	}
	if err = errors.Join(err, w.Close(), packed.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func write(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}

// CH14
func TestAnArchiveThatIsNoneOfOursTouchesNothing(t *testing.T) {
	t.Parallel()
	head := file(archiveHeadName, `{"format":1,"version":"v1"}`)
	db := file(archiveDatabase, "no database")
	project := "workspaces/" + projectA
	start := []part{head, db, dir("workspaces/"), dir(project + "/")}
	for name, tc := range map[string]struct {
		parts []part
		want  string
	}{
		"empty":                 {[]part{}, "is no backup"},
		"another archive":       {[]part{file("etc/passwd", "")}, "is no backup"},
		"newer format":          {[]part{file(archiveHeadName, `{"format":2,"version":"v9"}`)}, "use the version v9"},
		"head that is none":     {[]part{file(archiveHeadName, `x`)}, "damaged"},
		"no database":           {[]part{head}, "no database"},
		"database that is none": {[]part{head, db}, "is damaged"},
		"path out":              {append(start, file(project+"/../../x", "")), "no plain path"},
		"absolute path":         {append(start, file("/etc/x", "")), "no plain path"},
		"path with a dot":       {append(start, file("./"+archiveConfig, "")), "no plain path"},
		"path out of its place": {append(start, file("../x", "")), "no plain path"},
		"foreign file":          {append(start, file("nats/x", "")), "not part of a backup"},
		"foreign project":       {append(start, dir("workspaces/..x/")), "belongs to no project"},
		"file as a project":     {append(start[:3:3], file(project, "")), "is no directory"},
		"through a link": {append(start, link(project+"/l", "/etc"), file(project+"/l/passwd", "")),
			"lies in no directory"},
		"over a link": {append(start, link(project+"/l", "/etc/passwd"), file(project+"/l", "x")),
			"is there twice"},
		"link as a project":    {append(start[:3:3], link(project, "/etc")), "is no directory"},
		"link as the database": {append([]part{head}, link(archiveDatabase, "/etc/passwd")), "not part of a backup"},
		"hard link": {append(start, part{tar.Header{Typeflag: tar.TypeLink, Name: project + "/h",
			Linkname: "/etc/passwd"}, ""}), "neither a file"},
		"device": {append(start, part{tar.Header{Typeflag: tar.TypeChar, Name: project + "/d"}, ""}),
			"neither a file"},
		"pipe": {append(start, part{tar.Header{Typeflag: tar.TypeFifo, Name: project + "/p"}, ""}),
			"neither a file"},
		"without its directory": {append(start, file(project+"/missing/x", "")), "lies in no directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEstate(t)
			archive := filepath.Join(t.TempDir(), "b.tar.gz")
			e.must(os.WriteFile(archive, pack(t, tc.parts, nil), 0o600))
			if _, err := e.restore(archive, true); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %q", err, tc.want)
			}
			if got := e.tree("."); strings.Contains(strings.ReplaceAll(got, "nanoclaw.lock", ""), "nanoclaw") ||
				strings.Contains(got, "restore") || strings.Contains(got, projectA) {
				t.Errorf("there is now\n%s", got)
			}
		})
	}
}

func TestADamagedArchiveIsRefused(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile(newEstate(t).fill("x").archive())
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Clone(whole)
	changed[len(changed)/2] ^= 1
	parts := []part{file(archiveHeadName, `{"format":1}`), file(archiveDatabase, "x")}
	plain := pack(t, parts, nil)
	for name, archive := range map[string][]byte{
		"nothing":           nil,
		"text":              []byte("hello, hello, hello"),
		"half":              whole[:len(whole)/2],
		"one byte less":     whole[:len(whole)-1],
		"a byte changed":    changed,
		"another sum":       pack(t, parts, func(e *archiveEnd) { e.SHA256 = strings.Repeat("0", 64) }),
		"another number":    pack(t, parts, func(e *archiveEnd) { e.Entries++ }),
		"an end too early":  pack(t, append(parts, file(archiveEndName, `{}`)), nil),
		"garbage behind it": append(bytes.Clone(plain), "garbage"...),
	} {
		if _, err := readArchive(t.Context(), bytes.NewReader(archive), nil); err == nil {
			t.Errorf("%s: it is accepted", name)
		}
	}
	if _, err := readArchive(t.Context(), bytes.NewReader(plain), nil); err != nil {
		t.Errorf("the archive that the others were made from: %v", err)
	}
}

func FuzzReadArchive(f *testing.F) {
	for _, parts := range [][]part{
		{file(archiveHeadName, `{"format":1}`), file(archiveDatabase, "x")},
		{file(archiveHeadName, `{"format":1}`), file(archiveDatabase, "x"), dir("workspaces/"),
			dir("workspaces/" + projectA + "/"), link("workspaces/"+projectA+"/l", "..")},
	} {
		unpacked, err := gzip.NewReader(bytes.NewReader(pack(f, parts, nil)))
		if err != nil {
			f.Fatal(err)
		}
		text, err := io.ReadAll(unpacked)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := readArchive(t.Context(), &packed, func(h *tar.Header, _ io.Reader) error {
			if !filepath.IsLocal(h.Name) || strings.Contains("/"+h.Name+"/", "/../") {
				t.Errorf("%q was handed out", h.Name)
			}
			return nil
		})
		_ = err // most are refused
	})
}

// GR7: PostgreSQL has tools of its own, which are named.
func TestADatabaseOfPostgresIsLeftToItsOwnTools(t *testing.T) {
	t.Parallel()
	c := *config.Default()
	c.DataDir, c.Database.URL = t.TempDir(), "postgres://h/x"
	if _, err := Create(t.Context(), Options{Config: &c, To: t.TempDir()}); err == nil ||
		!strings.Contains(err.Error(), "pg_dump") {
		t.Errorf("backup: %v", err)
	}
	if _, err := Restore(t.Context(), RestoreOptions{Config: &c, File: "x.tar.gz"}); err == nil ||
		!strings.Contains(err.Error(), "pg_restore") {
		t.Errorf("restore: %v", err)
	}
}
