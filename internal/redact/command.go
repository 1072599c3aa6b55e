package redact

import "strings"

const (
	// maxCommand is how far the arguments of a command are read, in bytes.
	maxCommand = 1024
	// maxCommands is room for all commands that commandOptions names.
	maxCommands = 16
)

// commandOption is an option whose argument is a password.
type commandOption struct {
	command  string
	option   string
	attached bool   // the password follows the option without a blank
	separate bool   // the password is the next word
	after    byte   // the password follows this sign in the argument: user:password
	kind     string // what must stand before that sign; empty: anything
}

// commandOptions are those whose names do not say that they take a password;
// --password and the like are found by their names.
var commandOptions = []commandOption{
	{command: "mysql", option: "-p", attached: true},
	{command: "mariadb", option: "-p", attached: true},
	{command: "sshpass", option: "-p", attached: true, separate: true},
	{command: "7z", option: "-p", attached: true},
	{command: "zip", option: "-P", attached: true, separate: true},
	{command: "curl", option: "-u", attached: true, separate: true, after: ':'},
	{command: "curl", option: "--user", separate: true, after: ':'},
	{command: "curl", option: "-U", attached: true, separate: true, after: ':'},
	{command: "curl", option: "--proxy-user", separate: true, after: ':'},
	{command: "curl", option: "--oauth2-bearer", separate: true},
	{command: "curl", option: "-b", separate: true, after: '='},
	{command: "redis-cli", option: "-a", separate: true},
	{command: "login", option: "-p", separate: true},
	{command: "mongo", option: "-p", separate: true},
	{command: "ldap", option: "-w", separate: true},
	{command: "snmp", option: "-A", separate: true},
	{command: "snmp", option: "-X", separate: true},
	{command: "smbclient", option: "-U", separate: true, after: '%'},
	{command: "openssl", option: "-k", separate: true},
	{command: "openssl", option: "-passin", separate: true, after: ':', kind: "pass"},
	{command: "openssl", option: "-passout", separate: true, after: ':', kind: "pass"},
	{command: "openssl", option: "-pass", separate: true, after: ':', kind: "pass"},
	{command: "ConvertTo-SecureString", separate: true}, // without a name
	{command: "htpasswd", option: "-b", separate: true}, // file, user, password
	{command: "htpasswd", option: "-nb", separate: true},
	{command: "htpasswd", option: "-bc", separate: true},
	{command: "htpasswd", option: "-cb", separate: true},
}

// commandArguments finds passwords among the arguments of commands.
func commandArguments(labels map[string]*label) *detector {
	label := labels["command-argument"]
	if label == nil {
		return nil
	}
	byCommand := map[string][]commandOption{}
	number := map[string]int{}
	var commands []string
	for _, o := range commandOptions {
		if byCommand[o.command] == nil {
			number[o.command] = len(commands)
			commands = append(commands, o.command)
		}
		byCommand[o.command] = append(byCommand[o.command], o)
	}
	return &detector{
		keywords: commands,
		find: func(sc *scan, start, end int) {
			options := byCommand[sc.text[start:end]]
			if len(options) == 0 || start < sc.commands[number[sc.text[start:end]]] ||
				!boundaryBefore(sc.text, start) &&
					!strings.HasSuffix(sc.text[:start], "un") {
				return
			}
			at := runEnd(sc.text, end, isAlnum|isUnderscore)
			if at < len(sc.text) && !is(sc.text[at], isSpace) {
				return
			}
			c := commandLine{sc, label, start, min(len(sc.text), start+maxCommand)}
			sc.commands[number[sc.text[start:end]]] = c.read(at, options)
		},
	}
}

// commandLine is a command that is being read word by word.
type commandLine struct {
	*scan
	label *label
	start int
	limit int
}

