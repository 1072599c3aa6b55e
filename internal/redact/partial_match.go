package redact

import (
	"regexp/syntax"
	"unicode/utf8"
)

// partialMatcher runs a pattern over a text as RE2 does, all alternatives at once, to
// learn what package regexp does not tell: whether the end of the text is in the
// middle of what could become a match. It takes every assertion (\b, ^, $) for
// true, so that it holds too much rather than too little.
type partialMatcher struct {
	program *syntax.Prog
}

func newPartialMatcher(pattern string) (*partialMatcher, error) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	return &partialMatcher{program}, nil
}

// earliestPartial is the first place in text[from:] from which the text could go on to be
// a match, or -1.
func (t *partialMatcher) earliestPartial(text string, from int) int {
	now, next := t.newSet(), t.newSet()
	for at := from; at < len(text); {
		t.add(now, uint32(t.program.Start), at)
		r, n := utf8.DecodeRuneInString(text[at:])
		for _, pc := range now.order {
			inst := &t.program.Inst[pc]
			if isRune(inst) && inst.MatchRune(r) {
				t.add(next, inst.Out, now.start[pc])
			}
		}
		now, next = next, now
		next.clear()
		at += n
	}
	first := -1
	for _, pc := range now.order {
		switch inst := &t.program.Inst[pc]; {
		case isRune(inst), inst.Op == syntax.InstEmptyWidth:
			if first < 0 || now.start[pc] < first {
				first = now.start[pc]
			}
		}
	}
	return first
}

func isRune(inst *syntax.Inst) bool {
	switch inst.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true
	}
	return false
}

// stateSet is the instructions that threads stand at, each with the earliest
// place at which one of its threads began.
type stateSet struct {
	order []uint32
	start []int // by instruction; -1: no thread
}

func (t *partialMatcher) newSet() *stateSet {
	s := &stateSet{start: make([]int, len(t.program.Inst))}
	for i := range s.start {
		s.start[i] = -1
	}
	return s
}

func (s *stateSet) clear() {
	for _, pc := range s.order {
		s.start[pc] = -1
	}
	s.order = s.order[:0]
}

// add starts a thread, and all those that it reaches without a character.
func (t *partialMatcher) add(set *stateSet, pc uint32, start int) {
	if old := set.start[pc]; old >= 0 && old <= start {
		return
	} else if old < 0 {
		set.order = append(set.order, pc)
	}
	set.start[pc] = start
	switch inst := &t.program.Inst[pc]; inst.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		t.add(set, inst.Out, start)
		t.add(set, inst.Arg, start)
	case syntax.InstCapture, syntax.InstNop, syntax.InstEmptyWidth:
		t.add(set, inst.Out, start)
	}
}
