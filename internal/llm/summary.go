package llm

import (
	"context"
	"fmt"
	"strings"
)

const (
	summaryOfTurns = "\n\n# Earlier in this conversation\nThe beginning of the conversation no longer fits into the " +
		"context window. Its summary:\n\n"
	summaryOfSteps = "[What I did so far in this turn, in short; the steps themselves no longer fit into the " +
		"context window.]\n\n"
)

// span is a range of messages.
type span struct{ start, end int }

// summariseTurns replaces the oldest turns by a summary in the system message.
func (f *fitting) summariseTurns(ctx context.Context) error {
	first := 0
	for first < len(f.messages) && f.messages[first].Role == RoleSystem {
		first++
	}
	turns := f.spans(first, f.lastTurn, RoleUser)
	old := f.oldest(turns)
	if len(old) == 0 {
		return nil
	}
	gone := span{first, old[len(old)-1].end}
	summary, err := f.summaryOf(ctx, gone)
	if err != nil {
		return err
	}
	f.report.SummarisedTurns = len(old)
	kept := f.systemsIn(gone)
	f.remove(gone, kept)
	if first == 0 {
		f.insert(0, Message{Role: RoleSystem})
		first = 1
	}
	f.summary = placedSummary{at: first - 1, before: f.messages[first-1].Text, text: summary}
	f.placeSummary(summary)
	f.findLast()
	return nil
}

// placedSummary is a summary of turns behind the text of a system message.
type placedSummary struct {
	at     int
	before string
	text   string // empty: there is none
}

func (f *fitting) placeSummary(text string) {
	system := f.messages[f.summary.at]
	system.Text = f.summary.before
	if text != "" {
		system.Text = strings.TrimLeft(system.Text+summaryOfTurns+text, "\n")
	}
	f.replace(f.summary.at, system)
}

// shortenSummary keeps little of the summary of old turns.
func (f *fitting) shortenSummary(context.Context) error {
	if f.summary.text != "" {
		f.placeSummary(Shorten(f.summary.text, stronglyReduced))
	}
	return nil
}

// dropSummary lets the conversation go on without its beginning: better than not at all.
func (f *fitting) dropSummary(context.Context) error {
	if f.summary.text != "" {
		f.placeSummary("")
	}
	return nil
}

// summariseSteps replaces the oldest steps of the last turn by a message of the
// assistant's, and keeps its last step.
func (f *fitting) summariseSteps(ctx context.Context) error {
	old := f.oldest(f.spans(f.lastTurn+1, f.lastStep, RoleAssistant))
	if len(old) == 0 {
		return nil
	}
	gone := span{old[0].start, old[len(old)-1].end}
	summary, err := f.summaryOf(ctx, gone)
	if err != nil {
		return err
	}
	f.report.SummarisedSteps = len(old)
	f.remove(gone, f.systemsIn(gone))
	f.insert(gone.start, Message{Role: RoleAssistant, Text: summaryOfSteps + summary})
	f.findLast()
	return nil
}

// spans cuts a range where messages of a role begin.
func (f *fitting) spans(start, end int, role string) []span {
	var spans []span
	for i := start; i < end; i++ {
		if len(spans) == 0 || f.messages[i].Role == role {
			spans = append(spans, span{i, i})
		}
		spans[len(spans)-1].end = i + 1
	}
	return spans
}

// oldest is how many of the spans, from the oldest, have to go, in whole blocks.
func (f *fitting) oldest(spans []span) []span {
	block := f.block(summaryBlock)
	left, line := f.total+f.summaryLimit(), block
	for n, s := range spans {
		if f.position[s.start] >= line {
			if left <= f.report.Limit {
				return spans[:n]
			}
			line = (f.position[s.start]/block + 1) * block
		}
		for i := s.start; i < s.end; i++ {
			if f.messages[i].Role != RoleSystem {
				left -= f.costs[i]
			}
		}
	}
	return spans
}

