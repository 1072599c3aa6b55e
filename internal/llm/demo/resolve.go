package demo

import (
	"regexp"
	"strings"
)

// request is a message, understood.
type request struct {
	chinese bool
	talk    string // phrase key of small talk; "" else
	steps   []step
	unclear []string
	cut     bool // the message is longer than what is read
}

// earlier is what the turn before left, for "save it" and "read it".
type earlier struct{ text, path string }

// maxSteps is how many steps of a message are planned.
const maxSteps = 30

// latinStart is a request in English that names a Chinese file.
var latinStart = regexp.MustCompile(`^[A-Za-z]+ [^\p{Han}]*[\p{Han}]+\.\w+\s*$`)

// parse understands a message.
func parse(text string, before earlier) request {
	text = strings.Map(func(r rune) rune { // the private use area is for quotes
		if r >= firstQuote && r < firstQuote+maxQuotes {
			return -1
		}
		return r
	}, strings.TrimSpace(text))
	hidden, quoted := hideQuotes(text)
	r := request{chinese: isChinese(hidden) && !latinStart.MatchString(hidden), cut: len(hidden) > maxRequest}
	if r.cut {
		hidden = strings.ToValidUTF8(hidden[:maxRequest], "")
	}
	if r.talk = smallTalk(hidden); r.talk != "" {
		return r
	}
	for _, clause := range splitClauses(hidden) {
		if clause = trimPolite(clause); clause == "" || smallTalk(clause) != "" {
			continue
		}
		if len(r.steps) >= maxSteps {
			r.cut = true
			break
		}
		steps, ok := read(clause, quoted)
		if !ok {
			r.unclear = append(r.unclear, quoted.open(clause))
			continue
		}
		r.steps = append(r.steps, steps...)
	}
	if len(r.steps) == 0 && len(r.unclear) == 0 {
		r.talk = "help"
	}
	r.resolve(before)
	return r
}

// resolve connects the steps: what "it" is, whose result goes where, what waits.
func (r *request) resolve(before earlier) {
	path := before.path
	for i := range r.steps {
		s := &r.steps[i]
		if s.pronoun {
			if path == "" {
				s.problem = "which_file"
				continue
			}
			for _, name := range []string{"path", "from"} {
				if value, has := s.args[name]; has && value == "" {
					s.args[name] = path
				}
			}
		}
		if named := s.path(); named != "" && named != "." {
			path = named
		}
		if s.source != fromRequest {
			r.connect(i, before)
		}
		for j := range i {
			if r.steps[j].conflicts(*s) {
				s.after = append(s.after, j)
			}
		}
	}
}

// connect finds the results that go into step i.
func (r *request) connect(i int, before earlier) {
	s := &r.steps[i]
	for j := i - 1; j >= 0 && len(s.needs) < 20; j-- {
		if r.steps[j].answers() && r.steps[j].problem == "" {
			s.needs = append([]int{j}, s.needs...)
			if s.source == fromLast {
				break
			}
		}
	}
	switch {
	case len(s.needs) > 0:
	case before.text == "":
		s.problem = "nothing_to_save"
	default:
		s.source, s.args["content"] = fromRequest, before.text
	}
}

var (
	lastWords = regexp.MustCompile(
		`(?i)^(?:it|that|this|that number|(?:the |its |that )?(?:result|answer|output|sum|number|value|list|summary|content)|(?:its|their) (?:answers?|results?|findings)|他们的回答|它|结果|答案|列表|(?:这个|该)结果)$`)
	allWords = regexp.MustCompile(
		`(?i)^(?:them|everything|(?:all |both |the |their |all the )*(?:results|answers|outputs|findings)|全部|所有结果|他们的回答|它们|全部结果)$`)
)

// writing makes the steps that put a text into files: what was quoted, a result,
// or the words themselves.
func writing(tool string) func(match) ([]step, bool) {
	return func(m match) ([]step, bool) {
		spoken, source := m.raw("x"), fromRequest
		asked := answering(spoken, m.quotes)
		switch {
		case m.isQuoted("x"):
			asked = nil
		case spoken == "" && tool == "file_write" && !createWords.MatchString(m.groups[0]),
			lastWords.MatchString(spoken), len(asked) > 0:
			source = fromLast
		case allWords.MatchString(spoken):
			source = fromAll
		}
		paths, ok := each(m.raw("path"), func(item string) step {
			s := step{tool: tool, args: map[string]any{"path": m.quotes.open(item), "content": m.get("x")},
				source: source}
			if source != fromRequest {
				s.args["content"] = ""
			}
			return s.named()
		})
		return append(asked, paths...), ok
	}
}

// answering reads "the current time" or "the result of 1+1" as a request whose
// result is wanted. A bare sum is a text.
func answering(spoken string, hidden quotes) []step {
	asked := resultOf.ReplaceAllString(spoken, "")
	steps, ok := read(asked, hidden)
	if !ok || len(steps) != 1 || !steps[0].answers() || steps[0].tool == "calculator" && asked == spoken {
		return nil
	}
	return steps
}

var resultOf = regexp.MustCompile(`(?i)^(?:the )?(?:result|value|answer|list) of |的结果$`)

var createWords = regexp.MustCompile(`(?i)^(?:create|make|新建|创建|建立)`)

// talk are messages that ask for nothing to be done, and the phrases for them.
var talk = []struct {
	pattern *regexp.Regexp
	phrase  string
}{
	{regexp.MustCompile(
		`(?i)^(?:help|/help|what can (?:you|i) do.*|what do you do|how do(?:es)? (?:you|this|it) work|getting started|(?:使用)?帮助|使用说明|你(?:能|会|可以)(?:做|干)(?:些)?什么|怎么用|如何使用|功能)$`), "help"},
	{regexp.MustCompile(
		`(?i)^(?:(?:what|which) tools .*|(?:list|show)(?: me)?(?: all| the| your)* tools|你?有(?:哪些|什么)工具|列出(?:所有|全部)?工具)$`), "tools"},
	{regexp.MustCompile(
		`(?i)^(?:(?:who|what) are you.*|introduce yourself|what(?:'s| is) your name|(?:what|which) model .*|(?:你|您)(?:是谁|是什么|叫什么).*|自我介绍)$`), "who"},
	{regexp.MustCompile(
		`(?i)^(?:hello|hi|hey|good (?:morning|afternoon|evening|day)|(?:hello|hi) there|hello world|how are you.*|test(?:ing)?|ping|你好|您好|嗨|早上好|下午好|晚上好|在吗|测试)$`), "hello"},
	{regexp.MustCompile(
		`(?i)^(?:(?:many )?thanks?(?: you)?(?: a lot| so much)?|thank you(?: very much)?|great|nice|cool|perfect|ok(?:ay)?|got it|谢谢(?:你|您)?|多谢|太好了|很好|好的?|明白了)$`), "thanks"},
	{regexp.MustCompile(`(?i)^(?:bye|goodbye|see you(?: later)?|good night|再见|拜拜|晚安)$`), "bye"},
}

// smallTalk returns the phrase key for a message that asks for nothing; "" else.
func smallTalk(text string) string {
	text = strings.Trim(text, " \n?？!！.。~")
	for _, entry := range talk {
		if entry.pattern.MatchString(text) {
			return entry.phrase
		}
	}
	return ""
}
