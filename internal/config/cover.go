package config

import (
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// shown is a single value as people may see it: a secret, what came from a
// variable that sounds secret, and a password inside an address are covered.
func (m *meta) shown(v reflect.Value, path string) string {
	text := plainText(v)
	if text == "" {
		return ""
	}
	if v.Type() == secretType || m != nil && m.variables[path] {
		return covered
	}
	if v.Kind() == reflect.String {
		return coverAddress(text)
	}
	return text
}

// coverAddress covers the password of a scheme://user:password@host.
func coverAddress(text string) string {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return text
	}
	authority := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority = rest[:i]
	}
	i := strings.LastIndexByte(authority, '@')
	if i < 0 {
		return text
	}
	user, _, hasPassword := strings.Cut(authority[:i], ":")
	if !hasPassword {
		return text
	}
	return scheme + "://" + user + ":" + covered + rest[i:]
}

// Secrets is the text of every secret of the configuration and of the file beside it,
// without repetition: what has to be covered wherever it turns up. Passwords inside addresses are
// listed by themselves too. Short ones are included: whoever covers them decides
// from which length on.
func (c *Config) Secrets() []string {
	var out []string
	seen := map[string]bool{}
	add := func(text string) {
		if text != "" && !seen[text] {
			seen[text] = true
			out = append(out, text)
		}
	}
	leaves(reflect.ValueOf(c).Elem(), "", func(path, name string, v reflect.Value) {
		if v.Kind() != reflect.String {
			return
		}
		text := v.String()
		if v.Type() == secretType || soundsSecret(name) && isFreeName(path) || c.meta != nil && c.meta.variables[path] {
			add(text)
		}
		if u, err := url.Parse(text); err == nil && u.User != nil {
			password, _ := u.User.Password()
			add(password)
		}
	})
	if c.meta != nil {
		for _, name := range slices.Sorted(maps.Keys(c.meta.secrets)) {
			add(c.meta.secrets[name])
		}
	}
	return out
}

// isFreeName reports whether the last name of a path was chosen by the user, as
// in shell.env and in presets; there a name such as API_TOKEN tells of a secret.
func isFreeName(path string) bool {
	return strings.HasPrefix(path, "shell.env.") || strings.Contains(path, ".preset")
}

// leaves calls f for every single value below v, with its path and the last name
// in it.
func leaves(v reflect.Value, path string, f func(path, name string, v reflect.Value)) {
	walkLeaves(v, path, "", f)
}

func walkLeaves(v reflect.Value, path, name string, f func(path, name string, v reflect.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		for _, fd := range fieldsOf(v.Type()).list {
			walkLeaves(v.Field(fd.index), joinPath(path, fd.name), fd.name, f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walkLeaves(v.Index(i), indexPath(path, i), name, f)
		}
	case reflect.Map:
		for _, key := range sortedKeys(v) {
			walkLeaves(v.MapIndex(reflect.ValueOf(key)), joinPath(path, key), key, f)
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			walkLeaves(v.Elem(), path, name, f)
		}
	default:
		f(path, name, v)
	}
}

// CoverText covers the secrets of configurations in a text of YAML, in each way in
// which one may be written there.
func CoverText(text string, of ...*Config) string {
	var secrets []string
	for _, c := range of {
		secrets = append(secrets, c.Secrets()...)
	}
	// One may begin with another one.
	slices.SortStableFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	for _, secret := range secrets {
		for line := range strings.SplitSeq(secret, "\n") {
			if line = strings.TrimSpace(line); len(line) < 4 {
				continue
			}
			quoted := printYAML(&yaml.Node{Kind: yaml.ScalarNode, Style: yaml.DoubleQuotedStyle, Value: line})
			quoted = strings.Trim(quoted, "\"\n")
			for _, written := range []string{line, quoted, strings.ReplaceAll(line, "'", "''")} {
				text = strings.ReplaceAll(text, written, covered)
			}
		}
	}
	return text
}

var removedValue = regexp.MustCompile(`(?m)^(-[^-:\n][^:\n]*:|-).+$`)

// CoverRemoved covers all that a unified difference takes away from a text that is no
// configuration, so that nothing tells what of it is a secret.
func CoverRemoved(diff string) string {
	head, body, ok := strings.Cut(diff, "\n@@")
	if !ok {
		return diff
	}
	return head + "\n@@" + removedValue.ReplaceAllString(body, "$1 "+covered)
}
