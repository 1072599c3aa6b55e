package llm

import (
	"context"
	"fmt"
	"slices"
)

// FitReport says what Fit did. Sizes are in tokens, as count gives them.
type FitReport struct {
	Before, After int // of the request
	Limit         int // what the request may take: the window without the reserve

	ShortenedResults   int // tool results that lost their middle
	ShortenedArguments int // tool calls whose arguments lost their middle
	SummarisedTurns    int // turns that a summary stands for
	SummarisedSteps    int // steps of the last turn that a summary stands for
	SummaryErr         error
}

// Changed reports whether the request is another than the one that was given.
func (r FitReport) Changed() bool {
	return r.ShortenedResults+r.ShortenedArguments+r.SummarisedTurns+r.SummarisedSteps > 0
}

// Lengths to which old tool results and arguments are shortened, in bytes.
const (
	shortened       = 2000
	stronglyReduced = 300
)

// Fit makes a request small enough for a context window of that many tokens, of
// which reserve stay free for the answer. What is least missed goes first:
//
//  1. tool results before the last step lose their middle, then more of it, then
//     long arguments of old calls do;
//  2. the oldest whole turns are replaced by a summary in the system message;
//  3. the oldest steps of the last turn are replaced by a summary, and the results
//     of the last step lose their middle;
//  4. the summary of old turns is shortened, and at last left out.
//
// System messages and the last user message stay word for word, and every tool
// call keeps its result. Where that is still too much, the error is a *Error with
// CodeContextOverflow that says what to do.
//
// summarise writes the summaries; where it is nil or fails, a digest of the
// messages is taken (FitReport.SummaryErr). What is old is decided in blocks of
// tokens from the conversation's beginning, so that a growing conversation gives
// the same beginning again and again: providers' prompt caches and a summarise
// that remembers its answers profit. The request itself is not changed.
func Fit(
	ctx context.Context, req Request, window, reserve int,
	count func(Request) int, summarise func(context.Context, []Message) (string, error),
) (Request, FitReport, error) {
	report := FitReport{Before: count(req), Limit: window - min(reserve, window/2)}
	report.After = report.Before
	if window <= 0 || report.Before <= report.Limit {
		return req, report, nil
	}
	f := newFitting(req, count, summarise, report)
	for _, stage := range []func(context.Context) error{
		f.shortenResults, f.shortenArguments, f.summariseTurns, f.summariseSteps, f.shortenLastResults,
		f.shortenSummary, f.dropSummary,
	} {
		if err := stage(ctx); err != nil {
			return req, f.report, err
		}
		if f.fits() && f.recount() {
			fitted := req
			fitted.Messages = f.messages
			return fitted, f.report, nil
		}
	}
	return req, f.report, f.overflow(req, window)
}

// fitting is a request on its way to fit.
type fitting struct {
	req       Request
	count     func(Request) int
	summarise func(context.Context, []Message) (string, error)
	report    FitReport
	summary   placedSummary

	messages []Message
	costs    []int // of each message
	position []int // of each message, in tokens of the original before it
	empty    int   // cost of a request with no messages
	total    int
	lastTurn int // index of the last user message, or of the first that is not the system's
	lastStep int // index of the last assistant message behind it, len(messages) where there is none
}

func newFitting(req Request, count func(Request) int, summarise func(context.Context,
	[]Message) (string, error), report FitReport) *fitting {
	f := &fitting{req: req, count: count, summarise: summarise, report: report, messages: slices.Clone(req.Messages)}
	nothing := count(Request{})
	for _, m := range f.messages {
		f.position = append(f.position, f.total)
		f.costs = append(f.costs, count(Request{Messages: []Message{m}})-nothing)
		f.total += f.costs[len(f.costs)-1]
	}
	f.empty = report.Before - f.total
	f.total = report.Before
	f.findLast()
	return f
}

func (f *fitting) findLast() {
	f.lastTurn, f.lastStep = -1, len(f.messages)
	for i := len(f.messages) - 1; i >= 0; i-- {
		switch {
		case f.messages[i].Role == RoleAssistant && f.lastStep == len(f.messages):
			f.lastStep = i
		case f.messages[i].Role == RoleUser:
			f.lastTurn = i
		}
		if f.lastTurn >= 0 {
			break
		}
	}
	if f.lastTurn < 0 {
		f.lastTurn = slices.IndexFunc(f.messages, func(m Message) bool { return m.Role != RoleSystem })
	}
	if f.lastTurn < 0 {
		f.lastTurn = len(f.messages)
	}
}

