package demo

var inEnglish = phrases{
	list: "list the files", listIn: "list the files in `%s`", glob: "find the files that match `%s`", read: "read `%s`", readLines: "read lines %d to %d of `%s`",
	write: "write `%s`", writeResult: "save the result to `%s`", writeEmpty: "create the empty file `%s`", appendTo: "append to `%s`", edit: "replace text in `%s`",
	remove: "delete `%s`", move: "move `%s` to `%s`", mkdir: "make the folder `%s`", exists: "check whether `%s` exists",
	grep: "search the files for “%s”", grepIn: "search `%[2]s` for “%[1]s”", compute: "compute `%s`", time: "get the current time", timeIn: "get the current time in %s",
	weather: "get the weather in %s", search: "search the web for “%s”", fetch: "fetch %s", shell: "run the command `%s`", python: "run Python code",
	agents: "ask %d agents", listAgents: "list the agents", usage: "get the token usage",

	filesHere: "Files in the project:", filesIn: "Files in `%s`:", noFiles: "There are no files there.", matching: "Files that match `%s`:", noMatches: "No file matches `%s`.",
	contentOf: "`%s` says:", emptyFile: "`%s` is empty.", wrote: "Wrote `%s` to `%s`.", wroteSize: "Wrote %d characters to `%s`.", saved: "Saved the result to `%s`.", wroteEmpty: "Created the empty file `%s`.",
	appended: "Appended to `%s`.", edited: "Replaced the text in `%s`.", removed: "Deleted `%s`.", moved: "Moved `%s` to `%s`.", made: "Made the folder `%s`.",
	isThere: "`%s` exists.", isNotThere: "`%s` does not exist.", hits: "“%s” was found here:", noHits: "“%s” was not found.", timeNow: "The current time is %s.", weatherOf: "Weather in %s:",
	simulated: "(These figures are simulated, not measured.)", hitsFor: "The web says about “%s”:", pageAt: "The page %s says:", exitCode: "`%s` ended with exit code %s.", output: "Output:", noOutput: "There was no output.",
	toolsOffered: "These tools are offered to me in this conversation:", agentsAnswered: "%d of %d agents answered.", agentFailed: "did not succeed", agentPartial: "not finished", agentList: "Agents that can be used:", usageIs: "Token usage:", more: "… and %d more", shortened: "… (shortened here)", onlyPart: "There is more than the tool showed.",

	allDone: "Done, all %d steps:", someDone: "%d of %d steps are done:",
	failed: "I could not %s: %s", unknownOutcome: "I do not know whether I could %s: the call was interrupted, and I did not repeat it.",
	denied: "I was not allowed to %s: %s", unreadable: "the tool gave no reason",
	undone: "Not done yet: %s. No further tool calls are possible in this turn.", noTool: "I could not %s: the tool `%s` is not offered in this conversation.",
	noToolsAtAll:   "I could not %s, because no tools are offered in this conversation.",
	noToolsNothing: "No tools are offered in this turn, so I can only talk; I make nothing up instead.",
	cutOff:         "Your message is longer than I can take in; I worked on the beginning only.",
	reasons: map[string]string{
		"needs_failed":       "I did not %s, because the step that it needs failed.",
		"before_failed":      "I did not %s, because the step before it failed.",
		"no_text":            "I did not %s, because the result that it needs holds no text that can be used.",
		"truncated":          "I did not %s, because what I got is cut off and would be saved incomplete.",
		"not_a_number":       "I did not %s, because the result before it is not a number.",
		"nothing_to_save":    "I did not %s: I do not know what to write. Say, for example: write \"some text\" to notes.txt.",
		"nothing_to_compute": "I cannot go on computing: there is no result to begin with.",
		"which_file":         "Which file do you mean? Please name it, for example: read notes.txt.",
		"which_city":         "For which city would you like the weather? Say, for example: weather in Paris.",
		"too_many_agents":    "That is too many agents at once; ask for 20 at most.",
	},
	thinkPlan: "The user wants me to:", thinkNext: "I have what I needed; next:",
	thinkReport: "Nothing is left to call. I report what the tools answered.", thinkTalk: "There is nothing to call a tool for; I answer directly.",

	unclear: "I did not understand: %s.",
	images:  "I cannot see images.",

	hello:    "Hello! I am NanoClaw's built-in demo model. I work offline and by rules, without a real language model behind me, but the tools that I call are real. Try: “list the files, then compute 12*(3+4) and save it to result.txt”, or say “help”.",
	who:      "I am the demo model that ships with NanoClaw: a set of rules, not a language model. I understand simple requests in English and Chinese and carry them out with real tools; I make nothing up.",
	thanks:   "You are welcome.",
	bye:      "Goodbye!",
	stranger: "I am NanoClaw's built-in demo model: a set of rules, not a language model. I can work with files, sums, the time, the weather, the web, commands and teams of agents where their tools are offered. Say “help” for examples.",
	help: "I am NanoClaw's built-in demo model. I work offline by rules, in English and Chinese, and call real tools. You can combine requests with “then” and “and”:\n\n" +
		"- Files: `list the files` · `read notes.txt` · `write \"hello\" to notes.txt` · `append \"more\" to notes.txt` · `rename a.txt to b.txt` · `delete b.txt` · `make a folder docs` · `search for TODO` · `replace \"a\" with \"b\" in notes.txt`\n" +
		"- Sums: `compute 12*(3+4) and save it to result.txt` · `what is sqrt(2)/2?`\n" +
		"- World: `what time is it in Tokyo?` · `weather in Paris` · `search the web for Go generics` · `fetch https://example.com`\n" +
		"- Programs: `run the command ls -la` · `run python code print(6*7)`\n" +
		"- Teams: `ask three agents to compute 1+1, 2+2 and 3+3` · `ask three agents to research solar power`",
	addModel: "For a real language model, add one to config.yml:\n\n```yaml\ndefault_model: deepseek-v4-flash\nmodels:\n  - id: deepseek-v4-flash\n    base_url: https://api.deepseek.com/v1\n    api_key: ${DEEPSEEK_API_KEY}\n```\n\n" +
		"or start NanoClaw with OPENAI_API_KEY, ANTHROPIC_API_KEY or DEEPSEEK_API_KEY in its environment, or run Ollama on this machine.",
	quoteOpen: "“", quoteClose: "”", listSeparator: "; ",
}
