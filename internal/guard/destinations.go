package guard

import (
	"slices"
	"strings"

	"nanoclaw/internal/shellsyntax"
)

// destinations looks at the folders that a program puts files into whose names it does
// not say, or says elsewhere.
func (p *pathCheck) destinations(name string, c *shellsyntax.Command) {
	var flags []string
	words := c.Words[1:]
	switch name {
	case "wget":
		flags = []string{"-P", "--directory-prefix"}
	case "curl":
		flags = []string{"--output-dir"}
	case "aria2c", "unzip":
		flags = []string{"-d", "--dir"}
	case "7z", "7za":
		flags = []string{"-o"}
	case "cp", "mv", "install", "ln":
		flags = []string{"-t", "--target-directory"}
	case "tar", "bsdtar":
		if !slices.ContainsFunc(words[:min(2, len(words))], func(w shellsyntax.Word) bool {
			return w.Value == "--extract" || w.Value == "--get" || !strings.HasPrefix(w.Value, "--") && strings.Contains(w.Value, "x")
		}) {
			return
		}
		flags = []string{"-C", "--directory"}
	default:
		return
	}
	for i, w := range words {
		for _, flag := range flags {
			folder, given := "", false
			switch {
			case w.Value == flag && i+1 < len(words):
				folder, given = words[i+1].Value, true
			case strings.HasPrefix(flag, "--"):
				folder, given = strings.CutPrefix(w.Value, flag+"=")
			case !strings.HasPrefix(w.Value, "--"):
				folder, given = strings.CutPrefix(w.Value, flag)
			}
			if given && folder != "" {
				p.path(strings.TrimSuffix(folder, "/")+"/file", writes)
			}
		}
	}
}

// histories looks at the file that HISTFILE names: the shell reads what was typed before.
func (p *pathCheck) histories(c *shellsyntax.Command) {
	for _, setting := range c.Settings {
		if file, named := strings.CutPrefix(setting.Value, "HISTFILE="); named {
			p.path(file, reads)
		}
	}
}
