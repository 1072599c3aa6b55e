package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/tokens"
)

// byBytes counts four bytes as a token, and 5 tokens beside each message.
func byBytes(req llm.Request) int {
	total := 3
	for _, m := range req.Messages {
		total += 5 + (len(m.Text)+len(m.Reasoning))/4
		for _, call := range m.ToolCalls {
			total += 5 + len(call.Name+call.Arguments)/4
		}
	}
	for _, tool := range req.Tools {
		total += (len(tool.Name) + len(tool.Description) + len(tool.Parameters)) / 4
	}
	return total
}

func system(text string) llm.Message { return llm.Message{Role: llm.RoleSystem, Text: text} }
func user(text string) llm.Message   { return llm.Message{Role: llm.RoleUser, Text: text} }
func says(text string) llm.Message   { return llm.Message{Role: llm.RoleAssistant, Text: text} }

// step is an assistant message with calls and their results, each of that many bytes.
func step(id string, calls, size int) []llm.Message {
	said := llm.Message{Role: llm.RoleAssistant}
	var results []llm.Message
	for i := range calls {
		callID := fmt.Sprintf("%s_%d", id, i)
		said.ToolCalls = append(said.ToolCalls, llm.ToolCall{ID: callID, Name: "file_read",
			Arguments: `{"path":"` + callID + `"}`})
		results = append(results, llm.Message{Role: llm.RoleTool, ToolCallID: callID, ToolName: "file_read",
			Text: callID + ":" + strings.Repeat("line of text\n", size/13)})
	}
	return append([]llm.Message{said}, results...)
}

func request(parts ...[]llm.Message) llm.Request {
	return llm.Request{Messages: slices.Concat(parts...)}
}

func one(messages ...llm.Message) []llm.Message { return messages }

// checkFitted checks what must hold for every request that Fit made.
func checkFitted(t *testing.T, original, fitted llm.Request, report llm.FitReport, count func(llm.Request) int) {
	t.Helper()
	if got := count(fitted); got > report.Limit || got != report.After {
		t.Errorf("%d tokens, reported %d, limit %d", got, report.After, report.Limit)
	}
	open := make(map[string]bool)
	for i, m := range fitted.Messages {
		switch {
		case m.Role == llm.RoleTool && !open[m.ToolCallID]:
			t.Errorf("message %d answers call %q, which is not open", i, m.ToolCallID)
		case m.Role == llm.RoleTool:
			delete(open, m.ToolCallID)
		case len(open) > 0:
			t.Errorf("before message %d calls have no result: %v", i, open)
		}
		for _, call := range m.ToolCalls {
			open[call.ID] = true
			if !json.Valid([]byte(call.Arguments)) {
				t.Errorf("arguments are not JSON: %s", call.Arguments)
			}
		}
		if !utf8.ValidString(m.Text) {
			t.Errorf("message %d is not UTF-8", i)
		}
	}
	if len(open) > 0 {
		t.Errorf("calls without a result: %v", open)
	}
	for _, m := range original.Messages {
		if m.Role == llm.RoleSystem && !slices.ContainsFunc(fitted.Messages, func(other llm.Message) bool {
			return other.Role == llm.RoleSystem && strings.HasPrefix(other.Text, m.Text)
		}) {
			t.Errorf("the system message %.40q is gone", m.Text)
		}
	}
	if want, got := lastUser(original), lastUser(fitted); want != got {
		t.Errorf("the last user message is %.60q, was %.60q", got, want)
	}
}

func lastUser(req llm.Request) string {
	for _, m := range slices.Backward(req.Messages) {
		if m.Role == llm.RoleUser {
			return m.Text
		}
	}
	return ""
}

