package builtin

import (
	"bufio"
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"nanoclaw/internal/tools"
)

// startX is a display of the test's own without a screen that anybody sees. It ends
// with the test.
func startX(t *testing.T, depth string) string {
	t.Helper()
	if _, err := exec.LookPath("Xvfb"); err != nil {
		if os.Getenv("CI") == "" {
			t.Skip("NOT TESTED: Xvfb is not installed: run scripts/setup-display.sh")
		}
		t.Fatal(err)
	}
	ready, said, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer ready.Close()
	server := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "640x480x"+depth, "-nolisten", "tcp", "-noreset")
	server.ExtraFiles = []*os.File{said}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	said.Close()
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait() // it was killed
	})
	line, err := bufio.NewReader(ready).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb did not start: %v", err)
	}
	return ":" + strings.TrimSpace(line)
}

// showWindow shows a window of one colour, and waits until the display has drawn it.
func showWindow(t *testing.T, display string, x, y int16, width, height uint16, pixel uint32) {
	t.Helper()
	connection, err := xgb.NewConnDisplay(display)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(connection.Close)
	screen := xproto.Setup(connection).DefaultScreen(connection)
	window, err := xproto.NewWindowId(connection)
	if err == nil {
		err = xproto.CreateWindowChecked(connection, screen.RootDepth, window, screen.Root, x, y, width, height, 0,
			xproto.WindowClassInputOutput, screen.RootVisual, xproto.CwBackPixel, []uint32{pixel}).Check()
	}
	if err == nil {
		err = xproto.MapWindowChecked(connection, window).Check()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// MD2: the screen of a real X11 display reaches the model scaled and with its colours.
func TestTheScreenOfAnX11DisplayIsShown(t *testing.T) {
	display := startX(t, "24")
	t.Setenv("DISPLAY", display)
	t.Setenv("WAYLAND_DISPLAY", "")
	showWindow(t, display, 320, 0, 320, 240, 0xff8000)
	d, g := newGallery(t)
	got := must[desktopScreenshotResult](t, d, "desktop_screenshot", map[string]any{})
	if got.Width != 640 || got.Height != 480 || len(got.images) != 1 || !strings.Contains(got.Shown, "scaled to 400 × 300") {
		t.Errorf("%+v", got)
	}
	shown, _, err := image.Decode(bytes.NewReader(g.kept[0]))
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[image.Point]color.NRGBA{
		{300, 50}: {255, 128, 0, 255}, {50, 50}: {0, 0, 0, 255}, {300, 250}: {0, 0, 0, 255},
	} {
		if seen := color.NRGBAModel.Convert(shown.At(at.X, at.Y)); seen != want {
			t.Errorf("at %v is %v, want %v", at, seen, want)
		}
	}
}

// MD2: a display that is not there, of an unknown format or too large is a clear
// failure; so is a screen that is not to be shown.
func TestAScreenThatCannotBeShownSaysWhy(t *testing.T) {
	t.Setenv("WAYLAND_DISPLAY", "")
	d, g := newGallery(t)
	for _, display := range []string{":9999", "nonsense", "", "127.0.0.1:1", ":-1"} {
		t.Setenv("DISPLAY", display)
		d.fail(t, tools.CodeUnavailable, "desktop_screenshot", map[string]any{})
	}
	g.off = "there is no display"
	d.fail(t, tools.CodeUnavailable, "desktop_screenshot", map[string]any{})
	if len(g.kept) > 0 {
		t.Errorf("%d pictures were shown", len(g.kept))
	}
	display := startX(t, "16")
	if _, err := x11Screen(display, 1<<30); err == nil || !strings.Contains(err.Error(), "depth of 16 bits") {
		t.Error(err)
	}
	if _, err := x11Screen(display, 640*480-1); err == nil || !strings.Contains(err.Error(), "media.image_pixels") {
		t.Error(err)
	}
}

// MD2: on Wayland grim takes the picture, and what it complains about is told.
func TestTheScreenOfWaylandIsTakenByGrim(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("WAYLAND_DISPLAY", "wayland-0")
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	d, g := newGallery(t)
	picture := filepath.Join(dir, "screen.png")
	content := encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, noise(60, 30)) })
	if err := os.WriteFile(picture, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ script, fails string }{
		{"cat " + strconv.Quote(picture), ""},
		{"echo 'compositor does not support it' >&2; exit 1", "compositor does not support it"},
		{"echo nonsense", "broken"},
		{"exit 0", "broken"},
	} {
		if err := os.WriteFile(filepath.Join(dir, "grim"), []byte("#!/bin/sh\n"+test.script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		g.kept = nil
		_, err := d.run(t, "desktop_screenshot", map[string]any{})
		switch {
		case test.fails == "" && (err != nil || len(g.kept) != 1):
			t.Errorf("%s: %v, %d pictures", test.script, err, len(g.kept))
		case test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails) || len(g.kept) > 0):
			t.Errorf("%s: %v, %d pictures", test.script, err, len(g.kept))
		}
	}
	t.Setenv("PATH", "/nowhere")
	d.fail(t, tools.CodeUnavailable, "desktop_screenshot", map[string]any{})
}
