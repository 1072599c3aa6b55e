package process

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func start(t *testing.T, spec Spec) *Process {
	t.Helper()
	p, err := Start(spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Stop(time.Second) })
	return p
}

func shell(script string) Spec { return Spec{Command: "sh", Args: []string{"-c", script}} }

// BT9 TS7: nothing of the server's environment reaches a helper but three names.
func TestAHelperSeesACleanEnvironment(t *testing.T) {
	t.Setenv("NANOCLAW_SECRET_OF_THE_SERVER", "hidden")
	t.Setenv("LANG", "C.UTF-8")
	spec := shell("env; exec cat")
	spec.Env = map[string]string{"TOKEN": "given", "LANG": "de_DE.UTF-8"}
	p := start(t, spec)
	if err := p.Stdin.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(p.Stdout)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		names[name] = value
	}
	for _, shellsOwn := range []string{"PWD", "SHLVL", "_", "OLDPWD"} {
		delete(names, shellsOwn)
	}
	if names["TOKEN"] != "given" || names["LANG"] != "de_DE.UTF-8" || names["PATH"] == "" {
		t.Errorf("environment %v", names)
	}
	for name := range names {
		switch name {
		case "PATH", "HOME", "LANG", "TOKEN":
		default:
			t.Errorf("the helper sees %s", name)
		}
	}
}

func TestStoppingKillsTheWholeGroup(t *testing.T) {
	t.Parallel()
	// The helper ignores the end of its input and SIGTERM, as does its child.
	p := start(t, shell("trap '' TERM; sh -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done' & wait; wait"))
	line, err := bufio.NewReader(p.Stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	p.Stop(20 * time.Millisecond)
	awaitGone(t, child)
	if got := p.Ending(); !strings.Contains(got, "killed") {
		t.Errorf("ending %q", got)
	}
}

func TestWhatAHelperLeavesBehindIsKilled(t *testing.T) {
	t.Parallel()
	p := start(t, shell("sleep 600 & echo $!; exit 3"))
	line, err := bufio.NewReader(p.Stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	awaitGone(t, child)
	if got := p.Ending(); got != "exit status 3" {
		t.Errorf("ending %q", got)
	}
}

// awaitGone waits until a process is gone or a zombie that nobody reaps.
func awaitGone(t *testing.T, pid int) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for time.Now().Before(deadline) {
		if syscall.Kill(pid, 0) != nil {
			return
		}
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(5 * time.Millisecond) // another program's end has no signal for us
	}
	t.Errorf("process %d lives on", pid)
}

func TestErrorOutputIsBoundedAndItsEndIsInTheEnding(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var lines []string
	spec := shell(
		`i=0; while [ $i -lt 500 ]; do echo "line $i" >&2; i=$((i+1)); done; printf '%05000d\n' 0 >&2; echo "no such option" >&2; exit 2`)
	spec.Stderr = func(line string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, line)
	}
	p := start(t, spec)
	<-p.Done()
	mu.Lock()
	defer mu.Unlock()
	if len(lines) > linesPerWindow+10 || !strings.HasPrefix(lines[len(lines)-1], "[") {
		t.Errorf("%d lines were handed on, the last %q", len(lines), lines[len(lines)-1])
	}
	ending := p.Ending()
	if !strings.HasPrefix(ending, "exit status 2: ") || !strings.HasSuffix(ending, "no such option") ||
		len(ending) > lastLines*(maxLine+10) {
		t.Errorf("ending of %d bytes: %.80q", len(ending), ending)
	}
}

func TestAProgramThatIsMissingIsAClearError(t *testing.T) {
	t.Parallel()
	_, err := Start(Spec{Command: "no-such-program-of-nanoclaw"})
	var failed *StartError
	if !errors.As(err, &failed) || !strings.Contains(err.Error(), "was not found in PATH") || !errors.Is(err,
		exec.ErrNotFound) {
		t.Errorf("error %v", err)
	}
}

// A helper must not outlive the server, however that ends: this test runs itself
// as a server that starts a helper and is killed.
func TestAHelperDiesWithTheServer(t *testing.T) {
	if os.Getenv("NANOCLAW_TEST_SERVER") != "" {
		p, err := Start(shell("trap '' TERM HUP; echo $$; while :; do sleep 1; done"))
		if err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(p.Stdout).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("helper " + line)
		select {}
	}
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("only Linux kills a program with its parent")
	}
	server := exec.Command(os.Args[0], "-test.run=^TestAHelperDiesWithTheServer$", "-test.v")
	server.Env = append(os.Environ(), "NANOCLAW_TEST_SERVER=1")
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(out)
	helper := 0
	for scanner.Scan() {
		if text, found := strings.CutPrefix(scanner.Text(), "helper "); found {
			if helper, err = strconv.Atoi(text); err != nil {
				t.Fatal(err)
			}
			break
		}
	}
	if helper == 0 {
		t.Fatal("the server started no helper")
	}
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = server.Wait() // killed, as it was told to be
	awaitGone(t, helper)
}
