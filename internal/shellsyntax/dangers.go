package shellsyntax

import (
	"path"
	"slices"
	"strings"
)

// dangers compares every command with the rules.
func (z *analyzer) dangers() {
	table := builtinRules()
	found := map[*Rule]bool{}
	danger := func(rule *Rule, evidence string, guess bool) {
		if !found[rule] {
			found[rule] = !guess
			z.a.Dangers = append(z.a.Dangers, Danger{Rule: rule, Evidence: evidence, Guess: guess})
		}
	}
	if z.bomb != "" {
		danger(table.shaped("fork_bomb"), z.bomb+"()", false)
	}
	set, added := z.setRemotes(), worktrees{}
	for _, command := range z.a.Commands {
		rules, rest := table.byName[command.ruleName()], table.rest
		if len(command.WritesTo) == 0 && len(command.ReadsFrom) == 0 && len(command.Settings) == 0 {
			rest = nil // each of these rules is about one of them
		}
		if len(rules) > 0 || len(rest) > 0 {
			if !z.x.spend(command.size() / 8) {
				return
			}
			z.told.tell(command, &z.x.budget)
			for _, n := range rules {
				if rule := &table.all[n]; rule.matches(&z.told) {
					danger(rule, command.String(), command.Guess)
					if command.Inner && rule.Severity != "LOW" || command.Inner && strings.HasPrefix(rule.ID, "shell.") {
						z.odd(Substitution, command.String(), "a dangerous command stands in a substitution")
					}
				}
			}
			for _, n := range rest {
				if rule := &table.all[n]; rule.matches(&z.told) {
					danger(rule, command.shown(), command.Guess)
				}
			}
		}
		if command.isLeftToGit() {
			danger(table.shaped("git_runs"), command.String(), command.Guess)
		}
		if added.removes(command) {
			danger(table.shaped(removesWork), command.String(), command.Guess)
		}
		if set.pushesTo(command) {
			danger(table.shaped(pushesAway), command.String(), command.Guess)
		}
		if reset, removal := command.losesData(); reset {
			danger(table.shaped(resetsDatabase), command.String(), command.Guess)
		} else if removal || command.deletesByAPI() {
			danger(table.shaped(removesHosted), command.String(), command.Guess)
		}
		for _, shape := range command.shapes {
			danger(table.shaped(shape), command.String(), command.Guess)
		}
		if z.runsDownload(command) {
			danger(table.shaped("downloaded"), command.String(), false)
		}
	}
}

// ruleName is the name by which rules know a program: in small letters.
func (c *Command) ruleName() string {
	name := c.Name()
	if name == "" && len(c.Words) > 0 {
		name = c.Words[0].tail()
	}
	return strings.ToLower(name)
}

// size is how long the words of a command are, in bytes.
func (c *Command) size() int {
	size := 0
	for i := range c.Words {
		size += len(c.Words[i].Value)
	}
	return size
}

// shown is the command with what it sets and where it writes.
func (c *Command) shown() string {
	var parts []string
	for _, setting := range c.Settings {
		parts = append(parts, setting.Value)
	}
	if text := c.String(); text != "" {
		parts = append(parts, text)
	}
	for _, to := range c.WritesTo {
		parts = append(parts, "> "+to.Value)
	}
	for _, from := range c.ReadsFrom {
		parts = append(parts, "< "+from.Value)
	}
	return strings.Join(parts, " ")
}

// lineOf is the arguments of a command in one line.
func lineOf(c *Command) string {
	return string(appendLine(nil, c))
}

func appendLine(line []byte, c *Command) []byte {
	for i := 1; i < len(c.Words); i++ {
		if i > 1 {
			line = append(line, ' ')
		}
		line = append(line, c.Words[i].Value...)
	}
	return line
}

// expands says whether a word, or the input, with parts that are expanded matches.
func (c *Command) expands(p pattern) bool {
	if c.Input != nil && !c.Input.Static && p.matches(c.Input.Value) {
		return true
	}
	return len(c.Words) > 0 && slices.ContainsFunc(c.Words[1:], func(w Word) bool { return w.Unknown && p.matches(w.Value) })
}

func (p pattern) anyOf(texts []subject) bool {
	for i := range texts {
		if p.matchesSubject(&texts[i]) {
			return true
		}
	}
	return false
}

// first is the first argument that is no flag: git's subcommand, behind the
// options of git itself.
func (c *Command) first() string {
	if len(c.Words) == 0 {
		return ""
	}
	valued := c.Name() == "git" || c.Name() == "docker" || c.Name() == "podman" || c.Name() == "kubectl"
	for i := 1; i < len(c.Words); i++ {
		value := c.Words[i].Value
		if !strings.HasPrefix(value, "-") {
			return value
		}
		if valued && slices.Contains([]string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--context", "-H", "--host", "-n"}, value) {
			i++
		}
	}
	return ""
}

// hasFlag looks for a flag: one letter also among others (-rf), a longer one
// also cut short (--recurs), as programs take it.
func (c *Command) hasFlag(flag string) bool {
	for i := 1; i < len(c.Words); i++ {
		switch value := c.Words[i].Value; {
		case len(value) < 2 || value[0] != '-':
		case value == "--":
			return false
		case value[1] == '-':
			text, _, _ := strings.Cut(value[2:], "=")
			if len(flag) > 1 && len(text) >= 3 && strings.HasPrefix(flag, text) {
				return true
			}
		case len(flag) == 1:
			if strings.IndexByte(value[1:], flag[0]) >= 0 {
				return true
			}
		case value[1:] == flag:
			return true
		}
	}
	return false
}

// cleaned is a path without the detours that lead to the same place.
func cleaned(word string) string {
	if !strings.HasPrefix(word, "/") && !strings.HasPrefix(word, "~") && !strings.HasPrefix(word, "./") && !strings.HasPrefix(word, "$HOME/") {
		return word
	}
	return path.Clean(word)
}
