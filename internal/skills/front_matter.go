package skills

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

const (
	fence = "---"
	// maxFrontMatter bounds the YAML, in bytes: the fields of the format fit many times.
	maxFrontMatter = 16 << 10
	// maxDepth is how deep values may be nested: metadata is one level.
	maxDepth = 4
)

// frontMatter is what the format defines; other fields are ignored.
type frontMatter struct {
	Name          string
	Description   string
	License       string
	Compatibility string
	AllowedTools  []string
	Metadata      map[string]string
}

// split parts a SKILL.md into its front matter and its text.
func split(content string) (front, text string, err error) {
	if !utf8.ValidString(content) || strings.ContainsRune(content, 0) {
		return "", "", errors.New("SKILL.md is not UTF-8 text")
	}
	content = strings.ReplaceAll(strings.TrimPrefix(content, "\ufeff"), "\r\n", "\n")
	first, rest, _ := strings.Cut(content, "\n")
	if strings.TrimRight(first, " \t") != fence {
		return "", "", errors.New("SKILL.md does not begin with front matter: a line ---, name and description, and " +
			"another line ---")
	}
	at := 0
	for line := range strings.Lines(rest) {
		if strings.TrimRight(line, " \t\n") == fence {
			return rest[:at], strings.TrimSpace(rest[at+len(line):]), nil
		}
		if at += len(line); at > maxFrontMatter {
			return "", "", fmt.Errorf("the front matter is longer than %d bytes, or its last line --- is missing",
				maxFrontMatter)
		}
	}
	return "", "", errors.New("the last line --- of the front matter is missing")
}

// parse reads a front matter.
func parse(front string) (*frontMatter, error) {
	fields, err := mapping(front)
	if err != nil {
		return nil, err
	}
	f := &frontMatter{}
	for key, value := range fields {
		switch key {
		case "name":
			f.Name, err = scalar(key, value)
		case "description":
			f.Description, err = scalar(key, value)
			f.Description = oneLine(f.Description)
		case "license":
			f.License, err = scalar(key, value)
			f.License = oneLine(f.License)
		case "compatibility":
			f.Compatibility, err = scalar(key, value)
			f.Compatibility = oneLine(f.Compatibility)
		case "allowed-tools":
			f.AllowedTools, err = words(key, value)
		case "metadata":
			f.Metadata, err = texts(key, value)
		}
		if err != nil {
			return nil, err
		}
	}
	return f, nil
}

// mapping is a YAML mapping, by key. Many skills have a description with ": " in it
// and no quotes, which is no YAML: its lines are read with the values quoted then.
func mapping(front string) (map[string]*yaml.Node, error) {
	root, err := document(front)
	if err != nil {
		var again error
		if root, again = document(quoteValues(front)); again != nil {
			return nil, fmt.Errorf("the front matter is not YAML: %s", shortened(oneLine(err.Error())))
		}
	}
	if root == nil || root.Kind != yaml.MappingNode {
		return nil, errors.New("the front matter has no fields: name and description are needed")
	}
	if err := plain(root, maxDepth); err != nil {
		return nil, err
	}
	return pairs("the front matter", root)
}

func document(front string) (*yaml.Node, error) {
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(front), &node); err != nil {
		return nil, err
	}
	if node.Kind != yaml.DocumentNode || len(node.Content) == 0 {
		return nil, nil
	}
	return node.Content[0], nil
}

// plain refuses what no skill needs: anchors and aliases, with which a short text
// stands for a very long one, tags, and deep nesting.
func plain(node *yaml.Node, depth int) error {
	switch {
	case node.Kind == yaml.AliasNode || node.Anchor != "":
		return errors.New("the front matter has YAML anchors or aliases: write the values out")
	case node.Style&yaml.TaggedStyle != 0:
		return errors.New("the front matter has YAML tags: leave them out")
	case depth == 0:
		return errors.New("the front matter is nested too deep")
	}
	for _, child := range node.Content {
		if err := plain(child, depth-1); err != nil {
			return err
		}
	}
	return nil
}

func pairs(what string, node *yaml.Node) (map[string]*yaml.Node, error) {
	if len(node.Content) > 2*maxFields {
		return nil, fmt.Errorf("%s has more than %d fields", what, maxFields)
	}
	byKey := map[string]*yaml.Node{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i].Value
		if byKey[key] != nil {
			return nil, fmt.Errorf("%s has %s twice", what, shortened(oneLine(key)))
		}
		byKey[key] = node.Content[i+1]
	}
	return byKey, nil
}

func scalar(key string, node *yaml.Node) (string, error) {
	if node.Kind != yaml.ScalarNode {
		return "", fmt.Errorf("%s must be a text", key)
	}
	if node.ShortTag() == "!!null" {
		return "", nil
	}
	return strings.TrimSpace(node.Value), nil
}

// words are separated by blanks, or stand in a list.
func words(key string, node *yaml.Node) ([]string, error) {
	if node.Kind != yaml.SequenceNode {
		text, err := scalar(key, node)
		return strings.Fields(oneLine(text)), err
	}
	var list []string
	for _, item := range node.Content {
		word, err := scalar(key, item)
		if err != nil {
			return nil, err
		}
		list = append(list, oneLine(word))
	}
	return list, nil
}

func texts(key string, node *yaml.Node) (map[string]string, error) {
	if node.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("%s must be a mapping of texts", key)
	}
	byKey, err := pairs(key, node)
	if err != nil {
		return nil, err
	}
	list := make(map[string]string, len(byKey))
	for name, value := range byKey {
		if list[oneLine(name)], err = scalar(key+"."+shortened(oneLine(name)), value); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// quoteValues quotes the values of lines such as "description: Use it when: …".
func quoteValues(front string) string {
	var quoted strings.Builder
	for line := range strings.Lines(front) {
		key, value, found := strings.Cut(strings.TrimRight(line, "\n"), ": ")
		value = strings.TrimSpace(value)
		if !found || strings.TrimLeft(key, " \t") != key || value == "" || strings.ContainsAny(value[:1], `"'|>[{&*!`) {
			quoted.WriteString(line)
			continue
		}
		quoted.WriteString(key + ": " + strconv.Quote(value) + "\n")
	}
	return quoted.String()
}
