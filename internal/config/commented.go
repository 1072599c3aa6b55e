package config

import (
	"reflect"
	"strings"

	"go.yaml.in/yaml/v4"
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
	r := renderer{docs: true}
	all := r.section(reflect.ValueOf(Default()).Elem(), "")
	var b strings.Builder
	b.WriteString(fileIntro)
	afterSection := false
	for i := 0; i < len(all.Content); i += 2 {
		key, value := all.Content[i], all.Content[i+1]
		isSection := value.Kind != yaml.ScalarNode && value.Style&yaml.FlowStyle == 0 || key.FootComment != ""
		if isSection || afterSection {
			b.WriteByte('\n')
		}
		afterSection = isSection
		b.WriteString(printYAML(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, value}}))
	}
	return b.String()
}

// comment is lines as a comment.
func comment(lines []string) string { return "# " + strings.Join(lines, "\n# ") }

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
	for _, values := range [][]string{f.rules.oneOf, f.rules.keys} {
		for _, v := range values {
			if v != "" && !strings.Contains(f.doc, v) {
				return values
			}
		}
	}
	return nil
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
