package demo

import (
	"regexp"
	"strings"
	"sync"
)

// intent is one kind of request: forms of a clause, and the tool that they ask
// for. Groups of a form fill the arguments of the same name, "x" the main one.
// The first form that fits wins. A space stands for any white space, in a form
// with Chinese characters also for none.
type intent struct {
	tool  string
	main  string // the argument that the group x fills
	forms []string
	build func(m match) ([]step, bool) // nil: one step from the groups
}

// Groups that forms are written with.
var macros = strings.NewReplacer(
	"{path}", `(?:the |my )?(?:file |文件)?(?P<path>[\x{E000}-\x{F8FF}]|[^\s,，;；:：!！?？、。"']*[^\s,，;；:：!！?？、。"'.])`,
	"{to}", `(?:the |a )?(?:new )?(?:file |文件)?(?:called |named )?(?P<to>[\x{E000}-\x{F8FF}]|[^\s,，;；:：!！?？、。"']*[^\s,，;；:：!！?？、。"'.])`,
	"{zhpath}", `(?:文件|目录)? ?(?P<path>[\x{E000}-\x{F8FF}]|[A-Za-z0-9_./~@+-]+|[\p{Han}\w/-]+?\.\w{1,8}|它)(?:文件)?`,
	"{zhto}", `(?:文件)?(?P<to>[\x{E000}-\x{F8FF}]|[A-Za-z0-9_./~@+-]+|[\p{Han}\w/-]+?\.\w{1,8})`,
	"{dir}", `(?P<path>[\x{E000}-\x{F8FF}]|[^\s,，;；:：!！?？、。"']+)`,
	"{zhdir}", `(?P<path>[\x{E000}-\x{F8FF}]|[^\s,，;；:：!！?？、。"']+?)`,
	"{x}", `(?P<x>.+?)`,
	"{url}", `(?P<url>https?://[^\s，。；、“”]+?)`,
	"{file}", `(?:a |an |the )?(?:new )?(?:empty )?(?:text )?(?:file|document|note)(?: called| named)?`,
	"{folder}", `(?:a |the )?(?:new )?(?:directory|folder|dir)(?: called| named)?`,
)

const agentOpening = `(?:ask|have|let|get|use|tell|spawn|start|launch|with|please ask)(?:\s+(?P<count>[\p{L}\d]+))?\s+(?:parallel |different |separate |demo )*(?:sub-?)?(?:agents?|assistants?|helpers?)\b|` +
	`(?:请|让|用|派|启动|叫)?\s*(?P<zhcount>\d+|[一二两三四五六七八九十几]+)?\s*[个位名]?\s*(?:不同的?)?(?:智能体|代理|助手|子智能体|agents?)`

