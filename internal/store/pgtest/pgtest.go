// Package pgtest gives tests a PostgreSQL database: a private server in a temporary
// directory, once for a test binary, and a schema for each test. It is for tests alone.
package pgtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
)

const (
	user, password = "nanoclaw", "a test's password"
	// nobody runs the server where the tests run as root, which it refuses to be.
	nobody = 65534
)

// EnvURL names a database server that is used instead of a private one: the address of
// a role that may make schemas.
const EnvURL = "NANOCLAW_TEST_POSTGRES"

var (
	start  = sync.OnceValues(startServer)
	number atomic.Int64

	alive  io.WriteCloser // the server runs for as long as it is open; a line restarts it
	output io.Reader      // of the script that runs the server
)

// URL is the address of an empty database, in truth a schema of one, that is dropped at the
// end of the test. Without PostgreSQL the test is skipped, and fails where CI=true.
func URL(tb testing.TB) string {
	tb.Helper()
	server, err := start()
	if err != nil {
		if os.Getenv("CI") == "true" {
			tb.Fatalf("PostgreSQL cannot be started: %v", err)
		}
		tb.Skipf("NOT TESTED on PostgreSQL (scripts/setup-postgres.sh installs it): %v", err)
	}
	name := fmt.Sprintf("test_%d_%d", os.Getpid(), number.Add(1))
	if err := server.run("CREATE SCHEMA " + name); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := server.run("DROP SCHEMA " + name + " CASCADE"); err != nil {
			tb.Errorf("drop the test's schema: %v", err)
		}
	})
	return server.schema(name)
}

// Restart lets the server crash and starts it again. It is the one of all tests of the
// binary, so that only a test may call it that runs alone.
func Restart(tb testing.TB) {
	tb.Helper()
	server, err := start()
	if err != nil {
		tb.Fatal(err)
	}
	if alive == nil {
		tb.Skipf("NOT TESTED: the database server of %s cannot be restarted", EnvURL)
	}
	if _, err := io.WriteString(alive, "again\n"); err != nil {
		tb.Fatal(err)
	}
	if err := errors.Join(awaitStart(), server.await()); err != nil {
		tb.Fatal(err)
	}
}

// server is a PostgreSQL server.
type server struct{ address url.URL }

func (s *server) schema(name string) string {
	address := s.address
	address.RawQuery += "&search_path=" + name
	return address.String()
}

func (s *server) run(statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	db, err := sql.Open("pgx", s.address.String())
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, statement)
	return errors.Join(err, db.Close())
}

// startServer starts the server of this process. It ends, and its directory is removed,
// when this process ends, however that happens.
func startServer() (*server, error) {
	if given := os.Getenv(EnvURL); given != "" {
		address, err := url.Parse(given)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", EnvURL, err)
		}
		return &server{*address}, nil
	}
	programs, err := findPrograms()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "nanoclaw-pg-")
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err == nil {
		err = runServer(programs, dir, port)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	s := &server{url.URL{Scheme: "postgres", User: url.UserPassword(user, password), Path: "/postgres",
		Host: fmt.Sprintf("127.0.0.1:%d", port), RawQuery: "sslmode=disable"}}
	if err := s.await(); err != nil {
		return nil, errors.Join(err, alive.Close())
	}
	return s, nil
}

// await waits until the server answers.
func (s *server) await() error {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		if err := s.run("SELECT 1"); err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

// findPrograms is the directory of PostgreSQL's programs.
func findPrograms() (string, error) {
	if path, err := exec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			if _, err = os.Stat(filepath.Join(filepath.Dir(path), "postgres")); err == nil {
				return filepath.Dir(path), nil
			}
		}
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return "", errors.New("initdb was not found")
	}
	return filepath.Dir(found[len(found)-1]), nil
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return listener.Addr().(*net.TCPAddr).Port, listener.Close()
}

// script makes a cluster, runs its server until standard input ends, and removes it. At a
// line the server crashes and is started again.
const script = `
trap '' INT TERM
bin=$1 dir=$2 port=$3
"$bin/initdb" -D "$dir/data" -U "$4" -A password --pwfile="$dir/password" -E UTF8 --locale=C --no-sync \
	>"$dir/log" 2>&1 ||
	{ echo "$(cat "$dir/log")"; exit 1; }
serve() {
	"$bin/postgres" -D "$dir/data" -p "$port" -c listen_addresses=127.0.0.1 -c unix_socket_directories='' \
		-c fsync=off -c full_page_writes=off -c max_connections=400 -c shared_buffers=32MB -c autovacuum=off \
		-c deadlock_timeout=100ms >>"$dir/log" 2>&1 &
	server=$!
	echo started
}
serve
while read -r _; do
	kill -QUIT $server
	wait $server
	serve
done
while kill -QUIT $server 2>/dev/null; do sleep 0.2; done
rm -rf "$dir"
`

// runServer runs the script. The pipe to it is open for as long as this process lives.
func runServer(programs, dir string, port int) error {
	if err := os.WriteFile(filepath.Join(dir, "password"), []byte(password), 0o600); err != nil {
		return err
	}
	command := exec.Command("sh", "-c", script, "sh", programs, dir, fmt.Sprint(port), user)
	command.Dir = dir
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C"}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 {
		command.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
		for _, path := range []string{dir, filepath.Join(dir, "password")} {
			if err := os.Chown(path, nobody, nobody); err != nil {
				return err
			}
		}
	}
	var err error
	if output, err = command.StdoutPipe(); err != nil {
		return err
	}
	if alive, err = command.StdinPipe(); err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return err
	}
	if err := awaitStart(); err != nil {
		return errors.Join(err, command.Wait())
	}
	return nil
}

// awaitStart waits for the script to say that the server was started.
func awaitStart() error {
	text := make([]byte, 4096)
	n, _ := output.Read(text)
	if got := string(text[:n]); got != "started\n" {
		return fmt.Errorf("start PostgreSQL: %s", got)
	}
	return nil
}
