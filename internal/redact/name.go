package redact

import "strings"

// nameKind says what the name of a setting, a field or a variable promises about
// its value.
type nameKind uint8

const (
	harmless nameKind = iota
	// maybe: a secret where the value looks like one (STRIPE_KEY, auth).
	maybe
	// secretName: a token or a key, which words do not make.
	secretName
	// passwordName: anything may be a password.
	passwordName
)

var nouns = map[string]nameKind{
	"password": passwordName, "passwords": passwordName, "passwd": passwordName, "pwd": passwordName,
	"pass": passwordName, "pw": passwordName,
	"psw": passwordName, "passphrase": passwordName, "passcode": passwordName, "passwort": passwordName,
	"mnemonic": passwordName, "psk": passwordName,
	"kennwort": passwordName, "contraseña": passwordName, "senha": passwordName,
	"密码": passwordName, "口令": passwordName, "パスワード": passwordName, "비밀번호": passwordName, "비번": passwordName,
	"암호":   passwordName,
	"패스워드": passwordName, "пароль": passwordName, "Пароль": passwordName, "identified by": passwordName,
	"secret": secretName, "token": secretName, "credential": secretName, "credentials": secretName, "creds": secretName,
	"令牌": secretName, "密钥": secretName, "秘钥": secretName, "私钥": secretName, "凭证": secretName, "凭据": secretName,
	"bearer": secretName, "authentication": maybe, "auth": maybe, "salt": maybe, "jwt": maybe, "pat": maybe,
	"sk": maybe, "cred": maybe,
	"phpsessid": maybe, "jsessionid": maybe, "sessionid": maybe, "sessid": maybe,
}

// endings are the nouns that names run together: dbpassword, clientsecret.
var endings = []struct {
	text string
	kind nameKind
}{
	{"password", passwordName}, {"passwd", passwordName}, {"passphrase", passwordName}, {"pwd", passwordName},
	{"secret", secretName}, {"token", secretName}, {"apikey", secretName},
}

// beforePass and beforeKey are what stands before "pass", "pw" and "key" in a
// name where that is a secret: requirepass, bindpw, api_key.
var (
	beforePass = set(`
		admin bind db ftp http key ldap login mail master mqtt my mysql pg proxy redis require root smtp sql ssh store sudo
		user web wifi`)
	beforeKey = set(`
		access account admin aes api auth cipher client consumer crypto decrypt decryption deploy encrypt encryption gpg
		hmac jwt master pgp private root secret session shared sign signing ssh storage subscription unseal webhook`)
)

// Words that make a name harmless: before a key or a token, or after any noun.
var (
	harmlessKey = set(`
		cache column composite config dedup dedupe dict display dom down enter entry field foreign group hash header hot
		i18n id idempotency index item join json left lookup map menu meta metadata metric name natural object order param
		partition primary property pub public query react ref registry release right row shift sort state surrogate system
		tag translation type unique up view`)
	harmlessToken = set(`
		ast bos cancel cancellation completion continuation cursor delimiter eos lexer mask max min next num pad page
		pagination per prompt resume special stop sync syntax total unexpected unk`)
	harmlessAfter = set(`
		age algo algorithm alias arn attempts attribute backend bucket bytes ca cache callback cert certificate chars
		checksum class cmd column command config cost count counts created cursor dao days def description digest digits dir
		directory disabled dto enabled encoding endpoint entry env error errors event exists expiration expired expires
		expiry factory field fields file filename files filter fingerprint flag flow folder for form format generator grant
		handler hash hasher hashers header helper hint host id ids index info input interface interval is issuer kind label
		len length level limit limits link list loader location lock manager max message method min missing mode model
		module msg name names namespace needed note number object offset ok op option options output owner parser path
		pattern placeholder policy pos position prefix prompt protocol provider rate reader ref regex region repo repository
		request required requirement requirements reset resolver response result retries role root rotation rule rules
		schema scheme scope scopes screen sent service session set settings size source span spec state status storage store
		strategy stream strength style suffix table tag template time timeout times timestamp title to tool ttl type types
		uri uris url urls usage used user username users uses valid validation validator validity var variable version view
		visible width window with writer`)
	neutralAfter = set(`
		a admin alt b b64 backup base base64 bin body c clear cleartext code confirm confirmation current data db default dev development enc
		encoded first hex hidden key live main master new old plain plaintext primary prod production raw root secondary
		secret server stage staging str string test text tmp token v val value web`)
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

const maxNameWords = 12

// kindOf reads a name as its words: DB_PASSWORD, dbPassword, db-password.
func kindOf(name string) nameKind {
	var buffer [128]byte
	var words [maxNameWords][2]uint8
	n := splitName(name, &buffer, &words)
	kind := harmless
	i := n - 1
	for ; i >= 0 && kind == harmless; i-- {
		kind = nounKind(buffer[:], words[:i+1])
	}
	if kind == harmless {
		return harmless
	}
	for _, w := range words[i+2 : n] {
		word := buffer[w[0]:w[1]]
		switch {
		case harmlessAfter[string(word)]:
			return harmless
		case !neutralAfter[string(word)] && !is(word[0], isDigit):
			kind = maybe
		}
	}
	return kind
}

// nounKind is the kind of the last word, seen with the one before it.
func nounKind(buffer []byte, words [][2]uint8) nameKind {
	last := buffer[words[len(words)-1][0]:words[len(words)-1][1]]
	var before []byte
	if len(words) > 1 {
		before = buffer[words[len(words)-2][0]:words[len(words)-2][1]]
	}
	switch {
	case string(last) == "key":
		return keyKind(before)
	case string(last) == "token" && harmlessToken[string(before)]:
		return harmless
	}
	if kind := nouns[string(last)]; kind != harmless {
		return kind
	}
	text := string(last)
	for _, e := range endings {
		if strings.HasSuffix(text, e.text) {
			return e.kind
		}
	}
	if start, ok := strings.CutSuffix(text, "key"); ok && beforeKey[start] {
		return secretName
	}
	for _, end := range []string{"pass", "pw"} {
		if start, ok := strings.CutSuffix(text, end); ok && beforePass[start] {
			return passwordName
		}
	}
	return harmless
}

func keyKind(before []byte) nameKind {
	switch {
	case len(before) == 0 || harmlessKey[string(before)]:
		return harmless
	case beforeKey[string(before)]:
		return secretName
	}
	return maybe
}

// splitName writes the name in lower case to buffer and the places of its words
// to words; of a long name only the end counts.
func splitName(name string, buffer *[128]byte, words *[maxNameWords][2]uint8) int {
	if len(name) > len(buffer) {
		name = name[len(name)-len(buffer):]
	}
	n, start := 0, 0
	add := func(end int) {
		if end > start && n < maxNameWords {
			words[n] = [2]uint8{uint8(start), uint8(end)}
			n++
		}
		start = end
	}
	for i := range len(name) {
		c := name[i]
		buffer[i] = lower(c)
		switch {
		case !is(c, isAlnum) && c < 0x80:
			add(i)
			start = i + 1
		case i > start && wordStarts(name, i):
			add(i)
		}
	}
	add(len(name))
	return n
}

// wordStarts says whether a word of a name begins at i in the middle of its
// letters: apiKey, APIKey, key2.
func wordStarts(name string, i int) bool {
	a, b := name[i-1], name[i]
	switch {
	case is(a, isDigit) != is(b, isDigit):
		return true
	case is(b, isUpper):
		return is(a, isLower) || is(a, isUpper) && i+1 < len(name) && is(name[i+1], isLower)
	}
	return false
}
