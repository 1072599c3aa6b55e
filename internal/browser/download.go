package browser

import (
	"context"
	"fmt"
	"io"
	"mime"
	"os"
	"path"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

// downloads are those of one session. One is awaited at a time; others are cancelled.
type downloads struct {
	mu      sync.Mutex
	awaited *download
}

type download struct {
	guid  string
	name  string // that the page suggests
	url   string
	began chan struct{} // closed when it has begun
	moved chan *browser.EventDownloadProgress
}

// downloadBegins gives a download to who waits for it, or cancels it.
func (s *Service) downloadBegins(event *browser.EventDownloadWillBegin) {
	for _, c := range s.all() {
		if c.owns(event.FrameID) {
			if !c.downloads.begin(event) {
				go c.cancelDownload(event.GUID, event.SuggestedFilename)
			}
			return
		}
	}
	for _, c := range s.all() { // of a frame that is gone: of somebody's
		go c.cancelDownload(event.GUID, "")
	}
}

// owns says whether a frame is one of the session's.
func (c *session) owns(frame cdp.FrameID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, t := range c.tabs {
		t.mu.Lock()
		own := frame == cdp.FrameID(t.target) || t.frames[frame]
		t.mu.Unlock()
		if own {
			return true
		}
	}
	_, own := c.targets[target.ID(frame)]
	return own
}

func (d *downloads) begin(event *browser.EventDownloadWillBegin) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.awaited == nil || d.awaited.guid != "" {
		return false
	}
	d.awaited.guid, d.awaited.name, d.awaited.url = event.GUID, event.SuggestedFilename, event.URL
	close(d.awaited.began)
	return true
}

func (d *downloads) progress(event *browser.EventDownloadProgress) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.awaited == nil || d.awaited.guid != event.GUID {
		return
	}
	select {
	case <-d.awaited.moved: // only the newest counts
	default:
	}
	d.awaited.moved <- event
}

func (d *downloads) expect() *download {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.awaited = &download{began: make(chan struct{}), moved: make(chan *browser.EventDownloadProgress, 1)}
	return d.awaited
}

func (d *downloads) forget() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.awaited = nil
}

// cancelDownload ends a download that nobody asked for.
func (c *session) cancelDownload(guid, name string) {
	ctx, cancel := context.WithTimeout(context.Background(), disposeTime)
	defer cancel()
	c.mu.Lock()
	id := c.context
	var first *tab
	if len(c.tabs) > 0 {
		first = c.tabs[len(c.tabs)-1]
	}
	c.mu.Unlock()
	// One that has ended already is a file that is removed below.
	_, _ = cdp.Call(ctx, c.engine.browser, browser.CancelDownload,
		browser.CancelDownloadParams{GUID: guid, BrowserContextID: id})
	_ = c.engine.files.Remove(guid)
	if name != "" && first != nil {
		first.note(fmt.Sprintf("the page offered the file %q, which was not saved: op download saves files",
			shorten(name, 100)))
	}
}

// beginTime is how long a download may take to begin.
const beginTime = 15 * time.Second

// download clicks an element or opens an address, and keeps the file that comes.
func (o *operation) download(ctx context.Context) error {
	if (o.action.Ref == "") == (o.action.URL == "") {
		return tools.Errorf(tools.CodeInvalidArguments, "op download needs the ref of a link, or a url")
	}
	if o.action.Path == "" {
		return tools.Errorf(tools.CodeInvalidArguments, "op download needs path: where the file is kept in the project")
	}
	files, err := openFiles(ctx, o.call)
	if err != nil {
		return err
	}
	awaited := o.session.downloads.expect()
	defer o.session.downloads.forget()
	if o.action.Ref != "" {
		err = o.click(ctx)
	} else if err = o.navigate(ctx, o.action.URL); tools.CodeOf(err) == tools.CodeInvalidArguments {
		err = nil // it is a download
	}
	if err != nil {
		return err
	}
	select {
	case <-awaited.began:
	case <-time.After(beginTime):
		return tools.Errorf(tools.CodeUnavailable,
			"no download began: the page may have opened instead; op snapshot shows it")
	case <-ctx.Done():
		return ctx.Err()
	}
	if err := o.follow(ctx, awaited); err != nil {
		o.session.cancelDownload(awaited.guid, "")
		return err
	}
	defer func() { _ = o.session.engine.files.Remove(awaited.guid) }() // the directory goes with the engine
	return o.keep(ctx, files, awaited)
}

// follow waits for the end of a download.
func (o *operation) follow(ctx context.Context, d *download) error {
	for {
		select {
		case event := <-d.moved:
			if limit := o.settings.Download; int64(event.ReceivedBytes) > limit || int64(event.TotalBytes) > limit {
				return tools.Errorf(codeTooLarge, "the file is larger than %d bytes, the limit of a file in the "+
					"project (workspace.max_file_size)", limit)
			}
			switch event.State {
			case browser.DownloadProgressStateCompleted:
				return nil
			case browser.DownloadProgressStateCanceled:
				if err := o.service.refused(d.url, o.began); err != nil {
					return err
				}
				return tools.Errorf(tools.CodeUnavailable, "the download did not end well: %s broke it off", hostOf(d.url))
			}
		case <-o.session.engine.browser.LostConnection:
			return o.session.engine.explain(io.EOF)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// keep writes a file that came into the project.
func (o *operation) keep(ctx context.Context, files workspace.Filesystem, d *download) error {
	// Who wrote the file is not trusted: it may be a link or a pipe.
	from, err := o.session.engine.files.OpenFile(d.guid, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return tools.Errorf(tools.CodeUnavailable, "the downloaded file cannot be read: %v", err)
	}
	defer from.Close()
	if info, err := from.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > o.settings.Download {
		return tools.Errorf(tools.CodeUnavailable, "the downloaded file is not a file that can be kept")
	}
	to := o.action.Path
	if strings.HasSuffix(to, "/") {
		return tools.Errorf(tools.CodeInvalidArguments, "path names a directory: add the name of the file, perhaps %q",
			safeName(d.name))
	}
	written, err := files.Upload(ctx, to, from, workspace.WriteOptions{})
	if err != nil {
		return err
	}
	kind := mime.TypeByExtension(path.Ext(to))
	if kind == "" {
		kind = "application/octet-stream"
	}
	o.result.Saved = &tools.Attachment{Name: safeName(d.name), ContentType: kind, Size: written.Size, Path: to}
	return nil
}

// safeName is a file name without what leads elsewhere.
func safeName(name string) string {
	name = path.Base(strings.ReplaceAll(name, "\\", "/"))
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, name)
	if name == "." || name == ".." || name == "/" || name == "" {
		return "file"
	}
	return shorten(name, 100)
}

// openFiles are the files of the call's project; what is written is noted as its change.
func openFiles(ctx context.Context, call tools.Call) (workspace.Filesystem, error) {
	if call.ProjectID == "" {
		return nil, tools.Errorf(tools.CodeInvalidArguments, "this conversation has no project, so there are no files: "+
			"tell the user to open a conversation in a project")
	}
	opener, err := services.Get(call.Services, workspace.Key)
	if err != nil {
		return nil, err
	}
	files, err := opener.Open(ctx, call.ProjectID)
	if err != nil {
		return nil, err
	}
	if recorder, err := services.Get(call.Services, workspace.RecorderKey); err == nil {
		files = recorder.Recorded(workspace.Actor{UserID: call.UserID, RunID: call.RunID, RootRunID: call.RootRunID,
			CallID: call.ID}, call.ProjectID, files)
	}
	return files, nil
}
