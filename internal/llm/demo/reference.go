package demo

import (
	"regexp"
	"strings"
	"sync"
)

// A text to be saved may be a pronoun, a noun for an earlier result, or a phrase
// that asks for a result of its own.

type nounPhrase struct {
	pattern *regexp.Regexp
	kind    kind
}

var nounPhrases = sync.OnceValue(func() []nounPhrase {
	english := `(?i)^(?:(?:the|that|this|all|all of|of|those|these|its|their|your|full|whole|complete|current|resulting)\s+)*`
	chinese := `^(?:这个|这些|那个|所有|全部|上面的?|刚才的?|前面的?|它们的|他们的|当前|该)*(?:的)?`
	list := []struct {
		words string
		kind  kind
	}{
		{english + `(?:list(?: of (?:the )?files)?|file list|file names|files|listing|directory listing|names)$`, kindList},
		{chinese + `(?:文件列表|文件清单|文件名|文件|列表|清单|目录)$`, kindList},
		{english + `(?:contents?|file contents?|text of the file)(?: of it)?$`, kindRead},
		{chinese + `(?:文件内容|内容)$`, kindRead},
		{english + `(?:number|sum|total|product|value|calculation|result of the calculation)$`, kindCompute},
		{chinese + `(?:计算结果|得数|数值|数字|总和|和)$`, kindCompute},
		{english + `(?:time|date|time and date|date and time)$`, kindTime},
		{chinese + `(?:时间|日期)$`, kindTime},
		{english + `(?:weather|forecast|weather report)$`, kindWeather},
		{chinese + `(?:天气|天气情况|天气预报)$`, kindWeather},
		{english + `(?:search results?|links?|sources)$`, kindWebSearch},
		{chinese + `(?:搜索结果|链接)$`, kindWebSearch},
		{english + `(?:matches|matching lines|hits)$`, kindGrep},
		{chinese + `(?:匹配结果|匹配的行|查找结果)$`, kindGrep},
		{english + `(?:page|web ?page|page text|article)$`, kindFetch},
		{chinese + `(?:网页|页面|网页内容|文章)$`, kindFetch},
		{english + `(?:answers|responses|replies|reports|summary|findings|(?:answers|responses|reports|findings|results) (?:of|from) (?:the )?(?:sub-?)?agents|agents' (?:answers|findings|reports|responses))$`, kindAgents},
		{chinese + `(?:回答|答复|总结|汇总|智能体的(?:回答|结果|答复)|报告|结论)$`, kindAgents},
	}
	phrases := make([]nounPhrase, len(list))
	for i, entry := range list {
		phrases[i] = nounPhrase{regexp.MustCompile(entry.words), entry.kind}
	}
	return phrases
})

var (
	lastResult = regexp.MustCompile(`(?i)^(?:it|this|that|(?:the|that|this|its|your|final|last|computed)\s+(?:(?:final|last|computed)\s+)?(?:result|answer|output|outcome|stdout)|result|output|answer|它|他|结果|答案|其结果|该结果|这个结果|它的结果|输出|输出结果|运行结果|最终结果|最后的结果)$`)
	allResults = regexp.MustCompile(`(?i)^(?:them|everything|both|all|all of (?:it|them|this)|both of them|(?:(?:both|all|the|these|those|all the|all of the)\s+)?(?:results|answers|outputs)|它们|他们|全部|所有|一切|(?:两个|这些|所有|全部|以上|上述)(?:的)?(?:结果|答案|内容)|所有内容|全部内容)$`)
)

// sourcesOf reads a text that stands for results: of earlier steps, or of steps
// that it asks for itself. No references: it is a text like any other.
func sourcesOf(text string) (steps []step, refs []reference) {
	if steps, refs = sourceOf(text); len(refs) > 0 {
		return steps, refs
	}
	parts := joined.Split(text, -1)
	if len(parts) < 2 {
		return nil, nil
	}
	for _, part := range parts {
		more, ref := sourceOf(part)
		if len(ref) == 0 {
			return nil, nil
		}
		steps, refs = append(steps, more...), append(refs, ref...)
	}
	return steps, refs
}

func sourceOf(text string) ([]step, []reference) {
	if steps, ok := ownSource(text); ok {
		return steps, []reference{reference(steps[0].kind)}
	}
	text = strings.TrimSpace(text)
	switch {
	case lastResult.MatchString(text):
		return nil, []reference{refLast}
	case allResults.MatchString(text):
		return nil, []reference{refAll}
	}
	for _, phrase := range nounPhrases() {
		if phrase.pattern.MatchString(text) {
			return nil, []reference{reference(phrase.kind)}
		}
	}
	return nil, nil
}

var (
	resultOf  = regexp.MustCompile(`(?is)^(?:the\s+)?(?:result|value|answer|solution|output)\s+(?:of|to|for)\s+(.+)$|^(.+?)\s*的(?:计算)?(?:结果|值|答案)$`)
	timeOf    = regexp.MustCompile(`(?is)^(?:the\s+)?(?:current\s+)?(?:time|date|date and time|time and date)\s+(?:in|for)\s+(.+)$`)
	weatherOf = regexp.MustCompile(`(?is)^(?:the\s+)?(?:current\s+)?(?:weather|forecast)\s+(?:in|for|of)\s+(.+)$|^([\p{Han}A-Za-z ]{1,40}?)(?:今天|现在)?的?天气(?:情况|预报)?$`)

	vague = map[string]bool{"": true, "今天": true, "现在": true, "当前": true, "这个": true, "上面": true}
)

// ownSource reads a noun phrase that asks for a result of its own: "the result of
// 2*21", "the weather in Oslo".
func ownSource(text string) ([]step, bool) {
	if groups := resultOf.FindStringSubmatch(text); groups != nil {
		if found, ok := bareExpressions(groups[1] + groups[2]); ok {
			return computeSteps(found), true
		}
	}
	if groups := timeOf.FindStringSubmatch(text); groups != nil {
		return []step{{kind: kindTime, text: zone(strings.TrimSpace(groups[1]))}}, true
	}
	if groups := weatherOf.FindStringSubmatch(text); groups != nil {
		if city := strings.TrimSpace(groups[1] + groups[2]); !vague[city] {
			return []step{{kind: kindWeather, text: city}}, true
		}
	}
	return nil, false
}