// summaryLimit is what a summary may take, in tokens.
func (f *fitting) summaryLimit() int { return min(f.report.Limit/8, 2000) }

// summaryOf summarises a range, by summarise where that is possible. It is given
// the newest part that is sure to fit into a request, and a digest of the rest.
func (f *fitting) summaryOf(ctx context.Context, gone span) (string, error) {
	limit := f.summaryLimit() * 3 // bytes, for the densest scripts
	messages := f.messages[gone.start:gone.end]
	if f.summarise == nil {
		return digest(messages, limit), nil
	}
	start, cost := len(messages), 0
	for start > 0 && cost+f.costs[gone.start+start-1] <= f.report.Limit/2 {
		start--
		cost += f.costs[gone.start+start]
	}
	for start < len(messages) && messages[start].Role == RoleTool {
		start++ // its call would be missing
	}
	given := append([]Message(nil), messages[start:]...)
	if start > 0 {
		before := Message{Role: RoleUser, Text: "[Earlier, in short]\n" + digest(messages[:start], limit)}
		given = append([]Message{before}, given...)
	}
	summary, err := f.summarise(ctx, given)
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		f.report.SummaryErr = err
		return digest(messages, limit), nil
	case strings.TrimSpace(summary) == "":
		f.report.SummaryErr = fmt.Errorf("the summary of %d messages is empty", len(given))
		return digest(messages, limit), nil
	}
	return Shorten(strings.TrimSpace(summary), limit), nil
}

// digest is a summary without a model: who said what, each in a line, the newest
// in more words.
func digest(messages []Message, limit int) string {
	lines := make([]string, 0, len(messages))
	perLine := min(max(limit/max(len(messages), 1), 80), 400)
	for _, m := range messages {
		switch {
		case m.Role == RoleUser:
			lines = append(lines, "- user: "+oneLine(m.Text, perLine))
		case m.Role == RoleAssistant && strings.TrimSpace(m.Text) != "":
			lines = append(lines, "- assistant: "+oneLine(m.Text, perLine))
		}
		for _, call := range m.ToolCalls {
			lines = append(lines, "- called "+call.Name+" "+oneLine(call.Arguments, perLine/2))
		}
	}
	return Shorten(strings.Join(lines, "\n"), limit)
}

// oneLine is a text on one line of about limit bytes.
func oneLine(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= limit {
		return text
	}
	cut := limit
	for cut > 0 && text[cut]&0xC0 == 0x80 {
		cut--
	}
	return text[:cut] + " …"
}

func (f *fitting) systemsIn(s span) []Message {
	var kept []Message
	for _, m := range f.messages[s.start:s.end] {
		if m.Role == RoleSystem {
			kept = append(kept, m)
		}
	}
	return kept
}

// remove takes a range out, but for some messages.
func (f *fitting) remove(s span, kept []Message) {
	for i := s.start; i < s.end; i++ {
		f.total -= f.costs[i]
	}
	position := f.position[s.start]
	f.messages = append(f.messages[:s.start:s.start], f.messages[s.end:]...)
	f.costs = append(f.costs[:s.start:s.start], f.costs[s.end:]...)
	f.position = append(f.position[:s.start:s.start], f.position[s.end:]...)
	for i, m := range kept {
		f.insertAt(s.start+i, m, position)
	}
}

func (f *fitting) insert(i int, m Message) {
	position := 0
	if i > 0 {
		position = f.position[i-1]
	}
	f.insertAt(i, m, position)
}

func (f *fitting) insertAt(i int, m Message, position int) {
	cost := f.count(Request{Messages: []Message{m}}) - f.count(Request{})
	f.total += cost
	f.messages = append(f.messages[:i:i], append([]Message{m}, f.messages[i:]...)...)
	f.costs = append(f.costs[:i:i], append([]int{cost}, f.costs[i:]...)...)
	f.position = append(f.position[:i:i], append([]int{position}, f.position[i:]...)...)
}