func TestARequestThatFitsIsLeftAlone(t *testing.T) {
	t.Parallel()
	req := request(one(system("s"), user("hello")), step("a", 2, 100))
	fitted, report, err := llm.Fit(t.Context(), req, 1000, 100, byBytes, nil)
	if err != nil || report.Changed() || !reflect.DeepEqual(fitted, req) {
		t.Errorf("%+v %v", report, err)
	}
	if _, report, err = llm.Fit(t.Context(), req, 0, 0, byBytes, nil); err != nil || report.Changed() {
		t.Errorf("an unknown window: %+v %v", report, err)
	}
}

func TestOldToolResultsAreShortenedFirst(t *testing.T) {
	t.Parallel()
	req := request(one(system("s"), user("first")), step("a", 1, 8000), one(says("done"), user("second")),
		step("b", 1, 8000), step("c", 1, 4000))
	fitted, report, err := llm.Fit(t.Context(), req, 4500, 500, byBytes, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkFitted(t, req, fitted, report, byBytes)
	if report.ShortenedResults == 0 || report.SummarisedTurns+report.SummarisedSteps+report.ShortenedArguments != 0 ||
		len(fitted.Messages) != len(req.Messages) {
		t.Errorf("%+v", report)
	}
	first := fitted.Messages[3].Text
	if !strings.HasPrefix(first, "a_0:line") || !strings.Contains(first, "bytes were cut here") ||
		!strings.HasSuffix(first, "line of text\n") {
		t.Errorf("shortened: %q", first)
	}
	if last := fitted.Messages[len(fitted.Messages)-1]; last.Text != req.Messages[len(req.Messages)-1].Text {
		t.Error("the newest result was shortened although the old ones were enough")
	}
}

func TestOldTurnsAreSummarisedWhereShorteningIsNotEnough(t *testing.T) {
	t.Parallel()
	var parts [][]llm.Message
	for i := range 30 {
		parts = append(parts, one(user(fmt.Sprintf("question %d %s", i, strings.Repeat("x", 400))),
			says(fmt.Sprintf("answer %d %s", i, strings.Repeat("y", 400)))))
	}
	req := request(append([][]llm.Message{one(system("the rules"))},
		append(parts, one(user("the last question")))...)...)
	for name, summarise := range map[string]func(context.Context, []llm.Message) (string, error){
		"by a digest": nil,
		"by a model": func(_ context.Context, old []llm.Message) (string, error) {
			if byBytes(llm.Request{Messages: old}) > 2000 {
				t.Error("the messages to summarise do not fit themselves")
			}
			return "they talked", nil
		},
		"by a model that fails": func(context.Context, []llm.Message) (string, error) { return "", errors.New("no") },
		"by a silent model":     func(context.Context, []llm.Message) (string, error) { return " ", nil },
		"by a chatty model": func(context.Context, []llm.Message) (string, error) {
			return strings.Repeat("bla ",
				1e6), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fitted, report, err := llm.Fit(t.Context(), req, 2300, 300, byBytes, summarise)
			if err != nil {
				t.Fatal(err)
			}
			checkFitted(t, req, fitted, report, byBytes)
			if report.SummarisedTurns < 10 || fitted.Messages[1].Role != llm.RoleUser {
				t.Errorf("%+v, first %+v", report, fitted.Messages[1])
			}
			head := fitted.Messages[0].Text
			if !strings.HasPrefix(head, "the rules\n\n# Earlier") || (name == "by a model") != strings.HasSuffix(head,
				"they talked") {
				t.Errorf("system message %q", head)
			}
			if name == "by a digest" && !strings.Contains(head, "- user: question 0") {
				t.Errorf("digest %q", head)
			}
			if failed := strings.Contains(name, "fails") || strings.Contains(name,
				"silent"); failed != (report.SummaryErr != nil) {
				t.Errorf("summary error %v", report.SummaryErr)
			}
		})
	}
}

