package shellsyntax

import "strings"

// maxRecipe bounds what a line of a makefile becomes: variables may stand for others.
const maxRecipe = 8 << 10

// makefile looks at the recipes of a makefile that the line writes.
func (z *analyzer) makefile(text string, via []string, depth int) {
	variables := map[string]string{}
	for line := range strings.SplitSeq(text, "\n") {
		if recipe, ok := strings.CutPrefix(line, "\t"); ok {
			if recipe = recipeLine(recipe, variables); len(recipe) >= maxRecipe {
				z.x.large = true
			}
			z.script(recipe, via, depth)
			continue
		}
		if name, value, found := strings.Cut(line, "="); found {
			if name = strings.TrimSpace(strings.TrimRight(name, ":?+ ")); isName(name) && len(variables) < 256 && len(value) < 1024 {
				variables[name] = recipeLine(value, variables)
			}
		}
	}
}

// recipeLine is a line of a makefile's recipe as the shell gets it, as far as the
// makefile's own variables are like those of the environment.
func recipeLine(line string, variables map[string]string) string {
	line = strings.TrimLeft(line, "@-+ \t")
	var out strings.Builder
	for i := 0; i < len(line) && out.Len() < maxRecipe; i++ {
		if line[i] != '$' || i+1 == len(line) {
			out.WriteByte(line[i])
			continue
		}
		i++
		if line[i] == '$' {
			out.WriteByte('$')
			continue
		}
		if end := strings.IndexByte(line[i:], ')'); line[i] == '(' && end > 0 && isName(line[i+1:i+end]) {
			name := line[i+1 : i+end]
			if value, set := variables[name]; set {
				out.WriteString(value)
			} else {
				out.WriteString("${" + name + "}")
			}
			i += end
			continue
		}
		out.WriteByte('$')
		out.WriteByte(line[i])
	}
	return out.String()
}
