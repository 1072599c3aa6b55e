package demo

import (
	"regexp"
	"slices"
	"strings"
)

// earlier is what the turn before this one left that "it" may mean.
type earlier struct {
	text string // its last result, or its answer
	path string // the file that was named last
}

// resolve finds what "it", "them" and "the list" mean, and which steps have to
// wait for which.
func (r *request) resolve(before earlier) {
	r.implySources()
	lastPath := before.path
	for i := range r.steps {
		s := &r.steps[i]
		if s.pathRef {
			s.path = lastPath
			if lastPath == "" {
				s.problem = "which_file"
			}
		}
		if len(s.refs) > 0 {
			s.needs = r.sources(i)
			if len(s.needs) == 0 {
				s.inherit(before)
			}
		}
		s.after = r.conflicts(i)
		switch {
		case s.kind == kindMove:
			lastPath = s.to
		case s.path != "" && s.kind != kindList && s.kind != kindGrep && s.kind != kindGlob && s.kind != kindMkdir:
			lastPath = s.path
		}
	}
}

// inherit takes the text from the turn before, where this one has none to give.
func (s *step) inherit(before earlier) {
	switch {
	case before.text == "":
		s.problem = "nothing_to_save"
		if s.kind == kindCompute {
			s.problem = "nothing_to_compute"
		}
	case s.kind == kindCompute:
		s.expression(before.text)
	default:
		s.text = before.text
	}
}

// expression puts the number that a sum goes on with into it.
func (s *step) expression(value string) {
	value = strings.TrimSpace(value)
	if !plainNumber.MatchString(value) {
		s.problem = "not_a_number"
		return
	}
	s.text = strings.Replace(s.text, "%s", value, 1)
}

var plainNumber = regexp.MustCompile(`^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$`)

// implySources puts in the list of files, or the time, where it is to be saved and
// nobody asked for it before: "save the list of files to files.txt".
func (r *request) implySources() {
	for i := 0; i < len(r.steps); i++ {
		for _, ref := range r.steps[i].refs {
			k := kind(ref)
			if (k != kindList && k != kindTime) || len(r.ofKind(i, k)) > 0 {
				continue
			}
			rest := append([]step{{kind: k, clause: r.steps[i].clause}}, r.steps[i:]...)
			r.steps = append(r.steps[:i:i], rest...)
			i++
		}
	}
}

// sources are the steps whose results step i takes in, in their order.
func (r *request) sources(i int) []int {
	var all []int
	for _, ref := range r.steps[i].refs {
		all = append(all, r.source(i, ref)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (r *request) source(i int, ref reference) []int {
	switch ref {
	case refAll:
		return r.allBefore(i)
	case refLast:
		return r.lastBefore(i)
	}
	if found := r.ofKind(i, kind(ref)); len(found) > 0 {
		return found
	}
	if found := r.ofKind(i, kindGlob); kind(ref) == kindList && len(found) > 0 {
		return found
	}
	return r.lastBefore(i) // "the content" of something that has another name here
}

func (r *request) allBefore(i int) []int {
	var all []int
	for j := range i {
		if r.steps[j].kind.answers() && !r.consumed(j, i) {
			all = append(all, j)
		}
	}
	return all
}

// lastBefore are the steps with a result of the last clause that has any.
func (r *request) lastBefore(i int) []int {
	clause := -1
	var last []int
	for j := i - 1; j >= 0; j-- {
		if !r.steps[j].kind.answers() || (clause >= 0 && r.steps[j].clause != clause) {
			continue
		}
		clause = r.steps[j].clause
		last = append([]int{j}, last...)
	}
	return last
}

// consumed: the result of j went into another sum before i; of such a chain only
// the end counts as a result.
func (r *request) consumed(j, i int) bool {
	for k := j + 1; k < i; k++ {
		if r.steps[k].kind != kindCompute {
			continue
		}
		for _, need := range r.steps[k].needs {
			if need == j {
				return true
			}
		}
	}
	return false
}

// ofKind are the steps of a kind before i: those of the last clause that has any.
func (r *request) ofKind(i int, k kind) []int {
	var found []int
	for j := i - 1; j >= 0; j-- {
		if r.steps[j].kind != k {
			continue
		}
		if len(found) > 0 && r.steps[j].clause != r.steps[found[0]].clause {
			break
		}
		found = append([]int{j}, found...)
	}
	return found
}

// conflicts are the earlier steps after whose end step i may begin: those that
// change what it reads or changes. (A change after a read needs no turn of its own:
// a batch of calls keeps its order.)
func (r *request) conflicts(i int) []int {
	var found []int
	for j := range i {
		if r.steps[j].kind.writes() && overlap(r.steps[j], r.steps[i]) {
			found = append(found, j)
		}
	}
	return found
}

func overlap(before, after step) bool {
	everywhere := func(s step) bool { return s.kind == kindShell || s.kind == kindPython || s.kind == kindAgents }
	searches := func(s step) bool { return s.kind == kindList || s.kind == kindGlob || s.kind == kindGrep }
	touches := func(s step) bool { return s.path != "" || s.to != "" || searches(s) || everywhere(s) }
	if !touches(before) || !touches(after) {
		return false
	}
	if everywhere(before) && everywhere(after) && before.kind == kindAgents && after.kind == kindAgents {
		return false // two teams may work at once
	}
	if everywhere(before) || everywhere(after) || searches(after) {
		return true
	}
	for _, a := range []string{before.path, before.to} {
		for _, b := range []string{after.path, after.to} {
			if a != "" && b != "" && (within(a, b) || within(b, a)) {
				return true
			}
		}
	}
	return false
}

// within: inner is outer, or lies in it.
func within(inner, outer string) bool {
	inner, outer = strings.Trim(inner, "/"), strings.Trim(outer, "/")
	return inner == outer || strings.HasPrefix(inner, outer+"/")
}
