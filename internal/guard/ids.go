package guard

import (
	"slices"
	"strings"
)

// ownIDs are the ids of findings that the program's own code makes, beside those of
// the rules in YAML.
var ownIDs = []string{
	"path.sensitive", "command.refused", "command.unclear",
	"evasion.substitution", "evasion.obfuscated_word", "evasion.ifs", "evasion.indirection", "evasion.encoded",
	"evasion.unicode", "evasion.newline", "evasion.glob", "evasion.unparsable",
	"evasion.indirection.value_runs", "shell.fork_bomb", "shell.persistence.file",
}

// RuleIDs are the ids of everything that guard.disabled_rules can switch off, sorted.
func RuleIDs() []string {
	ids := slices.Clone(ownIDs)
	for i := range commandRules().all {
		ids = append(ids, commandRules().all[i].ID)
	}
	for _, rule := range codeRules() {
		ids = append(ids, rule.ID)
	}
	for _, rule := range builtinToolRules() {
		ids = append(ids, rule.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Disables says whether an entry of guard.disabled_rules switches off a rule: its id,
// or that of a group that it belongs to.
func Disables(entry, id string) bool {
	return id == entry || strings.HasPrefix(id, entry+".")
}
