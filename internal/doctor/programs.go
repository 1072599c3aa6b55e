package doctor

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"nanoclaw/internal/browser"
	"nanoclaw/internal/programs"
)

func (v *visit) webPage(context.Context) []Check {
	if !v.PageBuilt {
		return warn("web_page", "this program was built without the web app: the API works, the page does not",
			"build it with: make build")
	}
	return ok("web_page", "is part of this program")
}

func (v *visit) timeZones(context.Context) []Check {
	if _, err := time.LoadLocation("Asia/Shanghai"); err != nil {
		return warn("time_zones", "are not known: only UTC and the local time can be told", "apt install tzdata")
	}
	return ok("time_zones", "are known")
}

const (
	forTools   = "needed for shell and Python tools"
	forBrowser = "needed for browser tools"
	forMCP     = "needed for MCP servers that come as npm packages"
)

func (v *visit) bubblewrap(ctx context.Context) []Check {
	const install = forTools +
		" in the sandbox: apt install bubblewrap (Debian, Ubuntu), dnf install bubblewrap (Fedora)"
	path, err := v.machine.look("bwrap")
	if err != nil {
		return warn("bubblewrap", "is not installed", install)
	}
	program, err := v.machine.look("true")
	if err == nil {
		_, err = v.machine.output(ctx, path, "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--proc",
			"/proc", "--dev", "/dev", program)
	}
	if err != nil {
		return warn("bubblewrap", "is installed, but cannot make a sandbox: "+err.Error(),
			forTools+" in the sandbox: allow user namespaces (see user_namespaces), or run the server outside of a "+
				"container that forbids them")
	}
	version, err := v.machine.output(ctx, path, "--version")
	if err != nil {
		version = path
	}
	return ok("bubblewrap", version+" makes sandboxes")
}

func (v *visit) docker(ctx context.Context) []Check {
	const hint = forTools + " under shell.policy docker only: https://docs.docker.com/engine/install/"
	path, err := v.machine.look("docker")
	if err != nil {
		return warn("docker", "is not installed", hint)
	}
	version, err := v.machine.output(ctx, path, "version", "--format", "{{.Server.Version}}")
	if err != nil {
		return warn("docker", "is installed, but its engine cannot be used: "+err.Error(),
			hint+"; start the engine, and let this user use it (group docker)")
	}
	return ok("docker", "engine "+version+" answers")
}

func (v *visit) python(ctx context.Context) []Check {
	const hint = forTools + ": apt install python3"
	path, err := v.machine.look("python3")
	if err != nil {
		return warn("python3", "is not installed", hint)
	}
	version, err := v.machine.output(ctx, path, "-I", "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])")
	if err != nil {
		return warn("python3", "is installed, but does not run: "+err.Error(), hint)
	}
	var major, minor int
	if _, err := fmt.Sscanf(version, "%d.%d", &major, &minor); err != nil || major < 3 || major == 3 && minor < 9 {
		return warn("python3", fmt.Sprintf("has version %s, which is older than 3.9", version), hint)
	}
	return ok("python3", version+" at "+path)
}

func (v *visit) chromium(context.Context) []Check {
	if program := v.config.Browser.Program; program != "" {
		path, err := v.machine.look(program)
		if err != nil {
			return warn("chromium", "browser.program cannot be run: "+err.Error(), forBrowser+": "+browser.Install)
		}
		return ok("chromium", path)
	}
	for _, name := range browser.Names() {
		if path, err := v.machine.look(name); err == nil {
			return ok("chromium", path)
		}
	}
	return warn("chromium", "is not installed", forBrowser+", with bubblewrap: "+browser.Install)
}

func (v *visit) ffmpeg(context.Context) []Check {
	for _, name := range []string{"ffmpeg", "ffprobe"} {
		if _, err := v.machine.look(name); err != nil {
			return warn("ffmpeg", name+" is not installed", "needed for view_video, with bubblewrap: "+
				programs.InstallFFmpeg)
		}
	}
	return ok("ffmpeg", "is installed, with ffprobe")
}

func (v *visit) display(context.Context) []Check {
	const tool = "desktop_screenshot"
	env := v.Source.Env
	if env == nil {
		env = os.LookupEnv
	}
	get := func(name string) string {
		value, _ := env(name)
		return value
	}
	policy := v.config.Shell.Policy
	switch why, hint := programs.ScreenOff(policy, get, v.machine.look); {
	case why == "":
		return ok("display", "is there for "+tool)
	case policy != "host": // which is as it should be, and nothing to warn of
		return ok("display", tool+" is not offered: "+why+" ("+hint+")")
	default:
		return warn("display", why, "needed for "+tool+": "+hint)
	}
}

func (v *visit) node(ctx context.Context) []Check {
	hint := forMCP + ": https://nodejs.org/en/download"
	var wanted []string
	for name, server := range v.config.MCPServers {
		if server.Command == "npx" || server.Command == "node" {
			wanted = append(wanted, name)
		}
	}
	if len(wanted) > 0 {
		slices.Sort(wanted)
		hint += "; configured here: " + strings.Join(wanted, ", ")
	}
	path, err := v.machine.look("node")
	if err != nil {
		return warn("node", "is not installed", hint)
	}
	version, err := v.machine.output(ctx, path, "--version")
	if err != nil {
		return warn("node", "is installed, but does not run: "+err.Error(), hint)
	}
	if _, err := v.machine.look("npx"); err != nil {
		return warn("node", version+", without npx", forMCP+": apt install npm")
	}
	return ok("node", version+" with npx")
}
