package builtin

import (
	"bytes"
	"image"

	"github.com/bep/imagemeta"
	"golang.org/x/image/draw"
	"golang.org/x/image/math/f64"
)

// orientation is how a camera was held, as EXIF says: 1 to 8, where 1 is upright.
type orientation int

// turned says whether width and height change places.
func (o orientation) turned() bool { return o >= 5 && o <= 8 }

// orientationOf is what the metadata of a picture says; 1 where it says nothing or nonsense.
func orientationOf(data []byte, kind string) orientation {
	format, known := map[string]imagemeta.ImageFormat{"jpeg": imagemeta.JPEG, "png": imagemeta.PNG,
		"webp": imagemeta.WebP}[kind]
	if !known {
		return 1
	}
	found := orientation(1)
	// Broken metadata is no reason to refuse the picture.
	_, _ = imagemeta.Decode(imagemeta.Options{R: bytes.NewReader(data), ImageFormat: format, Sources: imagemeta.EXIF,
		ShouldHandleTag: func(tag imagemeta.TagInfo) bool {
			return tag.Namespace == "IFD0" && tag.Tag == "Orientation"
		},
		HandleTag: func(tag imagemeta.TagInfo) error {
			if value, ok := tag.Value.(uint16); ok && value >= 1 && value <= 8 {
				found = orientation(value)
			}
			return imagemeta.ErrStopWalking
		}})
	return found
}

// upright turns and mirrors a picture, which begins at the origin.
func (o orientation) upright(picture image.Image) image.Image {
	size := picture.Bounds().Size()
	w, h := float64(size.X), float64(size.Y)
	matrix, known := map[orientation]f64.Aff3{
		2: {-1, 0, w, 0, 1, 0},
		3: {-1, 0, w, 0, -1, h},
		4: {1, 0, 0, 0, -1, h},
		5: {0, 1, 0, 1, 0, 0},
		6: {0, -1, h, 1, 0, 0},
		7: {0, -1, h, -1, 0, w},
		8: {0, 1, 0, -1, 0, w},
	}[o]
	if !known {
		return picture
	}
	if o.turned() {
		size.X, size.Y = size.Y, size.X
	}
	shown := image.NewNRGBA(image.Rect(0, 0, size.X, size.Y))
	draw.NearestNeighbor.Transform(shown, matrix, picture, picture.Bounds(), draw.Src, nil)
	return shown
}
