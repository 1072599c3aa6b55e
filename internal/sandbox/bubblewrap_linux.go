package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"nanoclaw/internal/reexec"
)

// bubblewrap is the policy sandbox.
type bubblewrap struct {
	program  string // path of bwrap
	filter   []byte // seccomp
	sockets  []byte // seccomp, with Unix sockets
	landlock int    // version; 0: none
}

var _ Policy = (*bubblewrap)(nil)

const installBubblewrap = "install it (apt-get install bubblewrap), and let this user make user namespaces (sysctl " +
	"kernel.unprivileged_userns_clone=1, or an AppArmor profile for bwrap)"

// newBubblewrap finds bubblewrap and tries it once, since many kernels and
// containers have it but forbid its work.
func newBubblewrap(ctx context.Context) (Policy, error) {
	program, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, &UnavailableError{Policy: "sandbox", Reason: "bubblewrap is missing: " + installBubblewrap,
			Err: err}
	}
	filter, err := seccompProgram()
	if err != nil {
		return nil, err
	}
	sockets, err := seccompProgram(unix.AF_UNIX)
	if err != nil {
		return nil, err
	}
	b := &bubblewrap{program: program, filter: filter, sockets: sockets, landlock: landlockVersion()}
	probe, err := b.Start(ctx, Spec{Argv: []string{"/bin/true"}})
	if err != nil {
		return nil, err
	}
	defer probe.Close()
	select {
	case <-probe.Done():
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if code := probe.ExitCode(); code != 0 {
		return nil, &UnavailableError{Policy: "sandbox",
			Reason: fmt.Sprintf("bubblewrap cannot make a sandbox here (status %d): %s", code, installBubblewrap),
			Err:    b.explain(ctx)}
	}
	return b, nil
}

// explain runs a small sandbox for what bubblewrap says about it.
func (b *bubblewrap) explain(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, b.program, "--unshare-all", "--unshare-user", "--ro-bind", "/", "/",
		"/bin/true").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %.300s", err, out)
	}
	return nil
}

func (b *bubblewrap) Name() string { return "sandbox" }

func (b *bubblewrap) ProjectPath(string) string { return insideProject }