// table holds every kind of request. The more particular form comes first.
func table() []intent {
	return []intent{
		{build: agents, forms: []string{`(?:` + agentOpening +
			`)(?: in parallel| at once| each| 同时| 分别| 各自| 去| 来)*(?: to| and have them)?(?: each)?[:：]? {x}`}},
		{tool: "execute_python", main: "code", forms: []string{
			`(?:run|execute|try)(?: this| the| some)* python(?: code| script)?:? {x}`,
			`(?:运行|执行)(?:这段|以下)? python(?:代码|脚本)?[:：]? {x}`}},
		{tool: "shell_execute", main: "command", forms: []string{
			`(?:run|execute)(?: this| the| a)*(?: (?:shell|bash|terminal))?(?: (?:command|cmd))(?: line)?:? {x}`,
			`(?:run|execute):? (?P<x>[\x{E000}-\x{F8FF}])`, `execute: {x}`, `\$ {x}`,
			`(?:运行|执行)(?: ?shell)? ?(?:命令|指令)[:：]? {x}`,
			`(?:运行|执行) ?(?P<x>[\x21-\x7E\x{E000}-\x{F8FF}][\x20-\x7E\x{E000}-\x{F8FF}]*)`}},

		{tool: "fetch_page",
			forms: []string{`(?:fetch|open|get|read|load|download|visit|browse|show|check|go to)(?: me)?(?: the| page| website| url| content| of| at| from)* {url}`, `(?:打开|抓取|获取|读取|访问|看看) ?(?:网页)? ?{url}`}},
		{tool: "web_search", main: "query", forms: []string{
			`(?:search|look)(?: on)?(?: the)? (?:web|internet|net|online)(?: for| about)? {x}`,
			`(?:google|research|look up|find out about|web search(?: for)?) {x}`,
			`search (?:for )?{x} (?:on(?: the)? (?:web|internet)|online)`,
			`(?:上网|网上|联网|在网上) ?(?:搜索?|查|查找|查询)(?:一下)? ?{x}`}},
		{build: weather, forms: []string{
			`(?:what(?:'s| is| will)|how(?:'s| is)|check|get|show|show me|tell me)?(?: ?the)?(?: ?current)? ?(?:weather|forecast)(?: is| like| be| forecast)*(?: today| now)? (?:in|for|at|of) {x}(?: today| now| tomorrow)?`, `(?:what(?:'s| is) |show |check |get |how(?:'s| is) |the )*(?:weather|forecast)(?: today| now)?`,
			`(?:查询?|查一下|看看|查看)? ?(?P<x>\S*?)(?:的|今天)?天气(?:情况|预报)?(?:怎么样|如何|好吗)?`}},
		{build: timeIn, forms: []string{
			`(?:what(?:'s| is)? |tell |show |give |get |check )?(?:me )?(?:what )?(?:the )?(?:current |local )?(?:time|date|day)(?: and (?:the )?(?:time|date))?(?: is)?(?: it)?(?: is)?(?: now| today)?(?: (?:in|for|at) {x})?(?: now)?`, `what(?:'s| is) today(?:'s date)?`,
			`(?:告诉我|查询?|查看|看看|获取)?(?P<x>\S*?)(?:的)?(?:现在|当前|今天)(?:的)?(?:是)?(?:几点|时间|几号|日期|星期几)(?:了)?`,
			`(?:查看|看看)?(?:现在的?)?时间`}},

		{tool: "file_mkdir", forms: []string{`mkdir(?: -p)? {dir}`, `(?:make|create|add) {folder} {dir}`,
			`(?:创建|新建|建立?)(?:一个)?(?:名为)?(?:文件夹|目录)(?:叫|名为)? ?{dir}`}},
		{build: deletion,
			forms: []string{`(?:delete|remove|rm)(?P<folder> {folder})? {dir}(?P<folder2> (?:folder|directory))?`,
				`(?:delete|remove|rm) (?:the )?files? {x}`, `删除(?P<folder>文件夹|目录)? ?(?:文件)? ?{x}`}},
		{tool: "file_move", forms: []string{`(?:move|rename|mv) (?:the file )?(?P<from>\S+) (?:to|into|as) {to}`,
			`(?:把|将)? ?(?P<from>\S+?) ?(?:重命名|改名|移动|移)(?:为|成|到) ?{zhto}`}},
		{build: writing("file_append"), forms: []string{`(?:append|add) {x} to (?:the end of )?{path}`,
			`(?:把|将) ?{x} ?(?:追加|添加)到 ?{zhpath} ?(?:的?末尾)?`, `在 ?{zhpath} ?(?:的?末尾)?(?:追加|添加)(?:一行)? ?{x}`}},
		{build: writing("file_write"), forms: []string{
			`(?:write|save|saving|store|put|record)(?: {x})? (?:to|into|in|as) (?:{file} )?{path}`,
			`(?:write|create|make|add) (?:{file} )?{path} (?:with|containing|saying)(?: the (?:content|text))? {x}`,
			`write to {path}: {x}`, `create {file} {path}`,
			`(?:把|将) ?{x} ?(?:保存|写入|写|存|储存)(?:到|进|入|在)? ?{zhpath} ?(?:中|里)?`,
			`(?:保存|写入|写|存|储存)(?:(?P<x>文件列表)|结果|它)? ?(?:到|进|入|在)? ?{zhpath} ?(?:中|里)?`,
			`在 ?{zhpath} ?(?:中|里)(?:写入|写) ?{x}`,
			`(?:新建|创建|建立)(?:一个)?(?:名为)? ?(?:文件)? ?{zhpath} ?(?:的文件)?(?:[，,]?(?:内容)(?:为|是) ?{x})?`}},
		{build: listing, forms: []string{
			`ls(?: {dir})?`,
			`(?:list|show|see|what(?:'s| is| are)|which)(?: me)?(?: all| the| of| my| project| these)*(?: files?| documents?| folders?| directory| contents?)(?: and (?:folders|directories))?(?: are there)?(?: in (?:the|this) (?:project|folder|directory)| here)?(?: (?:in|of|under|inside) (?:the (?:folder|directory) )?{dir})?(?P<deep> recursively)?`,
			`what(?:'s| is) in (?:this|the) (?:folder|project|directory)`,
			`(?:列出|显示|查看|看看|看一下)?(?:一下)? ?(?:项目(?:里|中)?的?|{zhdir} ?(?:目录|文件夹)?(?:下|里|中|内)(?:面)?的?)? ?(?:有什么|有哪些)?(?:所有|全部)?的?文件(?:列表)?`}},
		{build: searching, forms: []string{
			`(?:search|look|grep|find) (?:for )?{x} in (?:all (?:the )?files|the (?:project|files)|{path})`,
			`(?:search|grep|look)(?: for)? {x}`, `find (?P<x>[\x{E000}-\x{F8FF}])`, `which files contain {x}`,
			`在 ?(?:所有文件|项目|{zhdir}) ?(?:目录|文件夹)? ?(?:中|里)?(?:搜索|查找) ?{x}`, `(?:搜索|查找)(?:包含)? ?{x} ?(?:的文件)?`}},
		{build: computing, forms: []string{
			`(?:compute|calculate|calc|evaluate|work out|solve)(?: the (?:result|value) of)?:? {x}`,
			`(?:what(?:'s| is)|how much is) {x}`,
			`(?:计算|算一下|算|求)(?:一下)?[:：]? ?{x} ?(?:的结果)?`, `{x} ?(?:等于|是)(?:多少|几)`}},
		{build: computing, forms: []string{`(?P<a>-?\d[\d.]*) (?:plus|minus|times|divided by) .+`,
			`(?:add|multiply|subtract|divide) .+`, `{x}`}},
		{tool: "file_read", build: reading, forms: []string{
			`(?:read|open|cat|show|print|display|view)(?: me)?(?: the)?(?: files?| contents? of)* {x}`,
			`(?:读取|读一下|读|打开|查看|显示|看看)(?:文件)? ?{x}(?:的?内容)?`}},
		{build: nothing, forms: []string{
			`(?:tell|show|give|report)(?: it| them)?(?: to)? me(?: (?:the|all|your|what|both|its).*)?`,
			`summari[sz]e(?: .*)?`, `(?:告诉我|总结|汇总)(?:一下)?(?:.*)?(?:结果|内容|它|他们的回答)?`}},
	}
}

