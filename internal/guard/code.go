package guard

import (
	"slices"
	"strings"

	"nanoclaw/internal/shellsyntax"
)

// runners are functions that start programs, by the last part of their names.
var runners = []string{
	"system", "popen", "Popen", "check_output", "check_call", "getoutput", "getstatusoutput", "create_subprocess_shell", "create_subprocess_exec", "execv", "execve", "execvp", "execvpe", "execl", "execle", "execlp",
	"spawnl", "spawnlp", "spawnv", "spawnvp", "posix_spawn", "startfile", "execSync", "execFile", "execFileSync", "spawnSync", "shell_exec", "passthru", "proc_open", "pcntl_exec", "qx", "execute",
}

// runsCommands says whether a function starts a program.
func runsCommands(language, name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case slices.Contains(runners, last):
		return last != "execute" || strings.HasPrefix(name, "os.")
	case last == "run" || last == "call":
		return strings.Contains(name, "subprocess") || strings.Contains(name, "sp.")
	case last == "spawn":
		return language == "ruby" || strings.Contains(name, "pty") || strings.Contains(name, "child_process") || name == "spawn"
	case last == "exec":
		return name == "exec" && language != "python" && language != "javascript" || strings.Contains(name, "child_process") || name == "Kernel.exec" || strings.HasPrefix(name, "().require")
	}
	return false
}

func scanOf(language, code string) *scan {
	large := len(code) > shellsyntax.MaxSource
	if large {
		code = code[:shellsyntax.MaxSource]
	}
	s := scanCode(language, code)
	s.large = s.large || large
	return s
}

func (p *pathCheck) codeTexts(s *scan) {
	for _, text := range s.texts {
		text = strings.NewReplacer(hole, "*", "\x01", "*").Replace(text)
		if p.paths.isOwnAddress(text) {
			p.add(ownPlace, text)
			continue
		}
		if metadataAddress(text) {
			p.add(metadataPlace, text)
			continue
		}
		text = strings.TrimPrefix(text, "file://")
		if !looksLikePath(text) {
			continue
		}
		text = strings.NewReplacer("${HOME}", "~", "$HOME", "~").Replace(text)
		if strings.Contains(text, "*") || strings.Contains(text, "?") {
			p.glob(text, reads|writes)
		} else {
			p.path(text, reads|writes)
		}
	}
	if store := s.opensStore(); store != "" {
		p.add(secretPlace, store)
	}
	for _, analysis := range s.lines {
		for _, command := range analysis.Commands {
			p.command(command)
		}
	}
}

// codeFindings are what the rules say about code: of a tool, or in a command.
func codeFindings(s *scan) []finding {
	var findings []finding
	for _, line := range s.lines {
		findings = append(findings, dangers(line)...)
	}
	if s.large {
		findings = append(findings, evasive("unparsable", High, "the code is too long to be looked at", ""))
	}
	called := func(names ...string) string {
		for _, call := range s.calls {
			last := call[strings.LastIndexByte(call, '.')+1:]
			if slices.Contains(names, last) || slices.Contains(names, call) {
				return call
			}
		}
		return ""
	}
	add := func(id string, severity Severity, message, evident string) {
		findings = append(findings, finding{Finding: Finding{ID: id, Severity: severity, Category: "code", Message: message, Evidence: evidence(evident)}})
	}
	if i := slices.IndexFunc(s.calls, func(call string) bool { return s.runs(call) || call == "`" }); i >= 0 && !s.plain {
		add("shell.program_runner.code", Medium, "the code starts another program", s.calls[i]+"(…)")
	}
	if s.killsAll() {
		add("shell.system.code", High, "the code ends every process of the user", "kill(-1)")
	}
	if module := s.imports(); module != "" && !s.plain {
		add("shell.program_runner.code", Medium, "the code can start other programs", module)
	}
	evaluates := s.evaluates()
	if decodes := s.has("chr", "fromCharCode", "fromCodePoint", "marshal", "maketrans", "unquote", "unescape", "reverse", "reversed", "b64decode", "fromhex", "unhexlify", "decompress", "a2b_base64", "atob", "base64_decode", "gzinflate", "pack", "unpack", "decode_base64", "decode64", "rot13", "Buffer", "codecs", "b32decode", "str_rot13", "urlsafe_b64decode", "inflate", "gunzipSync"); evaluates != "" && decodes != "" {
		add("evasion.encoded", High, "the code decodes text and runs it", evaluates+" "+decodes)
	}
	if loads := s.has("urlopen", "urlretrieve", "requests", "httpx", "aiohttp", "fetch", "LWP", "open_uri", "file_get_contents", "HTTPConnection", "URI", "getstore", "UserAgent", "axios", "got", "https"); evaluates != "" && loads != "" {
		add("shell.download_and_run.code", Critical, "the code runs what it downloads, unseen", evaluates+" "+loads)
	}
	if connects := s.has("TCPSocket", "fsockopen", "pfsockopen", "sockaddr_in", "create_connection", "inet_aton"); connects != "" && slices.ContainsFunc(s.calls, func(call string) bool { return s.runs(call) || call == "exec" || call == "popen" }) ||
		slices.ContainsFunc(s.texts, func(text string) bool {
			return strings.HasPrefix(text, "/inet/tcp/") || strings.HasPrefix(text, "/inet/udp/")
		}) {
		add("shell.exfiltration.connection", High, "the code connects a program with another machine", connects)
	}
	if s.sends(called) {
		add("shell.exfiltration.code", Medium, "the code sends a file to another machine", "open(…)")
	}
	if fork := s.has("fork", "pcntl_fork"); fork != "" && s.has("while", "for", "loop", "until") != "" {
		add("shell.fork_bomb.code", Critical, "the code starts processes without end", fork)
	}
	if slices.ContainsFunc(s.texts, secretName) && (called("getenv", "get", "puts", "print") != "" && s.has("environ", "getenv", "ENV") != "" || s.has("environ", "getenv") != "") || slices.ContainsFunc(s.environs, secretName) {
		add("env.dump.secret_code", Medium, "the code reads a secret of the environment", "environ")
	}
	if called("dup2") != "" && called("socket", "connect", "create_connection") != "" || called("pty.spawn") != "" {
		add("shell.exfiltration.reverse_shell", Critical, "the code hands a shell to another machine", "socket")
	}
	if slices.Contains(s.calls, "environment*") {
		add("env.dump.code", Medium, "the code reads every variable of the environment, secrets included", "environ")
	}
	if call := called(deleting...); s.deletesUnseen(call) {
		add("shell.destructive.code", s.deletesWhere(), "the code deletes files or directories for good", call+"(…)")
	}
	return findings
}

