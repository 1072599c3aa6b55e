package programs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

// mediaService is the part of the service that looks at videos.
type mediaService Service

var _ tools.Media = (*mediaService)(nil)

// Media shows pictures and videos to tools.
func (s *Service) Media() tools.Media { return (*mediaService)(s) }

// Media implements tools.Media.
func (m *mediaService) Media() tools.MediaSettings {
	c := m.Live.Current()
	return tools.MediaSettings{ImageSide: c.Media.ImageSide, ImagePixels: c.Media.ImagePixels,
		ImageBytes: int(c.ToolDefaults.ImageLimit.Bytes()), VideoFrames: c.Media.VideoFrames}
}

// InstallFFmpeg says how to get ffmpeg.
const InstallFFmpeg = "apt install ffmpeg (Debian, Ubuntu), dnf install ffmpeg (Fedora)"

// VideoOff implements tools.Media.
func (m *mediaService) VideoOff(ctx context.Context) string {
	for _, name := range []string{"ffmpeg", "ffprobe"} {
		if _, err := exec.LookPath(name); err != nil {
			return name + " is not installed: " + InstallFFmpeg
		}
	}
	if _, err := (*Service)(m).Sandbox(ctx); err != nil {
		return err.Error()
	}
	return ""
}

// Codes of failures beside those of package tools.
const (
	codeUnsupported = "unsupported_type"
	codeTooLarge    = "too_large"
)

// videoDir is where ffmpeg finds copies, below the data directory.
const videoDir = "videos"

// Limits of what ffmpeg gets and writes.
const (
	maxVideo     = 1 << 30   // bytes of a file
	maxProbe     = 1 << 20   // bytes of what ffprobe says
	maxFrame     = 8 << 20   // bytes of a frame
	videoMemory  = 1 << 30   // bytes
	videoCPU     = 2         // processors
	videoFiles   = 256 << 20 // bytes of one file that it writes
	videoProcess = 64
)

// demuxers are the containers that are read. Playlists, which name other files, are
// not among them.
const demuxers = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,flv,mpeg,mpegts,ogg,gif,asf,mpegvideo"

// Frames implements tools.Media.
func (m *mediaService) Frames(ctx context.Context, call tools.Call, path string, count int,
	start, end time.Duration) (tools.Video, error) {
	if why := m.VideoOff(ctx); why != "" {
		return tools.Video{}, tools.Errorf(tools.CodeUnavailable, "videos cannot be looked at here: %s", why)
	}
	c := m.Live.Current()
	ctx, cancel := context.WithTimeout(ctx, c.Media.VideoTimeout.Std())
	defer cancel()
	w, err := m.fetch(ctx, call, path)
	if err != nil {
		return tools.Video{}, err
	}
	defer w.close()
	video, err := w.probe(ctx)
	if err == nil {
		err = w.frames(ctx, &video, count, start, end)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = tools.Errorf(tools.CodeTimeout, "the video could not be looked at within %v (media.video_timeout)",
			c.Media.VideoTimeout.Std())
	}
	return video, err
}

// videoWork is one video on its way through ffmpeg, in a directory of its own.
type videoWork struct {
	policy sandbox.Policy
	dir    string
	files  *os.Root
	side   int
}

// fetch copies the video to where ffmpeg finds it, and nothing else.
func (m *mediaService) fetch(ctx context.Context, call tools.Call, path string) (_ *videoWork, err error) {
	policy, err := (*Service)(m).Sandbox(ctx)
	if err != nil {
		return nil, err
	}
	opener, err := services.Get(call.Services, workspace.Key)
	if err != nil {
		return nil, err
	}
	project, err := opener.Open(ctx, call.ProjectID)
	if err != nil {
		return nil, err
	}
	source, entry, err := project.Download(ctx, path)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	if entry.Size > maxVideo {
		return nil, tools.Errorf(codeTooLarge, "the video has %d bytes, at most %d are looked at", entry.Size, maxVideo)
	}
	parent := filepath.Join(m.Live.Current().DataDir, videoDir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, fmt.Errorf("make a directory for a video: %w", err)
	}
	dir, err := os.MkdirTemp(parent, "video-")
	if err != nil {
		return nil, fmt.Errorf("make a directory for a video: %w", err)
	}
	w := &videoWork{policy: policy, dir: dir, side: m.Live.Current().Media.ImageSide}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	if w.files, err = os.OpenRoot(dir); err != nil {
		return nil, fmt.Errorf("open the directory of a video: %w", err)
	}
	copied, err := w.files.OpenFile("input", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, fmt.Errorf("copy a video: %w", err)
	}
	_, err = io.Copy(copied, io.LimitReader(source, maxVideo))
	if closed := copied.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, fmt.Errorf("copy a video: %w", err)
	}
	return w, nil
}

func (w *videoWork) close() {
	if w.files != nil {
		_ = w.files.Close()
	}
	_ = os.RemoveAll(w.dir) // it is below the data directory, where a person finds it
}

