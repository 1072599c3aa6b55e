package builtin

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/gif" // the kinds of pictures that are shown
	"image/jpeg"
	"image/png"
	"net/http"
	"strings"
	"time"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // the same

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

//go:embed view_image.md
var viewImageDoc string

func init() {
	tools.Register(tools.Define("view_image", viewImageDoc, viewImage,
		tools.Category("media"), tools.Effect(tools.Reads),
		tools.Preflight(func(ctx context.Context, call tools.Call, args viewImageArgs) error {
			return args.preflight(ctx, call, args.Path)
		}),
		tools.Stamp(func(ctx context.Context, call tools.Call, args viewImageArgs) (string, error) {
			return args.stamp(ctx, call, args.Path, false)
		})))
}

type viewImageArgs struct {
	Path string `json:"path" access:"read" jsonschema:"path in the project"`
	fileProject
}

type viewImageResult struct {
	Path   string `json:"path"`
	Kind   string `json:"kind"`   // png | jpeg | gif | webp
	Width  int    `json:"width"`  // of the file, turned upright, pixels
	Height int    `json:"height"` // the same
	Shown  string `json:"shown"`  // what became of it

	images []tools.Image
}

// Images implements tools.Illustrated.
func (r viewImageResult) Images() []tools.Image { return r.images }

func viewImage(ctx context.Context, call tools.Call, args viewImageArgs) (viewImageResult, error) {
	if err := needPath("path", args.Path); err != nil {
		return viewImageResult{}, err
	}
	files, err := args.open(ctx, call)
	if err != nil {
		return viewImageResult{}, err
	}
	content, err := files.Read(ctx, args.Path, 0, 0)
	if err != nil {
		return viewImageResult{}, err
	}
	if err := isPicture(content.Data); err != nil {
		return viewImageResult{}, err
	}
	settings, err := services.Get(call.Services, tools.MediaKey)
	if err != nil {
		return viewImageResult{}, err
	}
	view, err := readPicture(ctx, pictureOrder{Data: content.Data, Side: settings.Media().ImageSide,
		Pixels: settings.Media().ImagePixels, Bytes: settings.Media().ImageBytes})
	if err != nil {
		return viewImageResult{}, err
	}
	result := viewImageResult{Path: args.Path, Kind: view.Kind, Width: view.Width, Height: view.Height}
	result.images, result.Shown = view.keep(ctx, call)
	return result, nil
}

// codeUnsupported says that a file is of a kind that is not shown.
const codeUnsupported = "unsupported_type"

// isPicture refuses by its first bytes what is no picture.
func isPicture(data []byte) error {
	switch kind := http.DetectContentType(data); {
	case kind == "image/png", kind == "image/jpeg", kind == "image/gif", kind == "image/webp":
		return nil
	case len(data) == 0:
		return tools.Errorf(codeUnsupported, "the file is empty")
	case bytes.Contains(data[:min(len(data), 1024)], []byte("<svg")):
		return tools.Errorf(codeUnsupported, "this is an SVG, which is text: read it with file_read")
	default:
		return tools.Errorf(codeUnsupported, "this is no PNG, JPEG, GIF or WebP picture (it begins like %s)",
			strings.SplitN(kind, ";", 2)[0])
	}
}

// pictureOrder is what imageHelper gets.
type pictureOrder struct {
	Data   []byte `json:"data"`
	Side   int    `json:"side"`   // longest side of the answer, pixels
	Pixels int    `json:"pixels"` // of the file; one with more is not decoded
	Bytes  int    `json:"bytes"`  // of the answer
}

// pictureView is what imageHelper answers.
type pictureView struct {
	Kind    string `json:"kind"`
	Width   int    `json:"width"`
	Height  int    `json:"height"`
	Scaled  string `json:"scaled,omitempty"` // size of the answer, where it is another
	Data    []byte `json:"data,omitempty"`   // PNG or JPEG
	Failure string `json:"failure,omitempty"`
	Code    string `json:"code,omitempty"`
}

// keep keeps the picture as the image of a result, and says what became of it.
func (v pictureView) keep(ctx context.Context, call tools.Call) (images []tools.Image, shown string) {
	images, shown = keepImage(ctx, call, v.Data)
	if len(images) > 0 && v.Scaled != "" {
		shown += ", scaled to " + v.Scaled
	}
	return images, shown
}