// read returns how far it came.
func (c *commandLine) read(at int, options []commandOption) int {
	var waiting *commandOption // its argument comes next
	skip := 0
	for {
		word, next, ok := c.word(at)
		if !ok {
			return at
		}
		switch {
		case waiting != nil && skip > 0:
			skip--
		case waiting != nil:
			c.argument(word, *waiting)
			waiting = nil
		default:
			waiting = c.option(word, options)
			if waiting != nil && waiting.command == "htpasswd" {
				skip = 2
			}
		}
		at = next
	}
}

// span of a word without its quotes, and where the next one begins.
func (c *commandLine) word(at int) (word [2]int, next int, ok bool) {
	text := c.text
	for at < c.limit && (is(text[at], isSpace) || text[at] == '\\' && at+1 < c.limit && text[at+1] == '\n') {
		at++
		if at < c.limit && text[at-1] == '\\' {
			at++
		}
	}
	if at >= c.limit || strings.IndexByte("\n\r|;&)", text[at]) >= 0 || text[at] >= 0x7f {
		if c.atEnd(at) {
			c.undecided(c.start, len(text))
		}
		return word, at, false
	}
	from, end := at, at
	if inside := afterQuote(text, at); inside > at+1 { // \"word\"
		quoted, _, closed := strings.Cut(text[min(inside, c.limit):c.limit], text[at:inside])
		if to := inside + len(quoted); closed && strings.IndexByte(quoted, '\n') < 0 {
			return [2]int{inside, to}, to + inside - at, true
		}
	}
	var quote byte
	for end < c.limit {
		b := text[end]
		if quote != 0 {
			if b == quote {
				quote = 0
			} else if b == '\n' {
				return word, end, false
			}
		} else if b == '\'' || b == '"' {
			quote = b
		} else if b <= ' ' || b >= 0x7f || strings.IndexByte("|;)`", b) >= 0 || b == '&' && end+1 < c.limit &&
			text[end+1] == '&' {
			break
		}
		end++
	}
	if c.atEnd(end) {
		c.undecided(c.start, from)
		return word, end, false
	}
	if end == from || end < len(text) && text[end] == blankByte {
		return word, end, false
	}
	return [2]int{from, end}, end, true
}

// option redacts a password that is attached to its option, and returns the
// option whose argument is the next word.
func (c *commandLine) option(word [2]int, options []commandOption) *commandOption {
	text := c.text[word[0]:word[1]]
	for i := range options {
		o := &options[i]
		rest, ok := strings.CutPrefix(text, o.option)
		if o.separate && isAmong(text, o.option) {
			return o
		}
		switch {
		case o.option == "":
			if text[0] != '-' {
				c.argument(word, *o)
			}
		case !ok:
		case rest == "" && o.separate:
			return o
		case rest != "" && (o.attached || rest[0] == '='):
			c.argument([2]int{word[1] - len(rest), word[1]}, *o)
			return nil
		}
	}
	return nil
}

// isAmong says whether the option stands last among other letters: -u in -su.
func isAmong(word, option string) bool {
	const longest = 5
	n := len(word) - 1
	return len(option) == 2 && n > 1 && n < longest && word[0] == '-' && word[n] == option[1] && runEnd(word, 1,
		isLetter) == n+1
}

// argument redacts the password in the argument of an option.
func (c *commandLine) argument(word [2]int, o commandOption) {
	from, to := word[0], word[1]
	text := c.text
	if from < to && text[from] == '=' {
		from++
	}
	if to-from >= 2 && (text[from] == '\'' || text[from] == '"') && text[to-1] == text[from] {
		from++
		to--
	}
	if o.after != 0 {
		i := strings.IndexByte(text[from:to], o.after)
		if i < 0 || o.kind != "" && text[from:from+i] != o.kind {
			return
		}
		if o.option == "-b" && !isSessionCookie(text[from:from+i], text[from+i+1:to]) {
			return
		}
		from += i + 1
	}
	v := text[from:to]
	if len(v) < 3 || isPlaceholder(v) || v[0] == '-' || isReference(v) || strings.IndexByte(v, '$') == 0 {
		return
	}
	c.found(c.label, c.start, from, to)
}
