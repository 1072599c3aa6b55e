package browser

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"nanoclaw/internal/tools"
)

// handle serves HTML at a path of the site.
func (w *world) handle(path, html string) {
	w.mux.HandleFunc(path, func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		fmt.Fprint(rw, html)
	})
}

// MD1: pages that never end, that keep the processor busy and that take all memory
// are told from one another, and the next page is shown.
func TestPagesThatMisbehave(t *testing.T) {
	t.Parallel()
	w := newOwnWorld(t)
	w.change(func(s *Settings) { s.Timeout = 10 * time.Second })
	ends := make(chan struct{})
	w.mux.HandleFunc("/endless", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		fmt.Fprint(rw, "<h1>The beginning</h1>"+strings.Repeat(" ", 4096))
		rw.(http.Flusher).Flush()
		select {
		case <-ends:
		case <-r.Context().Done():
		}
	})
	w.mux.HandleFunc("/silent", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-ends:
		case <-r.Context().Done():
		}
	})
	t.Cleanup(func() { close(ends) })
	w.handle("/busy", `<button onclick="for (;;);">Busy</button>`)
	w.handle("/greedy", `<button onclick="const all = []; for (;;) all.push(new Array(1e6).fill(Math.random()))">Greedy</button>`)
	w.handle("/fine", "<h1>Fine</h1>")

	endless := w.open("/endless")
	if shows(t, endless, "The beginning"); !strings.Contains(strings.Join(endless.Notes, ""), "still loading") {
		t.Errorf("notes: %q", endless.Notes)
	}
	_, err := w.try(w.conversation, tools.BrowserAction{Op: "open", URL: "/silent"})
	fails(t, err, tools.CodeTimeout, "browser.timeout")
	shows(t, w.open("/fine"), "Fine")
	busy := w.open("/busy")
	_, err = w.try(w.conversation, tools.BrowserAction{Op: "click", Ref: ref(t, busy, "Busy")})
	fails(t, err, tools.CodeTimeout, "does not answer")
	shows(t, w.open("/fine"), "Fine")
	w.change(func(s *Settings) { s.Timeout = time.Minute })
	greedy := w.open("/greedy")
	_, err = w.try(w.conversation, tools.BrowserAction{Op: "click", Ref: ref(t, greedy, "Greedy")})
	fails(t, err, tools.CodeUnavailable, "crashed")
	shows(t, w.open("/fine"), "Fine")
}

// MD1: Chromium that dies in the middle of a call is a clear failure, the next call
// has a new one, and the end of the service leaves no process and no file.
func TestChromiumDiesAndEnds(t *testing.T) {
	t.Parallel()
	w := newOwnWorld(t)
	asked := make(chan struct{}, 1)
	w.mux.HandleFunc("/silent", func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	})
	w.handle("/fine", "<h1>Fine</h1>")
	shows(t, w.open("/fine"), "Fine")
	w.service.mu.Lock()
	first := w.service.engine
	w.service.mu.Unlock()
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		<-asked
		first.process.Stop(0) // by SIGKILL
	}()
	_, err := w.try(w.conversation, tools.BrowserAction{Op: "open", URL: "/silent"})
	fails(t, err, tools.CodeUnavailable, "the browser has ended")
	<-killed
	_, err = w.try(w.conversation, tools.BrowserAction{Op: "snapshot"})
	fails(t, err, tools.CodeInvalidArguments, "no page is open")
	shows(t, w.open("/fine"), "Fine")
	w.service.mu.Lock()
	second := w.service.engine
	w.service.mu.Unlock()
	running := processesOf(t, second.dir)
	if len(running) < 4 {
		t.Fatalf("Chromium is only %v", running)
	}
	w.service.Close()
	for id := range running {
		for end := time.Now().Add(20 * time.Second); lives(id); runtime.Gosched() { // the kernel ends a namespace by and by
			if time.Now().After(end) {
				t.Fatalf("the process %d is left: %s", id, running[id])
			}
		}
	}
	if left, _ := os.ReadDir(w.service.dir()); len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
	_, err = w.try(w.conversation, tools.BrowserAction{Op: "open", URL: "/fine"})
	if err == nil {
		t.Error("a closed service opened a page")
	}
}

