package sandbox_test

import (
	"context"
	"crypto/rand"
	"errors"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"
	"golang.org/x/sys/unix"

	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/sandbox/egress"
	"nanoclaw/internal/sandbox/python"
	"nanoclaw/internal/sandbox/sandboxtest"
	"nanoclaw/internal/sandbox/shell"
	"nanoclaw/internal/shellanalysis"
)

// attempt is one line of testdata/escapes_*.yaml.
type attempt struct {
	ID      string `yaml:"id"`
	Run     string `yaml:"run"`
	Host    string `yaml:"host"`    // why it need not succeed on the host
	Only    string `yaml:"only"`    // sandbox: it is no attempt elsewhere; isolated: not for the host
	Visit   bool   `yaml:"visit"`   // somebody works in the project afterwards, outside
	Network bool   `yaml:"network"` // the session has a proxy to {OPEN}
	Alone   bool   `yaml:"alone"`   // it would disturb others in the same session
	Group   bool   `yaml:"group"`   // only control groups stop it, which not every server may make
}

// attemptLimits bound the attempts.
var attemptLimits = sandbox.Limits{Memory: 256 << 20, CPUs: 1, Processes: 64, FileSize: 8 << 20, OpenFiles: 256,
	TempSize: 32 << 20}

const attemptTime = 30 * time.Second

// SH2: none of the shell attempts gets out, and each of them is a real one.
func TestNoShellCommandGetsOut(t *testing.T) {
	runAttempts(t, "testdata/escapes_shell.yaml", func(t *testing.T, s *shell.Session, _ sandbox.Policy, _,
		code string) string {
		return runLine(t, s, code)
	})
}

// BT5, SH2: none of the Python attempts gets out, at the loosest level.
func TestNoPythonCodeGetsOut(t *testing.T) {
	runAttempts(t, "testdata/escapes_python.yaml", func(t *testing.T, s *shell.Session, policy sandbox.Policy, project,
		code string) string {
		if s != nil { // the same container for several: what the code meets there is the same
			return runLine(t, s, "python3 -I -X utf8 -c "+shellanalysis.Quote(code))
		}
		r := python.NewRunner(python.Settings{Policy: policy, Memory: attemptLimits.Memory,
			Interpreter: python.Interpreter{Program: "python3"}})
		defer r.Close()
		result, err := r.Run(t.Context(), python.Request{Code: code, Level: python.Lenient, Project: project,
			Timeout: attemptTime, OutputLimit: 64 << 10})
		if err != nil {
			t.Fatal(err)
		}
		broken(t, result.Error)
		return result.Stdout + result.Stderr
	})
}

// broken fails a test whose attempt does not mean anything.
func broken(t *testing.T, message string) {
	t.Helper()
	for _, one := range []string{"syntax error", "SyntaxError", "NameError", "AttributeError"} {
		if strings.Contains(message, one) {
			t.Fatalf("the attempt is broken: %s", message)
		}
	}
}

func runLine(t *testing.T, s *shell.Session, code string) string {
	t.Helper()
	result, err := s.Run(t.Context(), shell.Command{Line: code, Timeout: attemptTime})
	if err != nil {
		t.Fatal(err)
	}
	broken(t, result.Stderr)
	// bash quotes a command that was killed, with the word that it would have printed.
	return result.Stdout + strings.ReplaceAll(result.Stderr, "ESCAPED", "")
}

// tryFunc runs an attempt and returns what it prints. Without a session it is
// given a sandbox of its own.
type tryFunc func(t *testing.T, s *shell.Session, policy sandbox.Policy, project, code string) string

func runAttempts(t *testing.T, file string, try tryFunc) {
	t.Parallel()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var attempts []attempt
	if err := yaml.Load(data, &attempts, yaml.WithKnownFields()); err != nil {
		t.Fatal(err)
	}
	if len(attempts) < 90 {
		t.Fatalf("only %d attempts were read", len(attempts))
	}
	for name, policy := range sandboxtest.Policies(t) {
		var gentle, networked []attempt
		for _, a := range attempts {
			switch {
			case a.Only == "sandbox" && name == "docker" || a.Only != "" && name == "host":
			case name == "docker" && a.Network && !a.Alone:
				networked = append(networked, a)
			case name == "docker" && !a.Alone:
				gentle = append(gentle, a) // a container takes long to start
			default:
				t.Run(name+"/"+a.ID, func(t *testing.T) {
					t.Parallel()
					runAlone(t, policy, a, try)
				})
			}
		}
		batches := slices.Collect(slices.Chunk(gentle, 18))
		if len(networked) > 0 {
			batches = append(batches, networked)
		}
		for _, batch := range batches {
			t.Run(name+"/together-from-"+batch[0].ID, func(t *testing.T) {
				t.Parallel()
				runTogether(t, policy, batch, try)
			})
		}
	}
}

