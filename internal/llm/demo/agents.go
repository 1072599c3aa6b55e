package demo

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	defaultAgents = 3
	maxAgents     = 20 // more are not asked for at all; config.yml's sub_agent.max_tasks is usually lower
)

var numerals = map[string]int{
	"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "both": 2, "a couple of": 2, "a few": 3, "several": 3, "some": 3, "my": 3, "your": 3, "the": 3,
	"一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9, "十": 10, "十一": 11, "十二": 12,
	"几": 3, "多": 3, "一些": 3,
}

// numeral reads "three", "3" or "三"; 0: no number was said.
func numeral(word string) int {
	word = strings.ToLower(strings.TrimSpace(word))
	if n, err := strconv.Atoi(word); err == nil && n > 0 {
		return n
	}
	return numerals[word]
}

// agentStep makes the one multi_agent call: a job each when as many are named as
// agents were asked for, the jobs dealt out when there are more or fewer, and one
// angle each when all get the same job.
func agentStep(count int, job string, chinese bool) (step, bool) {
	job = strings.TrimSpace(strings.TrimLeft(job, ":： ,，"))
	if job == "" {
		return step{}, false
	}
	if count > maxAgents {
		return step{kind: kindAgents, problem: "too_many_agents"}, true
	}
	job = viewpoints.ReplaceAllString(job, "")
	jobs := splitJobs(job, count)
	if count == 0 {
		count = max(len(jobs), 1)
		if count == 1 {
			count = defaultAgents
		}
	}
	return step{kind: kindAgents, tasks: distinct(deal(jobs, count, chinese))}, true
}

// deal gives every agent its instruction.
func deal(jobs []string, count int, chinese bool) []task {
	tasks := make([]task, 0, count)
	if len(jobs) >= count {
		for i := range count { // contiguous shares, the first ones larger
			share := jobs[:(len(jobs)+count-i-1)/(count-i)]
			jobs = jobs[len(share):]
			joint := ", then "
			if chinese {
				joint = "，然后"
			}
			tasks = append(tasks, task{name: label(share[0]), instruction: strings.Join(share, joint)})
		}
		return tasks
	}
	names, sentence := angles(chinese)
	for i := range count {
		job := jobs[i%len(jobs)]
		if len(jobs) > 1 && i < len(jobs) {
			tasks = append(tasks, task{name: label(job), instruction: job})
			continue
		}
		angle := names[i%len(names)]
		tasks = append(tasks, task{name: angle, instruction: job + sentence(angle)})
	}
	return tasks
}

// angles are the points of view for one job that several agents get. anglePattern
// knows the sentences again when a sub-agent is this model too.
func angles(chinese bool) (names []string, sentence func(string) string) {
	if chinese {
		return []string{"概况与事实", "好处与机会", "风险与不足", "成本与投入", "替代方案", "下一步行动"},
			func(angle string) string { return "。侧重角度：" + angle }
	}
	return []string{"overview and facts", "benefits and opportunities", "risks and weak points", "cost and effort", "alternatives", "next steps"},
		func(angle string) string { return ". Angle: " + angle }
}

// viewpoints are asked for in words; the angles take their place.
var viewpoints = regexp.MustCompile(`(?i)^从(?:三个|几个|各个)?不同的?(?:角度|方面)(?:去|来|出发)?|,?\s+(?:each\s+)?from (?:three |several |a )?different (?:angles?|perspectives?|sides|points? of view|viewpoints?)$`)

var anglePattern = regexp.MustCompile(`(?i)[.。]?\s*(?:侧重角度|\bangle)\s*[:：]\s*[^\n]*$`)

// distinct numbers names that repeat.
func distinct(tasks []task) []task {
	seen := make(map[string]int, len(tasks))
	for i := range tasks {
		name := tasks[i].name
		if seen[name]++; seen[name] > 1 {
			tasks[i].name = name + " (" + strconv.Itoa(seen[name]) + ")"
		}
	}
	return tasks
}

const labelLength = 40

// label shortens a job to a name, in whole words where there are any.
func label(job string) string {
	job = strings.Join(strings.Fields(job), " ")
	if utf8.RuneCountInString(job) <= labelLength {
		return job
	}
	short := string([]rune(job)[:labelLength])
	if cut := strings.LastIndexByte(short, ' '); cut > labelLength/2 {
		short = short[:cut]
	}
	return short + "…"
}
