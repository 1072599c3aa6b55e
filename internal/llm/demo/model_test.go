package demo

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nanoclaw/internal/llm"
)

// The sentence that a fresh install is tried with, and its relatives.
func TestIndependentStepsGoOutTogetherAndDependentOnesInTheNextTurn(t *testing.T) {
	t.Parallel()
	tests := []struct {
		say     string
		batches [][]string
		file    string
		content string
		answer  []string
	}{
		{
			"list the files, then compute 12*(3+4) and save it to result.txt",
			[][]string{
				{`file_list {"path":"."}`, `calculator {"expression":"12*(3+4)"}`},
				{`file_write {"content":"84","path":"result.txt"}`},
			},
			"result.txt", "84", []string{"3 of 3 steps", "`readme.md`", "= **84**", "Wrote `84` to `result.txt`"},
		},
		{
			"List all the files in the project. Then calculate (5+7)*3 and write the result into out/sum.md.",
			[][]string{
				{`file_list {"path":"."}`, `calculator {"expression":"(5+7)*3"}`},
				{`file_write {"content":"36","path":"out/sum.md"}`},
			},
			"out/sum.md", "36", []string{"= **36**", "`out/sum.md`"},
		},
		{
			"列出文件，然后计算 12*(3+4) 并保存到 result.txt",
			[][]string{
				{`file_list {"path":"."}`, `calculator {"expression":"12*(3+4)"}`},
				{`file_write {"content":"84","path":"result.txt"}`},
			},
			"result.txt", "84", []string{"3 / 3 步", "`readme.md`", "= **84**", "已将 `84` 写入 `result.txt`"},
		},
		{
			"请帮我列出项目里的所有文件，再计算（5＋7）×3，然后把结果保存到 报告.txt，谢谢",
			[][]string{
				{`file_list {"path":"."}`, `calculator {"expression":"(5+7)*3"}`},
				{`file_write {"content":"36","path":"报告.txt"}`},
			},
			"报告.txt", "36", []string{"= **36**", "`报告.txt`"},
		},
		{
			"compute 1+1 and 2+2, what time is it in Tokyo, and save all results to all.txt",
			[][]string{
				{`calculator {"expression":"1+1"}`, `calculator {"expression":"2+2"}`,
					`get_current_time {"timezone":"Asia/Tokyo"}`},
				{`file_write {"content":"2\n4\n2026-11-05T10:20:30Z","path":"all.txt"}`},
			},
			"all.txt", "2\n4\n2026-11-05T10:20:30Z", []string{"4 of 4 steps"},
		},
		{
			"把“你好，然后再见”写入 a.txt，然后读取它",
			[][]string{{`file_write {"content":"你好，然后再见","path":"a.txt"}`}, {`file_read {"path":"a.txt"}`}},
			"a.txt", "你好，然后再见", []string{"读取 `a.txt`", "你好，然后再见"},
		},
		{
			"append \"one\" to log.txt and append \"two\" to log.txt",
			[][]string{{`file_append {"content":"one","path":"log.txt"}`},
				{`file_append {"content":"two","path":"log.txt"}`}},
			"log.txt", "onetwo", nil,
		},
	}
	for _, test := range tests {
		t.Run(test.say, func(t *testing.T) {
			t.Parallel()
			w := &world{files: map[string]string{"readme.md": "hello"}}
			batches, answer, _ := talkTo(t, w, nil, test.say)
			if got, want := show(batches), show(test.batches); got != want {
				t.Errorf("calls\n%s\nwant\n%s", got, want)
			}
			if w.files[test.file] != test.content {
				t.Errorf("%s holds %q, want %q", test.file, w.files[test.file], test.content)
			}
			for _, part := range test.answer {
				if !strings.Contains(answer, part) {
					t.Errorf("the answer lacks %q:\n%s", part, answer)
				}
			}
		})
	}
}

