package builtin

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
)

//go:embed view_video.md
var viewVideoDoc string

func init() {
	tools.Register(tools.Define("view_video", viewVideoDoc, viewVideo,
		tools.Category("media"), tools.Effect(tools.Reads), tools.Timeout(-1),
		tools.Preflight(func(ctx context.Context, call tools.Call, args viewVideoArgs) error {
			return args.preflight(ctx, call, args.Path)
		}),
		tools.Tailor(func(ctx context.Context, call tools.Call, _ *tools.Shape) bool {
			media, err := services.Get(call.Services, tools.MediaKey)
			return err == nil && media.VideoOff(ctx) == ""
		}),
		tools.Stamp(func(ctx context.Context, call tools.Call, args viewVideoArgs) (string, error) {
			return args.stamp(ctx, call, args.Path, false)
		})))
}

type viewVideoArgs struct {
	Path   string  `json:"path" access:"read" jsonschema:"path in the project"`
	Frames int     `json:"frames,omitempty" jsonschema:"how many pictures" minimum:"1" maximum:"50" default:"6"`
	Start  float64 `json:"start,omitempty" jsonschema:"seconds" minimum:"0"`
	End    float64 `json:"end,omitempty" jsonschema:"seconds; default: the end" minimum:"0"`
	fileProject
}

type viewVideoResult struct {
	Path     string       `json:"path"`
	Format   string       `json:"format"`
	Codec    string       `json:"codec"`
	Audio    string       `json:"audio,omitempty"` // codec; left out: the video is silent
	Duration float64      `json:"duration"`        // seconds; 0: unknown
	Width    int          `json:"width"`
	Height   int          `json:"height"`
	Rate     string       `json:"frame_rate"`
	Frames   []videoFrame `json:"frames"`
	Note     string       `json:"note,omitempty"`

	images []tools.Image
}

// videoFrame is one picture of the video.
type videoFrame struct {
	At    float64 `json:"at"`    // seconds
	Shown string  `json:"shown"` // what became of it
}

// Images implements tools.Illustrated.
func (r viewVideoResult) Images() []tools.Image { return r.images }

func viewVideo(ctx context.Context, call tools.Call, args viewVideoArgs) (viewVideoResult, error) {
	if err := needPath("path", args.Path); err != nil {
		return viewVideoResult{}, err
	}
	if call.ProjectID == "" {
		return viewVideoResult{}, errNoProject
	}
	media, err := services.Get(call.Services, tools.MediaKey)
	if err != nil {
		return viewVideoResult{}, err
	}
	count := min(args.Frames, media.Media().VideoFrames)
	video, err := media.Frames(ctx, call, args.Path, count, secondsOf(args.Start), secondsOf(args.End))
	if err != nil {
		return viewVideoResult{}, err
	}
	result := viewVideoResult{Path: args.Path, Format: video.Format, Codec: video.Codec, Audio: video.Audio,
		Duration: video.Duration.Seconds(), Width: video.Width, Height: video.Height, Rate: video.Rate}
	if count < args.Frames {
		result.Note = fmt.Sprintf("at most %d pictures are taken at once (media.video_frames)", count)
	}
	result.show(ctx, call, video.Frames)
	return result, nil
}

// show keeps the frames as images of the result.
func (r *viewVideoResult) show(ctx context.Context, call tools.Call, frames []tools.VideoFrame) {
	store, err := services.Get(call.Services, tools.ImageStoreKey)
	if err != nil {
		r.Note = "pictures cannot be shown here"
		return
	}
	var all [][]byte
	for _, frame := range frames {
		all = append(all, frame.JPEG)
	}
	for i, kept := range store.KeepImages(ctx, call, all) {
		shown := "not shown: " + kept.Omitted
		if kept.Omitted == "" {
			r.images = append(r.images, kept.Image)
			shown = fmt.Sprintf("image %d of this result", len(r.images))
		}
		r.Frames = append(r.Frames, videoFrame{At: frames[i].At.Seconds(), Shown: shown})
	}
}

func secondsOf(seconds float64) time.Duration {
	return time.Duration(min(seconds, 1e6) * float64(time.Second))
}
