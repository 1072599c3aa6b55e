package sandbox

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// cgroup bounds a tree of processes. With version 2 it is one directory, with
// version 1 one for each controller.
type cgroup struct{ dirs []string }

// cgroupRoots are the directories below which this process may make groups, by
// controller. With version 2 they are all the same one.
type cgroupRoots struct {
	version int // 0: there are none
	dirs    map[string]string
	reason  string // why there are none
}

const cgroupPrefix = "nanoclaw-"

// ownCgroups looks once for control groups that this process may use.
var ownCgroups = sync.OnceValue(func() cgroupRoots {
	roots := findCgroups("/proc/self")
	for _, dir := range roots.dirs {
		removeLeftCgroups(dir)
	}
	return roots
})

func findCgroups(self string) cgroupRoots {
	mounts, err := os.ReadFile(filepath.Join(self, "mountinfo"))
	if err != nil {
		return cgroupRoots{reason: err.Error()}
	}
	member, err := os.ReadFile(filepath.Join(self, "cgroup"))
	if err != nil {
		return cgroupRoots{reason: err.Error()}
	}
	v1 := map[string]string{}
	for line := range strings.Lines(string(member)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		if parts[1] == "" {
			base := filepath.Join(cgroupMount(string(mounts), "cgroup2", ""), parts[2])
			if delegated(base) {
				return cgroupRoots{version: 2, dirs: map[string]string{"memory": base, "pids": base, "cpu": base}}
			}
			continue
		}
		for controller := range strings.SplitSeq(parts[1], ",") {
			if mount := cgroupMount(string(mounts), "cgroup", controller); mount != "" {
				v1[controller] = filepath.Join(mount, parts[2])
			}
		}
	}
	usable := map[string]string{}
	for _, controller := range []string{"memory", "pids", "cpu"} {
		if dir := v1[controller]; dir != "" && canMakeGroup(dir) {
			usable[controller] = dir
		}
	}
	if usable["memory"] == "" || usable["pids"] == "" {
		return cgroupRoots{reason: "no control groups are delegated to this process: memory and the number of " +
			"processes are bounded for each process only"}
	}
	return cgroupRoots{version: 1, dirs: usable}
}

// cgroupMount is where a hierarchy is mounted.
func cgroupMount(mountinfo, kind, controller string) string {
	for line := range strings.Lines(mountinfo) {
		before, after, found := strings.Cut(line, " - ")
		fields, details := strings.Fields(before), strings.Fields(after)
		if !found || len(fields) < 5 || len(details) < 3 || details[0] != kind {
			continue
		}
		if controller == "" || slices.Contains(strings.Split(details[2], ","), controller) {
			return fields[4]
		}
	}
	return ""
}

// delegated says whether groups below a version 2 group can have limits. A group
// with processes of its own cannot share its controllers out, so this process
// moves into a group beside those that it makes.
func delegated(base string) bool {
	controllers, err := os.ReadFile(filepath.Join(base, "cgroup.controllers"))
	if err != nil {
		return false
	}
	have := strings.Fields(string(controllers))
	if !slices.Contains(have, "memory") || !slices.Contains(have, "pids") || !canMakeGroup(base) {
		return false
	}
	enable := "+memory +pids"
	if slices.Contains(have, "cpu") {
		enable += " +cpu"
	}
	control := filepath.Join(base, "cgroup.subtree_control")
	if os.WriteFile(control, []byte(enable), 0) == nil {
		return true
	}
	server := filepath.Join(base, "nanoclaw.server")
	if err := os.Mkdir(server, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return false
	}
	if os.WriteFile(filepath.Join(server, "cgroup.procs"), []byte("0"), 0) != nil {
		return false
	}
	return os.WriteFile(control, []byte(enable), 0) == nil
}

func canMakeGroup(dir string) bool {
	probe := filepath.Join(dir, groupName())
	if os.Mkdir(probe, 0o755) != nil {
		return false
	}
	return os.Remove(probe) == nil
}

// groupName carries its owner, so that only groups of a dead server are removed:
// a living one may be about to use its empty group.
func groupName() string { return cgroupPrefix + ownerName() + "-" + rand.Text() }

// removeLeftCgroups removes what a server left behind that was killed. A group
// with processes in it stays.
func removeLeftCgroups(dir string) {
	left, err := filepath.Glob(filepath.Join(dir, cgroupPrefix+"*"))
	if err != nil {
		return
	}
	for _, one := range left {
		owner := strings.TrimPrefix(filepath.Base(one), cgroupPrefix)
		if end := strings.LastIndexByte(owner, '-'); end >= 0 && !ownerLives(owner[:end]) {
			_ = os.Remove(one) // a process of the dead server may still be ending
		}
	}
}

