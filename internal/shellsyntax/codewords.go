package shellsyntax

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// readsProgram says whether an interpreter reads its program: it is given neither
// code nor a file, nor a module.
func (z *analyzer) readsProgram(name string, args []*syntax.Word) bool {
	language := Language(name)
	for _, arg := range args {
		lit := z.x.written(arg)
		switch inline, _ := codeFlag(language, lit); {
		case lit == "-" || isInput(lit):
			return true
		case language == "awk", inline, lit == "-m", !strings.HasPrefix(lit, "-"):
			return false
		}
	}
	return true
}

// interpreterCode are the words that an interpreter reads as code.
func (z *analyzer) interpreterCode(name string, args []*syntax.Word) []*syntax.Word {
	language := Language(name)
	for i, arg := range args[:max(0, len(args)-1)] {
		if inline, glued := codeFlag(language, z.x.written(arg)); inline && glued == "" {
			return args[i+1 : i+2]
		}
	}
	return nil
}

// codeWords are the words that a shell or eval reads as code.
func (z *analyzer) codeWords(name string, args []*syntax.Word) []*syntax.Word {
	if !IsShell(name) {
		return args
	}
	for i, arg := range args {
		if !z.could(arg, isCodeOption) {
			continue
		}
		for i++; i < len(args); i++ {
			if lit := z.x.written(args[i]); !strings.HasPrefix(lit, "-") && !strings.HasPrefix(lit, "+") {
				return args[i : i+1]
			}
		}
	}
	return nil
}

// isCodeOption says whether a word makes a shell run the word behind its options.
func isCodeOption(word string) bool {
	return strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.Contains(word, "c") || word == "--command"
}

// readsCode says whether a shell without a file runs what it reads.
func (z *analyzer) readsCode(args []*syntax.Word) bool {
	return slices.ContainsFunc(z.variants(args), func(words []Word) bool {
		for i := 0; i < len(words); i++ {
			switch word := words[i].Value; {
			case word == "-" || isInput(word):
				return true
			case word == "--version" || word == "--help" || isCodeOption(word):
				return false
			case word == "-o", word == "+o", word == "-O", word == "+O", word == "--rcfile", word == "--init-file":
				i++
			case strings.HasPrefix(word, "+"), strings.HasPrefix(word, "--"):
			case strings.HasPrefix(word, "-"):
				if strings.Contains(word, "s") {
					return true
				}
			default:
				return false
			}
		}
		return true
	})
}
