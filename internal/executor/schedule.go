package executor

import "slices"

// schedule says which calls may begin: a call waits for the earlier ones that it
// conflicts with. Exclusive calls conflict with every ordered call, ordered ones
// with exclusive ones, and pure, answered and duplicate ones with none.
type schedule struct {
	ready      []int   // may begin, in call order
	waitingFor []int   // by call: how many others it still waits for
	unblocks   [][]int // by call: who waits for it
}

func newSchedule(tasks []*task) *schedule {
	s := &schedule{waitingFor: make([]int, len(tasks)), unblocks: make([][]int, len(tasks))}
	lastExclusive := -1
	var since []int // ordered calls behind the last exclusive one
	for i, t := range tasks {
		if t.duplicateOf != nil || t.phase == suspended {
			continue // dealt with by its first, or not now
		}
		if t.phase == prepared && t.ordered() {
			if t.exclusive() {
				s.wait(i, lastExclusive)
				for _, other := range since {
					s.wait(i, other)
				}
				lastExclusive, since = i, nil
			} else {
				s.wait(i, lastExclusive)
				since = append(since, i)
			}
		}
		if s.waitingFor[i] == 0 {
			s.ready = append(s.ready, i)
		}
	}
	return s
}

func (s *schedule) wait(call, forOther int) {
	if forOther >= 0 {
		s.waitingFor[call]++
		s.unblocks[forOther] = append(s.unblocks[forOther], call)
	}
}

// next takes the first call that may begin.
func (s *schedule) next() (call int, found bool) {
	if len(s.ready) == 0 {
		return 0, false
	}
	call = s.ready[0]
	s.ready = s.ready[1:]
	return call, true
}

// behind lists the calls that wait for one, or for one that waits for it.
func (s *schedule) behind(call int) []int {
	var all []int
	for next := s.unblocks[call]; len(next) > 0; {
		var further []int
		for _, other := range next {
			if !slices.Contains(all, other) {
				all = append(all, other)
				further = append(further, s.unblocks[other]...)
			}
		}
		next = further
	}
	return all
}

// finished makes the calls ready that waited for this one last.
func (s *schedule) finished(call int) {
	for _, other := range s.unblocks[call] {
		if s.waitingFor[other]--; s.waitingFor[other] == 0 {
			s.ready = append(s.ready, other)
		}
	}
	slices.Sort(s.ready)
}
