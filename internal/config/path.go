package config

import (
	"strconv"
	"strings"
)

// joinPath appends a key to a dotted path; a key that would be ambiguous in it is quoted.
func joinPath(path, key string) string {
	if key == "" || strings.ContainsAny(key, `.[]"' `) {
		key = strconv.Quote(key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

func indexPath(path string, i int) string {
	return path + "[" + strconv.Itoa(i) + "]"
}

// parentPath is the path without its last key or index; of a single key it is "".
func parentPath(path string) string {
	depth := false
	for i := len(path) - 1; i >= 0; i-- {
		switch {
		case path[i] == '"' && (i == 0 || path[i-1] != '\\'):
			depth = !depth
		case depth:
		case path[i] == '.' || path[i] == '[':
			return path[:i]
		}
	}
	return ""
}

// A step is one name, or one entry of a list, in a dotted path.
type step struct {
	name   string // key, or id of an entry
	inList bool   // [name]: an entry by number or by id
}

// splitPath reads a dotted path such as models[0].id, models[deepseek].name or
// tools."a.b".timeout.
func splitPath(path string) ([]step, bool) {
	var steps []step
	for rest := path; ; {
		switch {
		case strings.HasPrefix(rest, "["):
			end := strings.IndexByte(rest, ']')
			if end < 2 || len(steps) == 0 {
				return nil, false
			}
			steps = append(steps, step{rest[1:end], true})
			rest = rest[end+1:]
		case strings.HasPrefix(rest, `"`):
			quotedName, err := strconv.QuotedPrefix(rest)
			if err != nil {
				return nil, false
			}
			name, _ := strconv.Unquote(quotedName)
			steps = append(steps, step{name, false})
			rest = rest[len(quotedName):]
		default:
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			if end == 0 {
				return nil, false
			}
			steps = append(steps, step{rest[:end], false})
			rest = rest[end:]
		}
		if rest == "" {
			return steps, true
		}
		if rest[0] == '.' {
			rest = rest[1:]
			if rest == "" || rest[0] == '[' {
				return nil, false
			}
		} else if rest[0] != '[' {
			return nil, false
		}
	}
}
