package redact

import (
	"regexp"
	"strings"
)

// readSeparator reads what stands between the name and the value.
func (a *assignment) readSeparator() bool {
	text := a.text
	i := afterQuote(text, a.nameEnd)
	a.quotedName = i > a.nameEnd
	if i < len(text) && a.quotedName && (text[i] == ']' || text[i] == ')' && i+1 < len(text) && text[i+1] != ',') {
		i++
	}
	if i < len(text) && (text[i] == '?' || text[i] == '!') {
		i++
	}
	if i < len(text) && text[i] == '[' { // char password[32] = …
		if end := runEnd(text, i+1, isDigit); end < len(text) && end-i < 8 && text[end] == ']' {
			i = end + 1
		} else if a.atEnd(end) {
			return a.wait(len(text))
		}
	}
	gap := i
	for i < len(text) && i-gap < maxGap && is(text[i], isSpace) {
		i++
	}
	if a.atEnd(i) {
		return a.wait(len(text))
	}
	if i >= len(text) {
		return false
	}
	if n := a.number(i); n > 0 && i > gap { // Unseal Key 1: …
		i += n
	}
	a.at = i
	spaced := i > gap
	switch c := text[i]; {
	case c == '=' || strings.IndexByte(":!?+.|", c) >= 0:
		return a.readOperator(spaced)
	case c == '<' && a.follows('>'):
		return a.readProperty()
	case (c == '>' || spaced) && a.namesElement(), c == '>' && !spaced && a.quotedName:
		return a.readElement()
	case c == '(' && !spaced && !a.quotedName:
		a.form = sepCall
		a.at++
	case c >= 0x80:
		return a.readIs()
	case a.quotedName || c == ',' || c == '\n' || c == '\r':
		if c == ',' && a.isArgument() {
			a.form = sepArg
			a.at++
			break
		}
		return a.readPair()
	case !spaced && text[a.name] < 0x80 || a.follows('$') || text[a.name] == '$':
		return false
	case spaced && strings.HasPrefix(text[i:], "- "):
		a.at, a.form = i+2, sepSpace
	case a.isFlag(), a.isNetrc():
		a.form = sepFlag
	case strings.HasSuffix(text[:a.name], "ENV ") || strings.HasSuffix(text[:a.name], "setenv "):
		a.form = sepEnv
	default:
		return a.readIs()
	}
	return a.skipBlanks()
}

// follows says whether c stands right before the name, perhaps with a '/'.
func (a *assignment) follows(c byte) bool { return a.name > 0 && a.text[a.name-1] == c }

// isFlag says whether the name is a flag of a command: -p, --password.
func (a *assignment) isFlag() bool {
	return a.text[a.name] == '-' && (a.name == 0 || a.text[a.name-1] <= ' ' || strings.IndexByte("\"'[`(|",
		a.text[a.name-1]) >= 0)
}

// netrc is what stands before the password in ~/.netrc (see ftp(1)).
var netrc = regexp.MustCompile(`(?:\bmachine\s+\S+|\bdefault)\s+(?:login|user)\s+\S+\s+$`)

func (a *assignment) isNetrc() bool {
	if a.text[a.name:a.nameEnd] != "password" {
		return false
	}
	before := a.text[max(0, a.name-margin/2):a.name]
	words := strings.TrimRight(before, " \t\r\n")
	words = strings.TrimRight(words[:1+strings.LastIndexAny(words, " \t\r\n")], " \t\r\n")
	return (strings.HasSuffix(words, "login") || strings.HasSuffix(words, "user")) && netrc.MatchString(before)
}

// number is the length of a number before a colon at i.
func (a *assignment) number(i int) int {
	n := runEnd(a.text, i, isDigit) - i
	if n > 2 || i+n >= len(a.text) || a.text[i+n] != ':' {
		return 0
	}
	return n
}

// isArgument says whether the quoted name is the first argument of a call, or a
// flag in a list of arguments.
func (a *assignment) isArgument() bool {
	if a.text[a.name] == '-' {
		return true
	}
	if !a.quotedName { // setopt(handle, PASSWORD, "…")
		i := len(strings.TrimRight(a.text[:a.name], " \t\n"))
		return a.isEnv() && i > 0 && (a.text[i-1] == ',' || a.text[i-1] == '(')
	}
	i := a.name
	for i > 0 && (a.text[i-1] == '\\' || a.text[i-1] == '"' || a.text[i-1] == '\'') {
		i--
	}
	for i > 0 && is(a.text[i-1], isSpace) {
		i--
	}
	return i < a.name && i > 0 && a.text[i-1] == '('
}

// namesElement says whether the name is that of a start tag: <name, <ns:name.
func (a *assignment) namesElement() bool {
	i := a.name
	if a.follows(':') {
		i = runStart(a.text, i-1, isAlnum, maxGap)
	}
	return i > 0 && a.text[i-1] == '<'
}

// readElement goes on to the content of an XML element, which may stand on a line of
// its own, or after the name of an attribute: <name lang="en">value.
func (a *assignment) readElement() bool {
	text := a.text
	i, limit := a.at, min(len(text), a.at+2*maxGap)
	for i < limit && strings.IndexByte("<>\n", text[i]) < 0 {
		i++
	}
	if a.atEnd(i) && i < a.at+2*maxGap {
		return a.wait(len(text))
	}
	if i == limit || text[i] != '>' || text[i-1] == '/' {
		return false
	}
	a.form = sepMarkup
	a.at = i + 1
	return a.skipBlanks()
}

