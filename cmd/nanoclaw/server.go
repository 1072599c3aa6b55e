package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"nanoclaw/internal/app"
	"nanoclaw/internal/config"
	"nanoclaw/internal/datadir"
)

// server is where the API is for the time of one command.
type server struct {
	p          *program
	source     config.Source
	config     *config.Config
	projectDir string    // that the person named: a server of ours may open it; empty: none
	log        io.Writer // of a server of ours

	url  string
	ours bool         // it runs in this process, for this command alone
	end  func() error // of ours
}

const (
	// ownerTimeout is how long another process that owns the data may take until
	// it serves.
	ownerTimeout = 10 * time.Second
	ownerPause   = 50 * time.Millisecond
	// takeOverAfter is the number of failed attempts, about five seconds, after which
	// a server counts as gone for good and not as being started anew.
	takeOverAfter = 6
)

// connect finds the server that owns the data directory, or runs one in this process.
func (p *program) connect(ctx context.Context, source config.Source, projectDir string,
	log io.Writer) (*server, error) {
	c, _, err := source.Load()
	if err != nil {
		return nil, err
	}
	s := &server{p: p, source: source, config: c, projectDir: projectDir, log: log}
	return s, s.find(ctx)
}

// find waits for the owner of the data, or starts a server where there is none.
func (s *server) find(ctx context.Context) error {
	timeout := time.After(ownerTimeout)
	for {
		owner, err := s.p.owner(s.config.DataDir)
		switch {
		case err != nil:
			return err
		case owner != nil && owner.URL != "":
			s.url = owner.URL
			return nil
		case owner == nil:
			err := s.start(ctx)
			var taken *datadir.LockedError
			if !errors.As(err, &taken) {
				return err
			}
			// Another process was faster: it will say where it serves.
		}
		select {
		case <-time.After(ownerPause):
		case <-timeout:
			return fmt.Errorf("%s does not say where it serves: wait until it ends", ownerName(owner, s.config.DataDir))
		case <-ctx.Done():
			return errStopped
		}
	}
}

// locate is client.locate: the server may have been started anew elsewhere. When
// it stays away, as one does that ran for a command that has ended, the run goes on
// in this process.
func (s *server) locate(ctx context.Context, api *client, failed int) error {
	if s.ours {
		return nil
	}
	owner, err := s.p.owner(s.config.DataDir)
	switch {
	case err != nil:
		return err
	case owner != nil && owner.URL != "":
		s.url = owner.URL
	case owner == nil && failed >= takeOverAfter:
		var taken *datadir.LockedError
		if err := s.start(ctx); err != nil && !errors.As(err, &taken) {
			return err
		}
	}
	api.moveTo(s.url)
	return nil
}

// stop ends a server of ours.
func (s *server) stop() error {
	if !s.ours {
		return nil
	}
	return s.end()
}

func ownerName(owner *datadir.Owner, dir string) string {
	if owner == nil || owner.PID == 0 {
		return "the process that owns " + dir
	}
	return fmt.Sprintf("process %d, which owns %s,", owner.PID, dir)
}

// start runs a server in this process until stop is called.
func (s *server) start(ctx context.Context) error {
	source := s.source
	source.Flags.Listen = "127.0.0.1:0"
	if _, said := s.p.env("NANOCLAW_LOG_LEVEL"); !said {
		source.Flags.LogLevel = "error" // what a run meets shows in its events
	}
	remove := func() error { return nil }
	if s.projectDir != "" {
		var err error
		if source.Path, remove, err = allowProject(source, s.config, s.projectDir); err != nil {
			return err
		}
	}
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	token := s.p.token()
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- s.p.serveApp(serving, app.ServeOptions{
			Source: source, Version: version, Log: s.log, DecisionToken: token,
			Ready: func(url string) { ready <- url },
		})
	}()
	end := func() error {
		cancel()
		return errors.Join(<-ended, remove())
	}
	select {
	case url := <-ready:
		s.url, s.ours, s.end = url, true, end
		return nil
	case err := <-ended:
		cancel()
		if err == nil {
			err = errors.New("the server ended at once")
		}
		return errors.Join(err, remove())
	case <-ctx.Done():
		return errors.Join(errStopped, end())
	}
}

// allowProject is a copy of the configuration that allows one more directory as a
// project. It is for this command alone: the file itself is not changed.
func allowProject(source config.Source, c *config.Config, dir string) (path string, remove func() error, err error) {
	name, explicit := source.File()
	text, err := os.ReadFile(name)
	if err != nil && (explicit || !errors.Is(err, os.ErrNotExist)) {
		return "", nil, fmt.Errorf("read the configuration: %w", err)
	}
	roots := []any{escapeVariables(dir)}
	for _, root := range c.ProjectRoots {
		roots = append(roots, escapeVariables(root))
	}
	text, err = source.Edit(text, map[string]any{"project_roots": roots})
	if err != nil {
		return "", nil, fmt.Errorf("allow the project %s for this command: %w", dir, err)
	}
	// A directory of its own: the server watches the one that its file lies in.
	copyDir, err := os.MkdirTemp("", "nanoclaw-run-*")
	if err != nil {
		return "", nil, fmt.Errorf("keep the configuration of this command: %w", err)
	}
	remove = func() error { return os.RemoveAll(copyDir) }
	path = filepath.Join(copyDir, "config.yml")
	err = config.Save(path, text)
	if secrets, readErr := os.ReadFile(config.SecretsFile(name)); readErr == nil {
		err = errors.Join(err, config.Save(config.SecretsFile(path), secrets))
	}
	if err != nil {
		return "", nil, errors.Join(fmt.Errorf("keep the configuration of this command: %w", err), remove())
	}
	return path, remove, nil
}

// escapeVariables keeps a path's dollar signs from being read as variables.
func escapeVariables(path string) string { return strings.ReplaceAll(path, "$", "$$") }