func TestThreeAgentsAreOneCallAndTheirAnswersAreReported(t *testing.T) {
	t.Parallel()
	w := &world{files: map[string]string{}}
	batches, answer, _ := talkTo(t, w, nil,
		"Ask three agents to compute 1+1, 2+2 and 3+3, then save the summary to team.md")
	if len(batches) != 2 || len(batches[0]) != 1 || strings.Count(batches[0][0], `"instruction":"compute `) != 3 {
		t.Fatalf("calls %v", batches)
	}
	for _, part := range []string{"2 of 3 agents answered", "**compute 1+1**", "answer 1", "**compute 2+2** (failed)",
		"too slow", "answer 3"} {
		if !strings.Contains(answer, part) {
			t.Errorf("the answer lacks %q:\n%s", part, answer)
		}
	}
	if !strings.Contains(w.files["team.md"], "answer 3") {
		t.Errorf("team.md holds %q", w.files["team.md"])
	}
}

func TestAFailedCallIsReportedAndNotRepeated(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, say string
		fails     map[string]error
		batches   int
		answer    []string
	}{
		{"what depends on it is skipped", "compute 1/0 and save it to x.txt", nil, 1,
			[]string{"0 of 2 steps", "could not compute `1/0`: division by zero (`invalid_arguments`)",
				"did not save the result to `x.txt`", "the step that it needs failed"}},
		{"the others go on", "read missing.txt and compute 7*6", nil, 1,
			[]string{"1 of 2 steps", "no such file: missing.txt (`not_found`)", "= **42**"}},
		{"Chinese", "读取 missing.txt", nil, 1, []string{"没能读取 `missing.txt`", "not_found"}},
		{"a denied call", "delete readme.md", map[string]error{"file_delete": codedError{"denied", "not today"}}, 1,
			[]string{"not allowed to delete `readme.md`: not today (`denied`)"}},
		{"an unknown outcome", "write \"x\" to a.txt", map[string]error{"file_write": codedError{"outcome_unknown",
			"lost"}}, 1,
			[]string{"do not know whether I could write `a.txt`", "did not repeat it"}},
		{"nothing is deleted after a failure", "move a.txt to b.txt, then delete b.txt",
			map[string]error{"file_move": codedError{"not_found", "no a.txt"}}, 1,
			[]string{"no a.txt", "I did not delete `b.txt`, because the step before it failed"}},
		{"a refused team", "ask 7 agents to compute 7*6",
			map[string]error{"multi_agent": codedError{"invalid_arguments", "7 tasks, at most 5"}}, 1,
			[]string{"could not ask the agents: 7 tasks, at most 5"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := &world{files: map[string]string{"readme.md": "hello"}, fails: test.fails}
			batches, answer, _ := talkTo(t, w, nil, test.say)
			if len(batches) != test.batches {
				t.Errorf("%d turns with calls, want %d: %v", len(batches), test.batches, batches)
			}
			for _, part := range test.answer {
				if !strings.Contains(answer, part) {
					t.Errorf("the answer lacks %q:\n%s", part, answer)
				}
			}
		})
	}
}

// A command has an exit code, Python code has none.
func TestProgramsAreReportedWithWhatTheyPrinted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"run python: print(6*7)": "42", "run the command `ls`": "exit code 0\n\n```\nout of ls\n```",
	} {
		_, answer, _ := talkTo(t, &world{}, nil, text)
		if !strings.Contains(answer, want) || strings.Contains(answer, "exit code \n") {
			t.Errorf("%s: %q", text, answer)
		}
	}
}

func TestAToolThatIsNotOfferedIsNamed(t *testing.T) {
	t.Parallel()
	w := &world{files: map[string]string{}, offers: []string{"calculator"}}
	batches, answer, _ := talkTo(t, w, nil, "compute 7*6, then what's the weather in Oslo? and write it to w.txt")
	if show(batches) != `calculator {"expression":"7*6"}` {
		t.Errorf("calls %v", batches)
	}
	for _, part := range []string{"= **42**", "the tool `get_weather` is not offered",
		"the tool `file_write` is not offered"} {
		if !strings.Contains(answer, part) {
			t.Errorf("the answer lacks %q:\n%s", part, answer)
		}
	}
}

