package shellsyntax

import (
	"slices"
	"strings"
)

// powershellTool finds what a command of PowerShell does: its best known commands are
// read as those of a shell.
func powershellTool(c *Command, document *Word, in *inside) {
	args := c.arguments()
	var code []string
	for i := 0; i < len(args); i++ {
		text := strings.ToLower(args[i].Value)
		switch {
		case len(text) > 1 && text[0] == '-' && strings.HasPrefix("-encodedcommand", text), text == "-ec":
			in.shape(codedScript)
		case len(text) > 1 && text[0] == '-' && (strings.HasPrefix("-command", text) || text == "-commandwithargs" || text == "-cwa"):
			for _, word := range args[i+1:] {
				code = append(code, word.Value)
			}
			i = len(args)
		case text == "-file" || text == "-f":
			return
		}
	}
	if (len(code) == 0 || len(code) == 1 && code[0] == "-") && document != nil {
		code = []string{document.Value}
	}
	in.powershell(strings.Join(code, " "))
}

// cmdlets are commands of PowerShell, and what does the same.
var cmdlets = map[string]string{
	"remove-item": "rm", "ri": "rm", "rm": "rm", "del": "rm", "erase": "rm", "rd": "rm", "rmdir": "rm", "clear-content": "truncate -s 0", "clc": "truncate -s 0", "clear-item": "truncate -s 0",
	"get-content": "cat", "gc": "cat", "cat": "cat", "type": "cat", "select-string": "cat", "sls": "cat", "import-csv": "cat", "get-filehash": "cat", "format-hex": "cat",
	"copy-item": "cp", "cp": "cp", "copy": "cp", "cpi": "cp", "move-item": "mv", "mv": "mv", "move": "mv", "mi": "mv", "rename-item": "mv", "rni": "mv",
	"set-content": "tee", "add-content": "tee", "out-file": "tee", "ac": "tee", "new-item": "tee", "ni": "tee", "tee-object": "tee", "export-csv": "tee", "set-itemproperty": "tee",
	"stop-computer": "shutdown", "restart-computer": "reboot", "format-volume": "mkfs", "clear-disk": "wipefs", "initialize-disk": "wipefs", "stop-process": "kill -9", "spps": "kill -9",
	"invoke-webrequest": "curl", "iwr": "curl", "invoke-restmethod": "curl", "irm": "curl", "set-executionpolicy": "sudo", "start-job": "nohup", "register-scheduledtask": "at", "new-service": "systemctl enable", "add-type": "eval",
}

// outside are programs of the system that scripts of PowerShell run as shells do.
var outside = []string{"bash", "sh", "zsh", "dash", "sudo", "su", "python", "python3", "perl", "ruby", "node", "git", "ssh", "scp", "nc", "ncat", "dd", "chmod", "chown", "shutdown", "reboot", "pkill", "killall", "rsync", "env", "printenv", "crontab", "systemctl", "docker"}

// powershell reads the commands of a script, one pipe or statement after the other.
func (in *inside) powershell(code string) {
	lower := strings.ToLower(code)
	if containsAny(lower, "env:*", "env:\\", "env: ", "env:)", "env:|", "getenvironmentvariables") || strings.HasSuffix(strings.TrimRight(lower, " \n'\""), "env:") {
		in.line("printenv")
	}
	for statement := range strings.FieldsFuncSeq(code, func(r rune) bool { return strings.ContainsRune(";|{}()\n&", r) }) {
		if fields := powershellWords(statement); len(fields) > 0 {
			in.cmdlet(fields)
		}
	}
}

func (in *inside) cmdlet(fields []string) {
	if len(fields) > 2 && (fields[1] == "=" || fields[0] == ".") { // $x = Get-Content …
		fields = fields[1:]
		if fields[0] == "=" {
			fields = fields[1:]
		}
	}
	name, known := cmdlets[strings.ToLower(fields[0])]
	if !known {
		if slices.Contains(outside, fields[0]) {
			words := make([]string, len(fields))
			for i, field := range fields {
				words[i] = shellQuoted(field)
			}
			in.line(strings.Join(words, " "))
		}
		return
	}
	words := strings.Fields(name)
	recurses := false
	for _, field := range fields[1:] {
		flag := strings.ToLower(field)
		if len(flag) > 1 && flag[0] == '-' {
			recurses = recurses || strings.HasPrefix("-recurse", flag)
			if _, value, glued := strings.Cut(field, ":"); glued && value != "" && value[0] != '$' {
				words = append(words, powershellPath(value))
			}
			continue
		}
		for value := range strings.SplitSeq(field, ",") {
			if value != "" {
				words = append(words, powershellPath(value))
			}
		}
	}
	if words[0] == "rm" && recurses {
		words = slices.Insert(words, 1, "-r", "-f")
	}
	in.line(strings.Join(words, " "))
}

// powershellPath is a word as a shell writes it.
func powershellPath(value string) string {
	lower := strings.ToLower(value)
	for _, home := range []string{"$home", "${home}", "$env:home", "$env:userprofile", "${env:home}", "~"} {
		if strings.HasPrefix(lower, home) {
			return "~" + shellQuoted(strings.ReplaceAll(value[len(home):], `\`, "/"))
		}
	}
	if strings.HasPrefix(value, "$") {
		return value
	}
	if strings.ContainsAny(value, "*?") && isPlain(strings.NewReplacer("*", "", "?", "").Replace(value)) {
		return value
	}
	return shellQuoted(strings.ReplaceAll(value, `\`, "/"))
}

// shellQuoted is a text as one word of a shell.
func shellQuoted(text string) string {
	if text == "" || isPlain(text) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// powershellWords are the words of a statement, without their quotes.
func powershellWords(statement string) []string {
	var words []string
	for i := 0; i < len(statement); {
		c := statement[i]
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			i++
			continue
		case c == '\'' || c == '"':
			end := strings.IndexByte(statement[i+1:], c)
			if end < 0 {
				end = len(statement) - i - 1
			}
			words = append(words, statement[i+1:i+1+end])
			i += end + 2
			continue
		}
		end := i
		for end < len(statement) && strings.IndexByte(" \t\r'\"", statement[end]) < 0 {
			end++
		}
		words = append(words, statement[i:end])
		i = end
	}
	return words
}
