package guard

import (
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// runs says whether a function starts a program. Python's modules may have
// other names in the code.
func (s *scan) runs(name string) bool {
	if runsCommands(s.language, name) {
		return true
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	return s.language == "python" && (last == "run" || last == "call") && slices.ContainsFunc(s.tokens, func(t token) bool { return t.kind == nameToken && t.value == "subprocess" })
}

// has says whether the code has one of some names, and which.
func (s *scan) has(names ...string) string {
	for _, t := range s.tokens {
		if t.kind == nameToken && slices.Contains(names, t.value) {
			return t.value
		}
	}
	return ""
}

// environment says how the environment is used: one variable of it, or all.
func (s *scan) environment(name string) string {
	if s.is("[") || s.is(".") && s.peek(1).kind == nameToken && !slices.Contains([]string{"items", "copy", "values", "keys", "toObject"}, s.peek(1).value) || s.is("=") {
		return name
	}
	return "environment*"
}

// item is what stands in square brackets behind a value.
func (s *scan) item(name, value string, ok bool) (string, bool) {
	start := s.at
	list := s.list("]")
	if strings.HasSuffix(name, "environ") && len(list) == 1 && (list[0] == "HOME" || list[0] == "USERPROFILE") {
		return "~", true
	}
	var source strings.Builder
	for _, t := range s.tokens[start:min(s.at, start+6)] {
		source.WriteString(t.value)
	}
	if ok && source.String() == "::-1]" {
		return reverse(value), true
	}
	return "", false
}

func reverse(text string) string {
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}

// called is what a function gives back, where it is a text that can be known.
func (s *scan) called(name, receiver string, isText bool, args []string) (string, bool) {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if s.runs(name) {
		s.commands = append(s.commands, strings.Join(args, " "))
	}
	if last == "open" && s.language == "perl" {
		for _, arg := range args {
			if trimmed := strings.TrimSpace(arg); strings.HasSuffix(trimmed, "|") || strings.HasPrefix(trimmed, "|") || trimmed == "-|" || trimmed == "|-" {
				s.calls, s.commands = append(s.calls, "system"), append(s.commands, strings.Trim(trimmed, "|- "))
			}
		}
	}
	if last == "getattr" && len(args) > 1 && slices.Contains(runners, args[1]) {
		s.calls = append(s.calls, "os."+args[1])
	}
	switch {
	case last == "join" && strings.Contains(name, "path"):
		value := ""
		for _, arg := range args {
			value = joinPath(value, arg)
		}
		return clip(value), true
	case last == "join" && isText:
		return clip(strings.Join(args, receiver)), true
	case last == "Path" || last == "PurePath" || last == "PosixPath" || last == "PurePosixPath":
		value := ""
		for _, arg := range args {
			value = joinPath(value, arg)
		}
		return clip(value), len(args) > 0
	case last == "home" && len(args) == 0 && strings.Contains(name, "Path"), last == "homedir":
		return "~", true
	case last == "joinpath" && isText:
		for _, arg := range args {
			receiver = joinPath(receiver, arg)
		}
		return clip(receiver), true
	case last == "with_name" && isText && len(args) == 1:
		return joinPath(receiver[:strings.LastIndexByte(receiver, '/')+1], args[0]), true
	case (last == "getenv" || strings.HasSuffix(name, "environ.get")) && len(args) > 0 && (args[0] == "HOME" || args[0] == "USERPROFILE"):
		return "~", true
	case slices.Contains([]string{"expanduser", "expandvars", "abspath", "realpath", "normpath", "fspath", "str", "resolve", "absolute", "strip", "encode", "decode", "as_posix", "lower", "fsdecode", "fsencode"}, last):
		if isText && len(args) <= 1 && !(len(args) == 1 && strings.Contains(name, "path.")) {
			return receiver, true
		}
		if len(args) > 0 {
			return args[0], args[0] != hole
		}
	case last == "replace" && isText && len(args) == 2 && args[0] != "":
		return clip(strings.ReplaceAll(receiver, args[0], args[1])), true
	case last == "format" && isText:
		return fill(receiver, args), true
	case last == "b64decode" || last == "decodestring" || last == "atob" || last == "base64_decode":
		if len(args) > 0 {
			if decoded, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(args[0], "=")); err == nil {
				s.texts = append(s.texts, string(decoded))
				return string(decoded), true
			}
		}
	case last == "fromhex" || last == "unhexlify":
		if len(args) > 0 {
			if decoded, err := hex.DecodeString(strings.ReplaceAll(args[0], " ", "")); err == nil {
				s.texts = append(s.texts, string(decoded))
				return string(decoded), true
			}
		}
	case last == "chr" && s.at >= 2:
		if t := s.tokens[s.at-2]; t.kind == numberToken {
			if n, err := strconv.ParseInt(t.value, 0, 32); err == nil {
				return string(rune(n)), true
			}
		}
	}
	return "", false
}
