package redact

import "strings"

// readValue reads the value, quoted or not.
func (a *assignment) readValue() bool {
	for range 2 {
		if !a.readOne() {
			return false
		}
		isType, known := a.isType()
		if !isType || !known {
			return known && a.afterUser()
		}
	}
	return false
}

// afterUser goes on to the password where the name says that a user comes first:
// user/password: bob/…
func (a *assignment) afterUser() bool {
	if a.isLogin() && a.quoted {
		return a.secondArgument()
	}
	if a.kind != passwordName || !a.follows('/') || a.quoted || a.form == sepEnv {
		return true
	}
	text := a.text
	slash := strings.IndexByte(text[a.value:a.valueEnd], '/') + a.value
	if slash == a.value {
		return true // a path
	}
	if slash < a.value {
		slash = runEnd(text, a.valueEnd, isSpace)
		if a.atEnd(slash + 1) {
			return a.wait(a.value)
		}
		if slash+1 >= len(text) || text[slash] != '/' || !is(text[slash+1], isSpace) {
			return true
		}
	}
	i := runEnd(text, slash+1, isSpace)
	if a.atEnd(i) {
		return a.wait(a.value)
	}
	if i == len(text) {
		return true
	}
	a.value, a.bare = i, false
	return a.readPlain()
}

// isLogin says whether a user and a password follow: auth=("bob", …), SetBasicAuth("bob", …).
func (a *assignment) isLogin() bool {
	name := a.text[a.name:a.nameEnd]
	const auth = "auth"
	return a.form != sepColon && len(name) >= len(auth) && strings.EqualFold(name[len(name)-len(auth):], auth) &&
		(a.form == sepCall || a.value > 1 && a.text[a.value-2] == '(')
}

func (a *assignment) secondArgument() bool {
	text := a.text
	i := runEnd(text, a.next, isSpace)
	if i < len(text) && text[i] == ',' {
		i = runEnd(text, i+1, isSpace)
	}
	if a.atEnd(i) {
		return a.wait(a.value)
	}
	inside := afterQuote(text, i)
	if inside == i || inside == len(text) {
		return !a.atEnd(inside) || a.wait(a.value)
	}
	a.kind, a.value = passwordName, inside
	return a.readQuoted(text[i:inside])
}

// readOne reads one value at a.at.
func (a *assignment) readOne() bool {
	text := a.text
	i := a.skipTag(a.at)
	if a.kind == maybe && strings.HasPrefix(text[i:], "(") {
		if a.atEnd(i + 1) {
			return a.wait(i)
		}
		if i+1 < len(text) && (text[i+1] == '"' || text[i+1] == '\'') {
			i++ // a tuple
		}
	}
	if openingQuote(text[i:]) {
		i += len("「")
	}
	open := i + literalPrefix(text[i:])
	inside := afterQuote(text, open)
	switch cut := inside == len(text) && (inside == open || text[inside-1] == '\\'); {
	case cut && a.open:
		return a.wait(i)
	case inside > open && !cut:
		a.quoted = true
		a.value = inside
		if triple := text[open:inside] + text[open:inside]; inside == open+1 && strings.HasPrefix(text[inside:],
			triple) {
			a.value += len(triple)
		} else if a.open && len(text)-inside < 2 && strings.HasPrefix(triple, text[inside:]) {
			return a.wait(i)
		}
		return a.readQuoted(text[open:inside])
	}
	if a.form == sepCall || a.form == sepArg {
		return false
	}
	a.quoted = false
	a.value = i
	return a.readPlain()
}

// skipTag goes over a YAML tag: !vault, !!str.
func (a *assignment) skipTag(i int) int {
	if a.form != sepColon || a.text[i] != '!' {
		return i
	}
	end := i
	for end < len(a.text) && end-i < 20 && (a.text[end] == '!' || is(a.text[end], isAlnum|isUnderscore)) {
		end++
	}
	if end < len(a.text) && a.text[end] == ' ' {
		return end + 1
	}
	return i
}

// literalPrefix is the length of the letters that some languages put before a
// quote: b'…', N'…', @"…".
func literalPrefix(s string) int {
	for n := range min(3, len(s)) {
		if c := s[n]; c == '"' || c == '\'' {
			return n
		} else if !is(c, isLetter) && c != '@' {
			break
		}
	}
	return 0
}

// readQuoted reads up to the quote that closes; a quote with another number of
// backslashes before it is part of the value.
func (a *assignment) readQuoted(open string) bool {
	text := a.text
	quote, escapes := open[len(open)-1], len(open)-1
	end := min(len(text), a.value+maxValue)
	for i := a.value; i < end; i++ {
		switch text[i] {
		case '\n', '\r', blankByte:
			end = i
		case '\\', quote:
			run := i
			for run < end && text[run] == '\\' {
				run++
			}
			if run < end && text[run] == quote && (run-i == escapes || escapes == 0 && (run-i)%2 == 0) {
				a.valueEnd, a.next = i, run+1
				return true
			}
			if i = run; run == end {
				i--
			}
		}
	}
	if a.atEnd(end) {
		return a.wait(a.value)
	}
	a.valueEnd, a.next = end, end // the quote never closes: the text was cut
	return end == len(text) || text[end] != blankByte
}