func (b *bubblewrap) Start(ctx context.Context, spec Spec) (Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if spec.UnixSockets && spec.Project != "" {
		return nil, errors.New("a process with Unix sockets cannot have a project: a socket in it leads out")
	}
	pipes, err := newPipes(spec.Pipes)
	if err != nil {
		return nil, err
	}
	group, err := newCgroup(spec.Limits)
	if err != nil {
		pipes.closeTheirs()
		pipes.closeOwn()
		return nil, err
	}
	l := &launch{descriptors: pipes.theirs}
	defer l.close()
	args, err := b.arguments(l, spec, group != nil)
	if err != nil {
		l.abandon()
		pipes.closeTheirs()
		pipes.closeOwn()
		group.remove()
		return nil, err
	}
	argv := group.joining(append([]string{b.program}, args...))
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = []string{"PATH=/usr/bin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setsid: true}
	setDescriptors(cmd, l.descriptors)
	info := l.info
	running, err := startChild(cmd, pipes, func(c *child, grace time.Duration) { stopNamespace(c, info, grace) },
		func() {
			_ = info.Close()
			group.remove()
		})
	if err != nil {
		l.abandon()
		return nil, fmt.Errorf("start bubblewrap: %w", err)
	}
	running.group = group
	running.disarms(l.names)
	if l.handover == nil {
		return running, nil
	}
	l.close() // the other end has to be the helper's alone
	defer l.handover.Close()
	listener, err := receiveListener(ctx, l.handover)
	if err != nil {
		running.Close()
		return nil, fmt.Errorf("start a sandbox with a proxy: %w", err)
	}
	running.atEnd(serveProxy(spec.Proxy, listener))
	return running, nil
}

func (b *bubblewrap) arguments(l *launch, spec Spec, wholeTree bool) ([]string, error) {
	args := []string{
		"--unshare-all", "--unshare-user", "--uid", "1000", "--gid", "1000", "--hostname", "sandbox",
		"--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv",
	}
	args = append(args, systemArgs()...)
	tempSize := spec.Limits.TempSize
	if tempSize <= 0 {
		tempSize = 64 << 20
	}
	args = append(args, kernelArgs(strconv.FormatInt(tempSize, 10))...)
	for _, file := range [][2]string{{"/etc/passwd", passwdFile}, {"/etc/group", groupFile},
		{"/etc/hosts", hostsFile}} {
		number, err := l.data([]byte(file[1]))
		if err != nil {
			return nil, err
		}
		args = append(args, "--ro-bind-data", number, file[0])
	}
	dir := "/tmp"
	if spec.Project != "" {
		bound, err := b.project(l, spec.Project, spec.Masked)
		if err != nil {
			return nil, err
		}
		args, dir = append(args, bound...), insideProject
	}
	if spec.Dir != "" {
		dir = spec.Dir
	}
	given := proxied(spec)
	if spec.Home != "" {
		args = append(args, "--bind", spec.Home, insideHome)
		given = withDefault(given, "HOME", insideHome)
	}
	for _, visible := range spec.Visible {
		args = append(args, "--ro-bind", visible, visible)
	}
	environment := environment(withDefault(given, "PATH", systemPath()))
	for _, name := range slices.Sorted(maps.Keys(environment)) {
		args = append(args, "--setenv", name, environment[name])
	}
	program := b.filter
	if spec.UnixSockets {
		program = b.sockets
	}
	filter, err := l.data(program)
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	l.info = r
	// The root is a small tmpfs that nothing needs to be written to.
	args = append(args, "--remount-ro", "/", "--seccomp", filter, "--info-fd", l.pass(w), "--chdir", dir, "--")
	helper, err := b.helper(l, spec)
	if err != nil {
		return nil, err
	}
	return append(append(args, helper...), limited(spec.Argv, spec.Limits, wholeTree)...), nil
}

// helper is the command line of this program as the first one inside, where there
// is work for it. Of the server's files it gets its own program alone, as a
// descriptor that it closes.
func (b *bubblewrap) helper(l *launch, spec Spec) ([]string, error) {
	if b.landlock < landlockOldest && spec.Proxy == nil {
		return nil, nil
	}
	orders, err := reexec.Args(insideHelper)
	if err != nil {
		return nil, err
	}
	program, err := os.Open("/proc/self/exe")
	if err != nil {
		return nil, fmt.Errorf("open this program: %w", err)
	}
	number := l.pass(program)
	args := append([]string{"/proc/self/fd/" + number}, orders...)
	args = append(args, "executable="+number, "landlock="+strconv.Itoa(b.landlock))
	if spec.NoTCP {
		args = append(args, "notcp")
	}
	if spec.Home != "" {
		args = append(args, "write="+insideHome)
	}
	for _, visible := range spec.Visible {
		args = append(args, "read="+visible)
	}
	if spec.Proxy != nil {
		own, theirs, err := newHandover()
		if err != nil {
			return nil, err
		}
		l.handover = own
		args = append(args, "handover="+l.pass(theirs))
	}
	return append(args, "--"), nil
}

// project binds a project and what is protected in it.
func (b *bubblewrap) project(l *launch, project string, masked []string) ([]string, error) {
	args := []string{"--bind", project, insideProject}
	protected, err := protect(project, masked)
	if err != nil {
		return nil, err
	}
	for _, one := range protected {
		inside := insideProject + "/" + one.path
		if one.masked {
			_ = one.file.Close() // opened for its place only
			if one.dir {
				args = append(args, "--perms", "0000", "--tmpfs", inside, "--remount-ro", inside)
			} else {
				// A device where devices do not work: it can neither be read nor written.
				args = append(args, "--ro-bind", "/dev/null", inside)
			}
			continue
		}
		option := "--bind-fd"
		if one.readOnly {
			option = "--ro-bind-fd"
		}
		args = append(args, option, l.pass(one.file), inside)
	}
	l.names = newDisarmer(project, protected)
	return args, nil
}

// stopNamespace asks what runs in the sandbox to end and kills what does not.
// With bubblewrap its PID namespace goes, so that nothing can stay.
func stopNamespace(c *child, info *os.File, grace time.Duration) {
	if grace > 0 && !c.exited(0) {
		if init := sandboxInit(info); init != 0 {
			askToEnd(c, init, grace)
		}
	}
	_ = c.cmd.Process.Signal(unix.SIGKILL) // it may have ended meanwhile
}

// sandboxInit is the id of the first process of the namespace; 0: unknown.
func sandboxInit(info *os.File) int {
	var facts struct {
		ChildPid int `json:"child-pid"`
	}
	_ = info.SetReadDeadline(time.Now().Add(time.Second)) // without it the read still ends with bubblewrap
	if json.NewDecoder(info).Decode(&facts) != nil {
		return 0
	}
	return facts.ChildPid
}

func (b *bubblewrap) Facts() []string {
	facts := []string{
		"Programs run in namespaces of their own (bubblewrap): no other processes, no network but a proxy where " +
			"shell.allow_hosts names hosts.",
		"The system is read-only; only the project and a small /tmp can be written.",
		"A seccomp filter forbids io_uring, ptrace, mounts, new namespaces, Unix sockets and the like.",
	}
	return append(facts, landlockFact(b.landlock), cgroupFact())
}

var cgroupFact = sync.OnceValue(func() string {
	roots := ownCgroups()
	if roots.version == 0 {
		return roots.reason + "."
	}
	return fmt.Sprintf("Control groups (version %d) bound memory, processors and processes of a whole session.",
		roots.version)
})
