package wire

import (
	"bytes"
	"strings"
)

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// Think takes a <think>…</think> block out of the very start of a text. Anywhere
// else the tags are text.
type Think struct {
	state thinkState
	held  []byte // not decided yet
}

type thinkState int

const (
	thinkStart thinkState = iota // nothing but space so far
	thinkInside
	thinkAfter // between the block and the text
	thinkOutside
)

// Push sorts the next piece into reasoning and text. What could be the beginning
// of a tag is held back until it is known.
func (t *Think) Push(piece []byte) (reasoning, text string) {
	if t.state == thinkOutside && len(t.held) == 0 {
		return "", string(piece)
	}
	t.held = append(t.held, piece...)
	if t.state == thinkOutside {
		return "", t.take(len(t.held))
	}
	if t.state == thinkStart {
		trimmed := bytes.TrimLeft(t.held, " \t\r\n")
		switch {
		case bytes.HasPrefix(trimmed, []byte(thinkOpen)):
			t.state = thinkInside
			t.held = trimmed[len(thinkOpen):]
		case strings.HasPrefix(thinkOpen, string(trimmed)):
			return "", ""
		default:
			t.state = thinkOutside
			return "", t.take(len(t.held))
		}
	}
	if t.state == thinkInside {
		end := bytes.Index(t.held, []byte(thinkClose))
		if end < 0 {
			return t.take(len(t.held) - tagTail(t.held)), ""
		}
		reasoning = t.take(end)
		t.take(len(thinkClose))
		t.state = thinkAfter
	}
	t.held = bytes.TrimLeft(t.held, " \t\r\n")
	if len(t.held) > 0 {
		t.state = thinkOutside
	}
	return reasoning, t.take(len(t.held))
}

// Flush returns what was held back. A block that was never closed is reasoning.
func (t *Think) Flush() (reasoning, text string) {
	rest := t.take(len(t.held))
	if t.state == thinkInside {
		return rest, ""
	}
	return "", rest
}

// Off says that the provider marks its reasoning itself: tags are text from here on.
func (t *Think) Off() {
	if t.state == thinkStart {
		t.state = thinkOutside
	}
}

func (t *Think) take(n int) string {
	taken := string(t.held[:n])
	t.held = t.held[n:]
	return taken
}

// tagTail is the length of the longest end of b that begins the closing tag.
func tagTail(b []byte) int {
	for n := min(len(b), len(thinkClose)-1); n > 0; n-- {
		if string(b[len(b)-n:]) == thinkClose[:n] {
			return n
		}
	}
	return 0
}
