package demo

import (
	"strings"
	"sync"
)

// english is the grammar of single clauses. The more particular rule comes first:
// "search the web for" before "search for", "read https://…" before "read".
var english = sync.OnceValue(func() []rule {
	var rules []rule
	rules = append(rules, englishAgents()...)
	rules = append(rules, englishPrograms()...)
	rules = append(rules, englishWorld()...)
	rules = append(rules, englishChanges()...)
	rules = append(rules, englishWriting()...)
	rules = append(rules, englishReading()...)
	rules = append(rules, englishSums()...)
	return rules
})

const (
	number     = `(?P<n>\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|several|some|both|a few|a couple of|my|your|the)`
	agentNoun  = `(?:parallel |different |separate |independent |demo |AI )*(?:sub[- ]?)?(?:agents?|assistants?|helpers?|workers?|bots?)`
	agentVerbs = `(?:ask|have|let|get|use|tell|make|spawn|start|launch|create|send|run|assign|employ|with)`
)

func englishAgents() []rule {
	fan := func(m match) ([]step, bool) { return m.agents(false) }
	return []rule{
		on("en", agentVerbs+`(?: (?:me|up|out))?(?: `+number+`)? `+agentNoun+`(?: (?:in parallel|at once|each|together|separately|simultaneously))*(?: (?:to|that|and (?:have|let|ask) (?:them|each)(?: to)?|should|who(?: each)?|for)|[:,])?(?: each)?(?: to)?[: ]\s*{text}`, fan),
		on("en", `(?:delegate|assign|give|distribute|split|hand) {text} (?:to|among|between|across|over) `+number+` `+agentNoun, fan),
		on("en", number+` `+agentNoun+` (?:should|must|shall|are to|can|to) (?:each )?{text}`, fan),
		on("en", `{text} (?:with|using|by) `+number+` `+agentNoun+`(?: in parallel)?`, fan),
	}
}

func englishPrograms() []rule {
	return []rule{
		on("en", `(?:run|execute|eval|try)(?: this| the| some| following| a)*(?: (?P<lang>python|py|shell|bash|sh|terminal))(?: code| script| snippet| program| command| cmd| line)?:?\s*{text}`, match.program),
		on("en", `(?:run|execute|do)(?: this| the| following| a)*(?: (?P<lang>command|code|program|script))(?: line)?:?\s*{text}`, match.program),
		on("en", `(?:run|execute|eval) {text} (?:in|with|using|as) (?:the |a )?(?P<lang>python|shell|bash|terminal)(?: shell)?`, match.program),
		on("en", `(?:in|with|using|use) (?:the )?(?P<lang>python|shell|bash|terminal)[,:]?(?: to)? (?:run|execute|eval):? {text}`, match.program),
		on("en", `(?:run|execute):?\s+{text}`, match.program),
		on("en", `\$ {text}`, match.program),
	}
}

func englishWorld() []rule {
	return []rule{
		on("en", `(?:fetch|open|get|read|load|download|visit|browse|crawl|scrape|show|check|look at|summari[sz]e|go to)(?: me)?(?: (?:the|a|page|web|webpage|website|site|url|link|content|contents|text|of|at|from))*\s+{url}.*`, match.fetch),
		on("en", `(?:what(?:'s| is) (?:on|at|in)) (?:the page )?{url}`, match.fetch),
		on("en", `(?:search|look|check)(?: on)?(?: the)? (?:web|internet|net|online)(?: for| about)? {text}`, match.webSearch),
		on("en", `(?:web search|google|research|investigate|look up|find out about|learn about|find information (?:about|on)|search (?:google|online|duckduckgo|bing) for)(?: for)? {text}`, match.webSearch),
		on("en", `(?:search|look)(?: up)?(?: for)? {text} (?:(?:on|in|across|over)(?: the)? (?:web|internet|net|google)|online)`, match.webSearch),
		on("en", `(?:.*\b)?(?:weather|forecast|temperature)(?: forecast| report| conditions?)?(?: is| like| be)*(?: today| now| currently| right now)? (?:in|for|at|of) (?P<city>.+?)(?: today| now| currently| right now| tomorrow)?`, match.weather),
		on("en", `(?:what(?:'s| is| will) |show |check |get |tell me |how(?:'s| is) |the )*(?P<city>[\p{L} .'-]+?)(?:'s)? (?:weather|forecast)(?: like)?(?: today| now)?`, match.weather),
		on("en", `(?:how(?:'s| is) |what(?:'s| is) |check |show |get |tell me )*(?:the )?(?:weather|forecast)(?: like)?(?: today| now)?`, match.weather),
		on("en", `(?:what(?:'s| is|s)?|tell|show|give|get|check|say|print|report|read)?(?: me)?\s*(?:what )?(?:the )?(?:current |local |exact )*(?:time|date|day|clock)(?: and (?:the )?(?:time|date|day))?(?: of day)?(?: is)?(?: it)?(?: is)?(?: now| today| currently| right now)*(?: (?:in|for|at) (?P<zone>.+?))?(?: now| right now)?`, match.time),
		on("en", `what(?:'s| is) today(?:'s date)?|what day is (?:it|today)|what(?:'s| is) the day today`, match.time),
		on("en", `(?:show|get|check|what(?:'s| is)|tell)(?: me)?(?: the| my)* (?:token )?usage(?: of tokens)?|how many tokens.*`, always(step{kind: kindUsage})),
		on("en", `(?:list|show|what|which)(?: me)?(?: all| the| of| available)* agents(?: are there| can i use| do you have| are available)?`, always(step{kind: kindListAgents})),
	}
}

