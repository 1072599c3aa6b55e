package guard

import (
	"slices"
	"strings"
)

// plainRuns are the command lines that the code starts, where each of them stands in it
// as it is; ok says that there is no other way in the code to start a program. Whatever
// is put together, has other names or is not understood is not plain.
func (s *scan) plainRuns() (lines []string, ok bool) {
	if s.large || s.has(strayNames...) != "" || !slices.Contains([]string{"python", "javascript", "ruby", "perl", "php", "awk"}, s.language) {
		return nil, false
	}
	if s.language == "awk" {
		return s.plainPipes()
	}
	imported := s.modules()
	if imported == nil {
		return nil, false
	}
	commands := map[int]bool{} // tokens that are part of a command
	for i, t := range s.tokens {
		switch {
		case t.kind == execToken && s.language != "javascript":
			if s.interpolated(t) {
				return nil, false
			}
			lines = append(lines, t.value)
		case t.kind == nameToken && s.starts(t.value) && !imported[i]:
			line, end, plain := s.literalCall(i)
			if !plain {
				return nil, false
			}
			lines = append(lines, line)
			for ; i < end; i++ {
				commands[i] = true
			}
		}
	}
	for i, t := range s.tokens {
		if t.kind == textToken && !commands[i] && !imported[i] && s.language != "python" && containsAny(t.value, "exec", "spawn", "system", "popen", "require", "child_process") {
			return nil, false // it may be code behind a quote that is none
		}
	}
	return lines, len(lines) > 0
}

// strayNames are ways to call what the code does not name, or to change where and how
// programs run.
var strayNames = []string{
	"eval", "exec_module", "getattr", "setattr", "__import__", "importlib", "__dict__", "__builtins__", "__getattribute__", "globals", "locals", "vars", "compile", "Function", "globalThis", "Reflect", "binding", "mainModule", "createRequire", "vm", "send", "public_send", "__send__", "method", "instance_eval", "class_eval", "const_get",
	"call_user_func", "call_user_func_array", "array_map", "environ", "putenv", "setenv", "chdir", "fchdir", "chroot", "ENV", "env", "ENVIRON", "q", "qq", "qx", "require_relative", "load", "assert", "create_function", "builtins", "operator", "partial", "map", "Open3", "pty", "PTY", "runpy", "ctypes", "mock",
}

// starts says whether a name is one that programs are started by.
func (s *scan) starts(name string) bool {
	switch name {
	case "execute":
		return false
	case "run", "call":
		return s.language == "python"
	case "exec", "spawn", "fork":
		return true
	}
	return slices.Contains(runners, name)
}

// modules are the places where the code loads what starts programs under its own name;
// nil: it has another one.
func (s *scan) modules() map[int]bool {
	places := map[int]bool{}
	if s.language == "python" {
		return s.pythonModules(places)
	}
	if s.language == "javascript" {
		return s.nodeModules(places)
	}
	return places
}

// pythonModules looks at import subprocess, and at from subprocess import run.
func (s *scan) pythonModules(places map[int]bool) map[int]bool {
	loads, from := false, false // in an import; and in one of names of these modules
	for i, t := range s.tokens {
		before, next := s.token(i-1).value, s.token(i+1).value
		switch {
		case t.kind == lineToken || t.kind == markToken && t.value == ";":
			loads, from = false, false
		case from && t.value == "*", loads && t.value == "as" && (from || before == "subprocess" || before == "os"):
			return nil
		case t.kind != nameToken:
		case t.value == "import":
			from = before == "subprocess" || before == "os"
			loads = true
		case loads || before == "from":
		case t.value == "subprocess":
			if after := s.token(i + 2).value; next != "." || !s.starts(after) && !slices.Contains(processValues, after) {
				return nil
			}
		}
		if from {
			places[i] = true
		}
	}
	return places
}

// processValues are names of subprocess that start nothing.
var processValues = []string{"PIPE", "DEVNULL", "STDOUT", "CalledProcessError", "TimeoutExpired", "CompletedProcess", "SubprocessError"}

// nodeModules looks at require('child_process'), and at import … from 'child_process'.
func (s *scan) nodeModules(places map[int]bool) map[int]bool {
	aliases := map[string]int{}
	for i, t := range s.tokens {
		if t.kind == nameToken && t.value == "require" && (s.token(i+1).value != "(" || s.token(i+2).kind != textToken || s.token(i+3).value != ")") || t.value == "import" && t.kind == nameToken && s.token(i+1).value == "(" {
			return nil
		}
		if t.kind != textToken || t.value != "child_process" && t.value != "node:child_process" {
			continue
		}
		places[i] = true
		target := i - 2 // the end of what is loaded: in front of from
		if s.token(i-1).value == "(" {
			if s.token(i+2).value == "." {
				if !s.starts(s.token(i + 3).value) {
					return nil
				}
				continue
			}
			if target = i - 4; s.token(i-3).value != "=" || s.token(i+2).kind == markToken && s.token(i+2).value != ";" {
				return nil
			}
		} else if s.token(i-1).value != "from" {
			return nil
		}
		switch name := s.token(target); {
		case name.value == "}":
			for at := target - 1; at >= 0 && s.tokens[at].value != "{"; at-- {
				if one := s.tokens[at]; one.kind == nameToken && !s.starts(one.value) || one.kind != nameToken && one.value != "," && one.kind != lineToken {
					return nil
				}
				places[at] = true
			}
		case name.kind == nameToken:
			aliases[name.value] = target
		default:
			return nil
		}
	}
	for i, t := range s.tokens {
		if at, isAlias := aliases[t.value]; isAlias && t.kind == nameToken && i != at && (s.token(i+1).value != "." || !s.starts(s.token(i+2).value)) {
			return nil
		}
	}
	return places
}

// token is one token, or the end of a line where there is none.
func (s *scan) token(i int) token {
	if i < 0 || i >= len(s.tokens) {
		return token{kind: lineToken}
	}
	return s.tokens[i]
}

// interpolated says whether a text has parts that are filled in.
func (s *scan) interpolated(t token) bool {
	switch s.language {
	case "ruby":
		return strings.Contains(t.value, "#{") || strings.Contains(t.value, "#$") || strings.Contains(t.value, "#@")
	case "perl", "php":
		return strings.ContainsAny(t.value, "$@{")
	}
	return len(t.inner) > 0 || strings.ContainsAny(t.value, hole+"\x01")
}

func containsAny(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}