// secretName says whether a text is the name of a variable that holds a secret.
func secretName(text string) bool {
	if len(text) > 64 || text != strings.ToUpper(text) {
		return false
	}
	return slices.ContainsFunc([]string{"SECRET", "TOKEN", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIAL"}, func(part string) bool { return strings.Contains(text, part) })
}

// maxCodes bounds how many pieces of code of one line are looked at.
const maxCodes = 16

// codes is what interpreters are given in a call: by language.
func (l *look) codes() []*scan {
	if l.scanned {
		return l.scans
	}
	l.scanned = true
	if l.call.Tool.Name == pythonTool {
		l.scans = []*scan{scanOf("python", l.text("code"))}
		return l.scans
	}
	if script := l.shell(); script != nil {
		for _, command := range script.Commands {
			for _, code := range command.Code() {
				if len(l.scans) >= maxCodes {
					l.scans[maxCodes-1].large = true
					return l.scans
				}
				l.scans = append(l.scans, scanOf(shellsyntax.Language(command.Name()), code))
			}
		}
	}
	return l.scans
}

// evaluates is the function by which code runs text as code; empty: there is none.
func (s *scan) evaluates() string {
	names := []string{"eval", "Function", "runInThisContext", "runInNewContext", "instance_eval", "class_eval", "loadstring"}
	switch s.language {
	case "python":
		names = append(names, "exec", "marshal", "pickle", "execfile", "runpy")
	case "php":
		names = append(names, "assert", "create_function", "exec")
	case "javascript":
	default:
		names = append(names, "exec", "pickle", "marshal")
	}
	return s.has(names...)
}

// names are the names in the code.
func (s *scan) names() []string {
	var list []string
	for _, t := range s.tokens {
		if t.kind == nameToken {
			list = append(list, t.value)
		}
	}
	return list
}

// imports is what the code loads to start programs: a module of that purpose, or
// such a function under a name of its own.
func (s *scan) imports() string {
	for _, text := range s.texts {
		if text == "child_process" || text == "node:child_process" {
			return text
		}
	}
	switch s.language {
	case "python":
		if s.has("os", "posix", "subprocess") != "" && s.has("from") != "" && s.has("import") != "" {
			return s.has(runners...)
		}
		return ""
	case "ruby":
		return s.has("Open3", "popen", "posix_spawn")
	case "javascript":
		return s.has("execSync", "spawnSync")
	case "perl":
		for i, t := range s.tokens {
			if t.kind == nameToken && (t.value == "system" || t.value == "exec") && (i == 0 || s.tokens[i-1].value == ";" || s.tokens[i-1].kind == lineToken) {
				return t.value
			}
		}
	}
	return ""
}

// sends says whether code reads a file and hands it to another machine.
func (s *scan) sends(called func(...string) string) bool {
	if slices.ContainsFunc(s.texts, func(text string) bool {
		return strings.Contains(text, "localhost") || strings.Contains(text, "127.0.0.1") || strings.Contains(text, "0.0.0.0")
	}) {
		return false
	}
	reads := called("open", "read_bytes", "read_text", "readFileSync", "readFile", "read", "file_get_contents", "fopen", "createReadStream", "slurp", "readlines") != "" || s.language == "perl" && s.has("open") != ""
	if !reads {
		return false
	}
	switch {
	case s.has("requests", "httpx", "urlopen", "HTTPConnection", "HTTPSConnection", "ftplib", "smtplib", "paramiko", "Net", "axios", "curl_init", "aiohttp") != "" && (called("post", "put", "storbinary", "sendmail", "send_message", "request", "Request") != "" || s.has("post_form", "CURLOPT_POSTFIELDS") != ""),
		s.has("urlopen") != "" && s.named("data"),
		s.has("socket", "create_connection", "TCPSocket", "UDPSocket", "INET", "fsockopen", "connect", "createConnection") != "" && s.has("send", "sendall", "sendto", "sendfile", "write", "print", "puts", "fwrite", "fputs", "pipe") != "" && (s.language != "python" || s.has("socket") != ""),
		s.has("fetch", "request") != "" && s.language == "javascript" && s.has("body", "write") != "",
		s.language == "php" && slices.ContainsFunc(s.texts, func(text string) bool { return strings.HasPrefix(text, "http") && strings.Contains(text, hole) }):
		return true
	}
	return false
}

// named says whether a function is given an argument by a name.
func (s *scan) named(name string) bool {
	for i, t := range s.tokens {
		if t.kind == nameToken && t.value == name && i > 0 && i+1 < len(s.tokens) && s.tokens[i+1].value == "=" && (s.tokens[i-1].value == "(" || s.tokens[i-1].value == ",") {
			return true
		}
	}
	return false
}
