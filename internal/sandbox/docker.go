package sandbox

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// docker is the policy docker. Containers are started by the engine, which is no
// child of the server: their descriptors are named pipes in a directory that the
// container sees, and what a killed server leaves behind is found by its label.
type docker struct {
	program string
	image   string
	filter  []byte // seccomp profile; empty: the engine's own
}

var _ Policy = (*docker)(nil)

const (
	// dockerLabel names the process that started a container.
	dockerLabel = "nanoclaw.sandbox"
	// insidePipes is where a container finds its descriptors.
	insidePipes   = "/run/nanoclaw"
	installDocker = "install Docker Engine (apt-get install docker.io), start it, and let this user use it " +
		"(group docker)"
	dockerTimeout = 30 * time.Second
)

// newDocker finds the engine and the image, and removes containers of servers that are gone.
func newDocker(ctx context.Context, image string) (Policy, error) {
	if image == "" {
		return nil, &UnavailableError{Policy: "docker", Reason: "no image is configured (shell.image)"}
	}
	program, err := exec.LookPath("docker")
	if err != nil {
		return nil, &UnavailableError{Policy: "docker", Reason: "the program docker is missing: " + installDocker,
			Err: err}
	}
	d := &docker{program: program, image: image}
	if _, err := d.engine(ctx, "version", "--format", "{{.Server.Version}}"); err != nil {
		return nil, &UnavailableError{Policy: "docker", Reason: "the Docker engine does not answer: " + installDocker,
			Err: err}
	}
	if _, err := d.engine(ctx, "image", "inspect", "--format", "{{.Id}}", image); err != nil {
		return nil, &UnavailableError{Policy: "docker",
			Reason: fmt.Sprintf("the image %s is not there: docker pull %s, or configure another one (shell.image)",
				image, image), Err: err}
	}
	if d.filter, err = dockerProfile(); err != nil {
		return nil, err
	}
	if err := d.removeLeftovers(ctx); err != nil {
		return nil, err
	}
	return d, nil
}

// engine runs a command of the client and returns what it prints.
func (d *docker) engine(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, dockerTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, d.program, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("docker %s: %w: %.500s", args[0], err, strings.TrimSpace(errs.String()))
	}
	return strings.TrimSpace(out.String()), nil
}

// removeLeftovers removes containers whose server is gone.
func (d *docker) removeLeftovers(ctx context.Context) error {
	list, err := d.engine(ctx, "ps", "-a", "--filter", "label="+dockerLabel, "--format",
		`{{.ID}} {{.Label "`+dockerLabel+`"}}`)
	if err != nil {
		return err
	}
	for line := range strings.Lines(list) {
		id, owner, _ := strings.Cut(strings.TrimSpace(line), " ")
		if ownerLives(owner) {
			continue
		}
		if _, err := d.engine(ctx, "rm", "-f", id); err != nil && !strings.Contains(err.Error(), "No such container") &&
			!strings.Contains(err.Error(), "already in progress") {
			return err
		}
	}
	return nil
}

func (d *docker) Name() string { return "docker" }

func (d *docker) ProjectPath(string) string { return insideProject }

func (d *docker) Start(ctx context.Context, spec Spec) (Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	fifos, err := newFifos(spec.Pipes, spec.Proxy != nil)
	if err != nil {
		return nil, err
	}
	name := "nanoclaw-" + strings.ToLower(rand.Text())
	args, names, err := d.arguments(spec, name, fifos)
	if err != nil {
		fifos.close()
		return nil, err
	}
	// The client stays until the container ends and knows its exit status.
	cmd := exec.Command(d.program, args...)
	refusal := NewCapture(2 << 10) // bounded: what runs in the container can write to it
	cmd.Stderr = refusal
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	c, err := startChild(cmd, &pipes{own: fifos.own}, func(c *child, grace time.Duration) {
		d.stopContainer(c, name,
			grace)
	}, nil)
	if err != nil {
		fifos.close()
		return nil, fmt.Errorf("start docker: %w", err)
	}
	c.disarms(names)
	if err := fifos.wait(ctx, c.done); err != nil {
		c.Close()
		return nil, fmt.Errorf("start a container: %w: %.500s", err, strings.TrimSpace(refusal.String()))
	}
	if spec.Proxy != nil {
		listener, err := d.listenInside(ctx, name)
		if err != nil {
			c.Close()
			return nil, fmt.Errorf("start a container with a proxy: %w", err)
		}
		c.atEnd(serveProxy(spec.Proxy, listener))
		fifos.letGo()
	}
	return c, nil
}

