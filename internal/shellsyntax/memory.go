package shellsyntax

import (
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// memory is what an analysis is made in. Every call of a tool is judged before it
// runs, and what that makes is garbage right after: the next analysis takes the same
// memory again, which spares the garbage collector most of its work.
type memory struct {
	commands  slab[Command]
	words     slab[Word]
	bytes     slab[byte] // of texts
	texts     slab[text]
	stages    slab[stage]
	variables slab[variable]
	lists     slab[[]Word]
	byCall    map[*syntax.CallExpr]*stage
	inside    map[*syntax.BinaryCmd]bool // pipes that are part of a longer one
	nodes     []syntax.Node              // a stack: of the scripts that are walked through
	listed    []*Command
	told      told
}

// reset takes all of it back. What was very large is left to the garbage collector.
func (m *memory) reset() {
	m.commands.reset(512)
	m.words.reset(4096)
	m.bytes.reset(64 << 10)
	m.texts.reset(1024)
	m.stages.reset(512)
	m.variables.reset(512)
	m.lists.reset(512)
	m.byCall, m.inside = cleared(m.byCall), cleared(m.inside)
	m.nodes = emptied(m.nodes, 4096)
	m.listed = emptied(m.listed, 1024)
	m.told.reset()
}

// word is a list of one word.
func (m *memory) word(w Word) []Word {
	list := m.words.take(1)
	list[0] = w
	return list
}

// with is a list with more words.
func (m *memory) with(list []Word, more ...Word) []Word {
	if len(list) == 0 {
		list = m.words.take(len(more))[:0]
	}
	return append(list, more...)
}

// slab hands out the elements of one array in their order.
type slab[T any] struct {
	array []T
	used  int
}

// take returns n elements that are zero. Appending to them does not reach others.
func (s *slab[T]) take(n int) []T {
	if n > len(s.array)-s.used { // the old array stays with those who have parts of it
		s.array, s.used = make([]T, max(n, 2*len(s.array), 8)), 0
	}
	s.used += n
	return s.array[s.used-n : s.used : s.used]
}

func (s *slab[T]) one() *T { return &s.take(1)[0] }

func (s *slab[T]) reset(most int) {
	if len(s.array) > most {
		s.array = nil
	}
	clear(s.array[:min(s.used, len(s.array))]) // it must not keep alive what it points to
	s.used = 0
}

// emptied is a list for new elements in the place of the old ones.
func emptied[T any](list []T, most int) []T {
	if cap(list) > most {
		return nil
	}
	clear(list[:cap(list)])
	return list[:0]
}

// cleared is a map for new entries in the place of the old ones.
func cleared[K comparable, V any](entries map[K]V) map[K]V {
	if len(entries) > 512 {
		return map[K]V{}
	}
	clear(entries)
	return entries
}

var analyzers = sync.Pool{New: func() any { return newAnalyzer() }}

func newAnalyzer() *analyzer {
	z := &analyzer{x: &expander{vars: map[string]*variable{}}, files: map[string]string{}, plain: map[string]bool{}, written: map[string]string{}}
	z.x.memory = &z.memory
	z.byCall, z.inside = map[*syntax.CallExpr]*stage{}, map[*syntax.BinaryCmd]bool{}
	return z
}

// Release gives the memory of an analysis back. Its Commands are gone then, and
// nothing of them may be used any more but strings. One that is never released is
// garbage like every other value.
func (a *Analysis) Release() {
	z := a.made
	if z == nil {
		return
	}
	a.made, a.Commands = nil, nil
	z.reset()
	analyzers.Put(z)
}

// reset makes the analyzer ready for another line.
func (z *analyzer) reset() {
	z.memory.reset()
	*z.x = expander{vars: cleared(z.x.vars), memory: &z.memory}
	*z = analyzer{x: z.x, files: cleared(z.files), plain: cleared(z.plain), written: cleared(z.written), memory: z.memory}
}
