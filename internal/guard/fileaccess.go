package guard

// access is what a call does with a path of the project.
type access struct {
	path       string
	operations []string
	below      bool // with everything in it, too
}

// fileArguments are the path arguments of the tools that work on the project's
// files, and what is done with them.
var fileArguments = map[string][]struct {
	argument   string
	operations []string
	below      string // the boolean argument that makes it go below; "*": it always does
}{
	"file_read":   {{"path", []string{readFile}, ""}},
	"file_exists": {{"path", []string{readFile}, ""}},
	"file_list":   {{"path", []string{readFile}, "recursive"}},
	"file_glob":   {{"path", []string{readFile}, "*"}},
	"file_grep":   {{"path", []string{readFile}, "*"}},
	"file_write":  {{"path", []string{writeFile}, ""}},
	"file_append": {{"path", []string{writeFile}, ""}},
	"file_edit":   {{"path", []string{readFile, writeFile}, ""}},
	"file_mkdir":  {{"path", []string{writeFile}, ""}},
	"file_delete": {{"path", []string{deleteFile}, "recursive"}},
	"file_move":   {{"from", []string{readFile, deleteFile}, "*"}, {"to", []string{writeFile}, "*"}},
	"db_query":    {{"database", []string{readFile}, ""}},
	"db_schema":   {{"database", []string{readFile}, ""}},
}

// everywhere are the tools that can do anything with any file.
var everywhere = map[string]bool{shellTool: true, pythonTool: true, "delegate_external_agent": true}

// accesses are the paths that a call works on.
func (in *inspection) accesses() []access {
	if tool := in.call.Tool; everywhere[tool.Name] || tool.Category == "file" && fileArguments[tool.Name] == nil {
		return []access{{".", operations, true}}
	}
	var list []access
	for _, arg := range fileArguments[in.call.Tool.Name] {
		text := in.text(arg.argument)
		if arg.argument == "database" && in.settings.Databases[text] {
			continue // a configured one, which is no file of the project
		}
		below, _ := in.call.Args[arg.below].(bool)
		list = append(list, access{projectPath(text), arg.operations, below || arg.below == "*"})
	}
	return list
}
