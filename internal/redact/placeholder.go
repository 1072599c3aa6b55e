package redact

import "strings"

// placeholderWords make no secret, alone or together: your-api-key-here.
var placeholderWords = set(`
	a access account actual add always an anon anonymous any anyone api apikey app arg argument auth authorization auto
	bar base basic baz bearer blank body bool boolean buffer bytea bytes change changed changeit changeme char compat
	confirm const cookie credential credentials credentialstype current custom data default define demo description
	disabled do dummy e else empty enabled encrypted enter env environ environment error example existing expired export
	fake false field files fill fixme foo form from func function g generate generated get go goes handle hash hashed
	header here hidden hier hint id if in include incorrect inherit input insert instead int integer invalid is it item
	jwt key keys label last later ldap let like line link list literal local login long manual masked me member message
	missing must my n na name need needed never new nil no nobody none not null number o object of off old omit omitted
	on one only open option optional options or origin other our pass passcode passphrase passwd password passwords paste
	path personal placeholder plain plaintext please private process prompt protected provide provided public put pw pwd
	random read readonly real redacted removed replace request required reset response result results return same sample
	save secret secrets secretstr see self service session set shared show some something sss state store str strict
	string strong super systemd tbd test testing text that the then this to todo tok token tokens true type typing
	uint8array undefined unknown unset unused update use used user username users valid value var varchar variable via
	void weak when with write wrong x xx xxx yes you your`)

// isPlaceholder says whether documentation, a template or a mask stands in the
// place of a secret.
func isPlaceholder(v string) bool {
	if v == "" || elided(v) || strings.IndexByte(v, blankByte) >= 0 {
		return true
	}
	switch v[0] {
	case '<', '[', '(':
		return true
	case '{': // but not {SSHA}… and the like
		if end := strings.IndexByte(v, '}'); end < 0 || end == len(v)-1 || v[1] == '{' {
			return true
		}
	case '^':
		if v[len(v)-1] == '$' { // a regular expression
			return true
		}
	case '&':
		if strings.HasPrefix(v, "&#") || strings.HasPrefix(v, "&lt") {
			return true
		}
	case '$':
		if isVariable(v) {
			return true
		}
	case '%':
		if len(v) == 2 || strings.HasPrefix(v, "%(") || len(v) > 2 && v[len(v)-1] == '%' {
			return true
		}
	}
	for _, sign := range [...]string{"{{", "<%", "$(", "#{"} {
		if strings.Contains(v, sign) {
			return true
		}
	}
	return oneCharacter(v) || onlyEscapes(v) || onlyPlaceholderWords(v)
}

// onlyEscapes says whether v is written in escapes alone (a sign, a picture, a
// text in another script): \u3299.
func onlyEscapes(v string) bool {
	for v != "" {
		if len(v) < 6 || v[0] != '\\' || v[1] != 'u' && v[1] != 'U' {
			return false
		}
		n := 2
		for n < len(v) && n < 10 && isHex(v[n:n+1]) {
			n++
		}
		v = v[n:]
	}
	return true
}

// isVariable says whether v names a variable: $TOKEN, ${TOKEN}, $env:TOKEN, $1.
func isVariable(v string) bool {
	name := v[1:]
	if name == "" || name[0] == '{' || name[0] == '(' || len(name) == 1 {
		return true
	}
	digits, lowers := 0, 0
	for i := range len(name) {
		c := name[i]
		switch {
		case is(c, isDigit):
			digits++
		case is(c, isLower):
			lowers++
		case !is(c, isUpper|isUnderscore) && c != '.' && c != ':' && c != '[' && c != ']':
			return false
		}
	}
	return digits == 0 || lowers == 0
}

// oneCharacter says whether v repeats one character that stands for anything.
func oneCharacter(v string) bool {
	for i := 1; i < len(v); i++ {
		if v[i] != v[0] && lower(v[i]) != lower(v[0]) {
			return false
		}
	}
	return !is(v[0], isDigit) || v[0] == '0' || len(v) < 4
}

// onlyPlaceholderWords says whether all the letters of v form such words.
func onlyPlaceholderWords(v string) bool {
	if len(v) > 64 {
		return false
	}
	var buffer [128]byte
	var words [maxNameWords][2]uint8
	n := splitName(v, &buffer, &words)
	if n == maxNameWords {
		return false
	}
	for _, w := range words[:n] {
		if word := buffer[w[0]:w[1]]; !placeholderWords[string(word)] {
			return false
		}
	}
	return n > 0
}
