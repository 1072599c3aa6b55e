package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
)

// ErrNameless says that arguments came for a call that never got a name.
var ErrNameless = errors.New("a tool call without a name")

// Calls puts the fragments of a response's tool calls together. Servers number
// and name fragments in many ways; the rules are at find.
type Calls struct {
	calls   []*call
	byIndex map[int]*call
	last    *call
	shown   int
}

type call struct {
	wireID    string // as the server sent it
	id, name  string // id: unique in this response
	arguments []byte
	extra     json.RawMessage
	joiner    Joiner
	place     int // where it stands among the shown calls, -1: not shown yet
}

// Call is a whole tool call.
type Call struct {
	ID, Name, Arguments string
	Extra               json.RawMessage
}

// Delta is what a fragment adds to the call at Index. ID and Name stand in its
// first delta only.
type Delta struct {
	Index     int
	ID, Name  string
	Arguments string
}

// Add takes a fragment. It reports false where there is nothing to show: the
// fragment is empty, or its call has no name yet.
func (c *Calls) Add(f Fragment) (Delta, bool) {
	target := c.find(f)
	if target == nil {
		return Delta{}, false
	}
	c.last = target
	if target.wireID == "" {
		target.wireID = f.ID
	}
	if f.Name != target.name {
		target.name += f.Name
	}
	if len(f.Extra) > 0 {
		target.extra = bytes.Clone(f.Extra)
	}
	if target.repeats(f) {
		return c.show(target, nil)
	}
	piece := target.joiner.Push(f.Arguments)
	if string(target.arguments) == "{}" && len(piece) > 0 && piece[0] == '{' {
		target.arguments = target.arguments[:0] // an empty object stood for "to come"
	}
	target.arguments = append(target.arguments, piece...)
	return c.show(target, piece)
}

func (c *Calls) show(target *call, piece []byte) (Delta, bool) {
	switch {
	case target.name == "":
		return Delta{}, false
	case target.place >= 0:
		return Delta{Index: target.place, Arguments: string(piece)}, len(piece) > 0
	}
	target.place = c.shown
	c.shown++
	target.id = c.uniqueID(target)
	return Delta{target.place, target.id, target.name, string(target.arguments)}, true
}

// Len is how many calls were begun, empty ones included.
func (c *Calls) Len() int { return len(c.calls) }

// uniqueID is the call's id where no other call of the response has it. A made-up
// one has the shape that every provider takes back, the strictest included
// (Mistral: nine letters and digits).
func (c *Calls) uniqueID(target *call) string {
	id := target.wireID
	for id == "" || c.taken(id, target) {
		const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		var made [9]byte
		for i := range made {
			made[i] = alphabet[rand.IntN(len(alphabet))]
		}
		id = string(made[:])
	}
	return id
}

func (c *Calls) taken(id string, except *call) bool {
	for _, other := range c.calls {
		if other != except && other.id == id {
			return true
		}
	}
	return false
}

// find is the call that a fragment belongs to, a new one where it begins one, nil
// where it is an empty fragment of none.
func (c *Calls) find(f Fragment) *call {
	var byIndex *call
	if f.Index >= 0 {
		byIndex = c.byIndex[f.Index]
	}
	if f.Name == "" {
		return c.findUnnamed(f, c.byID(f), byIndex)
	}
	return c.findNamed(f, c.byID(f), byIndex)
}

// findUnnamed: a fragment without a name goes on with a call: by its id where that
// is known, by its index, else the last.
func (c *Calls) findUnnamed(f Fragment, byID, byIndex *call) *call {
	switch {
	case byIndex != nil && (f.ID == "" || byIndex.wireID == f.ID || byID == nil):
		return byIndex
	case byID != nil:
		return byID
	case f.Index >= 0: // its name may follow
		return c.begin(f)
	case c.last == nil && len(f.Arguments) > 0:
		return c.begin(f)
	}
	return c.last
}

// findNamed: a fragment with a name begins a call, unless it repeats the name of
// a call that it is known to belong to.
func (c *Calls) findNamed(f Fragment, byID, byIndex *call) *call {
	candidates := []*call{byIndex}
	if f.Index < 0 || byIndex != nil { // where all calls have the same index, the id counts
		candidates = append(candidates, byID)
	}
	for _, candidate := range candidates {
		if candidate != nil && candidate.continues(f) {
			return candidate
		}
	}
	if f.Index < 0 && f.ID == "" && c.last != nil && c.last.unfinished(f) {
		return c.last
	}
	return c.begin(f)
}

// byID is the newest call with the fragment's id.
func (c *Calls) byID(f Fragment) *call {
	if f.ID == "" {
		return nil
	}
	for i := len(c.calls) - 1; i >= 0; i-- {
		if c.calls[i].wireID == f.ID {
			return c.calls[i]
		}
	}
	return nil
}

func (c *Calls) begin(f Fragment) *call {
	begun := &call{place: -1}
	c.calls = append(c.calls, begun)
	if f.Index >= 0 {
		if c.byIndex == nil {
			c.byIndex = make(map[int]*call)
		}
		c.byIndex[f.Index] = begun
	}
	return begun
}

// continues reports whether a fragment with a name, found by id or index, goes
// on with the call instead of beginning another.
func (c *call) continues(f Fragment) bool {
	switch {
	case c.name == "":
		return true
	case f.ID != "" && c.wireID != "" && f.ID != c.wireID:
		return false
	case c.name == f.Name:
		return !c.complete() || len(bytes.TrimSpace(f.Arguments)) == 0 || c.repeats(f)
	}
	return len(c.arguments) == 0 && f.ID == "" // a name in pieces
}

// unfinished reports whether a fragment without id and index repeats the name of
// a call whose arguments have not ended.
func (c *call) unfinished(f Fragment) bool { return c.name == f.Name && !c.complete() }

// repeats reports whether a fragment is the whole call once more, as some servers
// send it at the end.
func (c *call) repeats(f Fragment) bool {
	return c.name == f.Name && bytes.Equal(c.arguments, f.Arguments) && c.complete()
}

func (c *call) complete() bool { return json.Valid(c.arguments) }

// Whole returns the calls in the order in which they were shown. Empty calls are
// left out; one with arguments and without a name is ErrNameless.
func (c *Calls) Whole() ([]Call, error) {
	whole := make([]Call, c.shown)
	for _, call := range c.calls {
		arguments := string(append(call.arguments, call.joiner.Flush()...))
		switch {
		case call.place >= 0:
			if len(bytes.TrimSpace(call.arguments)) == 0 {
				arguments = "{}"
			}
			whole[call.place] = Call{call.id, call.name, arguments, call.extra}
		case len(bytes.TrimSpace(call.arguments)) > 0 && string(call.arguments) != "{}":
			return nil, fmt.Errorf("%w, with arguments of %d bytes", ErrNameless, len(call.arguments))
		}
	}
	return whole, nil
}
