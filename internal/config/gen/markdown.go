package main

import (
	_ "embed"
	"fmt"
	"strings"

	"nanoclaw/internal/config"
)

//go:embed intro.md
var intro string

// files is what is generated, by path from the root of the repository.
func files() map[string]string {
	return map[string]string{
		"config.yml":            config.Commented(),
		"docs/configuration.md": markdown(),
	}
}

// markdown is the reference of all keys, one table per key of the top level.
func markdown() string {
	var b strings.Builder
	b.WriteString(intro)
	keys := config.Keys()
	b.WriteString("\n## The top level\n\n")
	var simple, sections []config.Key
	for _, k := range keys {
		switch {
		case strings.ContainsAny(k.Path, ".["):
		case k.Type == "section" || below(keys, k.Path) != nil:
			sections = append(sections, k)
		default:
			simple = append(simple, k)
		}
	}
	table(&b, simple)
	for _, s := range sections {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", s.Path, describe(s))
		if s.Type != "section" {
			fmt.Fprintf(&b, "A %s; default `%s`.\n\n", typeOf(s), s.Default)
		}
		table(&b, below(keys, s.Path))
		for _, k := range append([]config.Key{s}, below(keys, s.Path)...) {
			if example := config.Example(k.Path); example != "" {
				fmt.Fprintf(&b, "\n```yaml\n%s```\n", nest(k.Path, example))
			}
		}
	}
	return b.String()
}

// below is the keys inside another one, at any depth.
func below(keys []config.Key, path string) []config.Key {
	var out []config.Key
	for _, k := range keys {
		if strings.HasPrefix(k.Path, path+".") || strings.HasPrefix(k.Path, path+"[") {
			out = append(out, k)
		}
	}
	return out
}

func table(b *strings.Builder, keys []config.Key) {
	b.WriteString("| key | type | default | what it does |\n|---|---|---|---|\n")
	for _, k := range keys {
		byDefault := "`" + k.Default + "`"
		if k.Default == "" {
			byDefault = ""
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", k.Path, typeOf(k), cell(byDefault), cell(describe(k)))
	}
}

// typeOf is a key's type in words.
func typeOf(k config.Key) string {
	switch {
	case k.Secret && k.Items == "":
		return "secret"
	case k.Items == "text" || k.Items == "any":
		return k.Type + " of " + k.Items
	case k.Items != "":
		return k.Type + " of " + k.Items + "s"
	}
	return k.Type
}

func describe(k config.Key) string {
	s := k.Doc
	s += words(" One of: ", k.Enum) + words(" Names: ", k.Names)
	if k.Range != "" {
		s += " Range: " + k.Range + "."
	}
	if k.Restart {
		s += " **Restart.**"
	}
	return s
}

func words(label string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	return strings.ReplaceAll(label+"`"+strings.Join(list, "`, `")+"`.", "``", `""`)
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// nest puts an example under the keys around it.
func nest(path, example string) string {
	parent, _, nested := strings.Cut(path, ".")
	if !nested {
		return example
	}
	out := parent + ":\n"
	for line := range strings.Lines(example) {
		out += "  " + line
	}
	return out
}
