package redact

import "strings"

// judged is how much of a value is judged, in bytes; all of it is redacted.
const judged = 256

// isSecret judges the value that was read.
func (a *assignment) isSecret() bool {
	v := a.text[a.value:min(a.valueEnd, a.value+judged)]
	if a.quoted && isTangle(v) {
		return true
	}
	if len(v) < 4 || isPlaceholder(v) || isReference(v) {
		return false
	}
	if a.quoted && a.closesString(v) {
		return false
	}
	if a.quoted && strings.HasPrefix(v, "-----BEGIN ") && strings.Contains(v, "PRIVATE KEY-----") && !emptyKey(v) {
		return true
	}
	p := profileOf(v)
	if !a.quoted && a.form != sepEnv && a.isCode(v, p) {
		return false
	}
	switch a.kind {
	case passwordName:
		return a.isPassword(v, p)
	case secretName:
		return a.isKey(v, p)
	default:
		return p.random() && (a.form == sepEnv || !isUUID(v)) && a.form != sepSpace && a.form != sepIs
	}
}

// closesString says whether the quote before v ends the string that the name
// stands in, as in "password=" + value.
func (a *assignment) closesString(v string) bool {
	if a.quotedName || a.form != sepEnv && a.form != sepTight && a.form != sepColon || is(a.text[a.value-2], isSpace) {
		return false
	}
	return a.follows(a.text[a.value-1]) || strings.IndexByte("+),;.:]} &|", v[0]) >= 0
}

// isKey judges the value of a token or a key: words are none.
func (a *assignment) isKey(v string, p profile) bool {
	switch {
	case len(v) < minValue || p.spaces > 0 || p.foreign > 0:
		return false
	case p.random():
		return true
	case p.digits == len(v):
		return isLongNumber(v) && (a.quoted || a.form == sepEnv)
	case a.form == sepSpace:
		return false
	case p.digits == 0 && p.symbols == 0:
		return a.form == sepEnv && len(v) >= 12 || len(v) >= 16 && (a.quoted || a.form == sepEnv) && !p.wordy()
	case isComplex(v, p):
		return true
	}
	if p.digits == 0 || p.letters() < 3 || p.wordy() || isNumberLike(v) {
		return false
	}
	return a.quoted || a.form == sepEnv || p.digits > 3 || numbers(v) > 1 // and not a type: Uint8Array
}

// isTangle says whether v is drawn from all the characters of a keyboard, as the
// keys and salts in wp-config.php are: signs and blanks would else count as those
// of code.
func isTangle(v string) bool {
	const shortest = 40
	if len(v) < shortest {
		return false
	}
	p := profileOf(v)
	return p.foreign == 0 && p.distinct >= shortest/2 && p.classes() == 4 && p.digits >= 3 && !p.wordy() &&
		10*p.symbols >= 2*len(v) && 10*p.symbols <= 6*len(v) && 8*p.spaces <= len(v) && 2*p.pairs <= len(v)
}

// isLongNumber says whether v has more digits than a count, a time or an id of a
// row has.
func isLongNumber(v string) bool {
	const shortest = 16
	p := profileOf(v)
	return len(v) >= shortest && p.digits == len(v) && p.distinct >= 5 && (v[0] != '1' || len(v) > 19)
}

// numbers counts the runs of digits.
func numbers(v string) int {
	n := 0
	for i := 0; i < len(v); i++ {
		if is(v[i], isDigit) {
			n++
			i = runEnd(v, i, isDigit)
		}
	}
	return n
}