// readProperty goes on to the value in a property list: <key>name</key> <string>value.
func (a *assignment) readProperty() bool {
	for _, tag := range [...]string{"</key>", "<string>"} {
		a.at = len(a.text) - len(strings.TrimLeft(a.text[a.at:], " \t\r\n"))
		rest := a.text[a.at:]
		if a.open && len(rest) < len(tag) && strings.HasPrefix(tag, rest) {
			return a.wait(len(a.text))
		}
		if !strings.HasPrefix(rest, tag) {
			return false
		}
		a.at += len(tag)
	}
	a.form = sepMarkup
	return a.skipBlanks()
}

var operators = set("= == === != !== => : := ::= :::= ?= ??= += .= ||=")

const longestOperator = 4

// readOperator reads one of the operators and says how it joins.
func (a *assignment) readOperator(spaced bool) bool {
	text := a.text
	i := a.at
	for i < len(text) && i-a.at < longestOperator && strings.IndexByte("=:!?+>.|", text[i]) >= 0 {
		i++
	}
	if a.atEnd(i) {
		return a.wait(a.at) // its end may begin the value
	}
	operator := text[a.at:i]
	for !operators[operator] {
		if operator == "" {
			return false
		}
		operator = operator[:len(operator)-1] // the rest begins the value
	}
	i = a.at + len(operator)
	a.form = sepEqual
	if operator == ":" {
		a.form = sepColon
	}
	a.at = i
	if a.form == sepEqual && operator != "=>" && !spaced && i < len(text) && !is(text[i], isSpace) {
		a.form = sepTight
		if operator == "=" && a.isEnv() {
			a.form = sepEnv
		}
	}
	return a.skipBlanks()
}

// isEnv says whether the name is that of an environment variable at its place.
func (a *assignment) isEnv() bool {
	for i := a.name; i < a.nameEnd; i++ {
		if !is(a.text[i], isUpper|isDigit|isUnderscore) {
			return false
		}
	}
	return a.name == 0 || strings.IndexByte("?&;/.-", a.text[a.name-1]) < 0
}

// joining are the words that join a name and its value in a sentence; where one
// begins with another, the longer one comes first.
var joining = [...]string{
	"는 ", "는", "은 ", "은", "は", "是", "设置为", "设为", "改为", "重置为", "为", "為", "：", "＝",
	"is set to ", "is: ", "is ", "was set to ", "was ", "has been set to ", "set to ", "changed to ", "reset to ",
	"by ", "BY ",
}

// colon is the length of the colon at the begin of s, or 0.
func colon(s string) int {
	for _, colon := range [...]string{"：", ":"} {
		if strings.HasPrefix(s, colon) {
			return len(colon)
		}
	}
	return 0
}

// readIs reads the words that join in sentences: "is", 是, 为; or a blank alone.
func (a *assignment) readIs() bool {
	text := a.text
	for _, word := range joining {
		rest := text[a.at:]
		if a.open && len(rest) < len(word) && strings.HasPrefix(word, rest) {
			return a.wait(a.at) // it may be the value
		}
		if strings.HasPrefix(rest, word) {
			a.form = sepIs
			if word == "：" || word == "＝" {
				a.form = sepColon
			}
			a.at += len(word)
			a.at += colon(text[a.at:])
			return a.skipBlanks()
		}
	}
	if text[a.at] >= 0x80 && !openingQuote(text[a.at:]) {
		return false
	}
	a.form = sepSpace
	return a.skipBlanks()
}

// readPair reads the second half of {"name": "PASSWORD", "value": …}, in JSON, YAML and XML.
func (a *assignment) readPair() bool {
	const word = "value"
	text := a.text
	i := a.at
	for i < len(text) && i-a.at < maxGap && strings.IndexByte(" \t\r\n,;\\\"'", text[i]) >= 0 {
		i++
	}
	n := 0
	for n < len(word) && i+n < len(text) && lower(text[i+n]) == word[n] {
		n++
	}
	if n < len(word) && i+n == len(text) && a.open {
		return a.wait(len(text))
	}
	if n < len(word) {
		return false
	}
	i = afterQuote(text, i+n)
	for i < len(text) && is(text[i], isSpace) && i-a.at < 2*maxGap {
		i++
	}
	if a.atEnd(i) {
		return a.wait(len(text))
	}
	if i >= len(text) || text[i] != '=' && text[i] != ':' {
		return false
	}
	a.form = sepPair
	a.at = i + 1
	return a.skipBlanks()
}

// skipBlanks goes on to the value, also into a YAML block.
func (a *assignment) skipBlanks() bool {
	text := a.text
	i := a.at
	lines := a.form == sepMarkup // the content of an element may begin on the next one
	for i < len(text) && i-a.at < maxGap && (is(text[i], isSpace) || lines && (text[i] == '\n' || text[i] == '\r')) {
		i++
	}
	if i < len(text) && (text[i] == '|' || text[i] == '>') && (a.form == sepColon || a.form == sepPair) {
		for i++; i < len(text) && strings.IndexByte("+-\r\n \t", text[i]) >= 0 && i-a.at < 2*maxGap; {
			i++
		}
	}
	if a.atEnd(i) {
		return a.wait(len(text))
	}
	a.at = i
	return i < len(text)
}