// readPlain reads a value without quotes.
func (a *assignment) readPlain() bool {
	text := a.text
	limit := min(len(text), a.value+maxValue)
	i := a.plainEnd(limit)
	if a.atEnd(i) || a.open && i < limit && a.mayGoOn(i) {
		return a.wait(a.value)
	}
	if to := a.lineEnd(i, limit); to > i {
		if a.atEnd(to) {
			return a.wait(a.value)
		}
		i = to
	}
	a.next = i
	a.valueEnd = a.value + len(strings.TrimRight(text[a.value:i], a.trailing()))
	return i == len(text) || text[i] != blankByte
}

// lineEnd is the end of a value that a sign seemed to end at i, where name and value
// have a line for themselves: password: a9,bX;c1. It is i where code or another
// setting may follow.
func (a *assignment) lineEnd(i, limit int) int {
	text := a.text
	joined := a.form == sepColon || a.form == sepTight || a.form == sepEqual
	if a.kind != passwordName || !joined || i == a.value || !a.beginsLine(maxName) {
		return i
	}
	to := i
	for to < limit && text[to] > ' ' && text[to] < 0x7f && strings.IndexByte("\"'`=()[]{}<>:&\\", text[to]) < 0 {
		to++
	}
	if a.atEnd(to) {
		return to
	}
	if to < i+2 || to < len(text) && text[to] != '\n' && text[to] != '\r' || !is(text[to-1], isAlnum) {
		return i
	}
	if p := profileOf(text[a.value:to]); p.digits == 0 || p.letters() == 0 {
		return i
	}
	return to
}

// plainEnd is the end of the value without quotes. Values are measured once, so
// that names in names' values cost no more.
func (a *assignment) plainEnd(limit int) int {
	last := &a.plain[0]
	if a.form == sepEnv {
		last = &a.plain[1]
	}
	if last.from < a.value && a.value < last.to {
		return min(last.to, limit)
	}
	i := a.value
	for i < limit && !a.endsPlain(i) {
		i++
	}
	last.from, last.to = a.value, i
	return i
}

// trailing are signs that belong to the sentence or the code around a value.
func (a *assignment) trailing() string {
	switch a.form {
	case sepEnv:
		return ";,)"
	case sepTight:
		return ".:?"
	}
	return ".,:;?"
}

func (a *assignment) endsPlain(i int) bool {
	c := a.text[i]
	switch {
	case c <= ' ' || c >= 0x7f || c == '"' || c == '\'' || c == '`':
		return true
	case c == '\\':
		return i+1 == len(a.text) || strings.IndexByte(`nrtu"'\`, a.text[i+1]) >= 0
	case a.form == sepEnv:
		return false
	case a.form == sepMarkup:
		return c == '<' || c == '>'
	case c == '&':
		return i > a.value && endsParameter(a.text[i+1:])
	}
	return strings.IndexByte("<>,;)}]|", c) >= 0
}

// mayGoOn says whether the end of the text keeps from knowing if the sign at i
// ends the value.
func (a *assignment) mayGoOn(i int) bool {
	rest := a.text[i+1:]
	return a.text[i] == '\\' && rest == "" || a.text[i] == '&' && parameterName(rest) == len(rest)
}

// endsParameter says whether another parameter of an address follows: name=…
func endsParameter(rest string) bool {
	n := parameterName(rest)
	return n == len(rest) || n > 0 && (rest[n] == '=' || rest[n] == '[')
}

// parameterName is the length of the name at the begin of rest.
func parameterName(rest string) int {
	const longest = 40
	n := 0
	for n < len(rest) && n < longest && isNameByte(rest[n]) {
		n++
	}
	return n
}

// isType says whether what was read is the type of a declaration whose value
// follows: "Token string = …", "password: str = …". It then goes on to the value.
func (a *assignment) isType() (yes, known bool) {
	if a.quoted || a.form != sepSpace && a.form != sepColon {
		return false, true
	}
	text := a.text
	i := a.valueEnd
	for i < len(text) && is(text[i], isSpace) && i-a.valueEnd < maxGap {
		i++
	}
	if i > a.valueEnd && a.atEnd(i+1) {
		return false, a.wait(a.value)
	}
	if i == a.valueEnd || i+1 >= len(text) || text[i] != '=' || text[i+1] == '=' {
		return false, true
	}
	for i++; i < len(text) && is(text[i], isSpace); {
		i++
	}
	if a.atEnd(i) {
		return false, a.wait(a.value)
	}
	if i == len(text) {
		return false, true
	}
	a.at, a.form = i, sepEqual
	return true, true
}
