package llmtest

import "sync"

// Rule answers the requests that it matches. Rules are tried in the order in
// which they were added; the first that matches answers.
type Rule struct {
	match  Match
	last   bool // tried after all others
	mu     sync.Mutex
	choose func(n int, r Request) Reply // n counts this rule's requests, from 1
	calls  int
}

// Reply answers every request with the same reply.
func (r *Rule) Reply(reply Reply) *Rule {
	return r.set(func(int, Request) Reply { return reply })
}

// Steps answers the n-th model call since the last user message with the n-th
// reply, and later ones with the last. It looks at the request's history alone,
// so that many conversations can follow the same steps at once.
func (r *Rule) Steps(replies ...Reply) *Rule {
	return r.set(func(_ int, req Request) Reply { return pick(replies, req.Step()) })
}

// Sequence answers the n-th request that the rule gets with the n-th reply, and
// later ones with the last, whatever stands in the requests: for retries.
func (r *Rule) Sequence(replies ...Reply) *Rule {
	return r.set(func(n int, _ Request) Reply { return pick(replies, n) })
}

// Func answers with what f returns. f is called by many requests at once.
func (r *Rule) Func(f func(Request) Reply) *Rule {
	return r.set(func(_ int, req Request) Reply { return f(req) })
}

// Calls is the number of requests that the rule has answered or is answering.
func (r *Rule) Calls() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls
}

func (r *Rule) set(choose func(int, Request) Reply) *Rule {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.choose = choose
	return r
}

func (r *Rule) reply(req Request) Reply {
	r.mu.Lock()
	r.calls++
	n, choose := r.calls, r.choose
	r.mu.Unlock()
	if choose == nil {
		return Failure(400, "llmtest: the rule that matches has no reply")
	}
	return choose(n, req)
}

func pick(replies []Reply, n int) Reply {
	if len(replies) == 0 {
		return Failure(400, "llmtest: the rule that matches has an empty list of replies")
	}
	return replies[min(max(n, 1), len(replies))-1]
}
