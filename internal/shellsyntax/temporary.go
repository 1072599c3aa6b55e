package shellsyntax

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// tempRoot is where what mktemp makes lies in an analysis: nowhere else can a line
// write to it, so that removing it is harmless.
const tempRoot = "/mktemp/tmp."

// madeAgain are what directories are called that a build, or the line, makes again.
var madeAgain = []string{"tmp", "TMP", "temp", "TEMP", "work", "build", "BUILD", "out", "OUT", "dist", "DIST", "cache", "CACHE"}

// soundsTemporary says whether a variable is named as one that leads to such a directory.
func soundsTemporary(name string) bool {
	for _, begin := range madeAgain {
		if strings.HasPrefix(name, begin) {
			return !strings.ContainsAny(name, "0123456789")
		}
	}
	return false
}

// temporary says whether a word is a variable that the line leaves alone and that is
// named as one that leads to what can be made again.
func (w Word) temporary() bool {
	if w.Learnt || !strings.HasPrefix(w.Value, "$") {
		return false
	}
	name := w.Value[1:]
	if inner, braced := strings.CutPrefix(name, "{"); braced {
		end := strings.IndexAny(inner, ":?}")
		if end < 0 || !endsParameter.MatchString(inner[end:]) {
			return false
		}
		name = inner[:end]
	}
	return isName(name) && soundsTemporary(name)
}

// endsParameter is the end of ${x} and of ${x:?message}.
var endsParameter = regexp.MustCompile(`^(:?\?[\w .]*)?\}$`)

// doubt notes the variables that a node sets to what is not known, and that would be
// taken for temporary directories by their names.
func (x *expander) doubt(node syntax.Node) {
	switch node := node.(type) {
	case *syntax.Assign:
		if node.Name == nil || node.Naked || !soundsTemporary(node.Name.Value) {
			return
		}
		if node.Append || node.Array != nil || node.Index != nil || !x.leadsToTemporary(node.Value) {
			x.doubts(node.Name.Value)
		}
	case *syntax.ForClause:
		if words, ok := node.Loop.(*syntax.WordIter); ok && soundsTemporary(words.Name.Value) {
			x.doubts(words.Name.Value)
		}
	case *syntax.CallExpr:
		for _, name := range x.filled(node) {
			if soundsTemporary(name) {
				x.doubts(name)
			}
		}
	}
}

// filled are the names of the variables that a builtin may fill.
func (x *expander) filled(call *syntax.CallExpr) []string {
	switch nameOf(call) {
	case "read", "mapfile", "readarray", "getopts", "command", "builtin":
	case "printf":
		if len(call.Args) < 3 || x.written(call.Args[1]) != "-v" {
			return nil
		}
	default:
		return nil
	}
	var names []string
	for _, arg := range call.Args[1:] {
		for _, fields := range x.fields(arg) {
			for _, field := range fields {
				if name, _, _ := strings.Cut(field.Value, "["); isName(name) && x.spend(1) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

func (x *expander) doubts(name string) {
	if x.doubted == nil {
		x.doubted = map[string]bool{}
	}
	x.doubted[name] = true
}

// leadsToTemporary says whether a value is known, or begins or ends as the path of what
// can be made again does.
func (x *expander) leadsToTemporary(value *syntax.Word) bool {
	if value == nil {
		return true
	}
	for _, t := range x.texts(value.Parts) {
		isUnknown := func(kind byte) bool { return kind&unknownByte != 0 }
		from := slices.IndexFunc(t.kinds, isUnknown)
		if from < 0 {
			continue
		}
		to := len(t.kinds)
		for to > 0 && !isUnknown(t.kinds[to-1]) {
			to--
		}
		begin, end := string(t.bytes[:from]), string(t.bytes[to:])
		last := end[strings.LastIndexByte(end, '/')+1:]
		switch {
		case strings.HasPrefix(begin, "/tmp/"), strings.HasPrefix(begin, tempRoot):
		case !strings.HasPrefix(begin, "/") && !strings.Contains(begin, "..") && soundsTemporary(begin[:max(0, strings.IndexByte(begin, '/'))]):
		case strings.Contains(end, "/") && !strings.Contains(end, "..") && slices.Contains(madeAgain, last):
		default:
			return false
		}
	}
	return true
}
