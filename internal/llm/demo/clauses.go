package demo

import (
	"regexp"
	"strings"
	"unicode"
)

// maxRequest is how many bytes of a message are read, quoted passages aside.
const maxRequest = 8 << 10

// quotes hold passages that must not be split or rewritten. In the text each is
// replaced by one rune of the private use area.
type quotes []string

const (
	firstQuote = '\uE000'
	maxQuotes  = 200
)

var quoted = regexp.MustCompile(
	"(?s)```(?:[a-z]*\\n)?(.*?)\\n?```|`([^`]+)`|\"([^\"]*)\"|“([^”]*)”|「([^」]*)」|(?:^|\\s)'([^']+)'")

// hideQuotes replaces quoted passages by placeholders.
func hideQuotes(text string) (string, quotes) {
	var hidden quotes
	text = quoted.ReplaceAllStringFunc(text, func(passage string) string {
		if len(hidden) >= maxQuotes {
			return passage
		}
		content := ""
		for _, group := range quoted.FindStringSubmatch(passage)[1:] {
			content += group
		}
		hidden = append(hidden, content)
		placeholder := string(firstQuote + rune(len(hidden)-1))
		if strings.TrimLeft(passage, " \t\n'") != passage && strings.HasPrefix(strings.TrimSpace(passage), "'") {
			return " " + placeholder
		}
		return placeholder
	})
	return text, hidden
}

// open puts the quoted passages back.
func (q quotes) open(text string) string {
	var out strings.Builder
	for _, r := range text {
		if i := int(r - firstQuote); r >= firstQuote && i < len(q) {
			out.WriteString(q[i])
			continue
		}
		out.WriteRune(r)
	}
	return out.String()
}

// Places where a sentence may be split, and what may begin a clause behind a
// comma or "and". A clause for agents or a program takes all up to "then".
var (
	strongBreak = regexp.MustCompile(
		`(?i)\s*[.!?。！？](?:\s+|$)|\s*(?:[;；\n]\s*)+|[,，]?\s*(?:and\s+)?\bthen\b[,，]?\s+|[,，]?\s*(?:然后|接着|最后)\s*`)
	weakBreak    = regexp.MustCompile(`(?i)\s*[,，、]\s*(?:and\s+)?|\s+and\s+|\s*&\s*|\s*(?:并且?|再|同时|以及|和)`)
	greedyBreak  = regexp.MustCompile(`(?i)[,，]?\s*(?:and\s+)?\bthen\b[,，]?\s+|[,，]?\s*(?:然后|最后)\s*|[.。]\s+`)
	greedy       = regexp.MustCompile(`(?i)^(?:(?:run|execute|运行|执行)(?:\s|[^\x00-\x7F]|:)|` + agentOpening + `)`)
	inlineNumber = regexp.MustCompile(`([\pL:：])(\s\d{1,2})\.\s`)
	bullet       = regexp.MustCompile(`(?m)(?:^|\n)\s*(?:\d{1,2}[.)、]|[-*•])\s+`)
	opener       = regexp.MustCompile(
		`(?i)^(?:(?:please|finally|also|first|second|third|last(?:ly)?|after that|请|再|把|将|给我|帮我)[,，]?\s*)*(?:` +
			`(?:list|ls|show|read|open|cat|write|writing|sav(?:e|ing)|store|put|record|create|make|mkdir|append|add|delete|remove|move|rename|` +
			`search|find|look|grep|google|compute|calculate|calc|evaluate|solve|what|what's|which|how|tell|report|summari[sz]e|` +
			`get|check|fetch|run|execute|ask|have|use|let|spawn|launch|weather|current|the (?:current|weather|time))\b|` +
			`列出|查看|看看|读|打开|写|保存|存|新建|创建|追加|添加|删除|移动|重命名|改名|搜索|查找|查询|计算|算|求|告诉|总结|汇总|运行|执行|让|派|启动|用|在|把|将|该)`)
)

// splitClauses splits a message into clauses.
func splitClauses(text string) []string {
	text = inlineNumber.ReplaceAllString(text, "$1$2) ")
	var clauses []string
	for _, line := range bullet.Split(text, -1) {
		clauses = append(clauses, splitSentence(strings.TrimSpace(line))...)
	}
	return clauses
}

func splitSentence(text string) []string {
	if text == "" {
		return nil
	}
	trimmed := trimPolite(text)
	if greedy.MatchString(trimmed) {
		for _, at := range greedyBreak.FindAllStringIndex(text, -1) {
			if opener.MatchString(text[at[1]:]) {
				return append([]string{text[:at[0]]}, splitSentence(text[at[1]:])...)
			}
		}
		return []string{text}
	}
	if at := strongBreak.FindStringIndex(text); at != nil {
		rest := text[at[1]:]
		if at[0] == 0 {
			return splitSentence(rest)
		}
		return append(splitWeak(text[:at[0]]), splitSentence(rest)...)
	}
	return splitWeak(text)
}

func splitWeak(text string) []string {
	for _, at := range weakBreak.FindAllStringIndex(text, -1) {
		rest := text[at[1]:]
		if at[0] > 0 && (opener.MatchString(rest) || greedy.MatchString(rest)) {
			return append([]string{text[:at[0]]}, splitSentence(rest)...)
		}
	}
	return []string{text}
}

var (
	politeStart = regexp.MustCompile(
		`(?i)^(?:(?:please|kindly|can you|could you|would you|will you|i want you to|i'd like you to|i would like you to|first(?:ly)?|second(?:ly)?|third(?:ly)?|finally|next|` +
			`then|also|now|and|lastly|after that|hi there|hello|hi|hey)\b[,:]?\s*|请|帮我|麻烦|你好|给我|能不能|可以|首先|先|然后|接着|最后|并且|并|同时|顺便|再|[,，])+`)
	politeEnd = regexp.MustCompile(
		`(?i)(?:,?\s+(?:please|for me|thanks?|and thank you|thank you))*[\s.!?。！？，,]*$|(?:吧|好吗|谢谢|，谢谢)[\s。！？]*$`)
)

// trimPolite drops words that ask for nothing at both ends of a clause.
func trimPolite(clause string) string {
	clause = politeStart.ReplaceAllString(strings.TrimSpace(clause), "")
	for before := ""; before != clause; {
		before = clause
		clause = strings.TrimSpace(politeEnd.ReplaceAllString(clause, ""))
	}
	return clause
}

func isChinese(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}
