package mcp

import (
	"slices"
	"sync"
	"time"

	"nanoclaw/internal/tools"
)

// keptLines is how many lines of a server are kept for people.
const keptLines = 500

// serverLog is what a server said and what became of it, newest last. It outlives a
// restart of the server.
type serverLog struct {
	mu    sync.Mutex
	lines []tools.MCPLogLine
}

func (l *serverLog) add(kind tools.MCPLogKind, text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lines) >= keptLines {
		l.lines = slices.Delete(l.lines, 0, len(l.lines)-keptLines+1)
	}
	l.lines = append(l.lines, tools.MCPLogLine{Time: time.Now().UTC(), Kind: kind, Text: text})
}

// Log implements tools.MCPServers.
func (s *Servers) Log(name string) (lines []tools.MCPLogLine, known bool) {
	s.mu.Lock()
	one := s.byName[name]
	s.mu.Unlock()
	if one == nil {
		return nil, false
	}
	one.log.mu.Lock()
	defer one.log.mu.Unlock()
	return slices.Clone(one.log.lines), true
}

// Restart implements tools.MCPServers.
func (s *Servers) Restart(name string) (known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.byName[name]
	if old == nil || s.closed {
		return false
	}
	old.retire()
	old.log.add(tools.MCPLogState, "restarted by a person")
	s.launch(name, old, old.config)
	return true
}
