package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

func (v *visit) dataDirectory(context.Context) []Check {
	return usable("data_dir", v.config.DataDir, "choose another data_dir, or give its owner the right to write there")
}

func (v *visit) workspaceRoot(context.Context) []Check {
	return usable("workspace_root", v.config.WorkspaceRoot,
		"choose another workspace_root, or give its owner the right to write there")
}

// usable says whether a directory can be written to, or made.
func usable(name, dir, hint string) []Check {
	shown := absolute(dir)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		parent := existing(dir)
		if err := unix.Access(parent, unix.W_OK|unix.X_OK); err != nil {
			return fail(name, fmt.Sprintf("%s is not there and cannot be made in %s: %v", shown, parent, err), hint)
		}
		return ok(name, shown+" will be made at the first start")
	case err != nil:
		return fail(name, err.Error(), hint)
	case !info.IsDir():
		return fail(name, shown+" is not a directory", hint)
	}
	if err := unix.Access(dir, unix.R_OK|unix.W_OK|unix.X_OK); err != nil {
		return fail(name, fmt.Sprintf("%s cannot be written: %v", shown, err), hint)
	}
	return ok(name, shown+" can be written")
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// existing is the nearest directory above a path that is there.
func existing(path string) string {
	for path = absolute(path); ; path = filepath.Dir(path) {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
	}
}

func (v *visit) ownership(context.Context) []Check {
	switch {
	case v.ownerErr != nil:
		return fail("owner", v.ownerErr.Error(), "nanoclaw has to be able to read and lock its data directory")
	case v.owner == nil:
		return ok("owner", "no process owns the data directory")
	case v.owner.URL == "":
		return ok("owner", fmt.Sprintf("process %d owns the data directory and does not serve", v.owner.PID))
	}
	return ok("owner", fmt.Sprintf("process %d owns the data directory and serves %s", v.owner.PID, v.owner.URL))
}

func (v *visit) eventLog(ctx context.Context) []Check {
	if v.config.NATS.URL != "" {
		return natsServers(ctx, v.config.NATS)
	}
	dir := filepath.Join(v.config.DataDir, "nats")
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return ok("event_log", "will be made at the first start")
	}
	if damaged := damagedStream(filepath.Join(dir, "jetstream", "$G", "streams", "EVENTS")); damaged != "" {
		return warn("event_log", damaged,
			"a server that runs repairs it within 10 s, and one that does not at its next start; the replay of past "+
				"events is lost, nothing else")
	}
	return usable("event_log", dir,
		"give its owner the right to write there; deleting it costs the replay of events, nothing else")
}

// damagedStream says what is wrong with the files of a stream; empty: nothing that
// shows from outside.
func damagedStream(dir string) string {
	for _, name := range []string{"meta.inf", "meta.sum", "msgs"} {
		file := filepath.Join(dir, name)
		info, err := os.Stat(file)
		switch {
		case err != nil:
			return fmt.Sprintf("the event log is damaged: %v", err)
		case !info.IsDir() && info.Size() == 0:
			return fmt.Sprintf("the event log is damaged: %s is empty", file)
		}
	}
	meta, err := os.ReadFile(filepath.Join(dir, "meta.inf"))
	if err != nil || !json.Valid(meta) {
		return fmt.Sprintf("the event log is damaged: %s cannot be read", filepath.Join(dir, "meta.inf"))
	}
	return ""
}

// server asks a server that runs whether it is ready.
func (v *visit) server(ctx context.Context) []Check {
	if v.owner == nil || v.owner.URL == "" {
		return ok("server", "does not run")
	}
	if _, err := v.machine.get(ctx, v.owner.URL+"/readyz"); err != nil {
		return fail("server", fmt.Sprintf("%s is not ready: %v", v.owner.URL, err),
			"free the disk where it is full; what else is named repairs itself within 10 s, or the server's "+
				"log says why not")
	}
	return ok("server", v.owner.URL+" is ready")
}

func (v *visit) projectRoots(context.Context) []Check {
	var checks []Check
	for _, root := range v.config.ProjectRoots {
		if info, err := os.Stat(root); err != nil || !info.IsDir() {
			checks = append(checks, warn("project_roots",
				absolute(root)+" is not a directory: no project can be opened there",
				"make it, or take it out of project_roots")...)
		}
	}
	if len(checks) == 0 && len(v.config.ProjectRoots) > 0 {
		return ok("project_roots", fmt.Sprintf("all %d are there", len(v.config.ProjectRoots)))
	}
	return checks
}

// Free bytes.
const (
	tightSpace = 1 << 30
	noSpace    = 64 << 20
)

func (v *visit) diskSpace(context.Context) []Check {
	worst := Check{Name: "disk_space", Status: OK}
	for _, dir := range []string{v.config.DataDir, v.config.WorkspaceRoot} {
		at := existing(dir)
		var stat unix.Statfs_t
		if err := unix.Statfs(at, &stat); err != nil {
			return warn("disk_space", fmt.Sprintf("it cannot be told for %s: %v", at, err),
				"see to it that there is room")
		}
		free := int64(stat.Bavail) * int64(stat.Bsize)
		detail := fmt.Sprintf("%.1f GiB are free for %s", float64(free)/(1<<30), absolute(dir))
		switch {
		case free < noSpace || stat.Files > 0 && stat.Ffree == 0:
			return fail("disk_space", detail+"; or no more files can be made", "make room: nothing can be stored")
		case free < tightSpace:
			worst = Check{"disk_space", Warn, detail, "make room, or move data_dir and workspace_root to a larger disk"}
		case worst.Detail == "":
			worst.Detail = detail
		}
	}
	return []Check{worst}
}
