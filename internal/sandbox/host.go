package sandbox

import (
	"context"
	"errors"
	"maps"
	"os"
)

// host is the policy without isolation. Its processes see the server's files,
// network and processes; only their environment is their own.
type host struct{}

var _ Policy = host{}

func (host) Name() string { return "host" }

func (host) ProjectPath(project string) string { return project }

func (h host) Start(ctx context.Context, spec Spec) (Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(spec.Argv) == 0 {
		return nil, errors.New("start a process: there is no command")
	}
	if spec.Dir == "" {
		spec.Dir = spec.Project
	}
	if spec.Dir == "" {
		spec.Dir = os.TempDir()
	}
	return startOnHost(spec)
}

// hostEnvironment is the environment of a process on the host.
func hostEnvironment(spec Spec) []string {
	all := map[string]string{"HOME": os.TempDir()}
	if path := os.Getenv("PATH"); path != "" {
		all["PATH"] = joinPath(path, systemPath())
	}
	if spec.Home != "" {
		all["HOME"] = spec.Home
	}
	maps.Copy(all, spec.Env)
	var list []string
	for name, value := range environment(all) {
		list = append(list, name+"="+value)
	}
	return list
}
