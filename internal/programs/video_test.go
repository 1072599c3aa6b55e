package programs

import (
	"bytes"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"nanoclaw/internal/tools"
)

// MD2: a video's facts and frames are found by ffmpeg in the sandbox, and what is no
// video, or names other files, is refused.
func TestAVideoIsLookedAt(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ffmpeg"); err != nil && os.Getenv("CI") == "" {
		t.Skip("NOT TESTED: ffmpeg is not installed: run scripts/setup-sandbox.sh")
	}
	data := t.TempDir()
	p, call := newPlace(t, "data_dir: "+data+"\nmedia: {image_side: 64}\n")
	if why := p.Media().VideoOff(t.Context()); why != "" && os.Getenv("CI") == "" {
		t.Skip("NOT TESTED: ", why)
	}
	at, err := p.site(t.Context(), p.Live.Current(), call.ProjectID)
	if err != nil {
		t.Fatal(err)
	}
	dir := at.dir
	// Red for a second, then blue for a second.
	if out, err := exec.Command("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=red:s=160x120:d=1:r=10", "-f", "lavfi",
		"-i", "color=blue:s=160x120:d=1:r=10", "-filter_complex", "concat", filepath.Join(dir, "two.mp4")).
		CombinedOutput(); err != nil {
		t.Fatalf("make a video: %v %s", err, out)
	}
	video, err := p.Media().Frames(t.Context(), call, "two.mp4", 2, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if video.Duration != 2*time.Second || video.Width != 160 || video.Height != 120 || video.Rate != "10/1" ||
		len(video.Frames) != 2 {
		t.Fatalf("%+v", video)
	}
	for i, want := range []struct {
		at        time.Duration
		red, blue bool
	}{{500 * time.Millisecond, true, false}, {1500 * time.Millisecond, false, true}} {
		frame := video.Frames[i]
		picture, err := jpeg.Decode(bytes.NewReader(frame.JPEG))
		if err != nil {
			t.Fatal(err)
		}
		red, _, blue, _ := picture.At(20, 20).RGBA()
		if frame.At != want.at || picture.Bounds().Dx() != 64 || red > 1<<15 != want.red || blue > 1<<15 != want.blue {
			t.Errorf("frame %d at %v: %v, red %d, blue %d", i, frame.At, picture.Bounds(), red, blue)
		}
	}
	for name, content := range map[string]string{
		"text.mp4": "no video at all", "empty.mp4": "", "list.m3u8": "#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n",
		"concat.txt": "ffconcat version 1.0\nfile /etc/passwd\n", "cut.mp4": "\x00\x00\x00\x20ftypisom\x00\x00",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Media().Frames(t.Context(), call, name, 1, 0, 0); tools.CodeOf(err) != codeUnsupported {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := p.Media().Frames(t.Context(), call, "two.mp4", 1, time.Minute, 0); tools.CodeOf(err) !=
		tools.CodeInvalidArguments {
		t.Errorf("a start behind the end: %v", err)
	}
	if left, err := os.ReadDir(filepath.Join(data, "videos")); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v %v", left, err)
	}
}
