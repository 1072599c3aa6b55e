package demo

import (
	"regexp"
	"slices"
	"strings"
)

var (
	numbered   = regexp.MustCompile(`(?:^|\n|\s)\s*(?:\d{1,2}[.)、]|[-*•]|[（(]\d{1,2}[)）])\s+`)
	jobBreaks  = regexp.MustCompile(`\s*[;；\n]\s*`)
	commaBreak = regexp.MustCompile(`\s*(?:[,，、]\s*(?:and\s+|then\s+|以及|和|并|再|同时)?|\s+and\s+|以及|\s*和\s*)\s*`)
)

// splitJobs takes "A, B and C" apart. Numbered lists and semicolons always part
// jobs; commas and "and" do when the parts are as many as the agents, or when each
// of them begins with a verb. What is left is one job.
func splitJobs(job string, count int) []string {
	if parts := nonEmpty(numbered.Split(job, -1)); len(parts) > 1 && numbered.MatchString(job) {
		return parts
	}
	if parts := nonEmpty(jobBreaks.Split(job, -1)); len(parts) > 1 {
		return parts
	}
	parts := commaParts(job)
	switch {
	case len(parts) < 2:
		return []string{job}
	case len(parts) == count:
		return inherit(parts)
	case verbsThroughout(parts):
		return parts
	case count == 0 && strings.ContainsAny(job, ",，、"):
		return inherit(parts)
	}
	return []string{job}
}

// commaParts splits at commas and "and" outside parentheses.
func commaParts(job string) []string {
	depth := 0
	hidden := []byte(job) // the same length, so that positions agree
	for i, c := range hidden {
		switch {
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case depth > 0:
			hidden[i] = 'x'
		}
	}
	var parts []string
	start := 0
	for _, cut := range commaBreak.FindAllIndex(hidden, -1) {
		parts = append(parts, job[start:cut[0]])
		start = cut[1]
	}
	return nonEmpty(append(parts, job[start:]))
}

func verbsThroughout(parts []string) bool {
	for _, part := range parts {
		if !startsStep(part) {
			return false
		}
	}
	return true
}

// inherit gives the parts after the first its verb: "compute 1+1, 2+2" asks to
// compute twice, "weather in Paris, London" asks for the weather twice.
func inherit(parts []string) []string {
	if tail := chineseTail.FindString(parts[len(parts)-1]); tail != "" && !slices.ContainsFunc(parts[1:], startsStep) {
		for i, part := range parts {
			if !chineseTail.MatchString(part) {
				parts[i] = part + tail
			}
		}
	}
	head := ""
	for i, part := range parts {
		if i > 0 && !startsStep(part) && !ownVerb.MatchString(part) {
			parts[i] = head + part
			continue
		}
		head = headOf(part, parts[i+1:])
	}
	return parts
}

// ownVerb: "sing a song" brings its verb with it.
var ownVerb = regexp.MustCompile(`(?i)^(?:\p{L}+\s+(?:a|an|the|about|some|my|our|its|their|what|how|why)\s|(?:描述|解释|介绍|分析|研究|写|说明|总结|比较|翻译|讨论|评价|列举|调查|设计)\S)`)

var (
	chineseHead = regexp.MustCompile(`^(?:计算|算一下|算|查询|查一下|查找|查|搜索|搜|读取|读|研究|分析|介绍|解释|描述|总结|比较|调查|了解|写|翻译|评价|讨论|列出|创建|删除|获取|抓取|说明)(?:一下)?`)
	chineseTail = regexp.MustCompile(`(?:的)?(?:天气|时间)(?:情况|预报)?$`)
)

// headOf is what a part says before its own object.
func headOf(part string, others []string) string {
	if head := chineseHead.FindString(part); head != "" {
		return head
	}
	words := strings.Fields(part)
	if len(words) < 2 {
		return ""
	}
	object := len(words) - 1
	for _, other := range others {
		if n := len(strings.Fields(other)); n > 0 {
			object = min(object, n)
		}
	}
	object = max(1, min(object, len(words)-1))
	return strings.Join(words[:len(words)-object], " ") + " "
}

func nonEmpty(parts []string) []string {
	var kept []string
	for _, part := range parts {
		if part = strings.Trim(strings.TrimSpace(part), ".。 "); part != "" {
			kept = append(kept, part)
		}
	}
	return kept
}
