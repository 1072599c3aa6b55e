package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"nanoclaw/internal/tools"
)

// MD1, issue 17 point 3: of 24 conversations that open a page at the same time, as many
// as are allowed get one of their own and the others a clear failure; the end of the
// service leaves no process and no file.
func TestACrowdOfConversationsIsServedUpToTheLimit(t *testing.T) {
	t.Parallel()
	w := newOwnWorld(t)
	const allowed, asking = 20, 24
	w.change(func(s *Settings) { s.Conversations, s.Timeout = allowed, 2*time.Minute })
	w.handle("/who", `<h1 id="h"></h1><script>h.textContent = 'I am ' + (document.cookie || 'nobody');
		document.cookie = 'who=' + location.search.slice(1)</script>`)
	var all sync.WaitGroup
	var mu sync.Mutex
	served, refused := map[string]bool{}, 0
	// The pages of a crowd are opened one after another, so that the last waits long on a busy machine.
	open := func(name string) (tools.BrowserResult, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
		defer cancel()
		return w.service.Do(ctx, tools.Call{ConversationID: name, AgentPath: "main", ProjectID: "p",
			Services: w.locator}, tools.BrowserAction{Op: "open", URL: w.site.URL + "/who?" + name})
	}
	for i := range asking {
		name := fmt.Sprintf("crowd-%d", i)
		all.Go(func() {
			page, err := open(name)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && strings.Contains(page.Snapshot, "I am nobody"):
				served[name] = true
			case tools.CodeOf(err) == tools.CodeUnavailable && strings.Contains(err.Error(), "browser.max_conversations"):
				refused++
			default:
				t.Errorf("%s: %v %s", name, err, page.Snapshot)
			}
		})
	}
	all.Wait()
	if len(served) != allowed || refused != asking-allowed {
		t.Fatalf("%d were served and %d refused", len(served), refused)
	}
	for name := range served {
		all.Go(func() {
			page, err := open(name)
			if err != nil || !strings.Contains(page.Snapshot, "I am who="+name+"\"") {
				t.Errorf("%s: %v %s", name, err, page.Snapshot)
			}
		})
	}
	all.Wait()
	w.service.mu.Lock()
	running := processesOf(t, w.service.engine.dir)
	w.service.mu.Unlock()
	if len(running) < 4 {
		t.Fatalf("Chromium is only %v", running)
	}
	w.service.Close()
	for id := range running {
		for end := time.Now().Add(time.Minute); lives(id); runtime.Gosched() { // the kernel ends a namespace by and by
			if time.Now().After(end) {
				t.Fatalf("the process %d is left: %s", id, running[id])
			}
		}
	}
	if left, err := os.ReadDir(w.service.dir()); len(left) > 0 || err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Errorf("files are left: %v, %v", left, err)
	}
}
