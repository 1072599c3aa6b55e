package programs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/tools"
)

// homesDir holds, below data_dir, a HOME for each project: what programs keep there
// (caches, settings) lasts from session to session. It is nobody's own, is in no
// backup, and goes with the project.
const homesDir = "homes"

// homePath is where the HOME of a project is; empty: there is none.
func homePath(c *config.Config, projectID string) (string, error) {
	if projectID == "" {
		return "", nil
	}
	if !filepath.IsLocal(projectID) || strings.ContainsAny(projectID, `/\`) {
		return "", tools.Errorf(tools.CodeInternal, "the project id %q cannot name a directory", projectID)
	}
	return filepath.Abs(filepath.Join(c.DataDir, homesDir, projectID))
}

// readyHome makes the HOME of a project's new session. One that is over its limit
// is emptied first.
func (s *Service) readyHome(ctx context.Context, c *config.Config, home, userID string) error {
	if home == "" {
		return nil
	}
	if homeOver(ctx, home, c.Shell.HomeSize) != nil {
		if err := removeTree(home); err != nil {
			return fmt.Errorf("empty the home directory of the project's commands: %w", err)
		}
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return fmt.Errorf("make the home directory of the project's commands: %w", err)
	}
	// The lowest of Git's settings: those of a repository win over them.
	settings, err := os.OpenFile(filepath.Join(home, ".gitconfig"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("write Git's settings: %w", err)
	}
	name, email := s.identity(ctx, userID)
	_, err = fmt.Fprintf(settings, "[user]\n\tname = \"%s\"\n\temail = \"%s\"\n", gitQuoted(name), gitQuoted(email))
	return errors.Join(err, settings.Close())
}

var gitQuote = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ", "\r", " ", "\x00", "")

func gitQuoted(text string) string { return gitQuote.Replace(text) }

// identity is whose commits those of the commands are: the server's own Git user,
// else the user.
func (s *Service) identity(ctx context.Context, userID string) (name, email string) {
	name, email = hostIdentity()
	if name == "" && s.UserName != nil {
		name = s.UserName(ctx, userID)
	}
	if name == "" {
		name = "NanoClaw"
	}
	if email == "" {
		email = "nanoclaw@localhost"
	}
	return name, email
}

// hostIdentity is the Git user of the server's account; empty: there is none.
var hostIdentity = sync.OnceValues(func() (name, email string) {
	ask := func(key string) string {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, "git", "config", "--global", "--get", key)
		cmd.Dir = "/"
		out, err := cmd.Output()
		if err != nil {
			return "" // no Git, or no such setting
		}
		return strings.TrimSpace(string(out))
	}
	return ask("user.name"), ask("user.email")
})

// commandEnv is the environment of a session. One without a HOME that lasts has
// Git's user there.
func (s *Service) commandEnv(ctx context.Context, c *config.Config, call tools.Call) map[string]string {
	if call.ProjectID != "" {
		return c.Shell.Env
	}
	name, email := s.identity(ctx, call.UserID)
	env := map[string]string{"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": email, "GIT_COMMITTER_NAME": name,
		"GIT_COMMITTER_EMAIL": email}
	maps.Copy(env, c.Shell.Env)
	return env
}

// watchHome ends a context when a HOME grows over its limit; over is then that error.
// Looking takes at most a small share of the time.
func (s *Service) watchHome(ctx context.Context, c *config.Config, home string) (_ context.Context,
	stop func() (over error)) {
	if home == "" {
		return ctx, func() error { return nil }
	}
	running, cancel := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for pause := time.Second; ; {
			select {
			case <-running.Done():
				return
			case <-time.After(pause):
			}
			began := time.Now()
			if err := homeOver(running, home, c.Shell.HomeSize); err != nil && running.Err() == nil {
				cancel(err)
				return
			}
			pause = max(time.Second, 20*time.Since(began))
		}
	}()
	return running, func() error {
		cancel(nil)
		<-watched
		if cause := context.Cause(running); tools.CodeOf(cause) == quotaExceeded {
			return cause
		}
		return nil
	}
}

// homeOver says that a HOME is larger than it may be, or cannot be measured.
func homeOver(ctx context.Context, home string, limit config.Size) error {
	var total int64
	err := filepath.WalkDir(home, func(_ string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it went meanwhile, or there is none yet
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return nil // it went meanwhile
		}
		total += max(info.Size(), 4096) // a small file takes room too
		if total > limit.Bytes() {
			return fs.SkipAll
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		return tools.Errorf(quotaExceeded,
			"the home directory of commands (~) cannot be measured: %v. It is emptied before the next session", err)
	}
	if total > limit.Bytes() {
		return tools.Errorf(quotaExceeded,
			"the home directory of commands (~) has more than %s (shell.home_size): the command was stopped, and the "+
				"directory is emptied before the next session. "+
				"Keep large files in the project", limit)
	}
	return nil
}

// removeTree removes a directory, also where programs took away the right to.
func removeTree(dir string) error {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	// What cannot be changed shows when it is removed.
	_ = fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.IsDir() {
			_ = root.Chmod(path, 0o700)
		}
		return nil
	})
	return errors.Join(root.Close(), os.RemoveAll(dir))
}

// EndConversation ends what runs for a conversation: its shells with all they started.
func (s *Service) EndConversation(ctx context.Context, conversationID string) error {
	return s.sessions.End(ctx, func(key string) bool { return strings.HasPrefix(key, conversationID+"\x00") })
}

// EndIn ends what runs in a directory of this machine.
func (s *Service) EndIn(ctx context.Context, dir string) error {
	return s.sessions.End(ctx, func(key string) bool { return strings.Contains(key, "\x00"+dir+"\x00") })
}

// EndProject ends what runs in a project, and removes the HOME of its commands.
func (s *Service) EndProject(ctx context.Context, projectID string) error {
	err := s.sessions.End(ctx, func(key string) bool { return strings.HasSuffix(key, "\x00"+projectID) })
	home, failed := homePath(s.Live.Current(), projectID)
	if failed == nil && home != "" {
		failed = removeTree(home)
	}
	return errors.Join(err, failed)
}
