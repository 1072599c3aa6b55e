package guard

import (
	"slices"
	"strings"
)

// moreRuns finds ways to start programs that are no call of a function by its name.
func (s *scan) moreRuns() {
	run := func(command string) {
		s.calls, s.commands = append(s.calls, "system"), append(s.commands, command)
	}
	switch s.language {
	case "awk":
		if s.hiddenPipes() {
			run("")
		}
	case "perl", "ruby":
		s.pipedOpens(run)
		s.bareCalls(run)
	case "php":
		s.variableCalls(run)
	}
	if s.language == "php" || s.language == "perl" || s.language == "ruby" && s.has("send", "public_send", "__send__", "method", "public_method", "instance_method") != "" {
		symbol := func(i int) bool {
			return s.tokens[i].kind == nameToken && s.isMark(i-1, ":") && !s.isMark(i-2, ":") && s.starts(s.tokens[i].value)
		}
		if slices.ContainsFunc(s.texts, func(text string) bool {
			return text != "execute" && s.starts(strings.ToLower(text)) && text != "fork" && text != "exec" || text == "exec"
		}) {
			run("")
		}
		for i := range s.tokens {
			if s.language == "ruby" && symbol(i) {
				run("")
			}
		}
	}
}

// opening are functions that run what begins with a bar.
var opening = []string{"open", "read", "readlines", "foreach", "binread", "popen", "write", "readline", "binwrite", "copy_stream"}

// pipedOpens finds open "command |", open "-|", "command", and IO.read "|command".
func (s *scan) pipedOpens(run func(string)) {
	opens, next := false, false
	substitutes := s.language == "perl" && s.has("s") != ""
	for i, t := range s.tokens {
		switch {
		case t.kind == lineToken, t.kind == markToken && t.value == ";":
			opens, next = false, false
		case t.kind == nameToken && (t.value == "open" || s.language == "ruby" && slices.Contains(opening, t.value)):
			opens = true
		case t.kind == textToken && opens:
			text := strings.TrimSpace(t.value)
			trimmed := strings.Trim(text, "|- ")
			switch {
			case next:
				run(text)
				next = false
			case text == "-|" || text == "|-":
				run("")
				next = true
			case strings.HasPrefix(text, "|"), s.language == "perl" && strings.HasSuffix(text, "|"), s.language == "perl" && strings.HasPrefix(text, "+|"):
				run(trimmed)
			}
		case substitutes && t.kind == nameToken && i > 0 && isSubstitution(t.value) && s.tokens[i-1].kind == markToken:
			s.calls = append(s.calls, "system") // s/…/…/ee runs what it puts in
		}
	}
}

// isSubstitution says whether a word is modifiers of a substitution that runs its text.
func isSubstitution(word string) bool {
	return strings.Count(word, "e") > 1 && strings.Trim(word, "msixpodualngcer") == ""
}

// bareCalls finds calls without brackets: system $_, system cmd, exec @list.
func (s *scan) bareCalls(run func(string)) {
	for i, t := range s.tokens {
		if t.kind != nameToken || t.value != "system" && t.value != "exec" && !(s.language == "ruby" && (t.value == "spawn" || t.value == "popen")) {
			continue
		}
		if before := s.token(i - 1); before.kind == markToken && (before.value == ":" || before.value == "-" || before.value == "$" || before.value == "@") || before.value == "sub" || before.value == "def" {
			continue
		}
		next := s.token(i + 1)
		if next.kind == nameToken && (next.value[0] == '$' || s.language == "ruby" && !slices.Contains([]string{"if", "unless", "and", "or", "do", "end", "then"}, next.value)) || next.kind == markToken && (next.value == "@" || next.value == "*" && s.language == "ruby" || next.value == "{" && s.language == "perl") {
			run("")
		}
	}
}

// variableCalls finds functions of PHP that a variable names: $f("…").
func (s *scan) variableCalls(run func(string)) {
	closures := map[string]bool{}
	for i, t := range s.tokens {
		if s.isMark(i, "]") && s.isMark(i+1, "(") {
			run("")
		}
		if t.kind != nameToken || t.value[0] != '$' {
			continue
		}
		if s.isMark(i+1, "=") {
			if next := s.token(i + 2).value; next == "function" || next == "fn" || next == "static" {
				closures[t.value] = true
			}
			continue
		}
		called := s.isMark(i+1, "(") || s.isMark(i+1, ")") && s.isMark(i-1, "(") && s.isMark(i+2, "(") && s.token(i-2).kind != nameToken
		if called && s.token(i-1).value != "new" && (!closures[t.value] || s.known[t.value] != "") {
			run("")
		}
	}
}

// killsAll says whether code ends every process: kill(-1).
func (s *scan) killsAll() bool {
	for i, t := range s.tokens {
		if t.kind != nameToken || t.value != "kill" && t.value != "killpg" && t.value != "posix_kill" {
			continue
		}
		argument := 0
		for at := i + 1; at < min(i+16, len(s.tokens)); at++ {
			one := s.tokens[at]
			if one.kind == lineToken || one.kind == markToken && (one.value == ")" || one.value == ";" || one.value == "}") {
				break
			}
			if one.kind == markToken && (one.value == "," || one.value == ">") {
				argument++
			}
			if one.kind == markToken && one.value == "-" && s.token(at+1).kind == numberToken && s.token(at+1).value == "1" && s.token(at-1).kind != numberToken {
				if first := s.language != "perl" && s.language != "ruby"; first && argument == 0 || !first && argument > 0 {
					return true
				}
			}
		}
	}
	return false
}

// stores are modules that hold keys and passwords, with the functions that give them out.
var stores = map[string][]string{
	"keyring": {"get_password", "get_credential"}, "keytar": {"getPassword", "findPassword", "findCredentials"}, "secretstorage": {"get_secret", "get_all_items", "get_default_collection"},
	"boto3": {"get_credentials", "get_frozen_credentials", "get_secret_value", "get_session_token", "get_authorization_token", "get_login_password", "generate_db_auth_token"}, "botocore": {"get_credentials", "get_frozen_credentials", "load_credentials"}, "aiobotocore": {"get_credentials"},
	"azure": {"get_token", "get_secret", "DefaultAzureCredential"}, "hvac": {"read_secret_version", "read_secret", "read"}, "browser_cookie3": {"load", "chrome", "firefox"}, "pykeepass": {"PyKeePass"}, "netrc": {"netrc", "authenticators"}, "google": {"default", "fetch_id_token", "access_secret_version"},
	"win32crypt": {"CryptUnprotectData"}, "keychain": {"getPassword"}, "spwd": {"getspnam", "getspall"},
}

// opensStore is the module of secrets that code takes some from.
func (s *scan) opensStore() string {
	for name, functions := range stores {
		loaded := s.has(name) != "" || slices.Contains(s.texts, name)
		if loaded && s.has(functions...) != "" && (name != "azure" && name != "google" || s.has("import", "from") != "") {
			return name
		}
	}
	return ""
}
