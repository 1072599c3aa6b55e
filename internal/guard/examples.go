package guard

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// examples are sensitive paths that a file name pattern may mean.
var examples = sync.OnceValue(func() [][]string {
	var list [][]string
	for _, tree := range trees {
		list = append(list, strings.Split(tree.path, "/"))
		if tree.path[0] != '~' && tree.path[0] != '/' {
			list = append(list, strings.Split("~/"+tree.path, "/"))
		}
	}
	for name := range names {
		if strings.HasSuffix(name, ".py") {
			continue // *.py does not mean them
		}
		list = append(list, []string{name}, []string{"~", name})
	}
	for _, key := range []string{"id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", "authorized_keys", "config"} {
		list = append(list, []string{".ssh", key}, []string{"~", ".ssh", key})
	}
	for _, more := range []string{"~/.aws/credentials", "~/.kube/config", "~/.gnupg/secring.gpg", "/proc/1/environ", "/proc/self/environ", "/proc/1234/environ", "/proc/1/mem"} {
		list = append(list, strings.Split(more, "/"))
	}
	return list
})

// matchExamples says whether a pattern can be one of the sensitive paths. A
// pattern without any letter says nothing.
func matchExamples(pattern string, how use) (place, bool) {
	cleaned := fromHome(path.Clean(pattern))
	// /home/*/x and /ho?e/x are home directories, too.
	parts := strings.Split(cleaned, "/")
	if len(parts) > 3 && parts[0] == "" && segment(parts[1], "home") && strings.ContainsAny(parts[1]+parts[2], "*?[") {
		parts = append([]string{"~"}, parts[3:]...)
	} else if len(parts) > 2 && parts[0] == "" && parts[1] != "root" && segment(parts[1], "root") {
		parts = append([]string{"~"}, parts[2:]...)
	}
	if len(parts) > 32 {
		parts = parts[len(parts)-32:]
	}
	if !sensible(parts) {
		return place{}, false
	}
	for _, example := range examples() {
		if !alike(parts, example) {
			continue
		}
		found, ok := builtinPlace(strings.Join(example, "/"))
		if ok && found.uses&how != 0 {
			return found, true
		}
	}
	return place{}, false
}

// sensible says whether a pattern names anything: a letter in a part that is a
// glob, or a known directory before it.
func sensible(parts []string) bool {
	return slices.ContainsFunc(parts, func(part string) bool {
		return strings.ContainsAny(part, "*?[") && strings.ContainsFunc(part, func(r rune) bool { return r >= 'a' && r <= 'z' })
	}) || slices.ContainsFunc(parts, func(part string) bool { return len(part) > 2 && !strings.ContainsAny(part, "*?[") && part[0] == '.' })
}

func alike(parts, example []string) bool {
	if len(parts) != len(example) {
		// A pattern that begins somewhere can end as the example does.
		if parts[0] == "" || parts[0] == "~" || len(parts) <= len(example) || example[0] == "" || example[0] == "~" {
			return false
		}
		parts = parts[len(parts)-len(example):]
	}
	for i, part := range parts {
		if !segment(part, example[i]) {
			return false
		}
	}
	return true
}

// segment matches one part of a path as bash does: no wildcard stands for a dot
// at the beginning.
func segment(pattern, name string) bool {
	if pattern == name {
		return true
	}
	if strings.HasPrefix(name, ".") && pattern != "" && strings.IndexByte("*?[", pattern[0]) >= 0 {
		return false
	}
	pattern = strings.ReplaceAll(pattern, "[!", "[^")
	matched, err := path.Match(pattern, name)
	return err == nil && matched
}
