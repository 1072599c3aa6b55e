package shellsyntax

import (
	"slices"
	"strings"
)

// gitTool finds programs in the settings that git is given, and directories whose
// hooks it takes.
func gitTool(c *Command, _ *Word, in *inside) {
	args := c.arguments()
	i := 0
	for ; i < len(args) && strings.HasPrefix(args[i].Value, "-"); i++ {
		switch value := args[i].Value; {
		case value == "-c" && i+1 < len(args):
			i++
			in.gitAssigned(args[i].Value)
		case slices.Contains([]string{"-C", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env"}, value):
			i++
		}
	}
	if i >= len(args) {
		return
	}
	switch args, subcommand := args[i+1:], args[i].Value; subcommand {
	case "config":
		in.gitConfig(args)
	case "clone", "init", "init-db":
		for i := 0; i < len(args); i++ {
			if value, next, found := option(args, i, "", "--template"); found {
				if value.Value != "" {
					in.shape(tellsTemplate)
				}
				i = next - 1
			} else if value, next, found := option(args, i, "c", "--config"); found && subcommand == "clone" {
				in.gitAssigned(value.Value)
				i = next - 1
			}
		}
	}
}

func (in *inside) gitAssigned(setting string) {
	key, value, _ := strings.Cut(setting, "=")
	in.gitSetting(key, value)
}

// gitConfig reads the words of git config.
func (in *inside) gitConfig(args []Word) {
	var words []string
	for i := 0; i < len(args); i++ {
		switch value := args[i].Value; {
		case slices.Contains([]string{"--get", "--get-all", "--get-regexp", "--unset", "--unset-all", "--list", "-l", "--remove-section", "--rename-section", "--get-urlmatch", "--edit", "-e"}, value):
			return
		case value == "-f" || value == "--file" || value == "--blob" || value == "--type" || value == "--default" || value == "--comment" || value == "--value":
			i++
		case strings.HasPrefix(value, "-") && len(words) == 0:
		default:
			words = append(words, value)
		}
	}
	if len(words) > 0 && words[0] == "set" {
		words = words[1:]
	} else if len(words) > 0 && slices.Contains([]string{"get", "unset", "list", "edit"}, words[0]) {
		return
	}
	if len(words) > 1 {
		in.gitSetting(words[0], words[1])
	}
}

// gitPrograms are the settings of git that name a program: the section, and the last
// part of the name.
var gitPrograms = map[string][]string{
	"core":  {"pager", "editor", "sshcommand", "fsmonitor", "gitproxy", "askpass", "alternaterefscommand", "virtualfilesystem"},
	"pager": nil, "diff": {"external", "command", "textconv"}, "merge": {"driver"}, "mergetool": {"cmd", "path"}, "difftool": {"cmd", "path"}, "filter": {"clean", "smudge", "process"},
	"sequence": {"editor"}, "gpg": {"program", "defaultkeycommand"}, "browser": {"cmd", "path"}, "man": {"cmd", "path"}, "trailer": {"command", "cmd"}, "web": {"browser"}, "guitool": {"cmd"}, "tar": {"command"},
	"sendemail": {"smtpserver", "sendmailcmd", "tocmd", "cccmd", "headercmd"}, "uploadpack": {"packobjectshook"}, "remote": {"uploadpack", "receivepack", "vcs"}, "interactive": {"difffilter"}, "imap": {"tunnel"},
	"instaweb": {"httpd", "browser"}, "receive": {"procreceiverefs"}, "hook": {"command"}, "alias": nil, "credential": {"helper"}, "submodule": {"update"}, "difftastic": {"cmd"},
}

// gitHarmless are the programs that people choose for such settings.
var gitHarmless = []string{"cat", "less", "more", "most", "bat", "delta", "diff-so-fancy", "difft", "true", "false", ":", "vi", "vim", "nvim", "nano", "emacs", "emacsclient", "code", "subl", "micro", "hx", "gpg", "gpg2", "ssh", "meld", "kdiff3", "vimdiff", "nvimdiff", "p4merge", "bcompare", "opendiff", "firefox", "w3m", "lynx", "links", "git-lfs", "cache", "store", "osxkeychain", "manager", "libsecret", "wincred"}

// gitSetting notes the program of a setting.
func (in *inside) gitSetting(key, value string) {
	key = strings.ToLower(key)
	section, rest, _ := strings.Cut(key, ".")
	last := rest[strings.LastIndexByte(rest, '.')+1:]
	value = strings.TrimSpace(value)
	if (section == "include" || section == "includeif") && last == "path" && (strings.HasPrefix(value, "/") || strings.HasPrefix(value, "~")) {
		in.shape(tellsProgram) // settings that are not seen
	}
	known, named := gitPrograms[section]
	if !named || known != nil && !slices.Contains(known, last) {
		return
	}
	command, shell := strings.CutPrefix(value, "!")
	if !shell && (section == "alias" || section == "submodule") {
		return
	}
	switch strings.ToLower(command) {
	case "", "true", "false", "yes", "no", "on", "off", "0", "1":
		return
	}
	words := strings.Fields(command)
	if shell || !slices.Contains(gitHarmless, words[0]) && !strings.HasPrefix(command, "git-lfs ") && !strings.HasPrefix(command, "git lfs ") || strings.ContainsAny(command, ";&|<>`\n$(") || section == "merge" && last == "driver" && words[0] != "true" {
		in.run(command)
		return
	}
	for _, word := range words[1:] {
		if strings.HasPrefix(word, "+") || strings.Contains(word, "!") || word == "-c" || word == "-S" || strings.HasPrefix(word, "-o") || strings.Contains(word, "roxycommand") || strings.Contains(word, "roxyCommand") {
			in.run(command)
			return
		}
	}
}
