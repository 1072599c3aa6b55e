package shellsyntax

import "mvdan.cc/sh/v3/syntax"

// maxWork bounds what one line may cost: the words, parts and nodes that are looked
// at, those that are looked at several times as often. An everyday line of 500
// characters needs about a hundred; all of it takes some tens of milliseconds.
const maxWork = 1 << 14

// budget is what is left of a line's work. Whoever runs out of it says less than
// there is, and large says so: such a line is never taken for harmless.
type budget struct {
	work     int
	expanded int // bytes that words became
	large    bool
}

// spend says whether there is still work to be done.
func (b *budget) spend(units int) bool {
	b.work += units
	if b.work > maxWork {
		b.large = true
		return false
	}
	return true
}

// expand says whether a word may still become so many bytes more.
func (b *budget) expand(bytes int) bool {
	b.expanded += bytes
	if b.expanded > maxExpanded {
		b.large = true
		return false
	}
	return true
}

// printed is a part of the tree as source.
func (x *expander) printed(node syntax.Node) string {
	if !x.spend(2 + max(0, int(node.End().Offset())-int(node.Pos().Offset()))/32) {
		return "…"
	}
	return printed(node)
}