// runAlone runs an attempt with everything of its own.
func runAlone(t *testing.T, policy sandbox.Policy, a attempt, try tryFunc) {
	if a.Group && strings.Contains(strings.Join(policy.Facts(), " "), "no control groups") {
		t.Skip("NOT TESTED: this user may not make control groups, so that only each process is bounded")
	}
	outside := newOutside(t)
	var s *shell.Session
	if strings.HasPrefix(t.Name(), "TestNoShell") {
		s = newAttemptSession(policy, outside, a.Network)
	}
	output := try(t, s, policy, outside.project, outside.fill(policy, a.Run))
	if s != nil {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
	if a.Visit {
		outside.visit(t)
	}
	how := outside.reached(output)
	for tries := 0; policy.Name() == "host" && a.Host == "" && how == "" && tries < 200; tries++ {
		<-time.After(20 * time.Millisecond) // whoever listens outside may not have been told yet
		how = outside.reached(output)
	}
	switch {
	case policy.Name() != "host" && how != "":
		t.Errorf("it got out: %s\n%s", how, output)
	case policy.Name() == "host" && how == "" && a.Host == "":
		t.Errorf("without isolation it does not succeed either, so it shows nothing:\n%s", output)
	}
}

// runTogether runs attempts one after the other in one session, in the
// same project. It ends with the first that gets out.
func runTogether(t *testing.T, policy sandbox.Policy, batch []attempt, try tryFunc) {
	outside := newOutside(t)
	s := newAttemptSession(policy, outside, batch[0].Network)
	defer func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	for _, a := range batch {
		output := try(t, s, policy, outside.project, outside.fill(policy, a.Run))
		if a.Visit {
			outside.visit(t)
		}
		if how := outside.reached(output); how != "" {
			t.Fatalf("%s got out: %s\n%s", a.ID, how, output)
		}
		if output := runLine(t, s,
			"cd /workspace && rm -rf new deep x x.* .envrc* .profile* .zshrc* && echo usable"); !strings.Contains(
			output, "usable") {
			t.Fatalf("behind %s the session answers %q", a.ID, output)
		}
	}
}

func newAttemptSession(policy sandbox.Policy, o *outside, network bool) *shell.Session {
	settings := shell.Settings{Policy: policy, Project: o.project, Limits: attemptLimits, OutputLimit: 64 << 10}
	if network {
		settings.Proxy = egress.New(egress.Settings{Hosts: []string{o.open}, Connections: 8, IdleTimeout: time.Minute})
	}
	return shell.NewSession(settings)
}

// outside is what an attempt tries to reach.
type outside struct {
	canary, dir, other, project, name, secret string
	open                                      string // a server that may be reached: it leads to port
	port, pid, udp, shm                       int
	before                                    string
	connected                                 atomic.Bool
	ended                                     chan struct{}
}

func newOutside(t *testing.T) *outside {
	t.Helper()
	o := &outside{dir: t.TempDir(), other: t.TempDir(), project: t.TempDir(), name: "nc" + rand.Text()[:12],
		secret: "CANARY-" + rand.Text(), ended: make(chan struct{})}
	o.canary = filepath.Join(o.dir, "canary-"+o.name)
	for path, content := range map[string]string{
		o.canary: o.secret, o.other + "/secret": o.secret, o.project + "/.git/config": "[core]\n",
		o.project + "/.git/hooks/sample":    "",
		o.project + "/sub/repo/.git/config": "", o.project + "/sub/repo/.git/hooks/sample": "",
		o.project + "/.bashrc": "",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o.before = o.fingerprint()
	o.shareMemory(t)
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o.port = tcp.Addr().(*net.TCPAddr).Port
	o.listen(t, tcp)
	open := httptest.NewServer(http.RedirectHandler("http://"+tcp.Addr().String()+"/", http.StatusFound))
	t.Cleanup(open.Close)
	o.open = open.Listener.Addr().String()
	o.listenUDP(t)
	for _, address := range []string{filepath.Join(o.project, "s"), "@" + o.name} {
		l, err := net.Listen("unix", address)
		if err != nil {
			t.Fatal(err)
		}
		o.listen(t, l)
	}
	// The shell stays, with the name in its command line and the secret in its environment.
	victim := exec.Command("/bin/sh", "-c", "cat; : "+o.name)
	victim.Dir, victim.Env = o.dir, []string{"SECRET=" + o.secret, "PATH=/usr/bin:/bin"}
	victim.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an attempt kills its group
	stdin, err := victim.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	o.pid = victim.Process.Pid
	go func() {
		_ = victim.Wait() // it is killed, by an attempt or at the end
		close(o.ended)
	}()
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = victim.Process.Kill()
		<-o.ended
	})
	return o
}

