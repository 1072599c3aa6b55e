package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"time"

	"nanoclaw/internal/sandbox"
)

// machine is what the checks ask the system for, so that tests can stand in for it.
type machine struct {
	look   func(program string) (path string, err error)
	output func(ctx context.Context, path string, args ...string) (string, error)
	get    func(ctx context.Context, url string) ([]byte, error)
	listen func(address string) error // says whether one could listen there
	open   func(ctx context.Context, s sandbox.Settings) (sandbox.Policy, error)
}

func (m machine) complete() machine {
	if m.look == nil {
		m.look = exec.LookPath
	}
	if m.output == nil {
		m.output = output
	}
	if m.get == nil {
		m.get = get
	}
	if m.listen == nil {
		m.listen = listen
	}
	if m.open == nil {
		m.open = sandbox.Open
	}
	return m
}

// output runs a program and returns what it says, on one line. The error of one
// that fails is what it says on its standard error.
func output(ctx context.Context, path string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.WaitDelay = time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return "", errors.New("it does not answer in time")
	}
	if said := firstLine(stderr.String()); err != nil && said != "" {
		err = errors.New(said)
	}
	return firstLine(stdout.String()), err
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

// getTime bounds a look at a server of this machine or its neighbourhood.
const getTime = 1500 * time.Millisecond

func get(ctx context.Context, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, getTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if response.StatusCode != http.StatusOK {
		var problem struct{ Detail string }
		if json.Unmarshal(body, &problem) == nil && problem.Detail != "" {
			return nil, fmt.Errorf("it answers %s: %s", response.Status, problem.Detail)
		}
		return nil, fmt.Errorf("it answers %s", response.Status)
	}
	return body, err
}

func listen(address string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return listener.Close()
}
