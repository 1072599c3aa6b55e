package executor

import "nanoclaw/internal/tools"

// findDuplicates marks the calls that ask for what an earlier call of the batch
// asks for: the same tool with the same arguments, and no other exclusive call
// between the two that could have changed the answer. A call that depends on
// its arguments alone is a duplicate whatever stands between.
func findDuplicates(tasks []*task) {
	seen := map[callKey]*task{}
	for _, t := range tasks {
		if t.args == nil || t.earlier && t.record.Skipped {
			continue
		}
		if first := seen[t.key]; first != nil && !t.earlier {
			t.duplicateOf = first
			continue
		}
		if t.exclusive() {
			for key, other := range seen {
				if other.tool.Effect != tools.Pure {
					delete(seen, key)
				}
			}
		}
		seen[t.key] = t
	}
}
