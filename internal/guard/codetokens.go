package guard

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// tokenKind is what a token of code is.
type tokenKind byte

const (
	nameToken tokenKind = iota
	textToken           // a string literal
	numberToken
	markToken // operators and brackets, one character each
	lineToken // the end of a line
	execToken // a literal in backquotes, which some languages run
)

// token is one piece of code. Of a text the value is what it means; formatted
// parts, which are not known, are a *.
type token struct {
	kind  tokenKind
	value string
	// inner is the source of the expressions in a formatted text.
	inner []string
}

// maxTokens bounds the work on one piece of code.
const maxTokens = 20000

// tokenize takes code apart. It knows Python's string literals, and of other
// languages what they have in common.
func tokenize(language, code string) []token {
	t := &tokenizer{language: language, code: code}
	for t.at < len(code) && len(t.tokens) < maxTokens {
		t.next()
	}
	return t.tokens
}

type tokenizer struct {
	language string
	code     string
	at       int
	tokens   []token
}

func (t *tokenizer) add(kind tokenKind, value string) {
	t.tokens = append(t.tokens, token{kind: kind, value: value})
}

func (t *tokenizer) next() {
	c := t.code[t.at]
	switch {
	case c == '\n':
		t.add(lineToken, "\n")
		t.at++
	case c == ' ' || c == '\t' || c == '\r' || c == '\\':
		t.at++
	case c == '#' && t.language != "javascript", c == '/' && t.language == "javascript" && strings.HasPrefix(t.code[t.at:], "//"):
		if end := strings.IndexByte(t.code[t.at:], '\n'); end >= 0 {
			t.at += end
		} else {
			t.at = len(t.code)
		}
	case c == '\'' || c == '"':
		t.text("", c)
	case c == '`' && t.language != "python":
		t.text("", c)
	case c == '%' && t.language == "ruby" && strings.HasPrefix(t.code[t.at:], "%x") && t.at+2 < len(t.code):
		t.quotedCommand()
	case c == '/' && t.language != "python" && t.operand():
		t.pattern()
	case isNameStart(c) || c >= utf8.RuneSelf:
		t.name()
	case c >= '0' && c <= '9':
		end := t.at
		for end < len(t.code) && (isNamePart(t.code[end]) || t.code[end] == '.') {
			end++
		}
		t.add(numberToken, t.code[t.at:end])
		t.at = end
	default:
		t.add(markToken, string(c))
		t.at++
	}
}

func isNameStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '$'
}

func isNamePart(c byte) bool {
	return isNameStart(c) || c >= '0' && c <= '9' || c >= utf8.RuneSelf
}

// operand says whether a value may begin here, so that a slash begins a pattern.
func (t *tokenizer) operand() bool {
	if len(t.tokens) == 0 {
		return true
	}
	last := t.tokens[len(t.tokens)-1]
	switch last.kind {
	case lineToken:
		return true
	case markToken:
		return last.value != ")" && last.value != "]"
	case nameToken:
		return last.value == "return" || last.value == "if" || last.value == "and" || last.value == "or" || last.value == "split" || last.value == "s" || last.value == "m" || last.value == "tr" || last.value == "y"
	}
	return false
}

// pattern goes over a regular expression.
func (t *tokenizer) pattern() {
	for i := t.at + 1; i < len(t.code) && t.code[i] != '\n'; i++ {
		switch t.code[i] {
		case '\\':
			i++
		case '/':
			t.at = i + 1
			t.add(textToken, "")
			return
		}
	}
	t.add(markToken, "/")
	t.at++
}

// quotedCommand reads Ruby's %x(…).
func (t *tokenizer) quotedCommand() {
	end := map[byte]byte{'(': ')', '{': '}', '[': ']', '<': '>'}[t.code[t.at+2]]
	if end == 0 {
		end = t.code[t.at+2]
	}
	rest := t.code[t.at+3:]
	if cut := strings.IndexByte(rest, end); cut >= 0 {
		rest = rest[:cut]
	}
	t.add(execToken, rest)
	t.at = min(t.at+3+len(rest)+1, len(t.code))
}

