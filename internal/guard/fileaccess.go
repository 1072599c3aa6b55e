package guard

import "nanoclaw/internal/tools"

// access is what a call does with a path of the project.
type access struct {
	path       string
	operations []string
	below      bool // with everything in it, too
	pattern    bool // the path is a file name pattern
}

// reachesAnyFile says whether a call can do anything with any file: of a file tool that
// does not say what it does with its arguments, too.
func (in *inspection) reachesAnyFile() bool {
	tool := in.call.Tool
	return tool.AnyFile || tool.Category == "file" && len(tool.Files) == 0
}

// accesses are the paths and patterns that a call names, by the definition of its tool.
func (in *inspection) accesses() []access {
	var list []access
	for _, file := range in.call.Tool.Files {
		below := file.Below
		if file.BelowIf != "" {
			below, _ = in.call.Args[file.BelowIf].(bool)
		}
		for _, text := range in.texts(file.Property) {
			if file.OrDatabase && in.settings.Databases[text] {
				continue // a configured one, which is no file of the project
			}
			if !file.Pattern {
				text = projectPath(text)
			}
			list = append(list, access{text, file.Operations, below, file.Pattern})
		}
	}
	return list
}

// texts are the values of an argument that is a text or a list of texts. One that is left
// out is an empty text.
func (in *inspection) texts(argument string) []string {
	list, isList := in.call.Args[argument].([]any)
	if !isList {
		return []string{in.text(argument)}
	}
	var texts []string
	for _, item := range list {
		if text, is := item.(string); is {
			texts = append(texts, text)
		}
	}
	return texts
}

// usesOf is what operations mean for a sensitive path.
func usesOf(operations []string) use {
	var how use
	for _, operation := range operations {
		how |= map[string]use{tools.FileRead: reads, tools.FileWrite: writes, tools.FileDelete: writes,
			tools.FileList: lists}[operation]
	}
	return how
}