// isCode says whether an unquoted value is an expression: a call, an index, a
// member, a variable.
func (a *assignment) isCode(v string, p profile) bool {
	for _, sign := range [...]string{"::", "->", "?.", "=>", "()", "${", "+=", "&&"} {
		if strings.Contains(v, sign) {
			return true
		}
	}
	if v[0] == ':' || strings.HasSuffix(v, "-") && a.next < len(a.text) && a.text[a.next] == '>' ||
		a.form == sepMarkup && v[0] == '@' {
		return true
	}
	if name, rest, ok := strings.Cut(v, "="); ok && !p.random() && (rest == "" || a.form == sepSpace) &&
		parameterName(name) == len(name) {
		return true // the next setting
	}
	if call := strings.TrimLeft(v, "&*"); call != v && strings.IndexAny(call, "{([") > 0 &&
		isIdentifiers(call[:strings.IndexAny(call, "{([")]) {
		return true
	}
	if strings.IndexByte("&*!@", v[0]) >= 0 && len(v) > 1 && p.digits == 0 && p.symbols <= 1+strings.Count(v,
		".")+strings.Count(v, "_") {
		return true
	}
	n := 0
	for n < len(v) && (is(v[n], isAlnum|isUnderscore) || v[n] == '.' || v[n] == '$') {
		n++
	}
	if n > 0 && n < len(v) && (v[n] == '(' || v[n] == '[' || v[n] == '{') && !is(v[0], isDigit) {
		return true
	}
	if n < len(v) || p.random() || !isIdentifiers(v) {
		return false
	}
	return strings.IndexByte(v, '.') > 0 || namesSecret(v) && !(p.digits > 0 && a.wordsAreValues()) ||
		strings.IndexByte(v, '_') >= 0 && p.wordy()
}

// isIdentifiers says whether every word of v, between '.' and '_', could be one
// of an identifier: it begins with a letter or is a digit.
func isIdentifiers(v string) bool {
	for word := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == '.' || r == '_' }) {
		if is(word[0], isDigit) && len(word) > 1 {
			return false
		}
	}
	return !is(v[0], isDigit)
}

// namesSecret says whether v reads like the name of a variable that holds a secret.
func namesSecret(v string) bool {
	return strings.IndexFunc(v, func(r rune) bool {
		return !(r == '_' || r == '$' || r < 0x80 && is(byte(r),
			isAlnum))
	}) < 0 && kindOf(strings.TrimRight(v, "$0123456789")) >= secretName
}

// isReference says whether v only says where the secret is: a path, an address,
// the name of a variable or of an entry in a vault.
func isReference(v string) bool {
	for _, start := range [...]string{"./", "../", "~/", "/run/", "/etc/", "/var/", "/home/", "/tmp/", "/usr/", "/opt/",
		"/srv/", "/mnt/",
		"env:", "env.", "file:", "vault:", "secret:", "secret/", "ssm:", "ref:", "arn:", "op://", "aws:", "gcp:",
		"sha256:", "sha512:", "sha1:", "md5:", "SHA256:", "projects/", "process.env", "os.environ"} {
		if strings.HasPrefix(v, start) {
			return true
		}
	}
	if len(v) > 3 && v[1] == ':' && (v[2] == '\\' || v[2] == '/') && is(v[0], isLetter) {
		return true
	}
	if strings.Contains(v, "://") {
		return true
	}
	if v[0] != '/' {
		return false
	}
	p := profileOf(v)
	return p.wordy() || p.digits == 0 && p.symbols == strings.Count(v, "/")
}

// isComplex says whether v mixes letters, digits and signs as made-up passwords do.
func isComplex(v string, p profile) bool {
	if p.spaces > 0 || p.digits == 0 || p.letters() < 3 || len(v) < minValue {
		return false
	}
	return strings.ContainsAny(v, "!@#$%^&*+?~") || len(v) >= 12 && p.digits > 1 && p.uppers > 0 && p.lowers > 0 &&
		p.symbols > 0
}

// isNumberLike says whether v is a number, a version, a date, a time or an amount.
func isNumberLike(v string) bool {
	if digits, ok := strings.CutPrefix(v, "0x"); ok && len(digits) <= 16 && isHex(digits) {
		return true
	}
	letters := 0
	for i := range len(v) {
		switch c := v[i]; {
		case is(c, isDigit) || strings.IndexByte(".:-+/,%_", c) >= 0:
		case is(c, isLetter):
			letters++
		default:
			return false
		}
	}
	return letters <= 2 && letters < len(v)
}

func isUUID(v string) bool {
	if len(v) != 36 {
		return false
	}
	for i := range len(v) {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash && v[i] != '-' || !dash && !is(v[i],
			isDigit|isHexLetter) {
			return false
		}
	}
	return true
}
