package shellanalysis

import "strings"

// What is not known before a line runs stands in its texts as a marker: a kind, a name,
// and delimiters from the private use area, which no command line needs.
const (
	markerStart    = '\uE000'
	markerEnd      = '\uE001'
	internalPrefix = "\uE003" // begins the names of calls that the rewriter adds
	markerRunes    = "\uE000\uE001\uE003"
)

// Kinds of markers.
const (
	fromVariable = 'v' // the value of a variable that the line does not set
	fromProgram  = 'p' // what a program prints
	fromFile     = 'f' // what a file holds
	fromDecoder  = 'd' // what a program prints that decodes its input
)

func marker(kind rune, name string) string {
	return string(markerStart) + string(kind) + strings.Map(dropMarkerRunes, name) + string(markerEnd)
}

func dropMarkerRunes(r rune) rune {
	if strings.ContainsRune(markerRunes, r) {
		return -1
	}
	return r
}

// isDynamic says whether a text depends on what is not known.
func isDynamic(text string) bool { return strings.ContainsAny(text, markerRunes) }

// unknown is one marker of a text.
type unknown struct {
	kind rune
	name string
}

// unknownsOf are the markers of a text.
func unknownsOf(text string) []unknown {
	var list []unknown
	for {
		_, rest, found := strings.Cut(text, string(markerStart))
		if !found || rest == "" {
			return list
		}
		body, after, _ := strings.Cut(rest, string(markerEnd))
		list = append(list, unknown{rune(body[0]), body[1:]})
		text = after
	}
}

// markersOf are the markers of a text, without the rest, each once.
func markersOf(text string) string {
	var out strings.Builder
	seen := map[unknown]bool{}
	for _, u := range unknownsOf(text) {
		if !seen[u] {
			seen[u] = true
			out.WriteString(marker(u.kind, u.name))
		}
	}
	return out.String()
}

// render writes a text for rules and for people: markers as the shell would have them,
// the home directory as ~, and the project's directory as a relative path.
func render(text string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, string(markerStart))
		out.WriteString(before)
		if !found || rest == "" {
			break
		}
		body, after, _ := strings.Cut(rest, string(markerEnd))
		switch rune(body[0]) {
		case fromVariable:
			out.WriteString("$" + body[1:])
		case fromFile:
			out.WriteString("$(<" + body[1:] + ")")
		default:
			out.WriteString("$(" + body[1:] + ")")
		}
		text = after
	}
	return strings.Map(dropMarkerRunes, shortPath(out.String()))
}

// Directories of the dry run. They exist nowhere.
const (
	homeDir = "/home/user"
	workDir = homeDir + "/project"
)

func shortPath(text string) string {
	text = strings.ReplaceAll(text, workDir+"/", "./")
	if strings.HasPrefix(text, "./") && len(text) > 2 {
		text = text[2:]
	}
	text = strings.ReplaceAll(text, workDir, ".")
	return strings.ReplaceAll(text, homeDir, "~")
}
