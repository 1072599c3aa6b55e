package chaos

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"nanoclaw/internal/llm/llmtest"
)

// noticed is how soon a broken event log must be working again.
const noticed = 10 * time.Second

// readyz is the status and the body of /readyz.
func (p *process) readyz(ctx context.Context) (int, string) {
	root := process{url: strings.TrimSuffix(p.url, "/api/v1")}
	var text string
	err := root.call(ctx, "GET", "/readyz", nil, &text)
	if err != nil {
		return http.StatusServiceUnavailable, err.Error()
	}
	return http.StatusOK, text
}

// ready waits until the server says that all is well.
func (in *installation) ready(p *process, limit time.Duration) {
	in.t.Helper()
	in.within(limit, "the server is ready", func(ctx context.Context) bool {
		status, _ := p.readyz(ctx)
		return status == http.StatusOK
	})
}

// turn starts another run of a conversation's own and waits for its end.
func (in *installation) turn(p *process) {
	in.t.Helper()
	project, started, err := in.begin(p)
	if err != nil {
		in.t.Fatal(err)
	}
	in.finish(p, project, started)
}

// stopInTime ends the server as an operator does.
func (in *installation) stopInTime(p *process) {
	in.t.Helper()
	if err := p.cmd.Process.Signal(unix.SIGTERM); err != nil {
		in.t.Fatal(err)
	}
	select {
	case <-p.exited:
	case <-time.After(timeout):
		in.t.Error("the server does not end after SIGTERM")
	}
}

// natsFiles are the files of the event log.
func (in *installation) natsFiles() (names []string) {
	in.t.Helper()
	err := fs.WalkDir(os.DirFS(in.nats()), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			names = append(names, filepath.Join(in.nats(), name))
		}
		return nil // files come and go
	})
	if err != nil || len(names) == 0 {
		in.t.Fatalf("the files of the event log: %v, %v", names, err)
	}
	return names
}

func (in *installation) nats() string { return filepath.Join(in.dir, "data", "nats") }

// Each file of the event log is truncated in turn under a server with a run under
// way, and the folder is deleted: every run ends right, the next one too, and
// within seconds the server is ready.
func TestRunsSurviveDamageToTheEventLog(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(t)
	script(model)
	in := install(t, model)
	p := in.start()
	in.turn(p) // so that there are files
	for i := 0; i < len(in.natsFiles()); i++ {
		project, started, err := in.begin(p)
		if err != nil {
			t.Fatal(err)
		}
		if files := in.natsFiles(); i < len(files) {
			if err := os.Truncate(files[i], 3); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
		}
		in.finish(p, project, started)
		in.ready(p, noticed)
	}
	project, started, err := in.begin(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(in.nats()); err != nil {
		t.Fatal(err)
	}
	in.within(noticed, "the folder is made anew", func(context.Context) bool {
		_, err := os.Stat(filepath.Join(in.nats(), "jetstream", "$G", "streams", "EVENTS", "msgs"))
		return err == nil
	})
	in.ready(p, noticed)
	in.finish(p, project, started)
	in.turn(p)
	in.stopInTime(p)
}

// The disk is full in the middle of runs and free again: the server answers, says
// what is wrong and what to do, and every run ends right afterwards without a restart.
func TestRunsSurviveAFullDisk(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(t)
	script(model)
	in := install(t, model)
	data := filepath.Join(in.dir, "data")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", data, "tmpfs", 0, "size=24m"); err != nil {
		t.Skipf("NOT TESTED: a full disk needs the right to mount a tmpfs (run as root): %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(data, unix.MNT_DETACH) })
	p := in.start()
	in.turn(p)
	project, started, err := in.begin(p)
	if err != nil {
		t.Fatal(err)
	}
	ballast := filepath.Join(data, "ballast")
	in.within(timeout, "writes are answered with 507", func(ctx context.Context) bool {
		fill(t, ballast)
		err := p.call(ctx, "POST", "/conversations", map[string]any{"title": strings.Repeat("long ", 50)}, nil)
		return err != nil && strings.Contains(err.Error(), "507") && strings.Contains(err.Error(), `"storage_full"`) &&
			strings.Contains(err.Error(), "make room")
	})
	in.within(noticed, "the server says that the disk is full", func(ctx context.Context) bool {
		status, said := p.readyz(ctx)
		return status == http.StatusServiceUnavailable && strings.Contains(said, `"location":"database"`) &&
			strings.Contains(said, `"location":"event_log"`) && strings.Contains(said, "full")
	})
	in.must(p, "GET", "/conversations", nil, nil)
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	in.ready(p, 2*noticed)
	in.finish(p, project, started)
	in.turn(p)
	fill(t, ballast)
	in.stopInTime(p)
}

// fill appends until the disk is full.
func fill(t *testing.T, name string) {
	t.Helper()
	file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		if errors.Is(err, unix.ENOSPC) {
			return
		}
		t.Fatal(err)
	}
	defer file.Close()
	for size := 1 << 20; size > 0; size /= 16 {
		for err = nil; err == nil; {
			_, err = file.Write(make([]byte, size))
		}
		if !errors.Is(err, unix.ENOSPC) {
			t.Fatal(err)
		}
	}
}

// The process dies with a run under way and the newest frame of the database's
// write-ahead log is torn: the last transaction is gone, and the run ends right.
func TestARunSurvivesATornFrameOfTheDatabase(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(t)
	script(model)
	for _, at := range []int{30, 40, 50} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			t.Parallel()
			in := install(t, model)
			p := in.start(fmt.Sprintf("NANOCLAW_FAULT_AT=%d", at))
			project, started, err := in.begin(p)
			if err != nil {
				t.Fatal(err)
			}
			<-p.exited
			tearNewestFrame(t, filepath.Join(in.dir, "data", "nanoclaw.db-wal"))
			if p = in.start(); p == nil {
				t.Fatal("the server did not start again")
			}
			in.ready(p, noticed)
			in.finish(p, project, started)
		})
	}
}

// tearNewestFrame spoils the last frame of the log that is valid: those behind the
// last checkpoint have the salts of the header.
func tearNewestFrame(t *testing.T, name string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil || len(text) < 32 {
		t.Fatalf("a log of %d bytes, %v", len(text), err)
	}
	size := 24 + int(binary.BigEndian.Uint32(text[8:]))
	newest := -1
	for at := 32; at+size <= len(text) && string(text[at+8:at+16]) == string(text[16:24]); at += size {
		newest = at
	}
	if newest < 0 {
		t.Fatal("the log has no frame")
	}
	text[newest+100] ^= 0xff
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