func TestWithoutToolsTheModelAnswersWithWhatItHas(t *testing.T) {
	t.Parallel()
	w := &world{files: map[string]string{}}
	model := New(llm.Info{ID: "demo"})
	user := llm.Message{Role: llm.RoleUser, Text: "compute 12*(3+4) and save it to r.txt"}
	resp := ask(t, model, llm.Request{Messages: []llm.Message{user}})
	if len(resp.ToolCalls) > 0 || !strings.Contains(resp.Text, "no tools are offered") || strings.Contains(resp.Text,
		"84") {
		t.Errorf("no tools from the start: %+v", resp)
	}
	resp = ask(t, model, llm.Request{Messages: []llm.Message{user}, Tools: w.tools()})
	call := resp.ToolCalls[0]
	messages := []llm.Message{user, {Role: llm.RoleAssistant, ToolCalls: resp.ToolCalls}, {Role: llm.RoleTool,
		ToolCallID: call.ID, ToolName: call.Name, Text: w.run(t, call)}}
	resp = ask(t, model, llm.Request{Messages: messages})
	if len(resp.ToolCalls) > 0 || !strings.Contains(resp.Text, "**84**") || !strings.Contains(resp.Text,
		"Not done yet: save the result to `r.txt`") {
		t.Errorf("last iteration: %+v", resp)
	}
}

func TestItRemembersTheTurnBeforeThroughTheMessages(t *testing.T) {
	t.Parallel()
	w := &world{files: map[string]string{}}
	_, _, messages := talkTo(t, w, nil, "compute 12*(3+4)")
	_, _, messages = talkTo(t, w, messages, "save it to r.txt")
	batches, _, _ := talkTo(t, w, messages, "read it")
	if w.files["r.txt"] != "84" || show(batches) != `file_read {"path":"r.txt"}` {
		t.Errorf("r.txt holds %q, calls %v", w.files["r.txt"], batches)
	}
	_, answer, _ := talkTo(t, w, nil, "save it to r.txt")
	if !strings.Contains(answer, "I do not know what to write") {
		t.Errorf("nothing came before: %s", answer)
	}
}

func TestAfterStepsWereSummarisedNothingIsDoneAgain(t *testing.T) {
	t.Parallel()
	w := &world{files: map[string]string{}}
	resp := ask(t, New(llm.Info{ID: "demo"}), llm.Request{Tools: w.tools(), Messages: []llm.Message{
		{Role: llm.RoleUser, Text: "append \"x\" to a.txt and compute 7*6"},
		{Role: llm.RoleAssistant, Text: "[What I did so far in this turn, in short]"},
	}})
	if len(resp.ToolCalls) > 0 || resp.Text == "" {
		t.Errorf("%+v", resp)
	}
}

func TestASummaryIsRefused(t *testing.T) {
	t.Parallel()
	var failed *llm.Error
	for _, err := range New(llm.Info{ID: "demo"}).Stream(t.Context(), llm.Request{Messages: []llm.Message{
		{Role: llm.RoleSystem, Text: "Summarise this part of a conversation."}, {Role: llm.RoleUser,
			Text: "user: delete a.txt"},
	}}) {
		if !errors.As(err, &failed) || failed.Code != llm.CodeInvalidRequest {
			t.Errorf("%v", err)
		}
	}
	if failed == nil {
		t.Error("no error")
	}
}

func TestNothingCutOffIsSaved(t *testing.T) {
	t.Parallel()
	w := &world{files: map[string]string{"big.txt": strings.Repeat("x", 2000)}}
	_, answer, _ := talkTo(t, w, nil, "read big.txt and save it to small.txt")
	if _, written := w.files["small.txt"]; written || !strings.Contains(answer, "cut off") {
		t.Errorf("written: %v, answer: %s", written, answer)
	}
}

