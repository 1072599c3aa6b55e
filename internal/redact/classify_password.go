package redact

import "strings"

// isPassword judges the value of a password: anything may be one that is not
// clearly something else.
func (a *assignment) isPassword(v string, p profile) bool {
	switch {
	case a.bare && (a.form == sepSpace || p.digits == 0 || p.digits == len(v) || strings.ContainsAny(v, "/ ")):
		return false // counts and names of tests
	case p.spaces > 0:
		return a.quoted && isPhrase(v, p)
	case p.foreign > 0:
		return p.digits >= 3
	case !a.quoted && len(v) < 5:
		return false
	case p.digits == len(v):
		return len(v) >= 6
	case p.digits == 0 && p.symbols <= strings.Count(v, "-")+strings.Count(v, "_")+strings.Count(v, "."):
		return a.isWord(v, p)
	case isNumberLike(v):
		return false
	case a.form == sepSpace && !a.quoted && a.beginsLine(0) && a.endsLine():
		return p.digits > 0 && strings.IndexByte(v, '/') < 0 // a line of a configuration
	case a.form == sepSpace && !a.quoted:
		return p.digits > 1 && len(v) >= minValue && p.classes() > 2 && strings.IndexByte(v, '/') < 0
	case a.form == sepSpace || a.form == sepIs:
		return len(v) >= 6
	}
	return true
}

// isWord judges a password of letters alone.
func (a *assignment) isWord(v string, p profile) bool {
	simple := p.lowers == len(v) && len(v) >= 5
	switch {
	case a.quoted && p.random():
		return true
	case a.form == sepEnv:
		return true
	case a.quoted && (a.form == sepEqual || a.form == sepColon):
		return simple || !p.wordy()
	}
	return simple && (a.quoted || a.wordsAreValues())
}

// wordsAreValues says whether an unquoted word is a value at this place, rather
// than a variable, a type or a part of a sentence.
func (a *assignment) wordsAreValues() bool {
	switch a.form {
	case sepEnv, sepFlag, sepMarkup, sepPair:
		return true
	case sepTight:
		return a.next >= len(a.text) || strings.IndexByte("),.([", a.text[a.next]) < 0
	case sepEqual:
		return a.beginsLine(0) && a.endsLine()
	case sepColon:
		return a.beginsLine(maxName) && a.endsLine()
	case sepIs:
		return a.text[a.name] >= 0x80 && a.endsClause()
	}
	return false
}

// endsClause says whether a Chinese clause ends after the value.
func (a *assignment) endsClause() bool {
	for _, sign := range [...]string{"。", "，", "！", "；", "、", "」", "”", "）"} {
		if strings.HasPrefix(a.text[a.next:], sign) {
			return true
		}
	}
	return a.endsLine()
}

// beginsLine says whether nothing but up to indent blanks (and a YAML dash)
// stands before the name on its line.
func (a *assignment) beginsLine(indent int) bool {
	i := a.name
	for i > 0 && a.name-i < indent && (is(a.text[i-1], isSpace) || a.text[i-1] == '-') {
		i--
	}
	return i == 0 || a.text[i-1] == '\n' || a.text[i-1] == '\r' || a.text[i-1] >= 0x80
}

func (a *assignment) endsLine() bool {
	i := runEnd(a.text, a.valueEnd, isSpace)
	if a.atEnd(i) {
		return a.wait(a.value)
	}
	return i >= len(a.text) || a.text[i] == '\n' || a.text[i] == '\r' || a.text[i] == '#'
}

// isPhrase says whether words with blanks between them are a passphrase rather
// than a message.
func isPhrase(v string, p profile) bool {
	if p.foreign > 0 || p.digits == 0 && p.symbols == 0 {
		return false
	}
	for word := range strings.FieldsSeq(v) {
		if messageWords[strings.ToLower(strings.Trim(word, ".,:;!?'\"()"))] {
			return false
		}
	}
	return p.digits > 0
}

var messageWords = set(
	"a an and are at be by can cannot could do does enter for from has have if in incorrect invalid is it its least " +
		"less longer minimum must my new no not of on one or password please should than that the this to " +
		"too was with your")
