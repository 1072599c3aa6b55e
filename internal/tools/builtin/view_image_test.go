package builtin

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

// gallery keeps the images of results, and is the settings of media.
type gallery struct {
	kept [][]byte
	off  string // why the screen cannot be shown
}

func (g *gallery) KeepImages(_ context.Context, _ tools.Call, images [][]byte) []tools.KeptImage {
	g.kept = append(g.kept, images...)
	return make([]tools.KeptImage, len(images))
}

func (*gallery) Media() tools.MediaSettings {
	return tools.MediaSettings{ImageSide: 400, ImagePixels: 50_000_000 - 1, ImageBytes: 40_000, VideoFrames: 4}
}

func (*gallery) VideoOff(context.Context) string { return "there is none" }

func (g *gallery) ScreenOff(context.Context) string { return g.off }

func (*gallery) Frames(context.Context, tools.Call, string, int, time.Duration, time.Duration) (tools.Video, error) {
	return tools.Video{}, nil
}

func newGallery(t *testing.T) (*desk, *gallery) {
	t.Helper()
	d, g := newDesk(t), &gallery{}
	services.Register[tools.ImageStore](d.call.Services, tools.ImageStoreKey, g)
	services.Register[tools.Media](d.call.Services, tools.MediaKey, g)
	return d, g
}

// noise is a picture that cannot be made small by compression.
func noise(width, height int) *image.NRGBA {
	picture := image.NewNRGBA(image.Rect(0, 0, width, height))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range picture.Pix {
		picture.Pix[i] = byte(random.Uint32()) | 0x0f
	}
	return picture
}

func encoded(t *testing.T, encode func(*bytes.Buffer) error) string {
	t.Helper()
	var out bytes.Buffer
	if err := encode(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// smallWebP is a picture of 1 × 1 pixel.
const smallWebP = "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"

// MD2: pictures of every kind are shown, large ones scaled and within their bytes, and
// nothing of the file but its pixels is passed on.
func TestViewImageShowsPictures(t *testing.T) {
	t.Parallel()
	d, g := newGallery(t)
	flat := image.NewPaletted(image.Rect(0, 0, 30, 20), color.Palette{color.White, color.Black})
	pngOf := func(width, height int) string {
		return encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, noise(width, height)) })
	}
	for _, test := range []struct {
		name, content, kind   string
		width, height         int
		shownWidth, shownHigh int
	}{
		{"a.png", pngOf(30, 20), "png", 30, 20, 30, 20},
		{"polyglot.png", pngOf(30, 20) + "PK\x03\x04<script>alert(1)</script>", "png", 30, 20, 30, 20},
		{"wrong-name.txt", pngOf(30, 20), "png", 30, 20, 30, 20},
		{"a.jpg", encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, noise(30, 20), nil) }), "jpeg", 30, 20, 30, 20},
		{"a.gif", encoded(t, func(b *bytes.Buffer) error {
			return gif.EncodeAll(b, &gif.GIF{Image: []*image.Paletted{flat, flat}, Delay: []int{1, 1}})
		}), "gif", 30, 20, 30, 20},
		{"a.webp", smallWebP, "webp", 1, 1, 1, 1},
		{"wide.png", encoded(t, func(b *bytes.Buffer) error {
			return png.Encode(b, image.NewGray(image.Rect(0, 0, 5000, 100)))
		}), "png", 5000, 100, 400, 8},
		{"loud.png", pngOf(600, 600), "png", 600, 600, 200, 200},
	} {
		d.put(t, test.name, test.content)
		got := must[viewImageResult](t, d, "view_image", map[string]any{"path": test.name})
		if got.Kind != test.kind || got.Width != test.width || got.Height != test.height || len(got.images) != 1 {
			t.Errorf("%s: %+v", test.name, got)
		}
		shown := g.kept[len(g.kept)-1]
		shape, _, err := image.DecodeConfig(bytes.NewReader(shown))
		if err != nil || shape.Width != test.shownWidth || shape.Height != test.shownHigh || len(shown) > 40_000 ||
			bytes.Contains(shown, []byte("script")) {
			t.Errorf("%s is shown as %d × %d in %d bytes, %v", test.name, shape.Width, shape.Height, len(shown), err)
		}
	}
}

// hugePNG says that it has very many pixels.
func hugePNG(width, height uint32) string {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), width), height)
	head = append(head, 8, 6, 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), head...)
	return string(binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(head)))
}