func englishSums() []rule {
	value := `(?:it|that|this|the (?:result|answer|sum|product|value|total)|them)`
	operand := ` (?P<n>-?\d+(?:\.\d+)?)`
	return []rule{
		on("en", `(?:multiply|times) `+value+` by`+operand, followUp("(%s)*$n")),
		on("en", `divide `+value+` by`+operand, followUp("(%s)/$n")),
		on("en", `add`+operand+` to `+value, followUp("(%s)+$n")),
		on("en", `(?:subtract|take)`+operand+` (?:from|off) `+value, followUp("(%s)-$n")),
		on("en", `double `+value, followUp("(%s)*2")),
		on("en", `halve `+value, followUp("(%s)/2")),
		on("en", `square `+value, followUp("(%s)**2")),
		on("en", `(?:take |compute |calculate )?(?:the |its )?square root of `+value+`|(?:take |compute )?its square root`, followUp("sqrt(%s)")),
		on("en", `raise `+value+` to the power(?: of)?`+operand, followUp("(%s)**$n")),
		on("en", `add (?P<a>-?\d[\d.]*) (?:and|to) (?P<n>-?\d[\d.]*)`, binary("+")),
		on("en", `subtract (?P<n>-?\d[\d.]*) from (?P<a>-?\d[\d.]*)`, binary("-")),
		on("en", `multiply (?P<a>-?\d[\d.]*) (?:by|and|with) (?P<n>-?\d[\d.]*)`, binary("*")),
		on("en", `divide (?P<a>-?\d[\d.]*) by (?P<n>-?\d[\d.]*)`, binary("/")),
		on("en", `(?:compute|calculate|calc|evaluate|work out|figure out|solve|determine|do the math for)(?: me)?(?: (?:the )?(?:result|value|answer|expression|solution)(?: of| to| for)?)?:? {text}`, match.compute),
		on("en", `(?:compute|calculate|calc|evaluate|work out) {text},?(?: and)? (?:saving|writing|storing|putting) (?:it|the (?:result|answer)|that|this|them) (?:to|in|into|as)(?: the file| a file(?: called| named)?)? {path}`, match.computeInto),
		on("en", `(?:compute|calculate|calc|evaluate|work out) {text}\s*(?:→|->|=>|into|to|in)\s*(?:the file )?{path}`, match.computeInto),
		on("en", `(?:compute|calculate|evaluate) [^:0-9]*:\s*{text}`, match.compute),
		on("en", `(?:use the calculator (?:to|for|on)(?: (?:compute|calculate|evaluate))?):? {text}`, match.compute),
		on("en", `(?:what(?:'s| is|s| does| do| are)|how much (?:is|are|does)|tell me|give me|show me)(?: what)?(?: the (?:result|value|answer) (?:of|to|for))? {text}(?: equals?| is| make| come to| give)?`, match.computeBare),
		on("en", `(?:tell|show|give|report|send|print|read|return)(?: (?:it |them |back )?(?:to )?me)?(?: (?:what|about))?(?: (?:all|both|of|the|your|their|final|each|every))*(?: (?:result|answer|output|outcome|summary|total|value|finding|report|it|them|that|what you (?:find|found|did|got)|what (?:it|they|that) (?:says?|is|are|contains?|found)|what is in it|it says|(?:it|they) (?:is|are)|everything))s?(?: (?:you (?:got|found|find)|back|to me|of (?:it|them|that|all)|is|are))*`, always(step{kind: kindNone})),
		on("en", `summari[sz]e(?: me)?(?: (?:all|both|of|the|your|their|final|what|they|said|found|for me))*(?: (?:result|answer|output|finding|response|report|it|them|that|everything))*s?(?: (?:for me|of (?:the|all|their) .*))?`, always(step{kind: kindNone})),
	}
}

// always makes a rule that needs nothing from the clause.
func always(s step) func(match) ([]step, bool) {
	return func(match) ([]step, bool) { return one(s) }
}

// followUp computes with the result of the clause before; %s stands for it.
func followUp(template string) func(match) ([]step, bool) {
	return func(m match) ([]step, bool) {
		return one(step{kind: kindCompute, refs: []reference{refLast}, text: strings.ReplaceAll(template, "$n", m.raw("n"))})
	}
}

func binary(operator string) func(match) ([]step, bool) {
	return func(m match) ([]step, bool) {
		return one(step{kind: kindCompute, text: strings.TrimRight(m.raw("a"), ".") + operator + strings.TrimRight(m.raw("n"), ".")})
	}
}
