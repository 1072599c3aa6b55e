package programs

import (
	"context"
	"os"
	"os/exec"

	"nanoclaw/internal/config"
	"nanoclaw/internal/workspace"
)

// ScreenOff says why desktop_screenshot is not offered with a shell policy and an
// environment, and how to get it; empty: it is offered. look finds programs.
func ScreenOff(policy string, env func(string) string, look func(program string) (string, error)) (why, hint string) {
	if policy != "host" {
		return "it shows the screen only to what runs on this machine without isolation",
			"shell.policy host, in environment development"
	}
	switch {
	case env("WAYLAND_DISPLAY") != "":
		if _, err := look("grim"); err != nil {
			return "grim, which takes pictures of a Wayland screen, is not installed",
				"apt install grim (Debian, Ubuntu), dnf install grim (Fedora), with a wlroots compositor such as Sway"
		}
	case env("DISPLAY") == "":
		return "the server was started without a display",
			"start it in a desktop session, or set DISPLAY (X11) or WAYLAND_DISPLAY"
	}
	return "", ""
}

// ScreenOff implements tools.Media.
func (m *mediaService) ScreenOff(ctx context.Context) string {
	c := m.Live.Current()
	if modeOf(c, workspace.AccessOf(ctx)) == config.SandboxMode {
		return "what runs for this project stays in its sandbox (workspace.mode)"
	}
	why, hint := ScreenOff(c.Shell.Policy, os.Getenv, exec.LookPath)
	if why == "" {
		return ""
	}
	return why + ": " + hint
}

// mediaOff says why a tool of pictures and videos is not offered. known is false for
// other tools.
func (s *Service) mediaOff(ctx context.Context, name string) (why string, known bool) {
	switch name {
	case "view_video":
		return s.Media().VideoOff(ctx), true
	case "desktop_screenshot":
		return s.Media().ScreenOff(ctx), true
	}
	return "", false
}
