package config

import (
	"errors"
	"strings"
)

// An expansion is a text with its ${NAME} replaced.
type expansion struct {
	text    string
	used    []string // variables that gave text to it
	missing []string // variables that are not set and have no default
}

var errExpansion = errors.New(
	"has a ${ without an end or without a name: write ${NAME}, ${NAME:-default}, or $$ for a dollar sign")

// expand replaces ${NAME} and ${NAME:-default}; the default holds where NAME is
// not set or empty, and may hold ${…} itself. $$ is a dollar sign; a $ before
// anything else stands for itself.
func expand(text string, env func(string) (string, bool)) (expansion, error) {
	return expandNested(text, env, 0)
}

const maxNestedExpansions = 8

func expandNested(text string, env func(string) (string, bool), depth int) (expansion, error) {
	var out expansion
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '$')
		if i < 0 || i == len(text)-1 {
			b.WriteString(text)
			break
		}
		b.WriteString(text[:i])
		switch text[i+1] {
		case '$':
			b.WriteByte('$')
			text = text[i+2:]
			continue
		case '{':
		default:
			b.WriteByte('$')
			text = text[i+1:]
			continue
		}
		end := closingBrace(text[i+2:])
		if end < 0 || depth > maxNestedExpansions {
			return out, errExpansion
		}
		inner := text[i+2 : i+2+end]
		text = text[i+2+end+1:]
		name, fallback, hasFallback := strings.Cut(inner, ":-")
		if !isEnvName(name) {
			return out, errExpansion
		}
		value, set := env(name)
		switch {
		case hasFallback && value == "":
			nested, err := expandNested(fallback, env, depth+1)
			if err != nil {
				return out, err
			}
			b.WriteString(nested.text)
			out.used = append(out.used, nested.used...)
			out.missing = append(out.missing, nested.missing...)
		case !set:
			out.missing = append(out.missing, name)
		default:
			b.WriteString(value)
			out.used = append(out.used, name)
		}
	}
	out.text = b.String()
	return out, nil
}

// closingBrace is the index of the brace that closes an expansion, past nested ones.
func closingBrace(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "${"):
			depth++
			i++
		case s[i] == '}' && depth == 0:
			return i
		case s[i] == '}':
			depth--
		}
	}
	return -1
}

func isEnvName(name string) bool {
	for i, r := range name {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// soundsSecret says whether a variable or argument name is one that usually holds a secret.
func soundsSecret(name string) bool {
	name = strings.ToUpper(name)
	for _, word := range []string{"KEY", "TOKEN", "SECRET", "PASS", "PWD", "CREDENTIAL", "AUTH", "COOKIE", "DSN"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}