// lives says whether a process is there and is no zombie.
func lives(id int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(id), "stat"))
	return err == nil && !bytes.Contains(stat[bytes.LastIndexByte(stat, ')'):], []byte(" Z "))
}

// processesOf are the processes of the sandbox that has a directory, by their ids.
func processesOf(t testing.TB, dir string) map[int]string {
	t.Helper()
	found := map[int]string{}
	parents := map[int]int{}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		id, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		line, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "cmdline")) // it may be gone
		stat, _ := os.ReadFile(filepath.Join("/proc", entry.Name(), "stat"))
		if fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]); len(fields) > 1 {
			parents[id], _ = strconv.Atoi(string(fields[1]))
		}
		if bytes.Contains(line, []byte(dir)) && bytes.Contains(line, []byte("bwrap")) {
			found[id] = "bwrap"
		}
	}
	for range parents { // deeper by one each time
		for id, parent := range parents {
			if _, below := found[parent]; below {
				found[id] = "below"
			}
		}
	}
	return found
}

// MD1: conversations at the same time have their own cookies, storage and tabs, and
// there are only so many of them, and of tabs.
func TestConversationsAreIsolatedAndLimited(t *testing.T) {
	t.Parallel()
	w := newOwnWorld(t)
	w.handle("/mark", `<p id="p"></p><button onclick="document.cookie = 'who=' + where.value; localStorage.who = where.value; show()">Mark</button>
		<input id="where" aria-label="Where"><script>function show() { p.textContent = 'Cookie ' + document.cookie + ', storage ' + localStorage.who }; show()</script>`)
	const count = 4
	w.change(func(s *Settings) { s.Conversations, s.Tabs = count, 2 })
	var all sync.WaitGroup
	for i := range count {
		name := fmt.Sprintf("conversation-%d", i)
		all.Go(func() {
			page, err := w.try(name, tools.BrowserAction{Op: "open", URL: "/mark"})
			if err != nil {
				t.Error(err)
				return
			}
			if !strings.Contains(page.Snapshot, "Cookie , storage undefined") {
				t.Errorf("%s begins with %s", name, page.Snapshot)
			}
			for _, action := range []tools.BrowserAction{
				{Op: "type", Ref: ref(t, page, "Where"), Text: name}, {Op: "click", Ref: ref(t, page, "Mark")},
				{Op: "open", URL: "/mark", Tab: "new"},
			} {
				if page, err = w.try(name, action); err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
			}
			if !strings.Contains(page.Snapshot, "Cookie who="+name+", storage "+name) {
				t.Errorf("%s has %s", name, page.Snapshot)
			}
		})
	}
	all.Wait()
	_, err := w.try("conversation-0", tools.BrowserAction{Op: "open", URL: "/mark", Tab: "new"})
	fails(t, err, tools.CodeUnavailable, "browser.max_tabs")
	_, err = w.try("one-more", tools.BrowserAction{Op: "open", URL: "/mark"})
	fails(t, err, tools.CodeUnavailable, "browser.max_conversations")
	w.service.EndConversation("conversation-1")
	if _, err = w.try("one-more", tools.BrowserAction{Op: "open", URL: "/mark"}); err != nil {
		t.Error(err)
	}
	// Unused conversations are closed, and Chromium with the last one.
	w.change(func(s *Settings) { s.IdleTimeout = 0 })
	w.service.mu.Lock()
	running := w.service.engine
	w.service.mu.Unlock()
	w.service.closeIdle()
	w.service.mu.Lock()
	left := len(w.service.sessions)
	w.service.mu.Unlock()
	if left != 0 || running.alive() {
		t.Errorf("%d conversations are left, Chromium runs: %v", left, running.alive())
	}
}

// MD1: without Chromium there is no tool, and the reason says how to get it.
func TestWithoutChromiumTheReasonIsTold(t *testing.T) {
	t.Parallel()
	service, settings := newService(t.TempDir())
	settings.settings.Program = "/nowhere/chromium"
	if why := service.Unavailable(t.Context()); !strings.Contains(why, "browser.program") {
		t.Error(why)
	}
	_, err := service.Do(t.Context(), tools.Call{ConversationID: "c"}, tools.BrowserAction{Op: "open",
		URL: "https://example.org/"})
	fails(t, err, tools.CodeUnavailable, "browser.program")
}