// MD2: bombs are refused before they are decoded, and what is broken, empty or no
// picture with the reason.
func TestViewImageRefusesWhatIsNoPicture(t *testing.T) {
	t.Parallel()
	d, g := newGallery(t)
	whole := encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, noise(30, 20)) })
	for name, test := range map[string]struct{ content, code string }{
		"bomb":      {hugePNG(10_000, 5_000), "too_large"},
		"monster":   {hugePNG(65_535, 65_535), "too_large"},
		"overflow":  {hugePNG(1<<31-1, 1<<31-1), codeUnsupported},
		"no size":   {hugePNG(0, 5), codeUnsupported},
		"gif bomb":  {"GIF89a\xff\xff\xff\xff\x00\x00\x00", "too_large"},
		"cut":       {whole[:len(whole)/2], codeUnsupported},
		"head":      {whole[:20], codeUnsupported},
		"svg":       {`<?xml version="1.0"?><svg onload="alert(1)"></svg>`, codeUnsupported},
		"empty":     {"", codeUnsupported},
		"text":      {"hello", codeUnsupported},
		"html":      {"<html><img src=x onerror=alert(1)>", codeUnsupported},
		"only webp": {"RIFF\x1a\x00\x00\x00WEBPVP8 xxxxxxxxxxxxxx", codeUnsupported},
	} {
		d.put(t, name, test.content)
		d.fail(t, test.code, "view_image", map[string]any{"path": name})
	}
	d.fail(t, "not_found", "view_image", map[string]any{"path": "nothing.png"})
	if len(g.kept) > 0 {
		t.Errorf("%d pictures were shown", len(g.kept))
	}
}

// exif is a segment of a JPEG that says how the camera was held.
func exif(orientation byte) string {
	tiff := "II*\x00\x08\x00\x00\x00" + "\x01\x00" + "\x12\x01\x03\x00\x01\x00\x00\x00" +
		string([]byte{orientation, 0, 0, 0}) + "\x00\x00\x00\x00"
	body := "Exif\x00\x00" + tiff
	return "\xff\xe1" + string([]byte{0, byte(len(body) + 2)}) + body
}

// corners is a JPEG of 40 × 20 pixels, black but for a white corner at the top left,
// with metadata behind its head.
func corners(t testing.TB, metadata string) string {
	t.Helper()
	picture := image.NewGray(image.Rect(0, 0, 40, 20))
	for y := range 8 {
		for x := range 8 {
			picture.SetGray(x, y, color.Gray{Y: 255})
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, picture, &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	return out.String()[:2] + metadata + out.String()[2:]
}

// MD2: the picture of a phone that was held sideways is upright for the model. The
// corner that is first in the file comes to where EXIF says that it belongs.
func TestViewImageTurnsPicturesUpright(t *testing.T) {
	t.Parallel()
	d, g := newGallery(t)
	for metadata, want := range map[string]struct{ width, height, x, y int }{
		"":      {40, 20, 2, 2},
		exif(0): {40, 20, 2, 2}, exif(9): {40, 20, 2, 2}, "\xff\xe1\x00\x0cExif\x00\x00II*\x00": {40, 20, 2, 2},
		exif(1): {40, 20, 2, 2}, exif(2): {40, 20, 37, 2}, exif(3): {40, 20, 37, 17}, exif(4): {40, 20, 2, 17},
		exif(5): {20, 40, 2, 2}, exif(6): {20, 40, 17, 2}, exif(7): {20, 40, 17, 37}, exif(8): {20, 40, 2, 37},
	} {
		d.put(t, "phone.jpg", corners(t, metadata))
		got := must[viewImageResult](t, d, "view_image", map[string]any{"path": "phone.jpg"})
		shown, _, err := image.Decode(bytes.NewReader(g.kept[len(g.kept)-1]))
		if err != nil {
			t.Fatal(err)
		}
		if size := shown.Bounds().Size(); size != image.Pt(want.width, want.height) || got.Width != size.X ||
			got.Height != size.Y || got.Shown != "image 1 of this result" {
			t.Errorf("%q: %v, %+v", metadata, size, got)
		}
		for _, corner := range []image.Point{{2, 2}, {want.width - 3, 2}, {2, want.height - 3},
			{want.width - 3, want.height - 3}} {
			white := color.GrayModel.Convert(shown.At(corner.X, corner.Y)).(color.Gray).Y > 128
			if white != (corner == image.Pt(want.x, want.y)) {
				t.Errorf("%q: the corner %v is white: %t", metadata, corner, white)
			}
		}
	}
}

// MD2: no metadata makes a picture that can be decoded fail, hang or be shown with a
// size that it does not have.
func FuzzMetadataOfPictures(f *testing.F) {
	for _, metadata := range []string{"", exif(6), exif(6)[:20], "\xff\xe1\x00\x0cExif\x00\x00II*\x00",
		strings.ReplaceAll(exif(8), "\x01\x00\x00\x00", "\xff\xff\xff\xff"),
		strings.ReplaceAll(exif(8), "\x08\x00\x00\x00", "\x00\x00\x00\x00")} {
		f.Add([]byte(metadata))
	}
	f.Fuzz(func(t *testing.T, metadata []byte) {
		data := []byte(corners(t, string(metadata)))
		if _, err := jpeg.Decode(bytes.NewReader(data)); err != nil {
			t.Skip()
		}
		view := pictureOrder{Data: data, Side: 64, Pixels: 1 << 24, Bytes: 1 << 20}.draw()
		if view.Failure != "" || view.Width*view.Height == 0 {
			t.Errorf("%+v", view)
		}
	})
}
