package tools

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// What a call does with the file that an argument names.
const (
	FileRead   = "read"
	FileWrite  = "write"
	FileDelete = "delete"
	FileList   = "list" // its name or its existence only
)

// FileArgument is an argument that names files of the project, and what a call does
// with them. The guard goes by it: permissions, sensitive paths, and where links lead.
type FileArgument struct {
	Property   string   // a text, or a list of texts
	Operations []string // FileRead, FileWrite, FileDelete or FileList
	Pattern    bool     // it is a file name pattern; permissions are about paths alone
	OrDatabase bool     // a configured database of that name comes before the file

	// Below says that everything in a directory is meant, too: always, or where the
	// boolean argument BelowIf is true.
	Below   bool
	BelowIf string
}

// AnyFile says that a call can do anything with any file of the project, whatever its
// arguments are: it runs programs or another agent.
func AnyFile() Option {
	return func(d *definition) { d.tool.AnyFile = true }
}

// pathName matches the names of arguments that are taken for paths, pathDescription
// descriptions of such arguments.
var (
	pathName = regexp.MustCompile(`^(from|to|cwd|src|dst|source|destination|database|glob)$|` +
		`(^|_)(path|file|filename|filepath|dir|directory|folder)s?(_name)?$`)
	pathDescription = regexp.MustCompile(`^(the )?(path|file|file name|directory|folder)s?\b`)
)

// fileArgument reads the access tag of a field; nil: the argument names no file. A text
// that looks like a path by its name or description needs the tag, so that none is
// forgotten. The tag has words, with commas between them:
//
//	read, write, delete   what is done with the file
//	list                  its name or existence is seen, and no more
//	below                 with everything in it; below=recursive: where that argument is true
//	pattern               the argument is a file name pattern
//	or=database           the name of a configured database comes first
//	none                  the argument is no path, whatever it is called
func fileArgument(property string, field reflect.StructField) (*FileArgument, error) {
	tag, tagged := field.Tag.Lookup("access")
	if !holdsText(field.Type) {
		if tagged {
			return nil, fmt.Errorf("access:%q fits a text or a list of texts, not %v", tag, field.Type)
		}
		return nil, nil
	}
	if !tagged {
		if pathName.MatchString(property) || pathDescription.MatchString(field.Tag.Get("jsonschema")) {
			return nil, fmt.Errorf(
				`%q looks like a path: say what the tool does with the file with access:"read", "write", "delete" or `+
					`"list", or that it is none with access:"none"`, property)
		}
		return nil, nil
	}
	if tag == "none" {
		return nil, nil
	}
	argument := &FileArgument{Property: property}
	for word := range strings.SplitSeq(tag, ",") {
		if err := argument.add(word); err != nil {
			return nil, fmt.Errorf("access:%q: %w", tag, err)
		}
	}
	if len(argument.Operations) == 0 {
		return nil, fmt.Errorf("access:%q names no operation: read, write, delete or list", tag)
	}
	return argument, nil
}

// add applies one word of the tag.
func (a *FileArgument) add(word string) error {
	name, value, _ := strings.Cut(word, "=")
	switch {
	case slices.Contains([]string{FileRead, FileWrite, FileDelete, FileList}, word):
		a.Operations = append(a.Operations, word)
	case word == "pattern":
		a.Pattern = true
	case word == "below":
		a.Below = true
	case name == "below" && value != "":
		a.BelowIf = value
	case word == "or=database":
		a.OrDatabase = true
	default:
		return fmt.Errorf("%q is unknown: use read, write, delete, list, below, pattern, or=database or none", word)
	}
	return nil
}

func holdsText(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t.Kind() == reflect.String
}
