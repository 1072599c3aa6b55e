package demo

import (
	"regexp"
	"strings"
)

// The methods of this file turn clauses about sums, the outside world, programs
// and agents into steps.

func (m match) compute() ([]step, bool) {
	if found, ok := expressions(m.get("text")); ok {
		return computeSteps(found), true
	}
	return none, false
}

// computeInto saves what it computes: "compute 6*7 into answer.txt".
func (m match) computeInto() ([]step, bool) {
	name, named, _ := m.file("path")
	found, ok := expressions(m.get("text"))
	if !ok || !named {
		return none, false
	}
	return append(computeSteps(found), step{kind: kindWrite, path: name, refs: []reference{reference(kindCompute)}}), true
}

func (m match) computeBare() ([]step, bool) {
	if found, ok := bareExpressions(m.get("text")); ok {
		return computeSteps(found), true
	}
	return none, false
}

func (m match) time() ([]step, bool) {
	where := strings.Trim(m.get("zone"), " ?？.的")
	if where == "" {
		return one(step{kind: kindTime})
	}
	var steps []step
	for _, name := range cityList.Split(where, -1) {
		if name = strings.TrimSpace(name); name != "" {
			steps = append(steps, step{kind: kindTime, text: zone(name)})
		}
	}
	return steps, len(steps) > 0
}

func (m match) weather() ([]step, bool) {
	where := strings.Trim(m.get("city"), " ?？.,的")
	if where == "" {
		return one(step{kind: kindWeather, problem: "which_city"})
	}
	if len(where) > 120 || verbStartsPhrase(where) || saves.MatchString(m.groups[0]) {
		return none, false
	}
	var steps []step
	for _, city := range cityList.Split(where, -1) {
		if city = strings.TrimSpace(city); city != "" {
			steps = append(steps, step{kind: kindWeather, text: city})
		}
	}
	return steps, len(steps) > 0
}

var cityList = regexp.MustCompile(`(?i)\s*[,，、]\s*(?:and\s+)?|\s+and\s+|\s*和\s*|\s*以及\s*`)

// saves: the weather is not asked for on its own, it is part of what is written.
var saves = regexp.MustCompile(`(?i)^(?:write|save|store|put|append|add|create|make|replace|search|grep|find)\b|^(?:把|将|写|保存|在|往|搜)`)

// verbStartsPhrase: "calculate 3 and then the" is no city.
func verbStartsPhrase(text string) bool {
	return strings.ContainsAny(text, "0123456789()=*<>{}") || verbStart().MatchString(text) && strings.Contains(text, " ")
}

func (m match) webSearch() ([]step, bool) {
	query := strings.Trim(m.literal("text"), " ?？")
	if query == "" || pathPronouns[strings.ToLower(query)] {
		return none, false
	}
	return one(step{kind: kindWebSearch, text: query})
}

func (m match) fetch() ([]step, bool) {
	return one(step{kind: kindFetch, text: strings.TrimRight(m.raw("url"), ".,;:!?)")})
}

// program takes the rest of the clause as a command or as Python, whichever was
// said, or whichever a code block says it is.
func (m match) program() ([]step, bool) {
	text := m.get("text")
	q, alone := m.covered.alone(m.raw("text"))
	lang := strings.ToLower(m.raw("lang"))
	if alone && q.fenced && q.lang != "" {
		lang = q.lang
	}
	s := step{kind: kindShell, text: text}
	switch lang {
	case "python", "py", "python3":
		s.kind = kindPython
	case "code", "代码", "program":
		if !alone || !q.fenced {
			s.kind = kindPython
		}
	case "":
		if !alone && !commandStart.MatchString(text) {
			return none, false // "run the tests": no command was named
		}
	}
	return one(s)
}

// commandStart: a bare "run x" is taken for a command when x looks like one.
var commandStart = regexp.MustCompile(`^(?:ls|cat|echo|pwd|git|go|make|npm|node|python3?|pip|uname|date|df|du|head|tail|wc|grep|find|sort|ps|whoami|env|curl|wget|bash|sh|printf|mkdir|touch|cp|mv|rm|sed|awk|tar|which|\./\S+|/\S+)(?:\s|$)`)

func (m match) agents(chinese bool) ([]step, bool) {
	count := numeral(m.raw("n"))
	s, ok := agentStep(count, m.raw("text"), chinese)
	if !ok {
		return none, false
	}
	for i := range s.tasks {
		s.tasks[i].name = m.covered.open(s.tasks[i].name)
		s.tasks[i].instruction = m.covered.open(s.tasks[i].instruction)
	}
	return one(s)
}
