package demo

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	defaultAgents = 3
	maxAgents     = 20
	labelLength   = 40 // runes of a task's name
)

var numerals = map[string]int{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
	"ten":  10,
	"both": 2, "some": 3, "several": 3, "my": 3, "the": 3,
	"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10, "几": 3,
}

// agents makes the one multi_agent call: a job each when as many are named as
// agents were asked for, the jobs dealt out when there are more, and the same job
// for all when there is one.
func agents(m match) ([]step, bool) {
	word := strings.ToLower(m.raw("count") + m.raw("zhcount"))
	count, err := strconv.Atoi(word)
	if err != nil {
		count = numerals[word]
	}
	if count > maxAgents {
		return []step{{tool: "multi_agent", problem: "too_many_agents"}}, true
	}
	text := m.get("x")
	jobs := splitJobs(text, count)
	if count == 0 {
		count = max(len(jobs), defaultAgents*min(1, 2-min(len(jobs), 2)))
	}
	var tasks []map[string]any
	for i, instruction := range deal(jobs, count) {
		name := label(instruction)
		if slices.ContainsFunc(tasks, func(t map[string]any) bool { return t["name"] == name }) {
			name = fmt.Sprintf("%s (%d)", name, i+1)
		}
		tasks = append(tasks, map[string]any{"name": name, "instruction": instruction})
	}
	return []step{{tool: "multi_agent", args: map[string]any{"tasks": tasks}}}, true
}

// deal gives each of count agents its share of the jobs; agents beyond the jobs
// get one that another has too.
func deal(jobs []string, count int) (dealt []string) {
	for i := range count {
		share := jobs[i%len(jobs) : i%len(jobs)+1]
		if len(jobs) >= count {
			share = jobs[i*len(jobs)/count : (i+1)*len(jobs)/count]
		}
		dealt = append(dealt, strings.Join(share, "; "))
	}
	return dealt
}

var jobBreak = regexp.MustCompile(`\s*(?:[;；\n]|(?:^|\s)\d{1,2}[.)、]\s)\s*`)

// splitJobs takes "A, B and C" apart. Semicolons and numbers always separate jobs;
// commas and "and" do when the parts are as many as the agents, or no number was
// said. Parts without a verb inherit the first one's: "compute 1+1, 2+2".
func splitJobs(text string, count int) []string {
	text = strings.Trim(text, " :：,，.。")
	if parts := nonEmpty(jobBreak.Split(text, -1)); len(parts) > 1 {
		return parts
	}
	parts := nonEmpty(listJoint.Split(text, -1))
	if len(parts) < 2 || count > 0 && len(parts) != count {
		return []string{text}
	}
	tail := ""
	if last := parts[len(parts)-1]; !opener.MatchString(last) {
		tail = chineseTail.FindString(last)
	}
	head := jobHead.FindString(parts[0])
	for i := range parts {
		if i > 0 && !opener.MatchString(parts[i]) {
			parts[i] = head + parts[i]
		}
		if !strings.HasSuffix(parts[i], tail) {
			parts[i] += tail
		}
	}
	return parts
}

var (
	jobHead = regexp.MustCompile(
		`^(?:(?:为\p{Han}+?)?(?:计算|查询|查|研究|分析|介绍|比较|读取|搜索|总结|写)(?:一下)?\s?|(?:[A-Za-z]+ )+?(?:the \w+ (?:in|of|for) |about )?)`)
	chineseTail = regexp.MustCompile(`的?(?:天气|时间)$`)
)

func nonEmpty(parts []string) []string {
	var kept []string
	for _, part := range parts {
		if part = strings.Trim(part, " .。"); part != "" {
			kept = append(kept, part)
		}
	}
	return kept
}

// label shortens a job to a name.
func label(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= labelLength {
		return string(runes)
	}
	return string(runes[:labelLength]) + "…"
}
