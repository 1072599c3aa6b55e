package builtin

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

//go:embed desktop_screenshot.md
var desktopScreenshotDoc string

func init() {
	tools.Register(tools.Define("desktop_screenshot", desktopScreenshotDoc, desktopScreenshot,
		tools.Category("media"), tools.Effect(tools.Volatile),
		tools.Preflight(func(ctx context.Context, call tools.Call, _ desktopScreenshotArgs) error {
			_, err := screenSettings(ctx, call)
			return err
		}),
		tools.Tailor(func(ctx context.Context, call tools.Call, _ *tools.Shape) bool {
			_, err := screenSettings(ctx, call)
			return err == nil
		})))
}

type desktopScreenshotArgs struct{}

type desktopScreenshotResult struct {
	Width  int    `json:"width"`  // of the screen, pixels
	Height int    `json:"height"` // the same
	Shown  string `json:"shown"`  // what became of the picture

	images []tools.Image
}

// Images implements tools.Illustrated.
func (r desktopScreenshotResult) Images() []tools.Image { return r.images }

// screenTime is how long a display may take to answer.
const screenTime = 20 * time.Second

// screenHelper asks the display for its picture. A display that does not answer or
// answers nonsense costs the helper process alone.
var screenHelper = &helper{name: "screen", memory: 2 << 30, stack: 64 << 20, file: 1 << 30, answer: 64 << 20,
	inherits: func(variable string) bool { return slices.Contains(screenVariables, variable) },
	work:     func(in []byte) (any, error) { return drawScreen(in), nil }}

// screenVariables say where the display is, and how to be admitted to it.
var screenVariables = []string{"DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR", "HOME", "PATH"}

// screenSettings are the limits of pictures, or why the screen cannot be shown.
func screenSettings(ctx context.Context, call tools.Call) (tools.MediaSettings, error) {
	media, err := services.Get(call.Services, tools.MediaKey)
	if err != nil {
		return tools.MediaSettings{}, err
	}
	if why := media.ScreenOff(ctx); why != "" {
		return tools.MediaSettings{}, tools.Errorf(tools.CodeUnavailable, "the screen cannot be shown: %s", why)
	}
	return media.Media(), nil
}

func desktopScreenshot(ctx context.Context, call tools.Call,
	_ desktopScreenshotArgs) (desktopScreenshotResult, error) {
	settings, err := screenSettings(ctx, call)
	if err != nil {
		return desktopScreenshotResult{}, err
	}
	order, err := json.Marshal(pictureOrder{Side: settings.ImageSide, Pixels: settings.ImagePixels,
		Bytes: settings.ImageBytes})
	if err != nil {
		return desktopScreenshotResult{}, err
	}
	var view pictureView
	switch err := screenHelper.run(ctx, order, screenTime, &view); {
	case errors.Is(err, errHelperTime):
		return desktopScreenshotResult{}, tools.Errorf(tools.CodeTimeout, "the display does not answer")
	case errors.Is(err, errHelperDied):
		return desktopScreenshotResult{}, tools.Errorf(tools.CodeUnavailable,
			"the picture of the screen takes too much memory, or the display's answer is broken")
	case err != nil:
		return desktopScreenshotResult{}, fmt.Errorf("take a picture of the screen: %w", err)
	case view.Failure != "":
		return desktopScreenshotResult{}, tools.Errorf(view.Code, "%s", view.Failure)
	}
	result := desktopScreenshotResult{Width: view.Width, Height: view.Height}
	result.images, result.Shown = view.keep(ctx, call)
	return result, nil
}
