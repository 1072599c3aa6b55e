package process

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

func init() { runtime.LockOSThread() } // Adopt needs the first thread

// TestMain makes the test binary a server where a test starts it as one.
func TestMain(m *testing.M) {
	if os.Getenv("NANOCLAW_TEST_CALLER") == "" {
		os.Exit(m.Run())
	}
	code, err := Adopt(answerCallers)
	if err != nil {
		fmt.Println(err)
	}
	os.Exit(code)
}

// answerCallers prints its address, runs each line of its input as a script, and
// prints who sent each line that is sent to it: "Below hello".
func answerCallers() int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 1
	}
	fmt.Println(listener.Addr())
	go func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			if lines.Text() == "connect" {
				if own, err := net.Dial("tcp", listener.Addr().String()); err == nil {
					fmt.Fprintln(own, "myself")
				}
				continue
			}
			script := exec.Command("bash", "-c", lines.Text())
			script.Env = append(os.Environ(), "PORT="+strconv.Itoa(listener.Addr().(*net.TCPAddr).Port))
			if script.Start() == nil {
				go func() { fmt.Println("script ended:", script.Wait()) }()
			}
		}
		os.Exit(0)
	}()
	for {
		connection, err := listener.Accept()
		if err != nil {
			return 1
		}
		line, err := bufio.NewReader(connection).ReadString('\n')
		if err != nil {
			continue
		}
		here := netip.MustParseAddrPort(connection.LocalAddr().String())
		there := netip.MustParseAddrPort(connection.RemoteAddr().String())
		fmt.Println([]string{"Unknown", "Below", "Outside"}[CallerOf(here, there)], strings.TrimSpace(line))
		_ = connection.Close()
	}
}

type callerServer struct {
	t       *testing.T
	cmd     *exec.Cmd
	in      io.Writer
	out     *bufio.Scanner
	address string
}

func startCallerServer(t *testing.T) *callerServer {
	t.Helper()
	s := &callerServer{t: t, cmd: exec.Command(os.Args[0])}
	s.cmd.Env = append(os.Environ(), "NANOCLAW_TEST_CALLER=1")
	in, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.in, s.out = in, bufio.NewScanner(out)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = s.cmd.Wait()
	})
	s.address = s.line()
	return s
}

func (s *callerServer) line() string {
	s.t.Helper()
	if !s.out.Scan() {
		s.t.Fatal("the server ended")
	}
	return s.out.Text()
}

// answer is the next line that is about a caller.
func (s *callerServer) answer() string {
	s.t.Helper()
	for {
		if line := s.line(); !strings.HasPrefix(line, "script ended") {
			return line
		}
	}
}

// onTheWay is Python that sends its line on a socket which no process holds then: it
// is on its way through a socket pair.
const onTheWay = `
import array, os, socket, time
c = socket.create_connection(("127.0.0.1", int(os.environ["PORT"])))
c.send(b"on the way\n")
a, b = socket.socketpair()
a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [c.fileno()]))])
c.close()
time.sleep(10)`

// Issue 10, point 2: what a tool started is found however it was detached; who is not
// below the server is not taken for it.
func TestCallersAreToldByWhatTheyDescendFrom(t *testing.T) {
	t.Parallel()
	s := startCallerServer(t)
	const say = `exec 3<>/dev/tcp/127.0.0.1/$PORT; echo %s >&3; read -r <&3`
	for name, script := range map[string]string{
		"child":      say,
		"background": `(` + say + `) & wait`,
		"orphan":     `( (` + say + `) & ) & exit`,
		"session":    `setsid -f bash -c '` + say + `'`,
		"nohup":      `nohup setsid bash -c '(` + say + `) & exit' >/dev/null 2>&1 & exit`,
		"killed":     `bash -c '(trap "" HUP TERM; sleep 0.2; ` + say + `) & wait' & pid=$!; sleep 0.05; kill -9 $pid`,
	} {
		fmt.Fprintf(s.in, script+"\n", name)
		if got := s.answer(); got != "Below "+name {
			t.Errorf("%s: %q", name, got)
		}
	}
	for range 2 {
		connection, err := net.Dial("tcp", s.address)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(connection, "a person")
		if got := s.answer(); got != "Outside a person" {
			t.Error(got)
		}
		_ = connection.Close()
	}
	// The server connects for others too: its proxy does.
	fmt.Fprintln(s.in, "connect")
	if got := s.answer(); got != "Unknown myself" {
		t.Error(got)
	}
	// A socket that no process holds is nobody's.
	fmt.Fprintf(s.in, "python3 -c \"$(echo %s | base64 -d)\"\n", base64.StdEncoding.EncodeToString([]byte(onTheWay)))
	if got := s.answer(); got == "Outside on the way" || !strings.HasSuffix(got, "on the way") {
		t.Error(got)
	}
}

// What is adopted is reaped, and what this program started itself keeps its status.
func TestOrphansAreReapedAndChildrenKeepTheirStatus(t *testing.T) {
	t.Parallel()
	s := startCallerServer(t)
	for range 20 {
		fmt.Fprintln(s.in, `( (exit 0) & (exit 1) & ) & exit 3`)
	}
	for range 20 {
		if got := s.line(); got != "script ended: exit status 3" {
			t.Error(got)
		}
	}
	var left []int
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		left = left[:0]
		for id, parent := range parentsOfAll() {
			if parent == s.cmd.Process.Pid {
				left = append(left, id)
			}
		}
		if len(left) == 0 {
			return
		}
	}
	t.Errorf("still there: %v", left)
}

// Without Adopt, as in this process, nobody is taken for a person.
func TestWithoutAdoptionNobodyIsOutside(t *testing.T) {
	t.Parallel()
	a := netip.MustParseAddrPort("127.0.0.1:1")
	if got := CallerOf(a, netip.MustParseAddrPort("203.0.113.1:2")); got != Unknown {
		t.Error(got)
	}
}