// pictureTime is how long one picture may take.
const pictureTime = 15 * time.Second

// imageHelper decodes pictures, whose libraries a file may drive out of memory. It
// writes them anew, so that nothing of the file but its pixels goes on.
var imageHelper = &helper{name: "image", memory: 1 << 30, stack: 64 << 20, answer: 64 << 20,
	work: func(in []byte) (any, error) { return drawPicture(in), nil }}

// readPicture has a picture read by a helper process.
func readPicture(ctx context.Context, order pictureOrder) (pictureView, error) {
	var view pictureView
	input, err := json.Marshal(order)
	if err != nil {
		return view, err
	}
	err = imageHelper.run(ctx, input, pictureTime, &view)
	switch {
	case errors.Is(err, errHelperTime), errors.Is(err, errHelperDied):
		return view, tools.Errorf("too_large", "the picture takes too much time or memory to decode, or is broken")
	case err != nil:
		return view, fmt.Errorf("read the picture: %w", err)
	case view.Failure != "":
		return view, tools.Errorf(view.Code, "%s", view.Failure)
	}
	return view, nil
}

// drawPicture decodes, scales and encodes.
func drawPicture(in []byte) pictureView {
	var order pictureOrder
	if err := json.Unmarshal(in, &order); err != nil {
		return pictureView{Failure: err.Error(), Code: tools.CodeInternal}
	}
	return order.draw()
}

func (order pictureOrder) draw() pictureView {
	shape, kind, err := image.DecodeConfig(bytes.NewReader(order.Data))
	if err != nil || shape.Width <= 0 || shape.Height <= 0 {
		return pictureView{Failure: "the picture is broken: its head cannot be read", Code: codeUnsupported}
	}
	view := pictureView{Kind: kind, Width: shape.Width, Height: shape.Height}
	if shape.Width > order.Pixels/shape.Height {
		view.Code = "too_large"
		view.Failure = fmt.Sprintf("the picture has %d × %d pixels, more than the %d that are decoded "+
			"(media.image_pixels): scale it down first", shape.Width, shape.Height, order.Pixels)
		return view
	}
	picture, _, err := image.Decode(bytes.NewReader(order.Data))
	if err != nil {
		view.Failure, view.Code = fmt.Sprintf("the picture is broken: %v", err), codeUnsupported
		return view
	}
	held := orientationOf(order.Data, kind)
	if held.turned() {
		view.Width, view.Height = view.Height, view.Width
	}
	return view.encode(order, picture, held)
}

// encode turns the picture upright and scales until it has its size.
func (v pictureView) encode(order pictureOrder, picture image.Image, held orientation) pictureView {
	for side := order.Side; side >= 16; side /= 2 {
		shown := held.upright(scaled(picture, side))
		var out bytes.Buffer
		err := png.Encode(&out, shown)
		if err == nil && out.Len() > order.Bytes {
			out.Reset()
			err = jpeg.Encode(&out, shown, &jpeg.Options{Quality: 85})
		}
		if err != nil {
			v.Failure, v.Code = fmt.Sprintf("the picture cannot be shown: %v", err), tools.CodeInternal
			return v
		}
		if out.Len() > order.Bytes {
			continue
		}
		v.Data = out.Bytes()
		if size := shown.Bounds().Size(); size.X != v.Width || size.Y != v.Height {
			v.Scaled = fmt.Sprintf("%d × %d", size.X, size.Y)
		}
		return v
	}
	v.Failure, v.Code = "the picture cannot be made small enough (tool_defaults.image_limit)", "too_large"
	return v
}

// scaled is the picture with sides of at most this length.
func scaled(picture image.Image, side int) image.Image {
	size := picture.Bounds().Size()
	longest := max(size.X, size.Y)
	if longest <= side {
		return picture
	}
	target := image.NewNRGBA(image.Rect(0, 0, max(size.X*side/longest, 1), max(size.Y*side/longest, 1)))
	draw.ApproxBiLinear.Scale(target, target.Bounds(), picture, picture.Bounds(), draw.Src, nil)
	return target
}
