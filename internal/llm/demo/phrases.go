package demo

// phrases are everything that the model says in one language. Those with %
// are formats.
type phrases struct {
	// What a step is, in the imperative; %s is its subject.
	list, listIn, glob, read, readLines, write, writeResult, writeEmpty, appendTo, edit, remove, move, mkdir, exists, grep, grepIn string
	compute, time, timeIn, weather, search, fetch, shell, python, agents, listAgents, usage                                        string

	// What came of it.
	filesHere, filesIn, noFiles, matching, noMatches, contentOf, emptyFile, wrote, wroteSize, saved, wroteEmpty, appended, edited,
	removed, moved, made, isThere, isNotThere, hits, noHits, timeNow, weatherOf, simulated, hitsFor, pageAt, exitCode, output, noOutput,
	toolsOffered, agentsAnswered, agentFailed, agentPartial, agentList, usageIs, more, shortened, onlyPart string

	allDone, someDone, failed, unknownOutcome, denied, unreadable string
	undone, cutOff, noTool, noToolsAtAll, noToolsNothing          string

	reasons                                      map[string]string // why a step was skipped or cannot be done
	unclear                                      string
	images                                       string
	thinkPlan, thinkNext, thinkReport, thinkTalk string

	hello, who, help, thanks, bye, stranger, addModel string
	quoteOpen, quoteClose, listSeparator              string
}

func phrasesFor(isChinese bool) *phrases {
	if isChinese {
		return &inChinese
	}
	return &inEnglish
}