// newCgroup makes a group with limits. It is nil, and no error, where control
// groups cannot be used at all.
func newCgroup(l Limits) (*cgroup, error) {
	roots := ownCgroups()
	if roots.version == 0 || l.Memory <= 0 && l.Processes <= 0 && l.CPUs <= 0 {
		return nil, nil
	}
	g := &cgroup{}
	name := groupName()
	for _, limit := range groupLimits(roots, l) {
		dir := filepath.Join(roots.dirs[limit.controller], name)
		if !slices.Contains(g.dirs, dir) {
			if err := os.Mkdir(dir, 0o755); err != nil {
				g.remove()
				return nil, fmt.Errorf("make a control group: %w", err)
			}
			g.dirs = append(g.dirs, dir)
		}
		err := os.WriteFile(filepath.Join(dir, limit.file), []byte(limit.value), 0)
		if err != nil && !limit.optional {
			g.remove()
			return nil, fmt.Errorf("limit a control group: %w", err)
		}
	}
	return g, nil
}

// helperThreads are those that the helper of a sandbox, or a supervisor, needs
// before the command is there: a bound of processes is never below.
const helperThreads = 12

type groupLimit struct {
	controller, file, value string
	optional                bool // not every kernel has it
}

func groupLimits(roots cgroupRoots, l Limits) []groupLimit {
	var limits []groupLimit
	add := func(controller, file, value string, optional bool) {
		if roots.dirs[controller] != "" {
			limits = append(limits, groupLimit{controller, file, value, optional})
		}
	}
	const period = 100_000 // microseconds
	quota := int64(l.CPUs * period)
	if l.Memory > 0 {
		value := strconv.FormatInt(l.Memory, 10)
		if roots.version == 2 {
			add("memory", "memory.max", value, false)
			add("memory", "memory.swap.max", "0", true)
		} else {
			add("memory", "memory.limit_in_bytes", value, false)
			add("memory", "memory.memsw.limit_in_bytes", value, true)
		}
	}
	if l.Processes > 0 {
		add("pids", "pids.max", strconv.Itoa(max(l.Processes, helperThreads)+enginesOwn), false)
	}
	if l.CPUs > 0 && roots.version == 2 {
		add("cpu", "cpu.max", fmt.Sprintf("%d %d", quota, period), true)
	} else if l.CPUs > 0 {
		add("cpu", "cpu.cfs_period_us", strconv.Itoa(period), true)
		add("cpu", "cpu.cfs_quota_us", strconv.FormatInt(quota, 10), true)
	}
	return limits
}

// joining is the command line that joins the group and then becomes argv.
func (g *cgroup) joining(argv []string) []string {
	if g == nil {
		return argv
	}
	line := []string{"/bin/sh", "-c",
		`n=$1; shift; while [ "$n" -gt 0 ]; do echo 0 >"$1/cgroup.procs" || exit 126; shift; n=$((n-1)); done; exec "$@"`, "join", strconv.Itoa(len(g.dirs))}
	return append(append(line, g.dirs...), argv...)
}

// remove removes the group, whose processes have been killed. They take a moment
// to leave it.
func (g *cgroup) remove() {
	if g == nil {
		return
	}
	deadline := time.Now().Add(2 * time.Second)
	for _, dir := range g.dirs {
		for os.Remove(dir) != nil && time.Now().Before(deadline) {
			if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// load reads what the group takes. The kernel counts for it.
func (g *cgroup) load() Load {
	l := Load{Processes: -1}
	if g == nil {
		return l
	}
	for _, dir := range g.dirs {
		if text, err := os.ReadFile(filepath.Join(dir, "pids.current")); err == nil {
			if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
				l.Processes = n
			}
		}
		l.ProcessesRefused += groupCount(filepath.Join(dir, "pids.events"), "max")
		l.MemoryKills += groupCount(filepath.Join(dir, "memory.events"), "oom_kill")      // version 2
		l.MemoryKills += groupCount(filepath.Join(dir, "memory.oom_control"), "oom_kill") // version 1
	}
	return l
}

// groupCount is a number of a file of lines "name number"; 0 where it is not there.
func groupCount(file, name string) int64 {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == name {
			if n, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
				return n
			}
		}
	}
	return 0
}
