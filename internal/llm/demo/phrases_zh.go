package demo

var inChinese = phrases{
	list: "列出文件", listIn: "列出 `%s` 中的文件", glob: "查找匹配 `%s` 的文件", read: "读取 `%s`", readLines: "读取第 %d 到 %d 行：`%s`",
	write: "写入 `%s`", writeResult: "把结果保存到 `%s`", writeEmpty: "创建空文件 `%s`", appendTo: "追加内容到 `%s`", edit: "替换 `%s` 中的文字",
	remove: "删除 `%s`", move: "把 `%s` 移动到 `%s`", mkdir: "创建文件夹 `%s`", exists: "检查 `%s` 是否存在",
	grep: "在文件中搜索“%s”", grepIn: "在 `%[2]s` 中搜索“%[1]s”", compute: "计算 `%s`", time: "查询当前时间", timeIn: "查询 %s 的当前时间",
	weather: "查询%s的天气", search: "上网搜索“%s”", fetch: "打开 %s", shell: "执行命令 `%s`", python: "运行 Python 代码",
	agents: "请 %d 个智能体处理", listAgents: "列出智能体", usage: "查询 token 用量",

	filesHere: "项目中的文件：", filesIn: "`%s` 中的文件：", noFiles: "那里没有文件。", matching: "匹配 `%s` 的文件：", noMatches: "没有文件匹配 `%s`。",
	contentOf: "`%s` 的内容：", emptyFile: "`%s` 是空文件。", wrote: "已将 `%s` 写入 `%s`。", wroteSize: "已写入 %d 个字符到 `%s`。", saved: "已将结果保存到 `%s`。", wroteEmpty: "已创建空文件 `%s`。",
	appended: "已追加到 `%s`。", edited: "已替换 `%s` 中的文字。", removed: "已删除 `%s`。", moved: "已将 `%s` 移动到 `%s`。", made: "已创建文件夹 `%s`。",
	isThere: "`%s` 存在。", isNotThere: "`%s` 不存在。", hits: "找到“%s”的位置：", noHits: "没有找到“%s”。", timeNow: "当前时间是 %s。", weatherOf: "%s的天气：",
	simulated: "（这些是模拟数据，不是实测。）", hitsFor: "关于“%s”的搜索结果：", pageAt: "%s 的内容：", exitCode: "`%s` 已结束，退出码 %s。", output: "输出：", noOutput: "没有输出。",
	toolsOffered: "本次对话提供了这些工具：", agentsAnswered: "%d / %d 个智能体给出了回答。", agentFailed: "没有成功", agentPartial: "没有做完", agentList: "可用的智能体：", usageIs: "token 用量：", more: "…… 还有 %d 项", shortened: "……（此处有删节）", onlyPart: "工具只显示了一部分，后面还有。",

	allDone: "完成了，共 %d 步：", someDone: "%d / %d 步已完成：",
	failed: "没能%s：%s", unknownOutcome: "不确定是否已%s：调用被中断，我没有重复执行。",
	denied: "没有获准%s：%s", unreadable: "工具没有说明原因",
	undone: "尚未完成：%s。本轮不能再调用工具。", noTool: "没能%s：本次对话没有提供工具 `%s`。",
	noToolsAtAll:   "没能%s，因为本次对话没有提供任何工具。",
	noToolsNothing: "本轮没有提供任何工具，我只能聊天，也不会编造结果。",
	cutOff:         "你的消息太长，我只处理了开头部分。",
	reasons: map[string]string{
		"needs_failed":       "没有%s，因为它所依赖的步骤失败了。",
		"before_failed":      "没有%s，因为前一步失败了。",
		"no_text":            "没有%s，因为所需的结果里没有可用的文字。",
		"truncated":          "没有%s，因为得到的内容不完整，保存下来也会残缺。",
		"not_a_number":       "没有%s，因为前面的结果不是数字。",
		"nothing_to_save":    "没有%s：不知道要写什么。例如可以说：把“一些文字”写入 notes.txt。",
		"nothing_to_compute": "没有可以继续计算的结果。",
		"which_file":         "你指的是哪个文件？请说出文件名，例如：读取 notes.txt。",
		"which_city":         "要查询哪个城市的天气？例如可以说：北京天气。",
		"too_many_agents":    "一次请的智能体太多了，最多 20 个。",
	},
	thinkPlan: "用户希望我：", thinkNext: "前面的结果已经拿到，接下来：",
	thinkReport: "没有需要继续调用的工具了，汇报工具返回的结果。", thinkTalk: "不需要调用工具，直接回答。",

	unclear: "我没有理解：%s。",
	images:  "我看不到图片。",

	hello:    "你好！我是 NanoClaw 内置的演示模型。我离线工作，按规则理解你的话，背后没有真正的语言模型，但调用的工具都是真实的。可以试试：“列出文件，然后计算 12*(3+4) 并保存到 result.txt”，或者说“帮助”。",
	who:      "我是 NanoClaw 自带的演示模型：一组规则，而不是语言模型。我能理解简单的中文和英文请求，并用真实的工具完成；我不会编造结果。",
	thanks:   "不客气。",
	bye:      "再见！",
	stranger: "我是 NanoClaw 内置的演示模型：一组规则，而不是语言模型。在提供了相应工具时，我可以处理文件、计算、时间、天气、上网、命令和多个智能体。说“帮助”可以看到示例。",
	help: "我是 NanoClaw 内置的演示模型，离线工作，按规则理解中文和英文，并调用真实的工具。可以用“然后”“再”“并”把几个请求连起来：\n\n" +
		"- 文件：`列出文件` · `读取 notes.txt` · `把“你好”写入 notes.txt` · `在 notes.txt 末尾追加“再见”` · `把 a.txt 重命名为 b.txt` · `删除 b.txt` · `创建文件夹 docs` · `搜索 TODO`\n" +
		"- 计算：`计算 12*(3+4) 并保存到 result.txt` · `2的10次方等于多少`\n" +
		"- 外界：`东京现在几点` · `北京天气` · `上网搜索 Go 泛型` · `打开 https://example.com`\n" +
		"- 程序：`执行命令 ls -la` · `运行 python 代码 print(6*7)`\n" +
		"- 团队：`让三个智能体分别计算 1+1、2+2 和 3+3` · `让三个智能体研究太阳能`",
	addModel: "要使用真正的语言模型，请在 config.yml 中添加：\n\n```yaml\ndefault_model: deepseek-v4-flash\nmodels:\n  - id: deepseek-v4-flash\n    base_url: https://api.deepseek.com/v1\n    api_key: ${DEEPSEEK_API_KEY}\n```\n\n" +
		"或者在启动 NanoClaw 时设置环境变量 OPENAI_API_KEY、ANTHROPIC_API_KEY 或 DEEPSEEK_API_KEY，也可以在本机运行 Ollama。",
	quoteOpen: "“", quoteClose: "”", listSeparator: "；",
}
