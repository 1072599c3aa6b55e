package config

// A node is a piece of YAML, freed of the parser's own types: aliases are
// followed, merge keys are merged, comments are gone.
type node struct {
	kind    nodeKind
	style   scalarStyle
	text    string // of a scalar, unquoted
	pos     position
	entries []entry    // of a mapping
	items   []*node    // of a sequence
	dashes  []position // of a sequence that is not flow, one per item
	flow    bool       // written with { } or [ ]
	end     position   // of the closing } or ]

	// expanded marks a text whose ${NAME} were already replaced.
	expanded bool
}

type entry struct {
	key    string
	pos    position // of the key
	value  *node
	merged bool // came through a merge key, so that a key of its own wins
}

type nodeKind int

const (
	nullNode nodeKind = iota
	scalarNode
	mappingNode
	sequenceNode
)

func (k nodeKind) String() string {
	switch k {
	case scalarNode:
		return "a single value"
	case mappingNode:
		return "a mapping"
	case sequenceNode:
		return "a list"
	default:
		return "nothing"
	}
}

// scalarStyle tells a plain 5, which may be a number, from a quoted "5".
type scalarStyle int

const (
	plain scalarStyle = iota
	quoted
)

// position is where something is said: in the file, an environment variable or a flag.
type position struct {
	origin    Origin
	source    string // name of the file, variable or flag
	line, col int
}

func (n *node) get(key string) (entry, bool) {
	for _, e := range n.entries {
		if e.key == key {
			return e, true
		}
	}
	return entry{}, false
}

func scalar(text string, pos position) *node {
	return &node{kind: scalarNode, style: quoted, text: text, pos: pos, expanded: true}
}

// sameNode reports whether two trees say the same. Nothing and an empty mapping do.
func sameNode(a, b *node) bool {
	empty := func(n *node) bool { return n.kind == nullNode || n.kind == mappingNode && len(n.entries) == 0 }
	if empty(a) && empty(b) {
		return true
	}
	if a.kind != b.kind || len(a.entries) != len(b.entries) || len(a.items) != len(b.items) {
		return false
	}
	for _, en := range a.entries {
		other, ok := b.get(en.key)
		if !ok || !sameNode(en.value, other.value) {
			return false
		}
	}
	for i := range a.items {
		if !sameNode(a.items[i], b.items[i]) {
			return false
		}
	}
	return a.text == b.text && a.isText() == b.isText()
}

// isText reports whether a scalar is text to YAML, not a number or a boolean.
func (n *node) isText() bool {
	if n.kind != scalarNode || n.style == quoted {
		return true
	}
	_, text := plainValue(n.text).(string)
	return text
}
