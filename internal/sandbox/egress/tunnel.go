package egress

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"sync"
	"time"
)

// handler answers the requests of one listener.
type handler struct {
	proxy *Proxy
	work  *work
	plain *httputil.ReverseProxy
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !h.work.begin() {
		return
	}
	defer h.work.open.Done()
	switch {
	case r.Method == http.MethodConnect:
		h.connect(w, r)
	case r.URL.Scheme == "http" && r.URL.Host != "":
		if r.URL.Port() == "" {
			r.URL.Host += ":80" // the list may hold the port
		}
		h.plain.ServeHTTP(w, r)
	default:
		http.Error(w, "this is a proxy: it takes CONNECT, and http:// URLs", http.StatusBadRequest)
	}
}

// connect opens a tunnel.
func (h *handler) connect(w http.ResponseWriter, r *http.Request) {
	remote, err := h.proxy.dial(r.Context(), "tcp", r.Host)
	if err != nil {
		h.proxy.answerError(w, r.Host, err)
		return
	}
	defer remote.Close()
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "no tunnel can be opened on this connection", http.StatusInternalServerError)
		return
	}
	defer client.Close()
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return // the client is gone
	}
	h.work.tunnel(client, buffered.Reader, remote)
}

// work is what one listener's requests are doing.
type work struct {
	ctx  context.Context // its end closes tunnels
	idle time.Duration

	mu    sync.Mutex
	ended bool
	open  sync.WaitGroup
}

// begin says whether a request may still begin.
func (w *work) begin() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ended {
		w.open.Add(1)
	}
	return !w.ended
}

// end lets nothing begin any more and waits for the rest.
func (w *work) end() {
	w.mu.Lock()
	w.ended = true
	w.mu.Unlock()
	w.open.Wait()
}

// tunnel moves bytes both ways until both sides have ended, or nothing moves.
func (w *work) tunnel(client net.Conn, fromClient io.Reader, remote net.Conn) {
	release := context.AfterFunc(w.ctx, func() {
		_ = client.Close()
		_ = remote.Close()
	})
	defer release()
	watch := newIdleWatch(w.idle, client, remote)
	defer watch.stop()
	var both sync.WaitGroup
	both.Go(func() { watch.move(remote, fromClient) })
	both.Go(func() { watch.move(client, remote) })
	both.Wait()
}

// idleWatch closes connections on which nothing moved for a while, either way.
type idleWatch struct {
	timer *time.Timer
	idle  time.Duration
}

func newIdleWatch(idle time.Duration, connections ...net.Conn) *idleWatch {
	return &idleWatch{idle: idle, timer: time.AfterFunc(idle, func() {
		for _, c := range connections {
			_ = c.Close() // nobody uses it
		}
	})}
}

func (w *idleWatch) stop() { w.timer.Stop() }

// move copies until the end of one side, and tells the other of it.
func (w *idleWatch) move(to net.Conn, from io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			w.timer.Reset(w.idle)
			if _, err := to.Write(buf[:n]); err != nil {
				_ = to.Close()
				return
			}
		}
		if err != nil {
			half, ok := to.(interface{ CloseWrite() error })
			if !errors.Is(err, io.EOF) || !ok || half.CloseWrite() != nil {
				_ = to.Close()
			}
			return
		}
	}
}
