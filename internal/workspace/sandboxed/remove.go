package sandboxed

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"nanoclaw/internal/workspace"
	"nanoclaw/internal/workspace/remote"
)

// ErrElsewhere says that another process has a sandbox.
var ErrElsewhere = errors.New("another process has the sandbox")

// errRemoved is what opening a sandbox fails with while it is removed.
var errRemoved = workspace.Errorf(workspace.CodeUnavailable, "", "these files are being deleted")

// Here are the sandboxes of some scopes that this machine has anything of.
func (s *Sandboxes) Here(scopes []string) ([]remote.Namespace, error) {
	byDir := make(map[string]string, len(scopes))
	for _, scope := range scopes {
		byDir[scopeDir(scope)] = scope
	}
	projects, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("look for sandboxes: %w", err)
	}
	var found []remote.Namespace
	for _, project := range projects {
		dirs, err := os.ReadDir(filepath.Join(s.Dir, project.Name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("look for sandboxes: %w", err)
		}
		for _, dir := range dirs {
			name, _, _ := strings.Cut(dir.Name(), ".") // behind it: put aside, or not yet made
			if scope, wanted := byDir[name]; wanted {
				found = append(found, remote.Namespace{Project: project.Name(), Scope: scope})
			}
		}
	}
	return found, nil
}

// HasProject says whether this machine has a sandbox of a project.
func (s *Sandboxes) HasProject(project string) bool {
	if checkProject(project) != nil {
		return false
	}
	_, err := os.Lstat(filepath.Join(s.Dir, project))
	return err == nil
}

// Remove deletes a sandbox on this machine, whoever uses it, and calls more while nobody can
// open it. ErrElsewhere: another process has it, and nothing was deleted.
func (s *Sandboxes) Remove(ctx context.Context, ns remote.Namespace, more func(context.Context) error) error {
	if err := checkProject(ns.Project); err != nil {
		return err
	}
	sb, err := s.seize(ctx, ns)
	if err != nil {
		return err
	}
	sb.failed = errRemoved
	defer close(sb.ready)
	defer s.forget(sb)
	taken, err := s.Leases.Take(ctx, sb.leaseName())
	if err != nil {
		return err
	}
	if !taken {
		return ErrElsewhere
	}
	err = errors.Join(sb.removeDirs(), more(ctx))
	return errors.Join(err, s.Leases.Drop(context.WithoutCancel(ctx), sb.leaseName()))
}

// seize returns the sandbox of a namespace as one that nobody has yet, and that nobody gets
// until its ready is closed. Where this process has it, that ends.
func (s *Sandboxes) seize(ctx context.Context, ns remote.Namespace) (*sandbox, error) {
	for {
		sb, mine, err := s.find(ns)
		if mine || err != nil {
			return sb, err
		}
		if err := await(ctx, sb.ready); err != nil {
			return nil, err
		}
		if sb.failed != nil {
			continue // it is forgotten by now
		}
		if err := sb.abandon(ctx); err != nil {
			return nil, err
		}
	}
}

// removeDirs removes its directory, and those beside it that were put aside.
func (sb *sandbox) removeDirs() error {
	project, name := filepath.Split(sb.dir)
	dirs, err := os.ReadDir(project)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove a sandbox: %w", err)
	}
	left := len(dirs)
	for _, dir := range dirs {
		if dir.Name() != name && !strings.HasPrefix(dir.Name(), name+".") {
			continue
		}
		if err := removeAll(filepath.Join(project, dir.Name())); err != nil {
			return fmt.Errorf("remove a sandbox: %w", err)
		}
		left--
	}
	if left == 0 {
		_ = os.Remove(project) // another sandbox may be there by now
	}
	return nil
}

// RemoveProject deletes the sandboxes of a project on this machine. Their snapshots are
// the store's to remove.
func (s *Sandboxes) RemoveProject(ctx context.Context, project string) error {
	if err := checkProject(project); err != nil {
		return err
	}
	for _, sb := range s.held() {
		if sb.ns.Project == project {
			if err := sb.abandon(ctx); err != nil {
				return err
			}
		}
	}
	return removeAll(filepath.Join(s.Dir, project))
}

func checkProject(id string) error {
	if !filepath.IsLocal(id) || filepath.Base(id) != id || id == "." {
		return fmt.Errorf("the project id %q cannot name a directory", id)
	}
	return nil
}

// removeAll removes a directory, also where commands took away the right to.
func removeAll(dir string) error {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	if os.Geteuid() != 0 {
		makeWritable(root)
	}
	return os.RemoveAll(dir)
}
