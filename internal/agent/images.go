package agent

import (
	"context"
	"fmt"
	"slices"

	"nanoclaw/internal/llm"
)

// What a request holds of the images of tool results, the newest first. Providers
// bound both, and every turn sends all of them again.
const (
	maxResultImages     = 20
	maxResultImageBytes = 16 << 20
)

// chooseImages leaves in a context those images of tool results that the model can
// see and that have room. Of the others the result says that they are missing.
func chooseImages(messages []llm.Message, info llm.Info) {
	count, size := 0, int64(0)
	for i := len(messages) - 1; i >= 0; i-- {
		m := &messages[i]
		if m.Role != llm.RoleTool || len(m.Images) == 0 {
			continue
		}
		if !slices.Contains(info.Supports, "images") {
			leaveOut(m, len(m.Images), "this model cannot see images: say so if it matters")
			m.Images = nil
			continue
		}
		kept := make([]llm.Image, 0, len(m.Images))
		for _, image := range m.Images {
			if count < maxResultImages && size+image.Size <= maxResultImageBytes {
				count, size = count+1, size+image.Size
				kept = append(kept, image)
			}
		}
		if left := len(m.Images) - len(kept); left > 0 {
			leaveOut(m, left, "only the latest images of a conversation are: call the tool again if you need to see it")
		}
		m.Images = kept
	}
}

// readImages puts the bytes into a request that is about to be sent.
func readImages(ctx context.Context, spec Spec, messages []llm.Message) []llm.Message {
	var filled []llm.Message // nil: there is nothing to read
	for i, m := range messages {
		if !slices.ContainsFunc(m.Images, unread) {
			continue
		}
		if filled == nil {
			filled = slices.Clone(messages)
		}
		kept := make([]llm.Image, 0, len(m.Images))
		for _, image := range m.Images {
			if unread(image) {
				data, err := spec.Image(ctx, image.ID)
				if err != nil {
					leaveOut(&m, 1, "it is no longer there")
					continue
				}
				image.Data = data
			}
			kept = append(kept, image)
		}
		m.Images = kept
		filled[i] = m
	}
	if filled == nil {
		return messages
	}
	return filled
}

func unread(image llm.Image) bool { return image.ID != "" && image.Data == nil }

func leaveOut(m *llm.Message, count int, reason string) {
	images := "an image"
	if count > 1 {
		images = fmt.Sprintf("%d images", count)
	}
	m.Text += fmt.Sprintf("\n\n[%s of this result not shown here: %s]", images, reason)
}
