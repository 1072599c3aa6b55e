package config

import (
	"reflect"
	"strings"
)

const commentWidth = 100

const fileIntro = `# NanoClaw configuration. Generated from internal/config: every key with its default.
# A file needs only the keys that differ. An unknown key or a bad value is an error that names the line.
#
# Text may hold ${NAME} and ${NAME:-default} from the environment; $$ is a dollar sign.
# Inside { } and [ ] put it in quotes. Keep keys and passwords in the environment, not in this file.
# Times: 30s, 5m, 1h30m, 7d; a bare number is seconds. Sizes: 50KiB, 10MiB, 1GB; a bare number is bytes.
#
# A change of this file is applied at once where it is valid; keys marked "restart" wait for the next start.
# A list replaces its default as a whole; a mapping changes only the keys that it names.

`

// Commented is config.yml with every key, its default and its documentation.
func Commented() string {
	var r renderer
	afterSection := false
	r.above = func(path string, f field, depth int) {
		if depth == 0 {
			section := !isLeafType(f.typ)
			if section || afterSection {
				r.b.WriteByte('\n')
			}
			afterSection = section
		}
		for _, line := range wrap(describe(f), commentWidth-2*depth) {
			r.indent(depth)
			r.b.WriteString("# " + line + "\n")
		}
	}
	r.below = func(path string, depth int) {
		example := Example(path)
		if example == "" {
			return
		}
		for line := range strings.Lines("Example:\n" + example) {
			r.indent(depth)
			r.b.WriteString("# " + line)
		}
	}
	r.b.WriteString(fileIntro)
	r.fields(reflect.ValueOf(Default()).Elem(), "", 0)
	return r.b.String()
}

// describe is a key's documentation with its limits.
func describe(f field) string {
	s := f.doc
	if values := undocumentedValues(f); len(values) > 0 {
		s += " (" + strings.Join(values, " | ") + ")"
	}
	if span := f.rules.span(); span != "" && span != notNegative {
		s += " (" + span + ")"
	}
	if f.restart {
		s += " (restart)"
	}
	return s
}

// undocumentedValues is the values of a key whose documentation does not name them.
func undocumentedValues(f field) []string {
	for _, values := range [][]string{f.rules.offered(), f.rules.keys} {
		for _, v := range values {
			if v != "" && !strings.Contains(f.doc, v) {
				return values
			}
		}
	}
	return nil
}

// isLeafType reports whether a key of this type takes one line.
func isLeafType(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct, reflect.Map:
		return false
	case reflect.Slice:
		return t.Elem().Kind() != reflect.Struct
	default:
		return true
	}
}

func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
