package executor

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"nanoclaw/internal/jsontree"
	"nanoclaw/internal/tools"
)

// redactTree redacts secrets in every string of a tree, names of properties
// included. Two names that come out alike stay two.
func redactTree(n *jsontree.Node, redact func(string) string) {
	if n.Kind == jsontree.Text {
		n.Text = redact(n.Text)
	}
	for i, key := range n.Keys {
		redacted := redact(key)
		if redacted != key {
			n.Keys[i] = distinct(redacted, n.Keys)
		}
	}
	for _, item := range n.Items {
		redactTree(item, redact)
	}
}

// suppress replaces a result that holds something that must not go out at all by an
// error. A result that cannot be read is suppressed too.
func (r *batchRun) suppress(data []byte, failure error) ([]byte, error) {
	if r.blocked == nil {
		return data, failure
	}
	rule, found := blockedInJSON(data, r.blocked)
	if failure != nil && !found {
		rule, found = r.blocked(failure.Error())
	}
	var own *tools.Error
	if !found && errors.As(failure, &own) && own.Data != nil {
		encoded, err := jsontree.Encode(own.Data)
		if rule, found = blockedInJSON(encoded, r.blocked); err != nil {
			found = true
		}
	}
	if !found {
		return data, failure
	}
	return nil, tools.Errorf(tools.CodeBlocked,
		"the tool ran, but its result is withheld: it holds what must not be shown (redaction rule %s). Do not try "+
			"to get it in another way", rule)
}

func blockedInJSON(data []byte, blocked func(string) (string, bool)) (rule string, found bool) {
	if len(data) == 0 {
		return "", false
	}
	tree, err := jsontree.Parse(data)
	if err != nil {
		return "", true
	}
	return blockedIn(tree, blocked)
}

// blockedIn checks every text of a tree, names of properties included.
func blockedIn(n *jsontree.Node, blocked func(string) (string, bool)) (rule string, found bool) {
	if n.Kind == jsontree.Text {
		if rule, found = blocked(n.Text); found {
			return rule, true
		}
	}
	for _, key := range n.Keys {
		if rule, found = blocked(key); found {
			return rule, true
		}
	}
	for _, item := range n.Items {
		if rule, found = blockedIn(item, blocked); found {
			return rule, true
		}
	}
	return "", false
}

// refusePlaceholders refuses arguments of a call that writes in which something
// stands for a secret: what is written would be the placeholder. The properties
// that the tool resolves by itself are its own business.
func (r *batchRun) refusePlaceholders(tool *tools.Tool, args map[string]any) error {
	if tool.Effect != tools.Writes {
		return nil
	}
	for _, property := range slices.Sorted(maps.Keys(args)) {
		if slices.Contains(tool.Resolves, property) {
			continue
		}
		if placeholder, found := firstText(args[property], r.holds); found {
			return tools.Errorf(tools.CodeUnresolvedPlaceholder,
				"%s holds %s, which stands for a secret that you were not shown. %s cannot put the secret in its "+
					"place, so nothing was done. "+
					"In the file that the secret is in, use file_edit or file_write, which can; in a command or "+
					"code, read the secret from where it is kept; "+
					"to search for placeholders, use file_grep", property, shorten(placeholder), tool.Name)
		}
	}
	return nil
}

// firstText is what find finds first in the strings of a value, names of properties included.
func firstText(value any, find func(string) (string, bool)) (string, bool) {
	switch value := value.(type) {
	case string:
		return find(value)
	case []any:
		for _, item := range value {
			if text, found := firstText(item, find); found {
				return text, true
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if text, found := find(name); found {
				return text, true
			}
			if text, found := firstText(value[name], find); found {
				return text, true
			}
		}
	}
	return "", false
}

func distinct(name string, taken []string) string {
	for i, candidate := 2, name; ; i++ {
		if !slices.Contains(taken, candidate) {
			return candidate
		}
		candidate = fmt.Sprintf("%s (%d)", name, i)
	}
}

// showArguments is the text of a call's arguments for records and streams: as
// the model wrote it where it is valid and holds no secret.
func (r *batchRun) showArguments(raw string, args map[string]any, repaired bool) string {
	if args == nil {
		return r.redact(raw)
	}
	covered, changed := redactValue(args, r.redact)
	if !repaired && !changed {
		return raw
	}
	return encodeArguments(covered)
}

// redactValue is redactTree for decoded arguments. It copies what it changes.
func redactValue(value any, redact func(string) string) (covered any, changed bool) {
	switch value := value.(type) {
	case string:
		text := redact(value)
		return text, text != value
	case []any:
		var copied []any
		for i, item := range value {
			if item, differs := redactValue(item, redact); differs {
				if copied == nil {
					copied = slices.Clone(value)
				}
				copied[i] = item
			}
		}
		if copied != nil {
			return copied, true
		}
	case map[string]any:
		copied := make(map[string]any, len(value))
		for name, item := range value {
			key := redact(name)
			item, differs := redactValue(item, redact)
			changed = changed || differs || key != name
			copied[key] = item
		}
		if changed {
			return copied, true
		}
	}
	return value, false
}

func encodeArguments(args any) string {
	object, isObject := args.(map[string]any)
	if !isObject {
		return "{}"
	}
	encoded, err := tools.Canonical(object)
	if err != nil || !json.Valid(encoded) {
		return "{}"
	}
	return string(encoded)
}
