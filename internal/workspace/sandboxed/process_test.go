package sandboxed

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/remote"
)

// These make the test binary another process of the tests.
const (
	childURL = "NANOCLAW_SANDBOX_TEST_URL"
	childDir = "NANOCLAW_SANDBOX_TEST_DIR"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(childURL); url != "" {
		if err := storeForEver(url, os.Getenv(childDir)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func connectTo(url string) remote.Options {
	servers := &remote.Servers{Connect: func(context.Context) (*nats.Conn, error) { return nats.Connect(url) }}
	return remote.Options{Grace: time.Hour, Remote: servers}
}

// storeForEver changes two files of a sandbox and stores it, again and again, and prints
// what is stored.
func storeForEver(url, dir string) error {
	ctx := context.Background()
	store, err := remote.Open(ctx, connectTo(url))
	if err != nil {
		return err
	}
	s := New(Options{Dir: dir, TTL: time.Hour, Leases: process{newTable(), "child"},
		Store:    func(context.Context) (*remote.Store, error) { return store, nil },
		Settings: func() Settings { return Settings{IdleTimeout: time.Hour, Snapshots: 2} },
	})
	files, err := s.Open(ctx, one, workspace.Opening{ProjectID: "p", Local: workspace.NewLocal(os.TempDir()+"/none", nil)})
	if err != nil {
		return err
	}
	first, err := files.Read(ctx, "a", 0, 16)
	if err != nil && !workspace.IsCode(err, workspace.CodeNotFound) {
		return err
	}
	n, _ := strconv.Atoi(strings.TrimLeft(string(first.Data), "0")) // 0 where there is no file
	for n++; ; n++ {
		for _, name := range []string{"a", "b"} {
			content := []byte(strings.Repeat(fmt.Sprintf("%016d", n), 20_000))
			if _, err := files.Write(ctx, name, content, workspace.WriteOptions{}); err != nil {
				return err
			}
		}
		if err := s.held()[0].persist(ctx); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// WS6: after a process was killed while it stored snapshots, another machine restores the
// last stored state or the one that was being stored, whole, and the same machine goes on
// with what it has.
func TestSnapshotOfAProcessThatIsKilledIsOldOrNew(t *testing.T) {
	t.Parallel()
	url := startNATS(t)
	dir := t.TempDir()
	for range 4 {
		child := exec.CommandContext(t.Context(), os.Args[0])
		child.Env, child.Stderr = append(os.Environ(), childURL+"="+url, childDir+"="+dir), os.Stderr
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		stored := -1
		for i := 0; i < 2+rand.IntN(3) && lines.Scan(); i++ {
			if stored, err = strconv.Atoi(lines.Text()); err != nil {
				t.Fatal(err)
			}
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			if stored, err = strconv.Atoi(lines.Text()); err != nil {
				t.Fatal(err)
			}
		}
		_ = child.Wait() // it was killed
		restored := restoredNumber(t, url)
		if stored < 1 || restored != stored && restored != stored+1 {
			t.Fatalf("stored was %d, restored is %d", stored, restored)
		}
	}
}

// restoredNumber restores the newest snapshot elsewhere and returns the number in it.
func restoredNumber(t *testing.T, url string) int {
	t.Helper()
	store, err := remote.Open(t.Context(), connectTo(url))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	states, err := store.States(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := restore(t.Context(), states, *states.Newest(), dir); err != nil {
		t.Fatal(err)
	}
	a, err := os.ReadFile(dir + "/root/a")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(dir + "/root/b")
	if err != nil || string(a) != string(b) || len(a) != 320_000 {
		t.Fatalf("the files are not of one moment: %d and %d bytes, %v", len(a), len(b), err)
	}
	n, err := strconv.Atoi(strings.TrimLeft(string(a[:16]), "0"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}