func TestItSaysWhatItIsAndHowToGetARealModel(t *testing.T) {
	t.Parallel()
	for say, want := range map[string][]string{
		"help":              {"demo model", "config.yml", "api_key"},
		"what can you do?":  {"demo model", "ask three agents"},
		"你能做什么？":            {"演示模型", "config.yml", "让三个智能体"},
		"Hello!":            {"demo model", "help"},
		"你好":                {"演示模型", "帮助"},
		"who are you":       {"a set of rules"},
		"write me a sonnet": {"I did not understand: “write me a sonnet”", "demo model", "config.yml"},
		"写一首关于雨的诗":          {"我没有理解：“写一首关于雨的诗”", "演示模型"},
		"":                  {"demo model"},
		"???":               {"demo model"},
	} {
		_, answer, _ := talkTo(t, &world{}, nil, say)
		for _, part := range want {
			if !strings.Contains(answer, part) {
				t.Errorf("%q: the answer lacks %q:\n%s", say, part, answer)
			}
		}
	}
}

func TestThinkingCanBeSwitchedOff(t *testing.T) {
	t.Parallel()
	model := New(llm.Info{ID: "demo"})
	req := llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: "列出文件"}}, Tools: (&world{}).tools()}
	if resp := ask(t, model, req); !strings.Contains(resp.Reasoning, "列出文件") {
		t.Errorf("thinking: %q", resp.Reasoning)
	}
	req.Thinking = llm.ThinkingOff
	if resp := ask(t, model, req); resp.Reasoning != "" {
		t.Errorf("thinking though it is off: %q", resp.Reasoning)
	}
}

func TestUsageIsEstimatedAndMaxTokensIsKept(t *testing.T) {
	t.Parallel()
	model := New(llm.Info{ID: "demo"})
	req := llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: "help"}}}
	whole := ask(t, model, req)
	if !whole.Usage.Estimated || whole.Usage.PromptTokens == 0 || whole.FinishReason != llm.FinishStop {
		t.Errorf("%+v", whole)
	}
	req.MaxTokens = 12
	short := ask(t, model, req)
	if short.FinishReason != llm.FinishLength || short.Text == "" || !strings.HasPrefix(whole.Text, short.Text) ||
		len(short.Text) > 100 {
		t.Errorf("%q %s", short.Text, short.FinishReason)
	}
}

func TestACancelledContextEndsTheStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		model := New(llm.Info{ID: "demo"}, WithDelay(time.Second))
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		events, last := 0, error(nil)
		for _, err := range model.Stream(ctx,
			llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: "help"}}}) {
			events++
			last = err
		}
		if events != 2 || !errors.Is(last, context.DeadlineExceeded) {
			t.Errorf("%d events, %v", events, last)
		}
	})
}

func TestTheConsumerMayLeaveEarly(t *testing.T) {
	t.Parallel()
	for range New(llm.Info{}).Stream(t.Context(),
		llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: "help"}}}) {
		break
	}
}

func show(batches [][]string) string {
	lines := make([]string, len(batches))
	for i, batch := range batches {
		lines[i] = strings.Join(batch, " + ")
	}
	return strings.Join(lines, "\n")
}

func TestBothLanguagesHaveEveryPhrase(t *testing.T) {
	t.Parallel()
	for key, phrase := range phrases {
		if phrase[0] == "" || phrase[1] == "" || verbs(phrase[0]) != verbs(phrase[1]) {
			t.Errorf("%s: %q", key, phrase)
		}
	}
	for _, row := range table() {
		if row.tool != "" && phrases["do "+row.tool][0] == "" {
			t.Errorf("the phrase for %s is missing", row.tool)
		}
	}
}

// verbs are a format's, in order of their kinds.
func verbs(format string) string {
	found := regexp.MustCompile(`%(?:\[\d\])?[sd]`).FindAllString(format, -1)
	for i := range found {
		found[i] = found[i][len(found[i])-1:]
	}
	slices.Sort(found)
	return strings.Join(found, "")
}