// run runs a script of bash with arguments in the sandbox. What it says is answered.
func (w *videoWork) run(ctx context.Context, script string, args ...string) ([]byte, error) {
	process, err := w.policy.Start(ctx, sandbox.Spec{
		Argv: append([]string{"/bin/bash", "--noprofile", "--norc", "-c", script, "video"}, args...), Home: w.dir,
		Dir: "/home/agent", Pipes: []sandbox.Direction{sandbox.Null, sandbox.Out, sandbox.Null}, NoTCP: true,
		Limits: sandbox.Limits{Memory: videoMemory, CPUs: videoCPU, Processes: videoProcess, FileSize: videoFiles},
	})
	if err != nil {
		return nil, err
	}
	defer process.Close()
	stop := context.AfterFunc(ctx, func() { process.Stop(0) })
	defer stop()
	out, err := process.Pipe(1).File()
	if err != nil {
		return nil, err
	}
	defer out.Close()
	said, err := io.ReadAll(io.LimitReader(out, maxProbe))
	if err != nil {
		return nil, fmt.Errorf("read what ffmpeg says: %w", err)
	}
	process.Stop(0) // where it goes on behind its output
	<-process.Done()
	return said, ctx.Err()
}

const probeScript = `exec ffprobe -v error -protocol_whitelist file -format_whitelist "$1" -show_entries ` +
	`format=format_name,duration:stream=codec_type,codec_name,width,height,avg_frame_rate -of json input`

// probe finds out what the file is.
func (w *videoWork) probe(ctx context.Context) (video tools.Video, err error) {
	said, err := w.run(ctx, probeScript, demuxers)
	if err != nil {
		return video, err
	}
	var facts struct {
		Format struct {
			Name     string `json:"format_name"`
			Duration string `json:"duration"`
		} `json:"format"`
		Streams []struct {
			Type   string `json:"codec_type"`
			Codec  string `json:"codec_name"`
			Width  int    `json:"width"`
			Height int    `json:"height"`
			Rate   string `json:"avg_frame_rate"`
		} `json:"streams"`
	}
	if json.Unmarshal(said, &facts) != nil || len(facts.Streams) == 0 {
		return video, tools.Errorf(codeUnsupported, "this is no video that can be read, or it is broken")
	}
	seconds, err := strconv.ParseFloat(facts.Format.Duration, 64)
	if err == nil && seconds > 0 && seconds < 1e6 {
		video.Duration = time.Duration(seconds * float64(time.Second))
	}
	video.Format = facts.Format.Name
	for _, stream := range facts.Streams {
		switch {
		case stream.Type == "video" && video.Codec == "":
			video.Codec, video.Width, video.Height, video.Rate = stream.Codec, stream.Width, stream.Height, stream.Rate
		case stream.Type == "audio" && video.Audio == "":
			video.Audio = stream.Codec
		}
	}
	if video.Codec == "" {
		return video, tools.Errorf(codeUnsupported, "the file has no pictures (%s)", video.Format)
	}
	return video, nil
}

const framesScript = `formats=$1 side=$2; shift 2; n=0
for at in "$@"; do
	ffmpeg -nostdin -v error -protocol_whitelist file -format_whitelist "$formats" -threads 2 -ss "$at" -i input ` +
	`-frames:v 1 -vf "scale=w='min($side,iw)':h='min($side,ih)':force_original_aspect_ratio=decrease" -q:v 4 ` +
	`-f image2 -update 1 -protocol_whitelist file "frame-$n.jpg" || :
	n=$((n + 1))
done`

// frames takes pictures of the video, evenly.
func (w *videoWork) frames(ctx context.Context, video *tools.Video, count int, start, end time.Duration) error {
	if video.Duration > 0 && (end <= 0 || end > video.Duration) {
		end = video.Duration
	}
	if start > 0 && start >= end {
		return tools.Errorf(tools.CodeInvalidArguments, "the video lasts %v: start has to be before its end and before "+
			"end", video.Duration.Round(10*time.Millisecond))
	}
	args := []string{demuxers, strconv.Itoa(w.side)}
	var times []time.Duration
	for i := range count {
		at := start + (end-start)*time.Duration(2*i+1)/time.Duration(2*count)
		times = append(times, at)
		args = append(args, strconv.FormatFloat(at.Seconds(), 'f', 3, 64))
	}
	if _, err := w.run(ctx, framesScript, args...); err != nil {
		return err
	}
	for i, at := range times {
		if data := w.frame(fmt.Sprintf("frame-%d.jpg", i)); data != nil {
			video.Frames = append(video.Frames, tools.VideoFrame{At: at, JPEG: data})
		}
	}
	if len(video.Frames) == 0 {
		return tools.Errorf(codeUnsupported, "no picture of the video can be decoded: it is broken, or of a kind that "+
			"ffmpeg cannot read here (%s)", strings.Join([]string{video.Format, video.Codec}, ", "))
	}
	return nil
}

// frame is a picture that ffmpeg wrote; nil: there is none. Who wrote it is not trusted.
func (w *videoWork) frame(name string) []byte {
	file, err := w.files.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() == 0 || info.Size() > maxFrame {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(file, maxFrame))
	if err != nil {
		return nil
	}
	return data
}
