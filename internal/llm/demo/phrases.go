package demo

// phrases are everything that the model says, in English and in Chinese. Those
// with % are formats.
var phrases = map[string][2]string{
	"do file_list":        {"list the files", "列出文件"},
	"do file_read":        {"read `%s`", "读取 `%s`"},
	"do file_write":       {"write `%s`", "写入 `%s`"},
	"do save":             {"save the result to `%s`", "把结果保存到 `%s`"},
	"do file_append":      {"append to `%s`", "追加内容到 `%s`"},
	"do file_delete":      {"delete `%s`", "删除 `%s`"},
	"do file_move":        {"move `%s` to `%s`", "把 `%s` 移动到 `%s`"},
	"do file_mkdir":       {"create the folder `%s`", "创建文件夹 `%s`"},
	"do file_grep":        {"search the files for “%s”", "在文件中搜索“%s”"},
	"do calculator":       {"compute `%s`", "计算 `%s`"},
	"do get_current_time": {"get the current time", "查询当前时间"},
	"do get_weather":      {"get the weather in %s", "查询%s的天气"},
	"do web_search":       {"search the web for “%s”", "上网搜索“%s”"},
	"do fetch_page":       {"fetch %s", "打开 %s"},
	"do shell_execute":    {"run the command `%s`", "执行命令 `%s`"},
	"do execute_python":   {"run Python code", "运行 Python 代码"},

	"do multi_agent": {"ask the agents", "请智能体处理"},
	"did":            {"Done: %s.", "已完成：%s。"},
	"found":          {"%s:", "%s："},
	"nothing":        {"(nothing)", "（没有）"},
	"exit_code":      {"%s: exit code %s", "%s：退出码 %s"},
	"done":           {"%d of %d steps are done:", "%d / %d 步已完成："},
	"unclear":        {"I did not understand: “%s”.", "我没有理解：“%s”。"},
	"wrote":          {"Wrote `%s` to `%s`.", "已将 `%s` 写入 `%s`。"},
	"wrote_size":     {"Wrote %d characters to `%s`.", "已写入 %d 个字符到 `%s`。"},
	"simulated":      {"(These figures are simulated, not measured.)", "（这些是模拟数据，不是实测。）"},
	"team":           {"%d of %d agents answered.", "%d / %d 个智能体给出了回答。"},
	"agent_failed":   {"failed", "失败"},
	"agent_partial":  {"incomplete", "未完成"},
	"more":           {"… and %d more", "…… 还有 %d 项"},
	"shortened":      {"… (shortened here)", "……（此处有删节）"},
	"partial":        {"There is more than the tool showed.", "工具只显示了一部分，后面还有。"},

	"failed": {"I could not %s: %s", "没能%s：%s"},
	"outcome_unknown": {"I do not know whether I could %s: the call was interrupted, and I did not repeat it.",
		"不确定是否已%s：调用被中断，我没有重复执行。"},
	"denied":          {"I was not allowed to %s: %s", "没有获准%s：%s"},
	"undone":          {"Not done yet: %s. No further tool calls are possible in this turn.", "尚未完成：%s。本轮不能再调用工具。"},
	"no_tool":         {"I could not %s: the tool `%s` is not offered in this conversation.", "没能%s：本次对话没有提供工具 `%s`。"},
	"no_tools_at_all": {"I could not %s, because no tools are offered in this conversation.", "没能%s，因为本次对话没有提供任何工具。"},
	"cut":             {"Your message is longer than I can read; I worked on the beginning only.", "你的消息太长，我只处理了开头部分。"},
	"images":          {"I cannot see images.", "我看不到图片。"},

	"needs_failed":  {"I did not %s, because the step that it needs failed.", "没有%s，因为它所依赖的步骤失败了。"},
	"before_failed": {"I did not %s, because the step before it failed.", "没有%s，因为前一步失败了。"},
	"no_text":       {"I did not %s, because the result that it needs holds no text.", "没有%s，因为所需的结果里没有可用的文字。"},
	"truncated": {"I did not %s, because the content is cut off and would be saved incomplete.",
		"没有%s，因为得到的内容不完整，保存下来也会残缺。"},
	"nothing_to_save": {"I did not %s: I do not know what to write. Say, for example: write \"some " +
		"text\" to notes.txt.", "没有%s：不知道要写什么。例如可以说：把“一些文字”写入 notes.txt。"},
	"which_file": {"Which file do you mean? Please name it, for example: read notes.txt.",
		"你指的是哪个文件？请说出文件名，例如：读取 notes.txt。"},
	"which_city":      {"For which city? Say, for example: weather in Paris.", "要查询哪个城市的天气？例如可以说：北京天气。"},
	"too_many_agents": {"That is too many agents at once; ask for 20 at most.", "一次请的智能体太多了，最多 20 个。"},

	"think_next":   {"Next I call tools to:", "接下来调用工具："},
	"think_report": {"Nothing is left to call. I report what the tools answered.", "没有需要继续调用的工具了，汇报工具返回的结果。"},
	"think_talk":   {"There is nothing to call a tool for; I answer directly.", "不需要调用工具，直接回答。"},

	"hello": {"Hello! I am NanoClaw's built-in demo model. I work offline and by rules, but the tools that I " +
		"call are real. " +
		"Try: “list the files, then compute 12*(3+4) and save it to result.txt”, or say “help”.",
		"你好！我是 NanoClaw 内置的演示模型。我离线工作，按规则理解你的话，但调用的工具都是真实的。可以试试：“列出文件，然后计算 12*(3+4) 并保存到 result.txt”，或者说“帮助”。"},
	"who": {"I am the demo model that ships with NanoClaw: a set of rules, not a language model. I understand simple " +
		"requests in English and Chinese and carry them out with real tools.",
		"我是 NanoClaw 自带的演示模型：一组规则，而不是语言模型。我能理解简单的中文和英文请求，并用真实的工具完成。"},
	"thanks": {"You are welcome.", "不客气。"},
	"bye":    {"Goodbye!", "再见！"},
	"tools":  {"These tools are offered to me in this conversation:", "本次对话提供了这些工具："},
	"stranger": {"I am NanoClaw's built-in demo model: a set of rules, not a language model. I can work with files, " +
		"sums, the time, the weather, the web, commands and teams of agents. Say “help” for examples.",
		"我是 NanoClaw 内置的演示模型：一组规则，而不是语言模型。我可以处理文件、计算、时间、天气、上网、命令和多个智能体。说“帮助”可以看到示例。"},
	"help": {"I am NanoClaw's built-in demo model. I work offline by rules, in English and Chinese, and call real " +
		"tools. You can combine requests with “then” and “and”:\n\n" +
		"- Files: `list the files` · `read notes.txt` · `write \"hello\" to notes.txt` · `append \"more\" to " +
		"notes.txt` · `rename a.txt to b.txt` · `delete b.txt` · `make a folder docs` · `search for TODO`\n" +
		"- Sums: `compute 12*(3+4) and save it to result.txt` · `what is sqrt(2)/2?`\n" +
		"- World: `what time is it in Tokyo?` · `weather in Paris` · `search the web for Go generics` · `fetch " +
		"https://example.com`\n" +
		"- Programs: `run the command ls -la` · `run python code print(6*7)`\n" +
		"- Teams: `ask three agents to compute 1+1, 2+2 and 3+3` · `ask three agents to research solar power`",
		"我是 NanoClaw 内置的演示模型，离线工作，按规则理解中文和英文，并调用真实的工具。可以用“然后”“再”“并”把几个请求连起来：\n\n" +
			"- 文件：`列出文件` · `读取 notes.txt` · `把“你好”写入 notes.txt` · `在 notes.txt 末尾追加“再见”` · `把 a.txt 重命名为 b.txt` · " +
			"`删除 b.txt` · `创建文件夹 docs` · `搜索 TODO`\n" +
			"- 计算：`计算 12*(3+4) 并保存到 result.txt` · `2的10次方等于多少`\n" +
			"- 外界：`东京现在几点` · `北京天气` · `上网搜索 Go 泛型` · `打开 https://example.com`\n" +
			"- 程序：`执行命令 ls -la` · `运行 python 代码 print(6*7)`\n" +
			"- 团队：`让三个智能体分别计算 1+1、2+2 和 3+3` · `让三个智能体研究太阳能`"},
	"add_model": {"For a real language model, connect one in the settings of the web app (Models), or add one to " +
		"config.yml:\n\n" + modelExample +
		"\n\nor start NanoClaw with OPENAI_API_KEY, ANTHROPIC_API_KEY or DEEPSEEK_API_KEY in its environment, or run " +
		"Ollama on this machine.",
		"要使用真正的语言模型，请在网页的“设置 › 模型”中连接，或在 config.yml 中添加：\n\n" + modelExample +
			"\n\n或者在启动 NanoClaw 时设置环境变量 OPENAI_API_KEY、ANTHROPIC_API_KEY 或 DEEPSEEK_API_KEY，也可以在本机运行 Ollama。"},
}

const modelExample = "```yaml\ndefault_model: deepseek-v4-flash\nmodels:\n  - id: deepseek-v4-flash\n    base_url: " +
	"https://api.deepseek.com/v1\n    api_key: ${DEEPSEEK_API_KEY}\n```"