func (f *fitting) fits() bool { return f.total <= f.report.Limit }

// replace puts another message in a message's place.
func (f *fitting) replace(i int, m Message) {
	cost := f.count(Request{Messages: []Message{m}}) - f.count(Request{})
	f.total += cost - f.costs[i]
	f.messages[i], f.costs[i] = m, cost
}

// block is the number of tokens in which age is measured: small where middles are
// cut, large where a summary is to last for a while.
func (f *fitting) block(ofLimit int) int { return max(f.report.Limit/ofLimit, 1) }

const (
	cutBlock     = 8 // blocks in the limit
	summaryBlock = 2
)

// oldestFirst calls change for messages before end, until everything fits at the
// end of a block.
func (f *fitting) oldestFirst(end int, change func(i int)) {
	block := f.block(cutBlock)
	line := block
	for i := range min(end, len(f.messages)) {
		if f.position[i] >= line {
			if f.fits() {
				return
			}
			line = (f.position[i]/block + 1) * block
		}
		change(i)
	}
}

func (f *fitting) shortenResults(context.Context) error {
	touched := make(map[int]bool)
	for _, limit := range []int{shortened, stronglyReduced} {
		if f.fits() {
			break
		}
		f.oldestFirst(f.lastStep, func(i int) {
			if m := f.messages[i]; m.Role == RoleTool && len(m.Text) > limit {
				if m.Text = Shorten(m.Text, limit); len(m.Text) < len(f.messages[i].Text) {
					f.replace(i, m)
					touched[i] = true
				}
			}
		})
	}
	f.report.ShortenedResults = len(touched)
	return nil
}

func (f *fitting) shortenArguments(context.Context) error {
	f.oldestFirst(f.lastStep, func(i int) {
		m := f.messages[i]
		changed := 0
		for j, call := range m.ToolCalls {
			if arguments := Shorten(call.Arguments, stronglyReduced); len(arguments) < len(call.Arguments) {
				if changed++; changed == 1 {
					m.ToolCalls = slices.Clone(m.ToolCalls)
				}
				m.ToolCalls[j].Arguments = arguments
			}
		}
		if changed > 0 {
			f.replace(i, m)
			f.report.ShortenedArguments += changed
		}
	})
	return nil
}

// shortenLastResults gives each result of the last step its part of what is left.
func (f *fitting) shortenLastResults(context.Context) error {
	var results []int
	bytes, tokens := 0, 0
	for i := f.lastStep; i < len(f.messages); i++ {
		if f.messages[i].Role == RoleTool {
			results = append(results, i)
			bytes += len(f.messages[i].Text)
			tokens += f.costs[i]
		}
	}
	left := f.report.Limit - (f.total - tokens)
	if len(results) == 0 || left <= 0 {
		return nil
	}
	perToken := float64(bytes) / float64(max(tokens, 1))
	for limit := int(float64(left) * perToken / float64(len(results))); limit >= stronglyReduced/2 &&
		!f.fits(); limit = limit * 3 / 4 {
		for _, i := range results {
			m := f.messages[i]
			if m.Text = Shorten(f.req.Messages[len(f.req.Messages)-len(f.messages)+i].Text,
				limit); len(m.Text) < len(f.messages[i].Text) {
				f.replace(i, m)
			}
		}
	}
	f.report.ShortenedResults += len(results)
	return nil
}

// recount checks with the whole request: the costs of single messages need not add up.
func (f *fitting) recount() bool {
	whole := f.req
	whole.Messages = f.messages
	f.total = f.count(whole)
	f.report.After = f.total
	return f.fits()
}

func (f *fitting) overflow(req Request, window int) error {
	last := 0
	if f.lastTurn < len(f.messages) {
		last = f.costs[f.lastTurn]
	}
	return &Error{Code: CodeContextOverflow, Message: fmt.Sprintf(
		"the request does not fit into the context window of %d tokens even without the earlier conversation: about "+
			"%d are free for it, "+
			"the last message takes %d, system message and %d tools take %d. "+
			"Shorten the message or attach less, offer fewer tools, or choose a model with a larger context window",
		window, f.report.Limit, last, len(req.Tools), f.empty+f.systemCost())}
}

func (f *fitting) systemCost() int {
	cost := 0
	for i, m := range f.messages {
		if m.Role == RoleSystem {
			cost += f.costs[i]
		}
	}
	return cost
}
