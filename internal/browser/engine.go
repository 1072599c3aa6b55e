package browser

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/tools"
)

const (
	insideHome = "/home/agent" // where Chromium finds the directory for files
	startTime  = 60 * time.Second
	stopGrace  = 2 * time.Second
	maxMessage = 64 << 20 // bytes of one message of Chromium
)

// engine is a running Chromium and the connection to it.
type engine struct {
	process sandbox.Process
	browser *chromedp.Browser
	ctx     context.Context // of chromedp; it ends with the process
	cancel  context.CancelFunc
	dir     string // of the host: files on their way in and out
	files   *os.Root
	ending  sync.Once
	last    lastLine
	reader  *messageReader
}

// launch is what an engine is started with.
type launch struct {
	program string
	policy  sandbox.Policy
	proxy   sandbox.Proxy
	dir     string // of the host, for directories of engines
	limits  sandbox.Limits
	heap    int64 // bytes of JavaScript of one page
}

// start starts Chromium and connects to it. events gets what concerns the whole
// browser; it must not block.
func start(ctx context.Context, l launch, events func(any)) (_ *engine, err error) {
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of the browser: %w", err)
	}
	dir, err := os.MkdirTemp(l.dir, "chromium-")
	if err != nil {
		return nil, fmt.Errorf("make the directory of the browser: %w", err)
	}
	e := &engine{dir: dir}
	defer func() {
		if err != nil {
			e.close()
		}
	}()
	if e.files, err = os.OpenRoot(dir); err != nil {
		return nil, fmt.Errorf("open the directory of the browser: %w", err)
	}
	e.process, err = l.policy.Start(ctx, sandbox.Spec{
		Argv: append([]string{l.program}, flags(l)...), Dir: "/tmp", Home: dir, Visible: visible(l.program),
		Env: map[string]string{"XDG_CONFIG_HOME": "/tmp/config", "XDG_CACHE_HOME": "/tmp/cache"},
		// Chromium reads commands from descriptor 3 and answers on descriptor 4.
		Pipes:  []sandbox.Direction{sandbox.Null, sandbox.Null, sandbox.Out, sandbox.In, sandbox.Out},
		Limits: l.limits, Proxy: l.proxy, UnixSockets: true,
	})
	if err != nil {
		return nil, fmt.Errorf("start Chromium: %w", err)
	}
	if err := e.connect(ctx, events); err != nil {
		return nil, err
	}
	return e, nil
}

func (e *engine) connect(ctx context.Context, events func(any)) error {
	var ends [5]*os.File
	for _, descriptor := range []int{2, 3, 4} {
		file, err := e.process.Pipe(descriptor).File()
		if err != nil {
			return err
		}
		ends[descriptor] = file
	}
	go e.last.follow(ends[2])
	e.reader = &messageReader{file: ends[4], limit: maxMessage}
	root, cancel := context.WithCancel(context.Background())
	e.cancel = cancel
	browser, err := chromedp.NewBrowserTransport(root, chromedp.NewPipeConn(e.reader, ends[3]),
		chromedp.WithBrowserLogf(func(string, ...any) {}))
	if err != nil {
		return fmt.Errorf("connect to Chromium: %w", err)
	}
	e.browser = browser
	allocator, _ := chromedp.NewAllocatorContext(root, attached{browser}) // it ends with root
	e.ctx, _ = chromedp.NewContext(allocator)                             // the same
	if err := chromedp.ListenBrowser(e.ctx, events); err != nil {
		return fmt.Errorf("listen to Chromium: %w", err)
	}
	ctx, done := context.WithTimeout(ctx, startTime)
	defer done()
	if _, err := cdp.Call(ctx, browser, target.SetDiscoverTargets,
		target.SetDiscoverTargetsParams{Discover: true}); err != nil {
		return e.explain(fmt.Errorf("start Chromium: %w", err))
	}
	return nil
}

// alive says whether Chromium runs and answers.
func (e *engine) alive() bool {
	select {
	case <-e.process.Done():
		return false
	case <-e.browser.LostConnection:
		return false
	default:
		return true
	}
}

// explain says of a failed command that Chromium has ended, where it has.
func (e *engine) explain(err error) error {
	if err == nil || e.alive() && !errors.Is(err, io.EOF) {
		return err
	}
	why := ""
	if e.process.Load().MemoryKills > 0 {
		why = ": it had no more memory (browser.memory)"
	} else if e.reader.tooLong() {
		why = ": a page was too large for it to describe"
	} else if line := e.last.get(); line != "" {
		why = ": " + line
	}
	return tools.Errorf(tools.CodeUnavailable,
		"the browser has ended%s; its pages are gone: open the page again, which starts it anew", why)
}

// close ends Chromium and everything of it.
func (e *engine) close() {
	e.ending.Do(func() {
		if e.cancel != nil {
			e.cancel()
		}
		if e.process != nil {
			e.process.Stop(0)
			e.process.Close()
		}
		if e.files != nil {
			_ = e.files.Close()
		}
		_ = os.RemoveAll(e.dir) // what stays is swept at the next start
	})
}

// attached is the allocator of chromedp for a browser that runs already.
type attached struct{ browser *chromedp.Browser }

// Allocate implements chromedp.Allocator.
func (a attached) Allocate(context.Context, ...chromedp.BrowserOption) (*chromedp.Browser, error) {
	return a.browser, nil
}

// Wait implements chromedp.Allocator.
func (attached) Wait() {}

// Attaches implements chromedp.Attacher.
func (attached) Attaches() bool { return true }

// messageReader ends a connection whose messages grow too long. Messages end with
// a zero byte.
type messageReader struct {
	file  *os.File
	limit int

	mu      sync.Mutex
	current int
	over    bool
}

func (r *messageReader) Read(buf []byte) (int, error) {
	n, err := r.file.Read(buf)
	r.mu.Lock()
	defer r.mu.Unlock()
	if at := strings.LastIndexByte(string(buf[:n]), 0); at >= 0 {
		r.current = n - at - 1
	} else {
		r.current += n
	}
	if r.current > r.limit {
		r.over = true
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

// Close implements io.Closer.
func (r *messageReader) Close() error { return r.file.Close() }

func (r *messageReader) tooLong() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.over
}

// lastLine keeps the last line that Chromium wrote about a fatal error.
type lastLine struct {
	mu   sync.Mutex
	text string
}

func (l *lastLine) follow(file *os.File) {
	defer file.Close()
	lines := bufio.NewReaderSize(file, 4<<10)
	for {
		line, err := lines.ReadSlice('\n')
		if text := strings.TrimSpace(string(line)); strings.Contains(text, "FATAL") {
			l.mu.Lock()
			l.text = fmt.Sprintf("%.300s", text)
			l.mu.Unlock()
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

func (l *lastLine) get() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text
}

// sweep removes what engines of a server that died left behind.
func sweep(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, "chromium-*")) // the pattern is well formed
	for _, one := range left {
		_ = os.RemoveAll(one) // it is tried again at the next start
	}
}
