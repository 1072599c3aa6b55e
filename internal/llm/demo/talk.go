package demo

import (
	"regexp"
	"strings"
	"sync"
)

// smallTalk recognises messages that ask for nothing to be done; "" is any other.
func smallTalk(text string) string {
	text = strings.TrimSpace(text)
	for _, words := range []string{text, strings.TrimRight(text, "?？!！.。 "), tidy(text)} {
		for _, entry := range talk() {
			if entry.pattern.MatchString(words) {
				return entry.phrase
			}
		}
	}
	return ""
}

type talkPattern struct {
	pattern *regexp.Regexp
	phrase  string
}

var talk = sync.OnceValue(func() []talkPattern {
	return []talkPattern{
		{regexp.MustCompile(`(?i)^(?:help|\?|/help|what can (?:you|i) do(?: (?:here|with you))?|what do you do|how do(?:es)? (?:you|this|it) work|what (?:do|can) you (?:know|understand)|commands|usage|getting started|帮助|使用帮助|使用说明|你(?:能|会|可以)(?:做|干)(?:些)?(?:什么|啥)|你有(?:什么|哪些)功能|怎么用|如何使用|能做什么|功能)$`), "help"},
		{regexp.MustCompile(`(?i)^(?:what|which) tools (?:do you have|can you use|are (?:there|available|offered)).*$|^(?:list|show)(?: me)?(?: all| the| your| available)* tools$|^你?(?:有|能用|可以用)(?:哪些|什么)(?:可用的?)?工具$|^(?:列出|显示)(?:所有|全部|可用的?)*工具$`), "tools"},
		{regexp.MustCompile(`(?i)^(?:who|what) are you|^are you (?:an? )?(?:ai|bot|model|human|real|demo|chatgpt|claude|gpt).*$|^(?:introduce yourself|what(?:'s| is) your name|which model (?:is this|are you)|what model (?:is this|are you))$|^(?:你|您)(?:是谁|是什么|叫什么|是什么模型|是哪个模型|是人工智能吗|是真人)|^(?:自我介绍|介绍一下?你?自己)$`), "who"},
		{regexp.MustCompile(`(?i)^(?:hello|hi|hey|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening|day)|hello there|hi there|hello world|how are you(?: doing)?(?: today)?|what'?s up|test|testing|ping|你好|您好|嗨|哈喽|早上好|下午好|晚上好|早安|早|大家好|你好吗|在吗|测试)[!！.。~]*$`), "hello"},
		{regexp.MustCompile(`(?i)^(?:thanks?|thank you|thx|cheers)(?: (?:a lot|so much|very much|you))?[!！.。]*$|^(?:great|nice|cool|perfect|awesome|well done|good job|ok|okay|got it)[!！.。]*$|^(?:多谢|谢谢|谢了|感谢|太好了|很好|不错|好的|好|知道了|明白了|辛苦了)(?:你|您|啦|了)?[!！.。]*$`), "thanks"},
		{regexp.MustCompile(`(?i)^(?:bye|goodbye|bye bye|see you(?: later| soon)?|farewell|good night|再见|拜拜|晚安|回头见)[!！.。]*$`), "bye"},
	}
})
