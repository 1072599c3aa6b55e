package sandbox

import (
	"regexp"
	"slices"
	"strings"
)

// harmlessGitKeys are the settings of a repository that make Git run nothing. Git
// has too many that do (core.fsmonitor, filter.*.clean, alias.*, …) to list those.
// A section's keys hold for all of its subsections.
var harmlessGitKeys = map[string][]string{
	"core": {
		"repositoryformatversion", "filemode", "bare", "logallrefupdates", "ignorecase", "symlinks",
		"precomposeunicode", "autocrlf", "eol", "safecrlf",
		"quotepath", "sharedrepository", "abbrev", "compression", "untrackedcache",
	},
	"remote":     {"url", "pushurl", "fetch", "push", "tagopt", "prune", "skipfetchall"},
	"branch":     {"remote", "merge", "rebase", "pushremote", "description"},
	"submodule":  {"url", "active", "branch"},
	"user":       {"name", "email"},
	"init":       {"defaultbranch"},
	"extensions": {"objectformat", "refstorage"},
	"push":       {"default", "autosetupremote", "followtags"},
	"pull":       {"rebase", "ff"},
	"merge":      {"ff", "conflictstyle"},
	"fetch":      {"prune"},
	"rebase":     {"autosquash", "autostash"},
	"color":      {"ui"},
	"lfs":        {"repositoryformatversion"},
}

var (
	gitComment = regexp.MustCompile(`^\s*([#;].*)?$`)
	gitSection = regexp.MustCompile(`^\s*\[([A-Za-z0-9-]+)(?:\s+"(?:[^"\\]|\\.)*")?\]\s*$`)
	gitSetting = regexp.MustCompile(`^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$`)
)

// harmlessGitConfig is a repository's configuration with the lines left out that
// are not known to be harmless; dropped says whether there were any. What has an
// unusual form is left out too: Git may read it in another way.
func harmlessGitConfig(text string) (kept string, dropped bool) {
	var out strings.Builder
	var keys []string // of the section
	continues := false
	for line := range strings.Lines(text) {
		bare := strings.TrimRight(line, "\r\n")
		part := continues // of a line that was left out
		continues = strings.HasSuffix(bare, `\`)
		if !part && !continues && harmlessGitLine(bare, &keys) {
			out.WriteString(line)
		} else {
			dropped = true
		}
	}
	return out.String(), dropped
}

func harmlessGitLine(line string, keys *[]string) bool {
	if gitComment.MatchString(line) {
		return true
	}
	if section := gitSection.FindStringSubmatch(line); section != nil {
		*keys = harmlessGitKeys[strings.ToLower(section[1])]
		return *keys != nil
	}
	setting := gitSetting.FindStringSubmatch(line)
	if setting == nil {
		*keys = nil // it may begin a section in a form that is not read here
		return false
	}
	// A URL like ext::command runs the command.
	return slices.Contains(*keys, strings.ToLower(setting[1])) && !strings.Contains(setting[2], "::")
}
