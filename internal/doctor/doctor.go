package doctor

import (
	"context"
	"sync"
	"time"

	"nanoclaw/internal/config"
)

// Status is the outcome of a check.
type Status string

// The outcomes. Warn: something works less well, or not at all, that the server
// itself does not need.
const (
	OK   Status = "ok"
	Warn Status = "warn"
	Fail Status = "fail"
)

// Check is one thing that was looked at. Hint says how to get what is missing;
// empty where nothing is.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Detail string `json:"detail"`
	Hint   string `json:"hint,omitempty"`
}

// Report is all checks, in a fixed order.
type Report struct {
	OK     bool    `json:"ok"` // nothing that is needed failed
	Checks []Check `json:"checks"`
}

// Owner is a process that owns a data directory.
type Owner struct {
	PID int
	URL string // of its API; empty where it does not serve
}

// Options say what is looked at.
type Options struct {
	Source config.Source
	// Owner finds the process that owns a data directory that exists; nil: nobody.
	Owner     func(dataDir string) (*Owner, error)
	PageBuilt bool // the web app is part of this program

	machine machine // for tests; what is nil is the real one
}

const (
	checkTime = 5 * time.Second
	atOnce    = 8
)

// Run makes all checks.
func Run(ctx context.Context, o Options) Report {
	o.machine = o.machine.complete()
	v := &visit{Options: o, config: config.Default()}
	first := v.loadConfig()
	probes := machineProbes
	if first.Status != Fail {
		v.findOwner()
		probes = append(append([]probe(nil), configProbes...), machineProbes...)
	}
	found := make([][]Check, len(probes))
	slots := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for i, probe := range probes {
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			ctx, cancel := context.WithTimeout(ctx, checkTime)
			defer cancel()
			found[i] = probe(v, ctx)
		})
	}
	all.Wait()
	report := Report{OK: first.Status != Fail, Checks: []Check{first}}
	for _, checks := range found {
		for _, c := range checks {
			report.OK = report.OK && c.Status != Fail
			report.Checks = append(report.Checks, c)
		}
	}
	return report
}

// visit is one look at a machine; nothing of it changes while probes run.
type visit struct {
	Options
	config   *config.Config
	owner    *Owner
	ownerErr error
}

// probe is one check, or a few that belong together.
type probe func(v *visit, ctx context.Context) []Check

// configProbes need a valid configuration.
var configProbes = []probe{
	(*visit).dataDirectory, (*visit).ownership, (*visit).server, (*visit).database, (*visit).eventLog, (*visit).outbox,
	(*visit).diskSpace,
	(*visit).address, (*visit).workspaceRoot, (*visit).projectRoots, (*visit).models, (*visit).ollama,
	(*visit).policies, (*visit).guard,
}

// machineProbes look at the machine and the program.
var machineProbes = []probe{
	(*visit).webPage, (*visit).timeZones,
	(*visit).bubblewrap, (*visit).userNamespaces, (*visit).seccomp, (*visit).landlock, (*visit).cgroups,
	(*visit).docker, (*visit).python, (*visit).pythonModules, (*visit).chromium, (*visit).ffmpeg, (*visit).display,
	(*visit).node,
}

func ok(name, detail string) []Check         { return []Check{{Name: name, Status: OK, Detail: detail}} }
func warn(name, detail, hint string) []Check { return []Check{{name, Warn, detail, hint}} }
func fail(name, detail, hint string) []Check { return []Check{{name, Fail, detail, hint}} }
