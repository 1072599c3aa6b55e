package eventlog

import (
	"fmt"
	"sync"

	"github.com/nats-io/nats.go"
)

// noticeSubject is where processes tell each other that somebody wants something of a run.
// No stream has it: what is wanted stands in the database.
const noticeSubject = "notices.runs"

// notices are the functions that are called with each notice.
type notices struct {
	mu  sync.RWMutex
	fns []func(rootRunID string)
}

// Notify lets every process know, this one too, that there is something new in the database
// for whoever works on a root run. A notice may be lost.
func (l *Log) Notify(rootRunID string) {
	b, err := l.current()
	if err != nil {
		return
	}
	if err := b.conn.Publish(b.subjects+noticeSubject, []byte(rootRunID)); err != nil {
		l.logger.Debug("a notice was not sent", "run", rootRunID, "error", err)
	}
}

// OnNotice sets another function that is called with each notice. It must not wait.
func (l *Log) OnNotice(fn func(rootRunID string)) {
	l.notices.mu.Lock()
	defer l.notices.mu.Unlock()
	l.notices.fns = append(l.notices.fns, fn)
}

// listen hands notices on for as long as the backend's connection lives.
func (b *backend) listen() error {
	if b.listening != nil { // an attempt before this one
		return nil
	}
	var err error
	b.listening, err = b.conn.Subscribe(b.subjects+noticeSubject, func(msg *nats.Msg) {
		n := b.options.notices
		n.mu.RLock()
		defer n.mu.RUnlock()
		for _, fn := range n.fns {
			fn(string(msg.Data))
		}
	})
	if err != nil {
		return fmt.Errorf("subscribe to %s: %w", noticeSubject, err)
	}
	return nil
}
