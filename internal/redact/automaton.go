package redact

// automaton finds all keywords in a text in one pass (Aho and Corasick, "Efficient
// string matching", 1975). It does not tell upper from lower case ASCII letters.
type automaton struct {
	class    [256]uint8 // bytes that no keyword has are of class 0
	bits     uint       // log2 of the row length in next
	next     []uint16   // next state by state<<bits | class
	firstOut uint16     // the states from here on end a keyword
	outputs  [][]output // by state - firstOut
	fail     []uint16
	depth    []uint8
	holds    []holding // the strictest of the keywords that begin with the state
}

// output is a keyword that ends here: its detector and its length.
type output struct {
	detector uint16
	length   uint8
}

type trieNode struct {
	next  map[uint8]int
	out   []output
	fail  int
	depth uint8
	holds holding
}

func newAutomaton(detectors []*detector) *automaton {
	a := &automaton{}
	classes := uint8(0)
	for _, d := range detectors {
		for _, keyword := range d.keywords {
			for i := range len(keyword) {
				if c := lower(keyword[i]); a.class[c] == 0 {
					classes++
					a.class[c] = classes
				}
			}
		}
	}
	for c := byte('A'); c <= 'Z'; c++ {
		a.class[c] = a.class[lower(c)]
	}
	for 1<<a.bits <= int(classes) {
		a.bits++
	}
	nodes := a.trie(detectors)
	linkFailures(nodes)
	a.flatten(nodes, int(classes))
	return a
}

func (a *automaton) trie(detectors []*detector) []*trieNode {
	nodes := []*trieNode{{next: map[uint8]int{}}}
	for i, d := range detectors {
		for _, keyword := range d.keywords {
			at := 0
			for j := range len(keyword) {
				c := a.class[lower(keyword[j])]
				child, there := nodes[at].next[c]
				if !there {
					child = len(nodes)
					nodes[at].next[c] = child
					nodes = append(nodes, &trieNode{next: map[uint8]int{}, depth: uint8(j + 1)})
				}
				at = child
				nodes[at].holds = max(nodes[at].holds, d.holds)
			}
			nodes[at].out = append(nodes[at].out, output{uint16(i), uint8(len(keyword))})
		}
	}
	return nodes
}

// linkFailures sets, for each node, the node of the longest suffix that is also
// in the trie, and adds the keywords that end there.
func linkFailures(nodes []*trieNode) {
	queue := []int{0}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for c, child := range nodes[at].next {
			if at != 0 {
				fail := nodes[at].fail
				for fail != 0 && nodes[fail].next[c] == 0 {
					fail = nodes[fail].fail
				}
				nodes[child].fail = nodes[fail].next[c]
			}
			nodes[child].out = append(nodes[child].out, nodes[nodes[child].fail].out...)
			queue = append(queue, child)
		}
	}
}

// flatten numbers the states so that those that end a keyword come last, and
// writes the complete transition table.
func (a *automaton) flatten(nodes []*trieNode, classes int) {
	number := make([]uint16, len(nodes))
	var order []int
	for _, ends := range []bool{false, true} {
		if ends {
			a.firstOut = uint16(len(order))
		}
		for i, n := range nodes {
			if (len(n.out) > 0) == ends {
				number[i] = uint16(len(order))
				order = append(order, i)
			}
		}
	}
	a.next = make([]uint16, len(nodes)<<a.bits)
	for state, i := range order {
		n := nodes[i]
		a.fail = append(a.fail, number[n.fail])
		a.depth = append(a.depth, n.depth)
		a.holds = append(a.holds, n.holds)
		if len(n.out) > 0 {
			a.outputs = append(a.outputs, n.out)
		}
		for c := 1; c <= classes; c++ {
			at, child := i, 0
			for child = nodes[at].next[uint8(c)]; child == 0 && at != 0; child = nodes[at].next[uint8(c)] {
				at = nodes[at].fail
			}
			a.next[state<<a.bits|c] = number[child]
		}
	}
}

// find calls the detectors of the keywords in l.text that begin at l.from or later.
func (a *automaton) find(sc *scan, detectors []*detector) {
	next, class, bits, firstOut := a.next, &a.class, a.bits, a.firstOut
	state := uint16(0)
	for i := sc.from; i < len(sc.text); i++ {
		state = next[int(state)<<bits|int(class[sc.text[i]])]
		if state < firstOut {
			continue
		}
		for _, out := range a.outputs[state-firstOut] {
			detectors[out.detector].find(sc, i+1-int(out.length), i+1)
		}
	}
	if sc.open {
		a.waitForKeyword(sc, state)
	}
}

// waitForKeyword keeps what could be the begin of a keyword at the end of the text.
func (a *automaton) waitForKeyword(sc *scan, state uint16) {
	end := len(sc.text)
	if a.depth[state] > 0 {
		sc.undecided(end-int(a.depth[state]), end)
	}
	for s := state; a.depth[s] > 0; s = a.fail[s] {
		start := end - int(a.depth[s])
		if a.holds[s] == holdsAnywhere || a.holds[s] == holdsWords && boundaryBefore(sc.text, start) {
			sc.undecided(start, start)
			break
		}
	}
}
