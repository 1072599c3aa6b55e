package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"

	"nanoclaw/bench/peers/peer"
)

// process is a peer at work, a process of its own.
type process struct {
	cmd   *exec.Cmd
	stdin io.Closer
	work  func(context.Context, peer.Job) (peer.Report, error)
}

// startPeer starts a peer that speaks the protocol of package peer.
func startPeer(ctx context.Context, modelURL, dir string, command ...string) (*process, error) {
	p := &process{cmd: exec.CommandContext(ctx, command[0], command[1:]...)}
	p.cmd.Env = append(os.Environ(), "MODEL_URL="+modelURL, "PEER_DATA="+dir, "NODE_ENV=production")
	p.cmd.Stderr = os.Stderr
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.stdin = stdin
	reports := json.NewDecoder(bufio.NewReader(stdout))
	p.work = func(_ context.Context, job peer.Job) (report peer.Report, err error) {
		if err := json.NewEncoder(stdin).Encode(job); err != nil {
			return report, err
		}
		return report, reports.Decode(&report)
	}
	return p, p.cmd.Start()
}

// cpu is the processor time that the process has used, all its threads together.
func (p *process) cpu() (time.Duration, error) {
	// CPUCLOCK_SCHED of another process: see clock_getcpuclockid(3).
	clock := int32(^p.cmd.Process.Pid)<<3 | 2
	var now unix.Timespec
	if err := unix.ClockGettime(clock, &now); err != nil {
		return 0, fmt.Errorf("processor time of %s: %w", p.cmd.Path, err)
	}
	return time.Duration(now.Nano()), nil
}

func (p *process) stop() {
	p.stdin.Close()
	p.cmd.Process.Signal(unix.SIGTERM)
	p.cmd.Wait()
}
