package remote_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/remote"
)

// childEnv makes the test binary another process of the tests: what it does, and where
// the files are.
const (
	childWork = "NANOCLAW_REMOTE_TEST_WORK"
	childDir  = "NANOCLAW_REMOTE_TEST_DIR"
	childURL  = "NANOCLAW_REMOTE_TEST_URL"
	childName = "NANOCLAW_REMOTE_TEST_NAME"
)

func TestMain(m *testing.M) {
	if work := os.Getenv(childWork); work != "" {
		if err := child(context.Background(), work); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var shared = remote.Namespace{Project: "p"}

func child(ctx context.Context, work string) error {
	store, err := remote.Open(ctx, remote.Options{Dir: os.Getenv(childDir), Remote: servers(os.Getenv(childURL))})
	if err != nil {
		return err
	}
	defer store.Close()
	files := store.Files(shared, nil)
	switch name := os.Getenv(childName); work {
	case "create":
		for i := range 16 {
			_, err := files.Write(ctx, "created", []byte(name), workspace.WriteOptions{IfNoneMatch: true})
			if err == nil {
				fmt.Println("won", name, i)
			} else if !workspace.IsCode(err, workspace.CodeAlreadyExists) {
				return err
			}
		}
		return nil
	case "edit":
		for i := range 100 {
			_, err := files.Append(ctx, "edited", fmt.Appendf(nil, "%s-%d\n", name, i))
			if err != nil {
				return err
			}
		}
		return nil
	case "write":
		return writeForEver(ctx, files)
	case "move":
		return moveForEver(ctx, files)
	}
	return errors.New("unknown work")
}

// version is the content of a file after the nth write: some are values, others objects.
func version(n int) []byte {
	return []byte(strings.Repeat(fmt.Sprintf("%08d", n), 100+n%3*50_000))
}

func writeForEver(ctx context.Context, files *remote.Files) error {
	for n := 1; ; n++ {
		if _, err := files.Write(ctx, "f", version(n), workspace.WriteOptions{}); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

func moveForEver(ctx context.Context, files *remote.Files) error {
	for i := range 20 {
		if _, err := files.Write(ctx, fmt.Sprintf("0/sub/%d", i), []byte("x"), workspace.WriteOptions{}); err != nil {
			return err
		}
	}
	for n := 1; ; n++ {
		if err := files.Move(ctx, strconv.Itoa(n-1), strconv.Itoa(n)); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

func start(t *testing.T, env ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), env...), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// killed starts a process that works for ever, kills it in the middle, and returns the
// last step that it knew to be done.
func killed(t *testing.T, work, dir string) (done int) {
	t.Helper()
	cmd, lines := start(t, childWork+"="+work, childDir+"="+dir)
	enough := 20 + rand.IntN(200)
	for lines.Scan() {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatalf("the process said %q", lines.Text())
		}
		if done = n; n == enough {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || done < enough {
		t.Fatalf("the process ended by itself after %d steps", done)
	}
	return done
}

// WS4: a process that is killed while it writes leaves the old content or the new one.
func TestAKilledWriterLeavesOneVersionWhole(t *testing.T) {
	t.Parallel()
	for range 3 {
		dir := t.TempDir()
		done := killed(t, "write", dir)
		store, err := remote.Open(t.Context(), remote.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		got, err := store.Files(shared, nil).Read(t.Context(), "f", 0, 0)
		store.Close()
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(string(got.Data[:8]))
		if err != nil || string(got.Data) != string(version(n)) || n < done || n > done+1 {
			t.Fatalf("after %d writes version %d is there, %d bytes", done, n, len(got.Data))
		}
	}
}

// WS4: a process that is killed while it renames leaves the directory at one place, whole.
func TestAKilledMoverLeavesTheDirectoryAtOnePlace(t *testing.T) {
	t.Parallel()
	for range 3 {
		dir := t.TempDir()
		done := killed(t, "move", dir)
		store, err := remote.Open(t.Context(), remote.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		listing, err := store.Files(shared, nil).List(t.Context(), "", workspace.ListOptions{Recursive: true})
		store.Close()
		if err != nil {
			t.Fatal(err)
		}
		at, err := strconv.Atoi(listing.Entries[0].Path)
		if err != nil || len(listing.Entries) != 22 || at < done || at > done+1 {
			t.Fatalf("after %d moves there are %d entries at %s", done, len(listing.Entries), listing.Entries[0].Path)
		}
	}
}

// natsServer starts a server that other processes can reach.
func natsServer(t *testing.T) (url string) {
	t.Helper()
	srv, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(),
		NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	srv.Start()
	t.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	if !srv.ReadyForConnections(10e9) {
		t.Fatal("NATS did not start")
	}
	return srv.ClientURL()
}

// WS4: processes on one JetStream lose no edit, and one of them creates.
func TestTwoProcessesLoseNoEdit(t *testing.T) {
	t.Parallel()
	url := natsServer(t)
	for _, work := range []string{"create", "edit"} {
		var children []*exec.Cmd
		won := 0
		var outputs []*bufio.Scanner
		for i := range 2 {
			cmd, lines := start(t, childWork+"="+work, childURL+"="+url, childName+"="+strconv.Itoa(i))
			children, outputs = append(children, cmd), append(outputs, lines)
		}
		for i, cmd := range children {
			for outputs[i].Scan() {
				won++
			}
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
		}
		if work == "create" && won != 1 {
			t.Fatalf("%d creates of 32 won", won)
		}
	}
	store, err := remote.Open(t.Context(), remote.Options{Remote: servers(url)})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	got, err := store.Files(shared, nil).Read(t.Context(), "edited", 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		for j := range 100 {
			line := fmt.Sprintf("\n%d-%d\n", i, j)
			if strings.Count("\n"+string(got.Data), line) != 1 {
				t.Errorf("edit %q is there %d times", line, strings.Count("\n"+string(got.Data), line))
			}
		}
	}
}

// servers are those at a URL; nil for the empty one.
func servers(url string) *remote.Servers {
	if url == "" {
		return nil
	}
	return &remote.Servers{Connect: func(context.Context) (*nats.Conn, error) {
		return nats.Connect(url, nats.MaxReconnects(-1))
	}}
}
