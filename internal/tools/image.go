package tools

import (
	"context"

	"nanoclaw/internal/services"
)

// Image is an image of a result. Its bytes are an upload of the user.
type Image struct {
	UploadID    string `json:"upload_id"`
	Name        string `json:"name"`
	ContentType string `json:"content_type"`
	Size        int64  `json:"size"` // bytes
}

// Illustrated is a result with images, which stand beside its text: the output limit
// does not count them. Such a result is never cached.
type Illustrated interface {
	Images() []Image
}

// ImageStoreKey finds where the images of results are kept.
var ImageStoreKey = services.NewKey[ImageStore]("image_store")

// ImageStore keeps images of results for models and people to see.
type ImageStore interface {
	// KeepImages keeps the images of one call, and answers for each of them in order.
	KeepImages(ctx context.Context, call Call, images [][]byte) []KeptImage
}

// KeptImage is an image that was kept, or why it was not.
type KeptImage struct {
	Image
	Omitted string // empty: it was kept
}