// arguments are those of docker run. The profile lies beside the named pipes, and
// goes with them.
func (d *docker) arguments(spec Spec, name string, f *fifos) (_ []string, names *disarmer, _ error) {
	l := spec.Limits
	temp := l.TempSize
	if temp <= 0 {
		temp = 64 << 20
	}
	args := []string{
		"run", "--rm", "--name", name, "--label", dockerLabel + "=" + ownerName(), "--init", "--cap-drop", "ALL",
		"--security-opt", "no-new-privileges",
		"--read-only", "--network", "none", "--ipc", "none", "--hostname", "sandbox", "--user", fmt.Sprintf("%d:%d",
			containerUser(), containerGroup()),
		"--tmpfs", fmt.Sprintf("/tmp:rw,nosuid,nodev,mode=1777,size=%d", temp), "--ulimit", "core=0", "--log-driver",
		"none", "--pull", "never",
		"--volume", f.dir + ":" + insidePipes + ":ro",
	}
	if len(d.filter) > 0 {
		profile := filepath.Join(f.dir, "seccomp.json")
		if err := os.WriteFile(profile, d.filter, 0o600); err != nil {
			return nil, nil, fmt.Errorf("write the seccomp profile: %w", err)
		}
		args = append(args, "--security-opt", "seccomp="+profile)
	}
	limit := func(flag string, value int64, text string) {
		if value > 0 {
			args = append(args, flag, text)
		}
	}
	limit("--memory", l.Memory, strconv.FormatInt(l.Memory, 10))
	limit("--memory-swap", l.Memory, strconv.FormatInt(l.Memory, 10))
	limit("--pids-limit", int64(l.Processes), strconv.Itoa(l.Processes+enginesOwn))
	limit("--cpus", int64(l.CPUs*1000), strconv.FormatFloat(min(l.CPUs, float64(runtime.NumCPU())), 'f', 2, 64))
	dir := "/tmp"
	if spec.Project != "" {
		args, dir = append(args, "--volume", spec.Project+":"+insideProject+":rw"), insideProject
		protected, err := protect(spec.Project, spec.Masked)
		if err != nil {
			return nil, nil, err
		}
		defer closeProtected(protected)
		names = newDisarmer(spec.Project, protected)
		for _, one := range protected {
			inside := insideProject + "/" + one.path
			if one.masked && one.dir {
				args = append(args, "--tmpfs", inside+":ro,size=4k,mode=0000")
				continue
			}
			if one.masked {
				args = append(args, "--volume", "/dev/null:"+inside+":ro")
				continue
			}
			mode := ":rw"
			if one.readOnly {
				mode = ":ro"
			}
			args = append(args, "--volume", filepath.Join(spec.Project, one.path)+":"+inside+mode)
		}
	}
	if spec.Dir != "" {
		dir = spec.Dir
	}
	given := proxied(spec)
	if spec.Home != "" {
		args = append(args, "--volume", spec.Home+":"+insideHome+":rw")
		given = withDefault(given, "HOME", insideHome)
	}
	for _, visible := range spec.Visible {
		args = append(args, "--volume", visible+":"+visible+":ro")
	}
	environment := environment(given)
	if _, said := given["PATH"]; !said {
		delete(environment, "PATH") // the image knows where its programs are
	}
	for _, key := range slices.Sorted(maps.Keys(environment)) {
		args = append(args, "--env", key+"="+environment[key])
	}
	command := limited(spec.Argv, Limits{CPUTime: l.CPUTime, FileSize: l.FileSize, OpenFiles: l.OpenFiles,
		AddressSpace: l.AddressSpace}, true)
	args = append(args, "--workdir", dir, "--entrypoint", "/bin/bash", d.image, "--noprofile", "--norc", "-c",
		f.redirections()+`mkdir -p "$HOME"; exec "$@"`, "descriptors")
	return append(args, command...), names, nil
}

// containerUser is who commands run as: the server's own user, so that files in
// the project stay its files; as root there is one without rights elsewhere.
func containerUser() int { return os.Getuid() }

func containerGroup() int { return os.Getgid() }

// stopContainer asks what runs in the container to end and kills what does not.
func (d *docker) stopContainer(c *child, name string, grace time.Duration) {
	if c.exited(0) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), dockerTimeout)
	defer cancel()
	if grace > 0 {
		if pid, err := d.engine(ctx, "inspect", "--format", "{{.State.Pid}}", name); err == nil {
			if init, err := strconv.Atoi(pid); err == nil && init > 0 {
				askToEnd(c, init, grace)
			}
		}
	}
	for !c.exited(0) {
		// Until the engine has made the container there is nothing to kill.
		_, err := d.engine(ctx, "kill", name)
		if c.exited(50*time.Millisecond) || ctx.Err() != nil {
			break
		}
		if err != nil {
			_, _ = d.engine(ctx, "rm", "-f", name) // created, but not running
		}
	}
	_ = c.cmd.Process.Signal(unix.SIGKILL) // the client; it may have ended meanwhile
}

func (d *docker) Facts() []string {
	return []string{
		"Programs run in a container of the image " + d.image +
			" without capabilities and without a network but a proxy where shell.allow_hosts names hosts.",
		"The image is read-only; only the project and a small /tmp can be written.",
		"The engine bounds memory, processors and processes; a seccomp filter forbids io_uring, ptrace, mounts, new " +
			"namespaces, Unix sockets and the like.",
	}
}
