package runs

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"nanoclaw/internal/models"
	"nanoclaw/internal/tools"
)

// mark is what stands for a secret in what a person was shown.
var mark = regexp.MustCompile(`\[REDACTED:[^\]]*\]`)

// uncover puts the secrets back into arguments that a person edited, who was shown
// marks in their place and left them as they were.
func (s *Service) uncover(ctx context.Context, a *models.Approval, edited map[string]any) (map[string]any, error) {
	_, calls, err := s.Store.Steps(ctx, a.RunID)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(calls, func(c *models.ToolCall) bool { return c.ID == a.CallID })
	if at < 0 || calls[at].Arguments == a.Arguments {
		return edited, nil
	}
	return restoreSecrets(calls[at].Arguments, a.Arguments, edited)
}

// restoreSecrets does it with the arguments as they are and as they were shown.
func restoreSecrets(text, covered string, edited map[string]any) (map[string]any, error) {
	original, _, err := tools.ParseArguments(text)
	if err != nil {
		return edited, nil // it could not be understood, and nothing in it was covered by itself
	}
	shown, _, err := tools.ParseArguments(covered)
	if err != nil {
		return edited, nil
	}
	secrets := coveredSecrets{}
	secrets.learn(original, shown)
	restored, err := secrets.restore(edited, shown, original)
	if err != nil {
		return nil, err
	}
	return restored.(map[string]any), nil
}

// coveredSecrets are the secrets that redaction has covered in arguments, by mark.
type coveredSecrets map[string]map[string]bool

// learn compares arguments with how they were shown.
func (c coveredSecrets) learn(original, shown any) {
	switch o := original.(type) {
	case string:
		if s, ok := shown.(string); ok && s != o {
			c.learnText(o, s)
		}
	case []any:
		s, _ := shown.([]any)
		for i := range min(len(o), len(s)) {
			c.learn(o[i], s[i])
		}
	case map[string]any:
		s, _ := shown.(map[string]any)
		for name, value := range o {
			c.learn(value, s[name])
		}
	}
}

// learnText finds what each mark of a text stands for: what lies between the parts
// that were not covered.
func (c coveredSecrets) learnText(original, shown string) {
	marks := mark.FindAllStringIndex(shown, -1)
	from, rest := 0, original
	for i, place := range marks {
		rest = rest[min(len(rest), place[0]-from):] // the part before the mark
		from = place[1]
		next := len(shown)
		if i+1 < len(marks) {
			next = marks[i+1][0]
		}
		end := len(rest)
		if following := shown[from:next]; following != "" {
			if end = strings.Index(rest, following); end < 0 {
				return
			}
		}
		name := shown[place[0]:place[1]]
		if c[name] == nil {
			c[name] = map[string]bool{}
		}
		c[name][rest[:end]] = true
		rest = rest[end:]
	}
}

// restore puts secrets in the place of their marks. A text that stands where it
// stood, as it was shown, is the original one. Elsewhere a mark that stands for
// more than one secret is an error.
func (c coveredSecrets) restore(edited, shown, original any) (_ any, err error) {
	switch e := edited.(type) {
	case string:
		if o, ok := original.(string); ok && edited == shown {
			return o, nil
		}
		return c.restoreText(e)
	case []any:
		e = slices.Clone(e)
		s, _ := shown.([]any)
		o, _ := original.([]any)
		for i := range e {
			var wasShown, was any
			if i < len(s) && i < len(o) {
				wasShown, was = s[i], o[i]
			}
			if e[i], err = c.restore(e[i], wasShown, was); err != nil {
				return nil, err
			}
		}
		return e, nil
	case map[string]any:
		e = maps.Clone(e)
		s, _ := shown.(map[string]any)
		o, _ := original.(map[string]any)
		for name := range e {
			if e[name], err = c.restore(e[name], s[name], o[name]); err != nil {
				return nil, err
			}
		}
		return e, nil
	}
	return edited, nil
}

func (c coveredSecrets) restoreText(text string) (string, error) {
	var unclear error
	restored := mark.ReplaceAllStringFunc(text, func(name string) string {
		secrets := slices.Collect(maps.Keys(c[name]))
		switch len(secrets) {
		case 0:
			return name
		case 1:
			return secrets[0]
		}
		unclear = tools.Errorf(tools.CodeInvalidArguments,
			"the arguments hold %d secrets that are shown as %s, and in a text that was changed it is not clear "+
				"which is meant: write it out", len(secrets), name)
		return name
	})
	return restored, unclear
}
