package shell

import (
	"bytes"
	"strings"
	"time"
)

const (
	// printedLimit bounds what is passed on of a running command's output: its last lines.
	printedLimit = 4 << 10
	// printedInterval is the shortest time between two of its reports.
	printedInterval = 200 * time.Millisecond
)

// printed passes on the last lines of a command's output while it runs. Only whole lines
// leave it, so that what redacts them sees no half of a secret. The zero value passes on nothing.
type printed struct {
	tell    func(lines string)
	begun   [5][]byte // lines that have not ended, by descriptor
	lines   []byte
	pending bool
	told    time.Time
}

func (p *printed) write(descriptor int, data []byte) {
	if p.tell == nil {
		return
	}
	begun := append(p.begun[descriptor], data...)
	end := bytes.LastIndexAny(begun, "\n\r") + 1
	if end > 0 {
		p.lines = bytes.Clone(lastLines(append(p.lines, begun[:end]...)))
		p.pending = true
	}
	// Of a line that will be too long only the length counts.
	p.begun[descriptor] = bytes.Clone(begun[end:min(len(begun), end+printedLimit+1)])
}

// wait shortens a wait so that the next report is in time.
func (p *printed) wait(longest time.Duration) time.Duration {
	if !p.pending {
		return longest
	}
	return min(longest, max(0, printedInterval-time.Since(p.told)))
}

// report passes on what is new, unless the last report was just now.
func (p *printed) report() {
	if !p.pending || time.Since(p.told) < printedInterval {
		return
	}
	p.pending, p.told = false, time.Now()
	p.tell(strings.ToValidUTF8(string(p.lines), "\uFFFD"))
}

// lastLines cuts a text to the limit, at the begin of a line. A line that is longer
// than the limit is left out.
func lastLines(text []byte) []byte {
	if len(text) <= printedLimit {
		return text
	}
	cut := text[len(text)-printedLimit:]
	return cut[bytes.IndexAny(cut, "\n\r")+1:]
}