// intents is the compiled table. It is set by init because a row can read a part
// of its clause with the whole table.
var intents func() []compiled

func init() { intents = sync.OnceValue(compileTable) }

func compileTable() (all []compiled) {
	for _, row := range table() {
		for _, form := range row.forms {
			space := `\s+`
			if isChinese(form) {
				space = `\s*`
			}
			pattern := strings.ReplaceAll(macros.Replace(form), " ?", " *")
			pattern = strings.NewReplacer(" *", `\s*`, " ", space).Replace(pattern)
			all = append(all, compiled{row, regexp.MustCompile(`(?is)^(?:` + pattern + `)$`)})
		}
	}
	return all
}

type compiled struct {
	intent
	pattern *regexp.Regexp
}

// match is a clause that a form fits.
type match struct {
	compiled
	groups []string
	quotes quotes
}

// read turns a clause into steps. ok is false where no form fits.
func read(clause string, hidden quotes) (steps []step, ok bool) {
	for _, c := range intents() {
		groups := c.pattern.FindStringSubmatch(clause)
		if groups == nil {
			continue
		}
		m := match{c, groups, hidden}
		build := c.build
		if build == nil {
			build = plain
		}
		if steps, ok := build(m); ok {
			return steps, true
		}
	}
	return nil, false
}

// raw is what a group matched, quoted passages still hidden.
func (m match) raw(group string) string {
	for i, name := range m.pattern.SubexpNames() {
		if name == group && m.groups[i] != "" {
			return strings.TrimSpace(m.groups[i])
		}
	}
	return ""
}

