package redact

import "strings"

// A name that promises a secret, a separator and a value: in env files, JSON,
// YAML, code, flags, XML, SQL, addresses and sentences.

const (
	maxName  = 100  // how far a name goes to each side of its keyword
	maxValue = 4096 // the longest value that is redacted
	maxGap   = 48   // blanks between a name and its value
)

// assignments finds the values; a name that says password gives the rule
// "password", every other one the rule "secret".
func assignments(labels map[string]*label) *detector {
	password, secret := labels["password"], labels["secret"]
	if password == nil && secret == nil {
		return nil
	}
	return &detector{
		keywords: []string{
			"pass", "pw", "psw", "secret", "token", "key", "cred", "auth", "salt", "jwt", "sessid", "sessionid",
			"_pat", "_sk", "psk", "mnemonic", "identified by", "kennwort", "contraseña", "senha",
			"パスワード", "비밀번호", "비번", "암호", "패스워드", "пароль", "Пароль", "密码", "口令", "令牌", "密钥", "秘钥", "私钥", "凭证", "凭据",
		},
		find: func(sc *scan, start, end int) {
			if start < sc.named {
				return // the name was read for an earlier keyword in it
			}
			a := assignment{scan: sc}
			if !a.readName(start, end) || a.kind == harmless {
				return
			}
			label := secret
			if a.kind == passwordName {
				label = password
			}
			if label != nil && a.readSeparator() && a.readValue() && a.isSecret() {
				sc.found(label, a.name, a.value, a.valueEnd)
			}
		},
	}
}

// assignment is one name with what follows it, as far as it was read.
type assignment struct {
	*scan
	kind           nameKind
	name, nameEnd  int
	bare           bool // the name is just "pass", which also counts tests
	quotedName     bool // "name"
	form           separator
	at             int // where reading goes on
	value          int
	valueEnd, next int
	quoted         bool // the value
}

// separator is how name and value are joined.
type separator uint8

const (
	sepEqual  separator = iota // name = value, name => value
	sepTight                   // name=value
	sepEnv                     // NAME=value
	sepColon                   // name: value
	sepFlag                    // --name value
	sepSpace                   // name value
	sepIs                      // the name is value
	sepMarkup                  // <name>value</name>
	sepCall                    // name("value")
	sepArg                     // f("name", "value")
	sepPair                    // name: NAME, value: value
)

// wait gives the decision up until there is more text.
func (a *assignment) wait(redact int) bool {
	a.undecided(a.name, redact)
	return false
}

func (a *assignment) readName(start, end int) bool {
	text := a.text
	a.name, a.nameEnd = start, end
	if text[start] < 0x80 {
		for low := max(0, start-maxName); a.name > low && isNameByte(text[a.name-1]); {
			a.name--
		}
		for high := min(len(text), end+maxName); a.nameEnd < high && isNameByte(text[a.nameEnd]); {
			a.nameEnd++
		}
		if a.name > 1 && text[a.name-1] == '\\' && strings.IndexByte("nrt", text[a.name]) >= 0 && a.name < start {
			a.name++ // an escaped line break, not a part of the name
		}
	}
	if a.atEnd(a.nameEnd) {
		return a.wait(len(text))
	}
	a.named = a.nameEnd
	if a.name > 0 && text[a.name-1] == blankByte || a.nameEnd < len(text) && text[a.nameEnd] == blankByte {
		return false
	}
	name := text[a.name:a.nameEnd]
	if strings.EqualFold(name, "key") && a.name > 1 && text[a.name-1] == ' ' { // API key
		a.name = runStart(text, a.name-1, isAlnum, maxName)
		name = text[a.name:a.nameEnd]
	}
	if strings.ContainsRune(name, ' ') && strings.EqualFold(name, "identified by") {
		a.kind = passwordName
	} else {
		a.kind = kindOf(name)
	}
	if strings.EqualFold(name, "key") && (a.follows('?') || a.follows('&')) {
		a.kind = maybe // of an address
	}
	a.bare = isBarePass(name)
	return true
}

// isBarePass says whether the name, or the last part of it, is just "pass".
func isBarePass(name string) bool {
	return strings.EqualFold(name[strings.LastIndexByte(name, '.')+1:], "pass")
}

func isNameByte(c byte) bool {
	return is(c, isAlnum|isUnderscore) || c == '-' || c == '.' || c == '$'
}

// afterQuote is i, or the place after the quote that stands at i; backslashes may
// stand before it, and where the text ends in them it is the end of the text.
func afterQuote(text string, i int) int {
	j := i
	for j < len(text) && text[j] == '\\' && j-i < 8 {
		j++
	}
	switch {
	case j == len(text):
		return j
	case text[j] == '"' || text[j] == '\'' || text[j] == '`':
		return j + 1
	}
	return i
}

func openingQuote(s string) bool {
	for _, quote := range [...]string{"「", "『", "“", "‘", "《", "【"} {
		if strings.HasPrefix(s, quote) {
			return true
		}
	}
	return false
}
