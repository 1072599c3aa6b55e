package demo

import "sync"

// chinese is the grammar of single clauses, the more particular rule first.
var chinese = sync.OnceValue(func() []rule {
	var rules []rule
	rules = append(rules, chineseAgents()...)
	rules = append(rules, chinesePrograms()...)
	rules = append(rules, chineseWorld()...)
	rules = append(rules, chineseChanges()...)
	rules = append(rules, chineseWriting()...)
	rules = append(rules, chineseReading()...)
	rules = append(rules, chineseSums()...)
	return rules
})

const (
	zhNumber = `(?P<n>\d+|十[一二]|[一二两三四五六七八九十几多]|一些)`
	zhAgents = `(?:子|不同的|并行的|独立的)*\s*(?:智能体|代理|助手|助理|机器人|Agent|agents?|subagents?|sub-agents?|AI)`
	aWhile   = `(?:一下|一遍|一次)?`
	insideIt = `(?:文件夹|文件|目录)?(?:里面|里边|里头|里|中|内|下面|下)?(?:去|来)?`
	saveInto = `(?:写入到|写入|写到|写进|写在|写成|写为|保存到|保存为|保存至|保存在|保存进|保存成|存到|存入|存为|存进|存在|存成|记录到|记录在|记到|放到|放进|输出到|导出到|导出为|另存为)`
	aNewFile = `(?:一个|个|一份|份|新的?|空的?|空白的?|文本|的)*(?:文件|文档)?(?:叫做|叫|名为|名叫|命名为)?`
)

func chineseAgents() []rule {
	fan := func(m match) ([]step, bool) { return m.agents(true) }
	return []rule{
		on("zh", `(?:让|请|叫|派出|派|用|使用|安排|启动|召集|调用|创建|开|找|要|由|请求|指派)(?:我的)? (?:`+zhNumber+` (?:个|位|名)?)? `+zhAgents+`们?(?:\s|去|来|一起|同时|并行地?|各自|分别|各|，|,|：|:)* {text}`, fan),
		on("zh", `(?:把|将) {text} (?:交给|分给|分配给|委托给|派给) `+zhNumber+` (?:个|位|名)? `+zhAgents, fan),
	}
}

func chinesePrograms() []rule {
	return []rule{
		on("zh", `(?:用|使用|通过|在) (?P<lang>python|Python|shell|bash|终端|命令行)(?:里|中)? (?:运行|执行|跑)`+aWhile+` (?:代码|命令)?[：:]? {text}`, match.program),
		on("zh", `(?:运行|执行|跑)`+aWhile+`(?:这段|以下|一段|下面的?|这个|这条|一条)? (?P<lang>python|shell|bash|终端|命令行|命令|指令|代码|脚本) (?:代码|脚本|命令|程序)?[：:]? {text}`, match.program),
		on("zh", `(?:运行|执行|跑)`+aWhile+`[：:]? {text}`, match.program),
	}
}

func chineseWorld() []rule {
	return []rule{
		on("zh", `(?:打开|抓取|获取|读取|读|访问|下载|看看|看一下|浏览|查看|爬取|总结)`+aWhile+`(?:这个|该)?(?:网页|网址|链接|页面|网站)?(?:的内容)? {url}.*`, match.fetch),
		on("zh", `(?:上网|在?网上|联网|在?网络上?|在?互联网上?|百度|谷歌|用搜索引擎) (?:搜索|搜一下|搜|查找|查询|查一下|查|检索|找)?`+aWhile+`(?:关于)? {text}`, match.webSearch),
		on("zh", `(?:搜索|搜|查|检索)(?:一下)?(?:网络|网上|互联网|网页)(?:上)?(?:的|关于)? {text}`, match.webSearch),
		on("zh", `(?:研究|调研|调查|了解)`+aWhile+` {text}`, match.webSearch),
		on("zh", `(?:查询|查一下|查看|查|看看|看一下|告诉我|获取|问一下|报告)?`+aWhile+`(?:现在|今天|当前|目前)? (?P<city>[\p{Han}A-Za-z .'、，,-]+?)?(?:现在|今天|今日|当前|目前|明天|此刻)?(?:的)?(?:天气|气温|温度)(?:预报|情况|状况)?(?:怎么样|如何|怎样|好不好|是多少)?`, match.weather),
		on("zh", `(?:查询|查一下|查看|查|看看|看一下|看|告诉我|获取|问一下|报告|报)?`+aWhile+`(?:现在|当前|目前|此刻|今天)?(?:的)? (?P<zone>[\p{Han}A-Za-z/_ ]*?)(?:现在|当前|目前|此刻|今天)?(?:的)?(?:是)?(?:几点(?:钟|了)?|什么时间|什么时候了|时间(?:是多少|是几点)?|几号|日期(?:是多少)?|星期几|周几|礼拜几|时间和日期|日期和时间)(?:了)?`, match.time),
		on("zh", `(?:查看|查询|查|统计|显示)`+aWhile+`(?:我的)?(?:token|令牌)(?:的)?(?:用量|使用量|使用情况|消耗)`, always(step{kind: kindUsage})),
		on("zh", `(?:列出|显示|有哪些|查看)(?:所有|全部)?(?:可用的?)?(?:智能体|代理|agents?)(?:列表)?`, always(step{kind: kindListAgents})),
	}
}

func chineseSums() []rule {
	value := `(?:它|结果|答案|这个数|上面的结果|上一步的结果|得数|其)`
	operand := ` (?P<n>-?\d+(?:\.\d+)?)`
	return []rule{
		on("zh", `(?:把|将|用)? `+value+`? (?:再)?(?:乘以|乘上|乘)`+operand, followUp("(%s)*$n")),
		on("zh", `(?:把|将|用)? `+value+`? (?:再)?(?:除以)`+operand, followUp("(%s)/$n")),
		on("zh", `(?:把|将|用|给)? `+value+`? (?:再)?(?:加上|加)`+operand, followUp("(%s)+$n")),
		on("zh", `(?:把|将|用|从)? `+value+`? (?:再)?(?:减去|减)`+operand, followUp("(%s)-$n")),
		on("zh", `(?:求|计算|算)?(?:一下)? `+value+` 的? 平方根`, followUp("sqrt(%s)")),
		on("zh", `(?:求|计算|算)?(?:一下)? `+value+` 的? 平方`, followUp("(%s)**2")),
		on("zh", `(?:把|将)? `+value+` 翻倍|翻倍`, followUp("(%s)*2")),
		on("zh", `(?:用计算器)?(?:计算|算算|算|求|运算)`+aWhile+`(?:出)?(?:表达式)?[：:]? {text}(?:的)?(?:结果|值|答案|得数)?(?:等于多少|等于几|是多少|是几|得多少)?`, match.compute),
		on("zh", `{text}(?:的)?(?:结果|值)?(?:等于|是|得)(?:多少|几)`, match.computeBare),
		on("zh", `(?:告诉我|汇报|报告|显示|输出|返回|给出|展示)`+aWhile+`(?:最终|最后|计算|所有|全部|它们的|他们的)?(?:的)?(?:结果|答案|情况|总结|结论)?`, always(step{kind: kindNone})),
		on("zh", `(?:总结|汇总|归纳|概括)`+aWhile+`(?:所有|全部|他们的|它们的|各自的|大家的)*(?:的)?(?:结果|答案|回答|结论|内容|情况|发现|意见)?`, always(step{kind: kindNone})),
	}
}
