package demo

// kind is what a step does.
type kind int

const (
	kindNone kind = iota // asks for nothing that is not done anyway: "and tell me the result"
	kindList
	kindGlob
	kindRead
	kindWrite
	kindAppend
	kindEdit
	kindDelete
	kindMove
	kindMkdir
	kindExists
	kindGrep
	kindCompute
	kindTime
	kindWeather
	kindWebSearch
	kindFetch
	kindShell
	kindPython
	kindAgents
	kindListAgents
	kindUsage
)

// toolOf names the tool that each kind calls.
var toolOf = map[kind]string{
	kindList:       "file_list",
	kindGlob:       "file_glob",
	kindRead:       "file_read",
	kindWrite:      "file_write",
	kindAppend:     "file_append",
	kindEdit:       "file_edit",
	kindDelete:     "file_delete",
	kindMove:       "file_move",
	kindMkdir:      "file_mkdir",
	kindExists:     "file_exists",
	kindGrep:       "file_grep",
	kindCompute:    "calculator",
	kindTime:       "get_current_time",
	kindWeather:    "get_weather",
	kindWebSearch:  "web_search",
	kindFetch:      "fetch_page",
	kindShell:      "shell_execute",
	kindPython:     "execute_python",
	kindAgents:     "multi_agent",
	kindListAgents: "list_agents",
	kindUsage:      "get_token_usage",
}

// writes: the step changes files, or may.
func (k kind) writes() bool {
	switch k {
	case kindWrite, kindAppend, kindEdit, kindDelete, kindMove, kindMkdir, kindShell, kindPython, kindAgents:
		return true
	}
	return false
}

// answers: the step's result is something that can be saved or computed with.
func (k kind) answers() bool {
	switch k {
	case kindNone, kindWrite, kindAppend, kindEdit, kindDelete, kindMove, kindMkdir:
		return false
	}
	return true
}

// greedy steps take the rest of the sentence: their text may hold commas and "and".
func (k kind) greedy() bool {
	return k == kindAgents || k == kindShell || k == kindPython
}

// reference says where a text comes from that the request does not spell out:
// from the last steps of a kind ("the list", "the weather"), or one of the two
// below.
type reference kind

const (
	refLast reference = -1 - iota // "it", "the result": what the clause before gave
	refAll                        // "them", "the results": everything so far
)

// step is one thing to do. Which fields count depends on the kind.
type step struct {
	kind   kind
	clause int // steps of one clause share a number: "compute 1+1 and 2+2"

	path      string // also the directory of a list, the place of a search
	to        string // move
	pathRef   bool   // path is "it": the last path that was named
	recursive bool
	firstLine int
	lastLine  int

	text  string      // content, expression, query, city, time zone, URL, command, code
	old   string      // edit: what is replaced
	every bool        // edit: all of it
	exact bool        // search: as it is written, upper and lower case too
	refs  []reference // results that text is made of

	tasks []task // agents

	problem string // why it cannot be done as it was said; a phrase key

	// Filled in by resolve.
	needs []int // steps whose results this one takes in
	after []int // steps that must have ended before it begins
}

// task is what one sub-agent is asked.
type task struct {
	name        string
	instruction string
}