func TestOldStepsOfALongTurnAreSummarised(t *testing.T) {
	t.Parallel()
	parts := [][]llm.Message{one(system("s"), user("do the big thing"))}
	for i := range 60 {
		parts = append(parts, step(fmt.Sprint("s", i), 2, 300))
	}
	req := request(parts...)
	fitted, report, err := llm.Fit(t.Context(), req, 2500, 500, byBytes, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkFitted(t, req, fitted, report, byBytes)
	if report.SummarisedSteps == 0 || !strings.Contains(fitted.Messages[2].Text, "called file_read") {
		t.Errorf("%+v: %+v", report, fitted.Messages[2])
	}
	if got, want := fitted.Messages[len(fitted.Messages)-3:],
		req.Messages[len(req.Messages)-3:]; !reflect.DeepEqual(got, want) {
		t.Error("the last step is not whole")
	}
}

func TestHugeNewResultsAreShortenedAtLast(t *testing.T) {
	t.Parallel()
	req := request(one(system("s"), user("read it")), step("a", 3, 40000))
	fitted, report, err := llm.Fit(t.Context(), req, 3000, 500, byBytes, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkFitted(t, req, fitted, report, byBytes)
	if report.ShortenedResults != 3 || report.After < report.Limit/2 {
		t.Errorf("%+v", report)
	}
}

func TestLongArgumentsOfOldCallsAreShortened(t *testing.T) {
	t.Parallel()
	written := step("w", 1, 50)
	written[0].ToolCalls[0].Arguments = string(mustJSON(t, map[string]string{"path": "a.txt",
		"content": strings.Repeat("你好 world\n", 3000)}))
	req := request(one(user("write")), written, step("x", 1, 50))
	fitted, report, err := llm.Fit(t.Context(), req, 1000, 100, byBytes, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkFitted(t, req, fitted, report, byBytes)
	if report.ShortenedArguments != 1 || !strings.Contains(fitted.Messages[1].ToolCalls[0].Arguments,
		`"path":"a.txt"`) {
		t.Errorf("%+v %s", report, fitted.Messages[1].ToolCalls[0].Arguments)
	}
	if len(req.Messages[1].ToolCalls[0].Arguments) < 20000 {
		t.Error("the given request was changed")
	}
}

func TestAMessageThatCannotFitIsAnErrorThatSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for name, req := range map[string]llm.Request{
		"a long message": request(one(system("s"), user("old"), says("old"), user(strings.Repeat("long ", 4000)))),
		"a long system":  request(one(system(strings.Repeat("rule ", 4000)), user("hi"))),
		"no messages":    {Tools: []llm.ToolDef{{Name: strings.Repeat("t", 9000)}}},
	} {
		_, _, err := llm.Fit(t.Context(), req, 1000, 200, byBytes, nil)
		var typed *llm.Error
		if !errors.As(err, &typed) || typed.Code != llm.CodeContextOverflow || !strings.Contains(typed.Message,
			"larger context window") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestACancelledSummaryGivesTheContextsError(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	req := request(one(user(strings.Repeat("x", 8000)), says("y"), user("z")))
	_, _, err := llm.Fit(ctx, req, 1000, 100, byBytes, func(ctx context.Context, _ []llm.Message) (string, error) {
		cancel()
		return "", ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// A conversation that grows by a little must keep its beginning mostly unchanged,
// else no provider can cache it and every step pays for another summary.
func TestAGrowingConversationKeepsItsBeginning(t *testing.T) {
	t.Parallel()
	var history []llm.Message
	summaries := make(map[string]bool)
	beginnings := make(map[string]bool)
	steps := 0
	for turn := range 60 {
		history = append(history, user(fmt.Sprintf("question %d %s", turn, strings.Repeat("q", 300))))
		for s := range 3 {
			history = append(history, step(fmt.Sprintf("t%ds%d", turn, s), 1, 900)...)
			req := request(one(system("s")), history)
			fitted, report, err := llm.Fit(t.Context(), req, 6000, 1000, byBytes, func(_ context.Context,
				old []llm.Message) (string, error) {
				summaries[string(mustJSON(t, old))] = true
				return "summary", nil
			})
			if err != nil {
				t.Fatal(err)
			}
			checkFitted(t, req, fitted, report, byBytes)
			if report.Changed() {
				steps++
				beginnings[string(mustJSON(t, fitted.Messages[:4]))] = true
			}
		}
		history = append(history, says("done"))
	}
	if steps < 100 || len(summaries) > steps/4 || len(beginnings) > steps/4 {
		t.Errorf("%d steps were fitted with %d summaries and %d beginnings", steps, len(summaries), len(beginnings))
	}
}

func TestAnyConversationIsFittedOrRefusedClearly(t *testing.T) {
	t.Parallel()
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 7))
		req := randomRequest(r)
		before := mustJSON(t, req)
		window := 200 + r.IntN(6000)
		fitted, report, err := llm.Fit(t.Context(), req, window, window/5, tokens.CountRequest, nil)
		if string(mustJSON(t, req)) != string(before) {
			t.Fatalf("seed %d: the given request was changed", seed)
		}
		var typed *llm.Error
		switch {
		case errors.As(err, &typed) && typed.Code == llm.CodeContextOverflow:
		case err != nil:
			t.Fatalf("seed %d: %v", seed, err)
		default:
			checkFitted(t, req, fitted, report, tokens.CountRequest)
		}
		if t.Failed() {
			t.Fatalf("seed %d, window %d", seed, window)
		}
	}
}

func randomRequest(r *rand.Rand) llm.Request {
	var messages []llm.Message
	word := func(n int) string {
		return strings.Repeat([]string{"word ", "你好，", "{\"a\":1}"}[r.IntN(3)], r.IntN(n+1))
	}
	if r.IntN(4) > 0 {
		messages = append(messages, system("system "+word(20)))
	}
	for turn := range r.IntN(12) {
		messages = append(messages, user(fmt.Sprint("u", turn, word(60))))
		for s := range r.IntN(5) {
			messages = append(messages, step(fmt.Sprintf("%d_%d", turn, s), 1+r.IntN(3), r.IntN(5000))...)
		}
		if r.IntN(3) > 0 {
			messages = append(messages, says("a"+word(60)))
		}
		if r.IntN(10) == 0 {
			messages = append(messages, system(fmt.Sprint("note ", turn)))
		}
	}
	return llm.Request{Messages: messages}
}

func mustJSON(t *testing.T, value any) []byte {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// A conversation whose last message fits is never stuck on the summary of what
// came before it.
func TestTheSummaryGivesWayToTheLastMessage(t *testing.T) {
	t.Parallel()
	wordy := func(context.Context, []llm.Message) (string, error) {
		return strings.Repeat("a long summary ", 400), nil
	}
	old := []llm.Message{user(strings.Repeat("before ", 500)), says(strings.Repeat("answer ", 500))}
	last := user(strings.Repeat("now ", 880))
	req := llm.Request{Messages: append(append([]llm.Message{system("be good")}, old...), last)}
	alone := byBytes(llm.Request{Messages: []llm.Message{system("be good"), last}})
	for _, room := range []int{0, 150, 1000} {
		fitted, report, err := llm.Fit(t.Context(), req, alone+room, 0, byBytes, wordy)
		if err != nil {
			t.Fatalf("with room for %d tokens more: %v", room, err)
		}
		if byBytes(fitted) > alone+room || fitted.Messages[len(fitted.Messages)-1].Text != last.Text ||
			report.SummarisedTurns != 1 {
			t.Errorf("with room for %d tokens more: %d tokens, %+v", room, byBytes(fitted), report)
		}
		if !strings.HasPrefix(fitted.Messages[0].Text, "be good") || strings.Contains(fitted.Messages[0].Text,
			"summary") != (room > 0) {
			t.Errorf("with room for %d tokens more the system message is %q", room, fitted.Messages[0].Text)
		}
	}
}
