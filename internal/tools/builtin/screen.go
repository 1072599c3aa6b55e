package builtin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"log"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"nanoclaw/internal/tools"
)

// What goes wrong on the way to a display is in its errors.
func init() { xgb.Logger = log.New(io.Discard, "", 0) }

// drawScreen is the work of screenHelper: the screen of the display that the
// environment names, scaled and encoded. Below Wayland, an X11 display shows nothing
// of other programs, so Wayland goes first.
func drawScreen(in []byte) pictureView {
	var order pictureOrder
	if err := json.Unmarshal(in, &order); err != nil {
		return pictureView{Failure: err.Error(), Code: tools.CodeInternal}
	}
	if os.Getenv("WAYLAND_DISPLAY") != "" {
		data, err := waylandScreen()
		if err != nil {
			return noScreen(err)
		}
		order.Data = data
		return order.draw()
	}
	screen, err := x11Screen(os.Getenv("DISPLAY"), order.Pixels)
	if err != nil {
		return noScreen(err)
	}
	size := screen.Bounds().Size()
	return pictureView{Kind: "png", Width: size.X, Height: size.Y}.encode(order, screen, 1)
}

func noScreen(err error) pictureView {
	return pictureView{Failure: fmt.Sprintf("the screen cannot be shown: %v", err), Code: tools.CodeUnavailable}
}

// maxScreen bounds the file of a picture of a screen, bytes.
const maxScreen = 256 << 20

// waylandScreen is a PNG of all outputs. Wayland shows it to few programs; grim is
// the one of compositors that follow wlroots.
func waylandScreen() ([]byte, error) {
	grim := exec.Command("grim", "-l", "1", "-")
	grim.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var said bytes.Buffer
	grim.Stderr = &said
	out, err := grim.StdoutPipe()
	if err == nil {
		err = grim.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("run grim: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(out, maxScreen))
	if ended := grim.Wait(); ended != nil {
		return nil, fmt.Errorf("grim failed (%w): %s", ended, strings.ToValidUTF8(strings.TrimSpace(said.String()), ""))
	}
	return data, err
}

// x11Screen is the root window of an X11 display, which all screens are parts of.
func x11Screen(display string, maxPixels int) (image.Image, error) {
	connection, err := xgb.NewConnDisplay(display)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	setup := xproto.Setup(connection)
	screen := setup.DefaultScreen(connection)
	width, height := int(screen.WidthInPixels), int(screen.HeightInPixels)
	if width*height > maxPixels {
		return nil, fmt.Errorf("it has %d × %d pixels, more than the %d that are shown (media.image_pixels)",
			width, height, maxPixels)
	}
	if !isBGRX(setup, screen) {
		return nil, fmt.Errorf("its pixels have a depth of %d bits in a format that is not known here: "+
			"set the display to 24 bits", screen.RootDepth)
	}
	shot, err := xproto.GetImage(connection, xproto.ImageFormatZPixmap, xproto.Drawable(screen.Root), 0, 0,
		screen.WidthInPixels, screen.HeightInPixels, 1<<32-1).Reply()
	if err != nil {
		return nil, fmt.Errorf("ask the display: %w", err)
	}
	if len(shot.Data) < width*height*4 {
		return nil, fmt.Errorf("the display sent %d bytes for %d × %d pixels", len(shot.Data), width, height)
	}
	picture := &image.NRGBA{Pix: shot.Data, Stride: width * 4, Rect: image.Rect(0, 0, width, height)}
	for i := 0; i+3 < len(picture.Pix); i += 4 {
		picture.Pix[i], picture.Pix[i+2], picture.Pix[i+3] = picture.Pix[i+2], picture.Pix[i], 255
	}
	return picture, nil
}

// isBGRX says whether a pixel is four bytes: blue, green, red and an unused one, as
// displays of 24 and 32 bits have it.
func isBGRX(setup *xproto.SetupInfo, screen *xproto.ScreenInfo) bool {
	four := false
	for _, format := range setup.PixmapFormats {
		four = four || format.Depth == screen.RootDepth && format.BitsPerPixel == 32
	}
	for _, depth := range screen.AllowedDepths {
		for _, visual := range depth.Visuals {
			if visual.VisualId == screen.RootVisual {
				return four && setup.ImageByteOrder == xproto.ImageOrderLSBFirst &&
					visual.RedMask == 0xff0000 && visual.GreenMask == 0xff00 && visual.BlueMask == 0xff
			}
		}
	}
	return false
}
