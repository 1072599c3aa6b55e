//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"
)

// protection is of denied names alone here: others are protected on Linux only.
type protection struct {
	path     string
	readOnly bool
	masked   bool
	dir      bool
}

func protect(project string, masked []string) (found []protection, err error) {
	for _, path := range masked {
		info, err := os.Lstat(filepath.Join(project, path))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		found = append(found, protection{path: path, readOnly: true, masked: true, dir: info.IsDir()})
	}
	return found, nil
}

func closeProtected([]protection) {}

// askToEnd has nothing to ask: the engine's processes are in its own machine.
func askToEnd(*child, int, time.Duration) {}

// dockerProfile is the engine's own filter here.
func dockerProfile() ([]byte, error) { return nil, nil }

// listenInside is refused here: the engine runs in a machine of its own, into
// whose networks no socket of this one reaches.
func (*docker) listenInside(context.Context, string) (net.Listener, error) {
	return nil, errors.New("shell.allow_hosts needs Linux with policy docker: leave it empty")
}

// disarmer does nothing here.
type disarmer struct{}

func newDisarmer(string, []protection) *disarmer { return nil }
func (*disarmer) settle()                        {}
func (*disarmer) finish()                        {}

// cgroup is never there.
type cgroup struct{}

func (*cgroup) load() Load { return Load{Processes: -1} }
