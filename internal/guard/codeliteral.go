package guard

import (
	"slices"
	"strings"
)

// literalCall is the command line of a call that starts a program, where all of it is
// literals: "git log", ["git", "log"], "git", ["log"]. end is the place behind the call.
func (s *scan) literalCall(i int) (line string, end int, ok bool) {
	at := i + 1
	bracket := s.token(at).value == "(" && s.token(at).kind == markToken
	if bracket {
		at++
	} else if s.language != "ruby" && s.language != "perl" {
		return "", 0, false
	}
	var words []string
	list, text := false, false
	switch t := s.token(at); {
	case t.kind == textToken && !s.interpolated(t):
		words, text = append(words, t.value), true
		at++
	case t.value == "[" && t.kind == markToken && s.language == "python":
		if words, at, ok = s.literals(at); !ok || len(words) == 0 {
			return "", 0, false
		}
		list = true
	default:
		return "", 0, false
	}
	for text && s.isMark(at, ",") {
		next := s.token(at + 1)
		switch {
		case s.language == "javascript" && next.value == "[" && next.kind == markToken:
			more, behind, plain := s.literals(at + 1)
			if !plain {
				return "", 0, false
			}
			words, at, list, text = append(words, more...), behind, true, false
			continue
		case (s.language == "ruby" || s.language == "perl") && next.kind == textToken && !s.interpolated(next):
			words, at, list = append(words, next.value), at+2, true
			continue
		}
		break
	}
	if bracket {
		if at, ok = s.options(at, list); !ok {
			return "", 0, false
		}
	} else if t := s.token(at); t.kind != lineToken && t.value != ";" && t.value != "}" {
		return "", 0, false
	}
	if !list {
		return words[0], at, true
	}
	for n, word := range words {
		words[n] = quotedWord(word)
	}
	return strings.Join(words, " "), at, true
}

// literals reads a list of literals; sys.executable is the interpreter itself.
func (s *scan) literals(at int) (words []string, end int, ok bool) {
	for at++; ; {
		t := s.token(at)
		switch {
		case t.kind == markToken && t.value == "]":
			return words, at + 1, true
		case t.kind == textToken && !s.interpolated(t):
			words = append(words, t.value)
			at++
		case len(words) == 0 && t.value == "sys" && s.isMark(at+1, ".") && s.token(at+2).value == "executable":
			words = append(words, "python3")
			at += 3
		default:
			return nil, 0, false
		}
		switch {
		case s.isMark(at, ","):
			at++
		case !s.isMark(at, "]"):
			return nil, 0, false
		}
		for at < len(s.tokens) && s.tokens[at].kind == lineToken {
			at++
		}
	}
}

// callOptions are the names that options of a call may have, and callValues their values.
var (
	callOptions = []string{"text", "capture_output", "check", "stdout", "stderr", "timeout", "universal_newlines", "encoding", "errors", "bufsize", "stdio", "maxBuffer", "windowsHide", "ignore_errors", "missing_ok", "recursive", "force", "maxRetries"}
	callValues  = []string{"True", "False", "None", "true", "false", "null", "undefined", "subprocess", "PIPE", "DEVNULL", "STDOUT"}
)

// options goes over the other arguments of a call, up to its end. Those that say which
// program runs, where, or what it reads, are none that it knows.
func (s *scan) options(at int, list bool) (end int, ok bool) {
	if s.isMark(at, ")") {
		return at + 1, true
	}
	if !s.isMark(at, ",") {
		return 0, false
	}
	for at++; at < len(s.tokens); at++ {
		t := s.tokens[at]
		switch {
		case t.kind == markToken && t.value == ")":
			return at + 1, true
		case t.kind == markToken && strings.Contains(",={}:.[]", t.value), t.kind == numberToken, t.kind == lineToken:
		case t.kind == textToken && len(t.inner) == 0:
		case t.kind == nameToken && (slices.Contains(callOptions, t.value) || slices.Contains(callValues, t.value)):
		case t.kind == nameToken && t.value == "shell" && s.language == "python" && !list && s.isMark(at+1, "=") && s.token(at+2).kind == nameToken:
		default:
			return 0, false
		}
	}
	return 0, false
}

func (s *scan) isMark(at int, mark string) bool {
	t := s.token(at)
	return t.kind == markToken && t.value == mark
}

// quotedWord is a text as one word of a shell.
func quotedWord(text string) string {
	plain := text != ""
	for i := range len(text) {
		c := text[i]
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_./:@%+,=", c) >= 0) || c == '=' && i == 0 {
			plain = false
			break
		}
	}
	if plain {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
