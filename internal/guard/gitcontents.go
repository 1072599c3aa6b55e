package guard

import (
	"slices"
	"strings"

	"nanoclaw/internal/shellsyntax"
)

// gitContents are the subcommands of git that print what stands in the files among their
// words: always, or only with one of these options.
var gitContents = map[string][]string{
	"show": nil, "diff": nil, "blame": nil, "annotate": nil, "grep": nil, "difftool": nil, "archive": nil, "format-patch": nil, "cat-file": nil,
	"log": gitPatches, "whatchanged": gitPatches, "stash": gitPatches, "reflog": gitPatches, "diff-tree": gitPatches, "diff-index": gitPatches, "diff-files": gitPatches, "rev-list": gitPatches, "range-diff": nil, "checkout-index": {"--stdout"},
}

// gitPatches are options that print what changed.
var gitPatches = []string{"-p", "-u", "--patch", "--patch-with-stat", "--patch-with-raw", "--cc", "-c", "--word-diff", "--color-words", "--binary", "--remerge-diff"}

// gitSummaries are options that print names and numbers in the place of contents.
var (
	gitSummaries   = []string{"--stat", "--name-only", "--name-status", "--numstat", "--shortstat", "--summary", "--quiet", "-s", "--no-patch", "--dirstat", "--raw", "--compact-summary"}
	grepSummaries  = []string{"-l", "--files-with-matches", "--name-only", "-L", "--files-without-match", "-c", "--count", "-q", "--quiet"}
	neverSummaries = []string{"blame", "annotate", "archive", "format-patch", "cat-file", "checkout-index"}
)

// valuedOptions are options of git itself with a value behind them.
var valuedOptions = []string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env"}

// gitPaths are the words of git that may be files whose contents it prints; none
// where it prints no contents.
func gitPaths(words []shellsyntax.Word) []shellsyntax.Word {
	at := 0
	for at < len(words) && strings.HasPrefix(words[at].Value, "-") {
		if slices.Contains(valuedOptions, words[at].Value) {
			at++
		}
		at++
	}
	if at >= len(words) {
		return nil
	}
	subcommand, args := words[at].Value, words[at+1:]
	needs, prints := gitContents[subcommand]
	if !prints || needs != nil && !slices.ContainsFunc(args, func(w shellsyntax.Word) bool { return isPatch(subcommand, w.Value, needs) }) {
		return nil
	}
	if isSummary(subcommand, args) {
		return nil
	}
	if subcommand == "grep" && !slices.ContainsFunc(args, func(w shellsyntax.Word) bool { return w.Value == "-e" || w.Value == "-f" }) {
		for i, w := range args {
			if !strings.HasPrefix(w.Value, "-") {
				return args[i+1:] // behind the pattern
			}
		}
	}
	return args
}

// isSummary says whether a subcommand is asked for names and numbers alone.
func isSummary(subcommand string, args []shellsyntax.Word) bool {
	summaries := gitSummaries
	switch {
	case slices.Contains(neverSummaries, subcommand):
		return false
	case subcommand == "grep":
		summaries = grepSummaries
	case slices.ContainsFunc(args, func(w shellsyntax.Word) bool { return isPatch(subcommand, w.Value, gitPatches) }):
		return false // both
	}
	return slices.ContainsFunc(args, func(w shellsyntax.Word) bool {
		name, _, _ := strings.Cut(w.Value, "=")
		return slices.Contains(summaries, name)
	})
}

// isPatch says whether an option makes a subcommand print what changed: -U3 and -L too.
func isPatch(subcommand, value string, needs []string) bool {
	name, _, _ := strings.Cut(value, "=")
	return slices.Contains(needs, name) || strings.HasPrefix(value, "-U") || strings.HasPrefix(name, "--unified") || strings.HasPrefix(value, "-L") && subcommand == "log"
}
