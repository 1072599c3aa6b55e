package app

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/gif" // the kinds whose sizes are looked at
	_ "image/jpeg"
	_ "image/png"
	"log/slog"
	"net/http"
	"strings"

	"nanoclaw/internal/config"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// maxImageSide is the longest side of an image that providers take, in pixels.
const maxImageSide = 8000

// resultImages keeps images of tool results as uploads of the user.
type resultImages struct {
	store  *store.Store
	live   *config.Live
	logger *slog.Logger
}

var _ tools.ImageStore = resultImages{}

// KeepImages implements tools.ImageStore. An image that a provider would refuse is
// left out: it would make every later turn of the conversation fail.
func (r resultImages) KeepImages(ctx context.Context, call tools.Call, images [][]byte) []tools.KeptImage {
	limits := r.live.Current().ToolDefaults
	room := limits.ImagesLimit.Bytes()
	kept := make([]tools.KeptImage, len(images))
	for i, data := range images {
		size := int64(len(data))
		contentType, problem := imageType(data)
		switch {
		case problem != "":
		case size > limits.ImageLimit.Bytes():
			problem = fmt.Sprintf("the image has %d bytes, at most %d are kept (tool_defaults.image_limit)", size,
				limits.ImageLimit.Bytes())
		case size > room:
			problem = fmt.Sprintf("the images of one result may have %d bytes (tool_defaults.images_limit)",
				limits.ImagesLimit.Bytes())
		}
		if problem != "" {
			kept[i].Omitted = problem
			continue
		}
		name := fmt.Sprintf("%s-%d.%s", call.Tool, i+1, strings.TrimPrefix(contentType, "image/"))
		upload := &models.Upload{UserID: call.UserID, ConversationID: call.ConversationID, Name: name,
			ContentType: contentType, Data: data}
		if err := r.store.CreateUpload(ctx, upload); err != nil {
			r.logger.Warn("an image of a tool's result could not be kept", "tool", call.Tool, "call_id", call.ID,
				"error", err)
			kept[i].Omitted = "the image could not be stored"
			continue
		}
		room -= size
		kept[i].Image = tools.Image{UploadID: upload.ID, Name: name, ContentType: contentType, Size: size}
	}
	return kept
}

// imageType is what the bytes are, or why no model could see them.
func imageType(data []byte) (contentType, problem string) {
	contentType = http.DetectContentType(data)
	switch contentType {
	case "image/webp":
		return contentType, ""
	case "image/png", "image/jpeg", "image/gif":
	default:
		return "", "the data is no PNG, JPEG, GIF or WebP image"
	}
	shape, _, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case err != nil:
		return "", "the image is damaged"
	case shape.Width > maxImageSide || shape.Height > maxImageSide:
		return "", fmt.Sprintf("the image is %d × %d pixels, at most %d each way can be shown to a model", shape.Width,
			shape.Height, maxImageSide)
	}
	return contentType, ""
}
