package demo

import (
	"regexp"
	"strings"
	"sync"
)

// strength orders the places where a sentence may be parted.
type strength int

const (
	weak   strength = iota // comma, "and": parts clauses only before a verb
	stop                   // full stop, semicolon, line break
	sequel                 // "then": parts even what takes the rest of the sentence
)

// cut is such a place: the clause before it ends at begin, the next one starts at end.
type cut struct {
	begin, end int
	strength   strength
}

// The alternatives of one pattern are tried in order, the strongest first.
var separators = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)` +
		`(?P<sequel>[\s,;.，。；、]*(?:\band\s+)?(?:\b(?:then|after that|afterwards|after this|next|finally|lastly)\b,?` +
		`|(?:并|再)?(?:然后|接着|接下来|随后|之后|最后)再?[，,]?)\s*)` +
		`|(?P<stop>\s*(?:[;；。！？\n]+|[.!?]+(?:\s+|$))\s*)` +
		`|(?P<weak>\s*[,，、]\s*(?:(?:and\s+also|and|also|plus)\s+|(?:并且|并|同时|再|还要|也|顺便|以及))?\s*` +
		`|\s+(?:and\s+also|and|&|as well as)\s+` +
		`|\s*(?:并且|以及|同时|另外|顺便|还有|并|再|和|后)\s*)`)
})

// cuts finds every place where the text may be parted, in order, the end included.
func cuts(text string) []cut {
	re := separators()
	sequelGroup, stopGroup := re.SubexpIndex("sequel"), re.SubexpIndex("stop")
	var found []cut
	for _, at := range re.FindAllStringSubmatchIndex(text, -1) {
		c := cut{begin: at[0], end: at[1], strength: weak}
		switch {
		case at[2*sequelGroup] >= 0:
			c.strength = sequel
		case at[2*stopGroup] >= 0:
			c.strength = stop
		}
		found = append(found, c)
	}
	return append(found, cut{begin: len(text), end: len(text), strength: sequel})
}

var (
	leading = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:[\s,，:：!！.。]+` +
			`|(?:please|kindly|(?:hello|hi|hey)(?: there| everyone| demo)?|ok|okay|well|so|now|also|first of all|first|firstly|second|secondly|third|thirdly|just|again|then|and|finally|next)\b[\s,!]*` +
			`|(?:can|could|would|will) you(?: please)?\b|i(?: want| need|'d like| would like) you to\b|i(?: want| need|'d like| would like) to\b|let'?s\b|help me(?: to)?\b|go ahead and\b|try to\b|you should\b|make sure (?:to|you)\b|step \d+[:.]?` +
			`|\d{1,2}[.)、]\s+|[-*•]\s+` +
			`|你好|您好|请你|请您|请帮我|请帮忙|请先|请|麻烦你|麻烦您|麻烦|劳驾|帮我|帮忙|给我(?:先)?|替我|我想要你|我想让你|我要你|我想要|我想|我要|我需要|能不能|可不可以|可以帮我|能帮我|你能|你可以|首先|第[一二三四五]步?|先|接着|然后|其次|再|并且|并|也|还|最后|同时|顺便|另外|现在(?:请|帮))`)
	})
	trailing = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:[\s,，.。!！?？;；~～]+|\b(?:please|thanks|thank you|thx|for me|now|right now|as well|too|at once|if you can|ok|okay|and)|(?:谢谢你?|吧|好吗|可以吗|行吗|一下吧|呢|吗|哦|啊|就行|即可))$`)
	})
)

// tidy takes courtesies and filler words off both ends of a clause.
func tidy(clause string) string {
	clause = withoutFiller(clause)
	for {
		shorter := clause
		if at := trailing().FindStringIndex(shorter); at != nil && at[0] > 0 {
			shorter = shorter[:at[0]]
		}
		if shorter = strings.TrimSpace(shorter); shorter == clause {
			return clause
		}
		clause = shorter
	}
}

func withoutFiller(clause string) string {
	for {
		clause = strings.TrimSpace(clause)
		at := leading().FindStringIndex(clause)
		if at == nil || at[1] >= len(clause) || headless.MatchString(clause) {
			return clause
		}
		clause = clause[at[1]:]
	}
}

// headless are clauses whose first words look like filler but carry the meaning:
// "请三个智能体…" asks agents, "再见" is a farewell.
var headless = regexp.MustCompile(`^(?:请|叫|让)\s*(?:\d+|[一二两三四五六七八九十几多])\s*[个位名]|^再见|^now$|^(?:现在|今天)|^并行`)

// startsStep reports whether a text begins as a request does.
func startsStep(text string) bool {
	const enough = 200 // bytes to find a verb in
	if len(text) > enough {
		text = strings.ToValidUTF8(text[:enough], "")
	}
	return verbStart().MatchString(withoutFiller(text))
}

var verbStart = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:(?:list|show|display|enumerate|read|open|cat|view|print|write|save|store|put|dump|record|create|make|touch|mkdir|append|add|delete|remove|erase|rm|rename|move|mv|copy|cp|duplicate|replace|overwrite|change|search|grep|find|look|google|fetch|get|visit|browse|download|scrape|crawl|compute|calculate|calc|evaluate|work out|figure out|solve|what|what's|whats|which|how|tell|give|check|does|run|execute|ask|have|let|use|spawn|start|launch|delegate|send|multiply|divide|subtract|double|halve|square|export|output|ls|report|summari[sz]e|research|investigate|explain|describe|compare|review|translate|sing|draw|think|analy[sz]e|is there|the (?:current )?(?:time|date|weather)|current time|weather|(?:current )?date)\b` +
		`|列|显示|展示|查|看|读|阅读|打开|写|保存|存|记录|创建|新建|建立|建|生成|追加|添加|附加|加上|加入|删|移除|移动|重命名|改名|复制|拷贝|替换|把|将|在|往|向|搜|找|检索|上网|联网|抓取|获取|访问|下载|浏览|计算|算|求|告诉|汇报|总结|运行|执行|跑|让|请|叫|派|用|使用|安排|启动|召集|乘以|除以|减去|加|乘|除|减|输出|导出|现在|当前|几点|天气|统计|研究|解释|描述|介绍|分析|翻译|比较|检查)`)
})