func (o *outside) listen(t *testing.T, l net.Listener) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			o.connected.Store(true)
			_ = c.Close()
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
}

// listenUDP takes datagrams on loopback.
func (o *outside) listenUDP(t *testing.T) {
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o.udp = socket.LocalAddr().(*net.UDPAddr).Port
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, _, err := socket.ReadFrom(make([]byte, 1)); err == nil {
			o.connected.Store(true)
		}
	}()
	t.Cleanup(func() {
		_ = socket.Close()
		<-done
	})
}

// shareMemory puts the secret where programs of one machine share memory.
func (o *outside) shareMemory(t *testing.T) {
	file := "/dev/shm/" + o.name
	if err := os.WriteFile(file, []byte(o.secret), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(file) })
	o.shm = 1 + mathrand.IntN(1<<30)
	id, err := unix.SysvShmGet(o.shm, 4096, unix.IPC_CREAT|unix.IPC_EXCL|0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) })
	memory, err := unix.SysvShmAttach(id, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	copy(memory, o.secret)
	if err := unix.SysvShmDetach(memory); err != nil {
		t.Fatal(err)
	}
}

// visit does what somebody does who works in the project, outside of every sandbox.
func (o *outside) visit(t *testing.T) {
	t.Helper()
	visitor := exec.Command("/bin/sh", "-c", `git --version || exit 9
for d in . new; do (cd $d && git status; git add -A; git commit --allow-empty -m x); done
for f in .envrc .profile .zshrc; do [ -f $f ] && . ./$f; done; exit 0`)
	visitor.Dir, visitor.Env = o.project, []string{"PATH=/usr/bin:/bin", "HOME=" + t.TempDir(), "GIT_AUTHOR_NAME=a",
		"GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b"}
	out, err := visitor.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 9 {
		t.Skip("NOT TESTED: there is no git outside")
	}
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func (o *outside) fill(policy sandbox.Policy, code string) string {
	return strings.NewReplacer(
		"{CANARY}", o.canary, "{OUTSIDE}", o.dir, "{PORT}", strconv.Itoa(o.port), "{SOCKET}",
		policy.ProjectPath(o.project)+"/s", "{PID}", strconv.Itoa(o.pid),
		"{OPEN}", o.open[strings.LastIndexByte(o.open, ':')+1:], "{UDP}", strconv.Itoa(o.udp), "{SHM}",
		strconv.Itoa(o.shm), "{OTHER}", o.other, "{NAME}", o.name,
	).Replace(code)
}

// fingerprint is all that must not change.
func (o *outside) fingerprint() string {
	var all strings.Builder
	for _, dir := range []string{o.dir, o.other, o.project + "/.git/hooks", o.project + "/sub/repo/.git/hooks",
		o.project + "/.git/config", o.project + "/.bashrc"} {
		_ = filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
			all.WriteString(path + "\n")
			if err == nil && entry.Type().IsRegular() {
				content, _ := os.ReadFile(path) // what is gone shows by its absence
				all.Write(content)
			}
			return nil
		})
	}
	return all.String()
}

// reached says how an attempt got out; empty: it did not.
func (o *outside) reached(output string) string {
	ended := false
	select {
	case <-o.ended:
		ended = true
	case <-time.After(20 * time.Millisecond):
	}
	switch {
	case strings.Contains(output, o.secret):
		return "it read the canary"
	case strings.Contains(output, "ESCAPED"):
		return "it says so"
	case o.connected.Load():
		return "it connected to a listener"
	case ended:
		return "it ended a process"
	case o.fingerprint() != o.before:
		return "it changed something outside, or what is protected"
	}
	return ""
}