func (m match) get(group string) string { return m.quotes.open(m.raw(group)) }

func (m match) isQuoted(group string) bool {
	runes := []rune(m.raw(group))
	return len(runes) == 1 && runes[0] >= firstQuote
}

// plain makes one step: groups are the arguments of the same name.
func plain(m match) ([]step, bool) {
	s := step{tool: m.tool, args: map[string]any{}}
	for _, name := range m.pattern.SubexpNames() {
		if value := m.get(name); name != "" && value != "" {
			if name == "x" {
				name = m.main
			}
			s.args[name] = value
		}
	}
	return []step{s.named()}, true
}

// named resolves "it" as a path.
func (s step) named() step {
	for _, name := range []string{"path", "from"} {
		switch strings.ToLower(s.text(name)) {
		case "it", "that", "this", "them", "它":
			s.args[name], s.pronoun = "", true
		}
	}
	return s
}

func nothing(match) ([]step, bool) { return []step{{}}, true }

func weather(m match) ([]step, bool) {
	if m.raw("x") == "" {
		return []step{{tool: "get_weather", problem: "which_city"}}, true
	}
	return each(m.get("x"), func(city string) step { return one("get_weather", "city", city) })
}

func timeIn(m match) ([]step, bool) {
	if m.raw("x") == "" {
		return []step{{tool: "get_current_time", args: map[string]any{}}}, true
	}
	return each(m.get("x"), func(place string) step { return one("get_current_time", "timezone", zone(place)) })
}

func one(tool, argument, value string) step {
	return step{tool: tool, args: map[string]any{argument: value}}
}

var listJoint = regexp.MustCompile(`(?i)\s*(?:,\s*and\s+|,|，|、|\s+and\s+|和|与)\s*`)

// each makes a step of every item of "a, b and c".
func each(list string, make func(item string) step) ([]step, bool) {
	var steps []step
	for _, item := range listJoint.Split(list, -1) {
		if item != "" {
			steps = append(steps, make(item))
		}
	}
	return steps, len(steps) > 0
}

func deletion(m match) ([]step, bool) {
	return each(m.raw("x")+m.raw("path"), func(item string) step {
		s := one("file_delete", "path", m.quotes.open(item))
		if m.raw("folder")+m.raw("folder2") != "" {
			s.args["recursive"] = true
		}
		return s.named()
	})
}

func listing(m match) ([]step, bool) {
	args := map[string]any{"path": "."}
	if path := strings.TrimRight(m.get("path"), "/"); path != "" {
		args["path"] = path
	}
	if m.raw("deep") != "" {
		args["recursive"] = true
	}
	return []step{{tool: "file_list", args: args}}, true
}

func searching(m match) ([]step, bool) {
	args := map[string]any{"pattern": regexp.QuoteMeta(m.get("x"))}
	if !m.isQuoted("x") {
		args["case_sensitive"] = false
	}
	if path := m.get("path"); path != "" {
		args["path"] = path
	}
	return []step{{tool: "file_grep", args: args}}, true
}

var fileName = regexp.MustCompile(
	`(?i)^(?:[^\s]*[^\s./\\]\.[a-z][a-z0-9]{0,9}|\S*/\S*|readme|makefile|license|它|it|\.[a-z][\w.-]*)$`)

func reading(m match) ([]step, bool) {
	known := true
	steps, ok := each(m.raw("x"), func(item string) step {
		item = strings.TrimSuffix(strings.TrimSpace(item), "的")
		known = known && (fileName.MatchString(item) || m.isQuoted("x"))
		return one("file_read", "path", m.quotes.open(item)).named()
	})
	return steps, ok && known
}

func computing(m match) ([]step, bool) {
	text := m.raw("x")
	if text == "" {
		text = m.groups[0]
	}
	spoken, ok := expressions(m.quotes.open(text))
	if !ok || strings.HasPrefix(m.forms[len(m.forms)-1], "{x}") && m.raw("x") != "" && !bare(spoken) {
		return nil, false
	}
	var steps []step
	for _, expression := range spoken {
		steps = append(steps, one("calculator", "expression", expression))
	}
	return steps, true
}
