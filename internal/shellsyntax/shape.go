package shellsyntax

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// shape is how a word is put together.
type shape struct {
	substitutions, parameters int
	ifs                       bool
	escapes                   bool // codes of plain characters in $'…'
	needless                  bool // quotes or backslashes that nothing needs
	braces                    bool
	glob                      bool // an extended pattern: @(a|b)
	mixed                     bool // variables side by side with letters or each other
}

func shapeOf(word *syntax.Word) shape {
	var s shape
	quotes, others := 0, 0
	var look func(parts []syntax.WordPart, quoted bool)
	previous := ""
	extended := false
	look = func(parts []syntax.WordPart, quoted bool) {
		for _, part := range parts {
			kind := "text"
			switch part := part.(type) {
			case *syntax.Lit:
				others++
				if !quoted {
					s.braces = s.braces || strings.Contains(part.Value, "{")
					s.needless = s.needless || needlessBackslash(part.Value)
				}
				if previous == "variable" && part.Value != "" && isNameByte(part.Value[0]) {
					s.mixed = true
				}
				if part.Value == "" || !isNameByte(part.Value[len(part.Value)-1]) {
					kind = "separator"
				}
			case *syntax.SglQuoted:
				quotes++
				if part.Dollar && (codesPlain(part.Value) || isPlain(part.Value)) {
					s.escapes = true
				}
				if previous == "variable" {
					s.mixed = true
				}
			case *syntax.DblQuoted:
				quotes++
				s.escapes = s.escapes || part.Dollar
				if len(part.Parts) > 0 {
					look(part.Parts, true)
					continue
				}
			case *syntax.ParamExp:
				s.parameters++
				kind = "variable"
				if part.Param != nil && part.Param.Value == "IFS" {
					s.ifs = true
				}
				if previous == "variable" || previous == "text" || part.Slice != nil || part.Repl != nil || part.Excl {
					s.mixed = true
				}
			case *syntax.CmdSubst, *syntax.ProcSubst:
				s.substitutions++
			case *syntax.ExtGlob:
				extended = true
			}
			previous = kind
		}
	}
	look(word.Parts, false)
	if quotes > 0 && len(word.Parts) > 1 {
		s.needless = true
	}
	s.glob = extended
	return s
}

// needlessBackslash finds a backslash in front of a letter inside a word.
func needlessBackslash(value string) bool {
	for i := 1; i+1 < len(value); i++ {
		if value[i] == '\\' {
			if isNameByte(value[i+1]) {
				return true
			}
			i++
		}
	}
	return false
}

// codesPlain says whether $'…' writes letters as codes.
func codesPlain(value string) bool {
	for i := 0; i+1 < len(value); i++ {
		if value[i] != '\\' {
			continue
		}
		if c := value[i+1]; c == 'x' || c == 'u' || c == 'U' || c >= '0' && c <= '7' {
			base, most := 16, map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			if most == 0 {
				base, most = 8, 2
			}
			end := i + 2
			for end < len(value) && end < i+2+most && isDigit(value[end], base) {
				end++
			}
			if decoded, known := ansi(value[i:end]); known && len(decoded) == 1 && decoded[0] > ' ' && decoded[0] < 0x7f {
				return true
			}
		}
		i++
	}
	return false
}
