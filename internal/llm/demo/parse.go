package demo

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxRunes = 4000 // of a request without its quoted passages
	maxSteps = 40
	maxReach = 14 // places at which one clause may end that are tried

	// maxWork bounds the bytes of all clauses that are held against the rules, and
	// so the time that a message takes: about 10 µs a byte.
	maxWork = 16_000
)

// request is what a user message asks for.
type request struct {
	chinese bool
	steps   []step
	unclear []string // parts that mean nothing to the rules, word for word
	talk    string   // a phrase key when the message is small talk or asks for help
	cut     bool     // the message was longer than what is read

	work int // bytes that the rules have been tried on
}

// parse takes a user message apart. It never fails: what it does not understand
// stands in unclear. before is what "it" may mean when the message does not say.
func parse(text string, before earlier) request {
	c := cover(strings.ReplaceAll(text, "\r\n", "\n"))
	r := request{chinese: isChinese(c.text)}
	if utf8.RuneCountInString(c.text) > maxRunes {
		c.text = string([]rune(c.text)[:maxRunes])
		r.cut = true
	}
	c.text = factorial.ReplaceAllString(c.text, "${1}factorial(${2})")
	c.text = anglePattern.ReplaceAllString(c.text, "")
	if r.talk = smallTalk(c.text); r.talk != "" {
		return r
	}
	r.clauses(c)
	r.resolve(before)
	return r
}

// factorial: after "compute", a number's exclamation mark is no emphasis.
var factorial = regexp.MustCompile(`(?i)((?:compute|calculate|evaluate|what is|what's|计算|算)\s*)(\d+)!`)

// clauses reads the sentence from left to right: the shortest beginning that is a
// whole step and is followed by another request is one clause.
func (r *request) clauses(c covered) {
	rest := c.text
	for clause := 0; strings.TrimSpace(rest) != ""; clause++ {
		if len(r.steps) >= maxSteps || r.work >= maxWork {
			r.cut = true
			return
		}
		places := cuts(rest)
		steps, end := r.firstClause(c, rest, places)
		if steps == nil {
			end = unclearEnd(rest, places)
			r.addUnclear(c, rest[:end.begin])
		}
		for _, s := range steps {
			s.clause = clause
			r.steps = append(r.steps, s)
		}
		rest = rest[end.end:]
	}
}

func (r *request) firstClause(c covered, rest string, places []cut) ([]step, cut) {
	for i, place := range places {
		if i == maxReach {
			break
		}
		if place.strength == weak && !startsStep(rest[place.end:]) {
			continue
		}
		steps, ok := r.clauseSteps(c, rest[:place.begin])
		if !ok {
			continue
		}
		if len(steps) > 0 && steps[0].kind.greedy() {
			return r.greedyClause(c, rest, places[i:], steps, place)
		}
		return steps, place
	}
	if last := places[len(places)-1]; len(places) > maxReach { // a long literal, perhaps
		if steps, ok := r.clauseSteps(c, rest[:last.begin]); ok {
			return steps, last
		}
	}
	return nil, cut{}
}

// greedyClause lets a step that takes free text run on to the next "then", or to
// the next full stop where the text is no list.
func (r *request) greedyClause(c covered, rest string, places []cut, steps []step, place cut) ([]step, cut) {
	for _, further := range places {
		if further.strength == weak {
			continue
		}
		if further.strength == stop && (isList(rest[:further.begin]) || !startsStep(rest[further.end:])) {
			continue
		}
		if longer, ok := r.clauseSteps(c, rest[:further.begin]); ok {
			return longer, further
		}
	}
	return steps, place
}

var listStart = regexp.MustCompile(`[:：]\s*\n?|\n`)

func isList(text string) bool { return listStart.MatchString(text) }

// unclearEnd is where something understandable may begin again.
func unclearEnd(rest string, places []cut) cut {
	for _, place := range places {
		if place.end >= len(rest) || place.strength > weak || startsStep(rest[place.end:]) {
			return place
		}
	}
	return places[len(places)-1]
}

func (r *request) addUnclear(c covered, piece string) {
	piece = strings.TrimSpace(c.open(strings.TrimSpace(piece)))
	if tidy(piece) != "" && strings.ContainsFunc(piece, func(x rune) bool { return unicode.IsLetter(x) || unicode.IsDigit(x) }) && smallTalk(piece) == "" {
		r.unclear = append(r.unclear, piece)
	}
}

// clauseSteps reads one clause; false: the rules do not know it.
func (r *request) clauseSteps(c covered, clause string) ([]step, bool) {
	clause = tidy(clause)
	if clause == "" || r.work >= maxWork {
		return nil, false
	}
	r.work += len(clause)
	for _, rules := range [][]rule{english(), chinese()} {
		for _, rule := range rules {
			groups := rule.pattern.FindStringSubmatch(clause)
			if groups == nil {
				continue
			}
			if steps, ok := rule.read(match{covered: c, rule: rule, groups: groups}); ok {
				return steps, true
			}
		}
	}
	if found, ok := bareExpressions(clause); ok {
		return computeSteps(found), true
	}
	return nil, false
}

// isChinese decides the language of the answer by the words outside quotation
// marks: Chinese when the first of them is, or most are. Names of files count only
// where there are no other words.
func isChinese(text string) bool {
	han, latin, chineseName, begins := 0, 0, false, false
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '，' || r == '。' }) {
		isHan := strings.ContainsFunc(word, func(r rune) bool { return unicode.Is(unicode.Han, r) })
		switch {
		case looksLikeFile(word):
			chineseName = chineseName || isHan
		case isHan:
			begins = begins || latin == 0
			han++
		case strings.ContainsFunc(word, unicode.IsLetter):
			latin++
		}
	}
	return begins || (han > 0 && han >= latin) || (chineseName && latin == 0)
}

func computeSteps(found []string) []step {
	steps := make([]step, len(found))
	for i, expression := range found {
		steps[i] = step{kind: kindCompute, text: expression}
	}
	return steps
}
