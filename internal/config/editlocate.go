package config

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A span is where a value stands in the text.
type span struct {
	after      int  // right behind the colon or the dash; in a flow list the value itself
	start, end int  // of the value; equal where there is none
	below      bool // it begins on the next line; start is then the end of the line
}

// offset is the place of a position in the text; the parser counts characters.
func (e *editor) offset(pos position) int {
	if pos.line < 1 || pos.line > len(e.lines) {
		return -1
	}
	i := e.lines[pos.line-1]
	if pos.line == 1 && bytes.HasPrefix(e.text, utf8BOM) {
		i += len(utf8BOM)
	}
	for range pos.col - 1 {
		if i >= len(e.text) || e.text[i] == '\n' {
			return -1
		}
		_, size := utf8.DecodeRune(e.text[i:])
		i += size
	}
	return i
}

// lineEnd is the end of the line around an offset, without its line break.
func (e *editor) lineEnd(i int) int {
	n := bytes.IndexByte(e.text[i:], '\n')
	if n < 0 {
		return len(e.text)
	}
	end := i + n
	if end > i && e.text[end-1] == '\r' {
		end--
	}
	return end
}

func (e *editor) skipSpaces(i int) int {
	for i < len(e.text) && (e.text[i] == ' ' || e.text[i] == '\t') {
		i++
	}
	return i
}

// behind is the place behind the colon or the dash of a slot.
func (e *editor) behind(s slot) (int, bool) {
	i := e.offset(s.pos)
	if i < 0 || i >= len(e.text) {
		return 0, false
	}
	if s.kind == itemSlot {
		if s.flow {
			return i, true
		}
		return i + 1, e.text[i] == '-'
	}
	switch c := e.text[i]; {
	case c == '"' || c == '\'':
		i = e.quotedEnd(i)
	case bytes.HasPrefix(e.text[i:], []byte(s.key)):
		i += len(s.key)
	default:
		return 0, false
	}
	if i < 0 {
		return 0, false
	}
	i = e.skipSpaces(i)
	return i + 1, i < len(e.text) && e.text[i] == ':'
}

// isIndirect reports whether the value of a slot begins with an anchor, an alias
// or a tag, so that a change would reach further than its place.
func (e *editor) isIndirect(s slot) bool {
	i, ok := e.behind(s)
	if !ok {
		return true
	}
	i = e.skipSpaces(i)
	return i < len(e.text) && strings.IndexByte("&*!", e.text[i]) >= 0
}

// find is the span of a slot's value.
func (e *editor) find(n *node, s slot) (span, bool) {
	after, ok := e.behind(s)
	if !ok {
		return span{}, false
	}
	i := e.skipSpaces(after)
	sp := span{after: after, start: i}
	if end := e.lineEnd(after); i >= end || e.text[i] == '#' {
		switch {
		case n.kind == nullNode:
			return span{after: after, start: after, end: after}, true
		case s.flow:
			return span{}, false
		}
		sp.start, sp.below = end, true
		sp.end = e.blockEnd(s, n.kind == sequenceNode, false)
		return sp, true
	}
	switch c := e.text[i]; {
	case strings.IndexByte("&*!?", c) >= 0:
		return span{}, false
	case c == '"' || c == '\'':
		if n.kind == scalarNode {
			sp.end = e.quotedEnd(i)
			return sp, sp.end > 0
		}
	case c == '[' || c == '{':
		sp.end = e.offset(n.end) + 1
		return sp, n.flow && sp.end > i
	case (c == '|' || c == '>') && !s.flow:
		sp.end = e.blockEnd(s, false, true)
		return sp, true
	case s.flow && strings.IndexByte(",]}", c) >= 0:
		return span{after: after, start: after, end: after}, n.kind == nullNode
	}
	if n.kind == mappingNode || n.kind == sequenceNode { // behind a dash
		sp.end = e.blockEnd(s, false, false)
		return sp, !s.flow
	}
	sp.end = e.plainEnd(i, s.flow)
	if string(e.text[i:sp.end]) == n.text || n.kind == nullNode {
		return sp, true
	}
	sp.end = e.blockEnd(s, false, false) // plain text over several lines
	return sp, !s.flow
}

// plainEnd is the end of a plain scalar on its first line.
func (e *editor) plainEnd(i int, flow bool) int {
	end := e.lineEnd(i)
	if n := bytes.Index(e.text[i:end], []byte(" #")); n >= 0 {
		end = i + n
	}
	if flow {
		if n := bytes.IndexAny(e.text[i:end], ",]}"); n >= 0 {
			end = i + n
		}
	}
	return i + len(bytes.TrimRight(e.text[i:end], " \t"))
}

// quotedEnd is the place behind the closing quote; -1 where there is none.
func (e *editor) quotedEnd(i int) int {
	quote := e.text[i]
	for i++; i < len(e.text); i++ {
		switch {
		case e.text[i] == '\\' && quote == '"':
			i++
		case e.text[i] == quote && quote == '\'' && i+1 < len(e.text) && e.text[i+1] == '\'':
			i++
		case e.text[i] == quote:
			return i + 1
		}
	}
	return -1
}

// blockEnd is the end of the last line that belongs to a slot by its indentation.
// Comments behind that line belong to what follows. dashes: a list may stand at
// the indentation of its key. literal: a # begins no comment.
func (e *editor) blockEnd(s slot, dashes, literal bool) int {
	last := e.lineEnd(e.lines[s.pos.line-1])
	for l := s.pos.line; l < len(e.lines); l++ {
		start := e.lines[l]
		i := e.skipSpaces(start)
		end := e.lineEnd(start)
		if i >= end || e.text[i] == '#' && !literal {
			continue
		}
		depth := i - start
		isDash := dashes && depth == s.depth && e.text[i] == '-' && (i+1 == end || e.text[i+1] == ' ')
		if depth <= s.depth && !isDash {
			break
		}
		last = end
	}
	return last
}

// slotEnd is the end of the last line of a slot that is not inside { } or [ ].
func (e *editor) slotEnd(n *node, s slot) (int, bool) {
	sp, ok := e.find(n, s)
	if !ok {
		return 0, false
	}
	return max(e.lineEnd(sp.end), e.lineEnd(e.offset(s.pos))), true
}