// name reads a name, or the letters in front of a string literal.
func (t *tokenizer) name() {
	end := t.at
	for end < len(t.code) && isNamePart(t.code[end]) {
		if end > t.at && t.code[end] == '$' && t.code[t.at] != '$' && t.language != "javascript" {
			break // system$x of Perl
		}
		end++
	}
	word := t.code[t.at:end]
	if t.language == "python" && end < len(t.code) && (t.code[end] == '\'' || t.code[end] == '"') && len(word) <= 2 && strings.Trim(strings.ToLower(word), "rbuft") == "" {
		t.at = end
		t.text(strings.ToLower(word), t.code[end])
		return
	}
	t.add(nameToken, word)
	t.at = end
}

// text reads a string literal that begins with a quote.
func (t *tokenizer) text(prefix string, quote byte) {
	mark := string(quote)
	if t.language == "python" && strings.HasPrefix(t.code[t.at:], strings.Repeat(mark, 3)) {
		mark = strings.Repeat(mark, 3)
	}
	start := t.at + len(mark)
	end := start
	for end < len(t.code) && !strings.HasPrefix(t.code[end:], mark) {
		if t.code[end] == '\n' && len(mark) == 1 && t.language == "python" {
			break // a literal that is not closed
		}
		if t.code[end] == '\\' {
			end++
		}
		end++
	}
	end = min(end, len(t.code))
	raw := t.code[start:end]
	t.at = min(end+len(mark), len(t.code))
	one := token{kind: textToken, value: raw}
	if !strings.Contains(prefix, "r") && (quote != '\'' || t.language == "python" || t.language == "javascript") {
		one.value = unescapeCode(raw)
	}
	if strings.ContainsAny(prefix, "ft") {
		one.value, one.inner = formatted(one.value)
	}
	if quote == '`' {
		one.kind = execToken
	}
	t.tokens = append(t.tokens, one)
}

// formatted replaces the expressions of an f-string by *.
func formatted(text string) (string, []string) {
	var out strings.Builder
	var inner []string
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] != '{' && text[i] != '}':
			out.WriteByte(text[i])
		case i+1 < len(text) && text[i+1] == text[i]:
			out.WriteByte(text[i])
			i++
		case text[i] == '{':
			depth, end := 1, i+1
			for end < len(text) && depth > 0 {
				switch text[end] {
				case '{':
					depth++
				case '}':
					depth--
				}
				end++
			}
			if len(inner) < 16 {
				inner = append(inner, text[i+1:max(i+1, end-1)])
			}
			out.WriteString(hole)
			i = end - 1
		}
	}
	return out.String(), inner
}

// hole stands for a part of a text that is not known.
const hole = "\x00"

// unescapeCode decodes the backslashes of a string literal.
func unescapeCode(raw string) string {
	if !strings.Contains(raw, `\`) {
		return raw
	}
	var out strings.Builder
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' || i+1 >= len(raw) {
			out.WriteByte(raw[i])
			continue
		}
		i++
		switch c := raw[i]; c {
		case '\n':
		case 'n':
			out.WriteByte('\n')
		case 't':
			out.WriteByte('\t')
		case 'r':
			out.WriteByte('\r')
		case 'x', 'u', 'U':
			digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			if i+digits < len(raw) {
				if n, err := strconv.ParseUint(raw[i+1:i+1+digits], 16, 32); err == nil {
					out.WriteRune(rune(n))
					i += digits
					continue
				}
			}
			out.WriteByte(c)
		case 'N':
			out.WriteByte('*')
			if end := strings.IndexByte(raw[i:], '}'); end > 0 {
				i += end
			}
		default:
			if c < '0' || c > '7' {
				out.WriteByte(c)
				continue
			}
			end := i
			for end < len(raw) && end < i+3 && raw[end] >= '0' && raw[end] <= '7' {
				end++
			}
			n, _ := strconv.ParseUint(raw[i:end], 8, 16)
			out.WriteRune(rune(n))
			i = end - 1
		}
	}
	return out.String()
}
