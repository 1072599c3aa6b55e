package tools

import (
	"context"
	"time"

	"nanoclaw/internal/services"
)

// MediaKey finds what shows pictures, videos and the screen.
var MediaKey = services.NewKey[Media]("media")

// Media shows pictures and videos of projects.
type Media interface {
	// Media are the limits, asked at every call.
	Media() MediaSettings

	// VideoOff says why videos cannot be looked at here; empty: they can.
	VideoOff(ctx context.Context) string

	// ScreenOff says why the screen of this machine cannot be shown; empty: it can.
	ScreenOff(ctx context.Context) string

	// Frames looks at a video of the call's project: count frames, evenly from start to
	// end (0: its end). Errors have the codes unsupported_type, too_large, unavailable.
	Frames(ctx context.Context, call Call, path string, count int, start, end time.Duration) (Video, error)
}

// MediaSettings bound pictures and videos.
type MediaSettings struct {
	ImageSide   int // longest side of what a model sees, pixels
	ImagePixels int // of a file; one with more is not decoded
	ImageBytes  int // of what a model sees
	VideoFrames int // of one call
}

// Video is what is known of a video, and some of its frames.
type Video struct {
	Format   string
	Codec    string
	Duration time.Duration
	Width    int
	Height   int
	Rate     string // frames per second, as a fraction
	Audio    string // codec; empty: it is silent
	Frames   []VideoFrame
}

// VideoFrame is one picture of a video.
type VideoFrame struct {
	At   time.Duration
	JPEG []byte
}
