package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// SecretsFile is the file beside a config.yml that keeps the secrets which were entered
// through the server: config.secrets.yml. Where path is a symbolic link, it lies beside
// the target.
func SecretsFile(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	ext := filepath.Ext(path)
	return strings.TrimSuffix(path, ext) + ".secrets" + ext
}

const secretsAbout = "Secrets that were entered in the web app or over the API. config.yml refers to them as ${NAME};\n" +
	"an environment variable of the same name comes first. Only the server's user may read this file."

// secrets is what a SecretsFile holds: names with their texts, which stand for
// themselves, $ included.
type secrets struct {
	file     string
	data     []byte
	document *yaml.Node // nil: there is no file
	values   map[string]string
	isOpen   bool // others than its owner may read it
}

// withSecrets is the source with the file of secrets read, unless it is already.
func (s Source) withSecrets() (Source, error) {
	if s.secrets != nil {
		return s, nil
	}
	path, _ := s.File()
	var err error
	s.secrets, err = readSecrets(SecretsFile(path))
	return s, err
}

// readBoth reads a text, and the secrets that it refers to as they are with that text:
// another server may be writing both.
func (s Source) readBoth(read func() ([]byte, error)) ([]byte, Source, error) {
	for range 20 {
		data, err := read()
		if err != nil {
			return nil, s, err
		}
		with, err := s.withSecrets()
		if err != nil {
			return nil, s, err
		}
		if again, err := read(); err != nil || bytes.Equal(again, data) {
			return data, with, err
		}
	}
	return nil, s, errors.New("read configuration: the file does not come to rest")
}

// readSecrets reads a file of secrets; one that does not exist is empty. The error is
// Problems where the content is at fault.
func readSecrets(file string) (*secrets, error) {
	s := &secrets{file: file, values: map[string]string{}}
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the secrets of the configuration: %w", err)
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("read the secrets of the configuration: %w", err)
	}
	s.isOpen = info.Mode().Perm()&0o077 != 0
	return s, s.parse(data)
}

func (s *secrets) parse(data []byte) error {
	root, problems := parseYAML(data, s.file)
	if len(problems) > 0 {
		return problems
	}
	refuse := func(n *yaml.Node, key, message string) error {
		return Problems{{File: s.file, Line: n.Line, Column: n.Column, Key: key, Message: message}}
	}
	if !isNull(root) && root.Kind != yaml.MappingNode {
		return refuse(root, "", "has to be a mapping (NAME: secret lines), not "+kindOf(root))
	}
	for i := 0; i < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		switch _, isTwice := s.values[key.Value]; {
		case key.Kind != yaml.ScalarNode || !isEnvName(key.Value):
			return refuse(key, "", "has a name that ${NAME} cannot refer to: use letters, digits and _")
		case value.Kind != yaml.ScalarNode:
			return refuse(key, key.Value, "has to be text, not "+kindOf(value))
		case isTwice:
			return refuse(key, key.Value, "is there twice: keep one of them")
		}
		s.values[key.Value] = value.Value
	}
	s.data = data
	s.document, _ = parseDocument(data)
	return nil
}

// lookup is what ${NAME} stands for: the environment, and where that says nothing, the
// file of secrets.
func (s Source) lookup(name string) (string, bool) {
	value, set := s.env()(name)
	if value == "" && s.secrets != nil {
		if kept, ok := s.secrets.values[name]; ok {
			return kept, true
		}
	}
	return value, set
}

// change adds secrets, removes those that drop names, and writes the file, which only its
// owner can read. Nothing to change writes nothing.
func (s *secrets) change(add map[string]string, drop func(name string) bool) error {
	doc := &yaml.Node{Kind: yaml.DocumentNode, HeadComment: secretsAbout}
	root := &yaml.Node{Kind: yaml.MappingNode}
	if s.document != nil {
		doc = s.document
		if old := doc.Content[0]; old.Kind == yaml.MappingNode {
			root = old
		}
	}
	doc.Content = []*yaml.Node{root}
	isChanged := len(add) > 0
	for i := len(root.Content) - 2; i >= 0; i -= 2 {
		if drop(root.Content[i].Value) {
			root.Content, isChanged = slices.Delete(root.Content, i, i+2), true
		}
	}
	if !isChanged {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(add)) {
		root.Content = append(root.Content, scalarNode(textTag, name),
			&yaml.Node{Kind: yaml.ScalarNode, Tag: textTag, Style: yaml.DoubleQuotedStyle, Value: add[name]})
	}
	root.Style &^= yaml.FlowStyle
	if len(root.Content) == 0 {
		root.Style |= yaml.FlowStyle
	}
	next := &secrets{file: s.file, values: map[string]string{}}
	data := []byte(printYAML(doc))
	if err := next.parse(data); err != nil {
		return err
	}
	for name, text := range add {
		if next.values[name] != text {
			return Problems{{File: s.file, Key: name, Message: "holds characters that cannot be kept in a file"}}
		}
	}
	file := s.file
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	if err := replace(file, data, 0o600); err != nil {
		return err
	}
	*s = *next
	return nil
}

// with is the same with more in it, as it will be once they are written.
func (s *secrets) with(more map[string]string) *secrets {
	next := *s
	next.values = maps.Clone(s.values)
	maps.Copy(next.values, more)
	return &next
}

// A keeper takes secrets that are given as text out of the changes of a file, and puts
// ${NAME} in their place.
type keeper struct {
	source Source
	text   []byte            // of the file: what it refers to is no free name
	kept   map[string]string // by name
}

// takeAll is changes as Edit gets them, with their secrets taken out.
func (k *keeper) takeAll(changes map[string]any) (map[string]any, error) {
	made := make(map[string]any, len(changes))
	for _, key := range slices.Sorted(maps.Keys(changes)) {
		value, err := plain(changes[key])
		if err != nil {
			return nil, Problems{{Key: key, Message: err.Error()}}
		}
		steps, ok := splitPath(key)
		if !ok {
			made[key] = value // which Edit refuses
			continue
		}
		t, names := configType, []string{}
		for _, step := range steps {
			if step.inList {
				t = elementType(t)
			} else {
				t = typeOfKey(t, step.name)
			}
			names = append(names, step.name)
		}
		made[key] = k.take(value, t, names...)
	}
	return made, nil
}

// take is a value of the type t with its secrets taken out; names is the way to it.
func (k *keeper) take(value any, t reflect.Type, names ...string) any {
	if number, ok := value.(float64); ok && t == secretType {
		value = strconv.FormatFloat(number, 'f', -1, 64)
	}
	switch v := value.(type) {
	case string:
		if t != secretType || v == "" || isRedacted(v) || strings.Contains(strings.ReplaceAll(v, "$$", ""), "${") {
			return v
		}
		name := k.freeName(names)
		k.kept[name] = strings.ReplaceAll(v, "$$", "$")
		return "${" + name + "}"
	case map[string]any:
		made := make(map[string]any, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			made[name] = k.take(v[name], typeOfKey(t, name), append(slices.Clip(names), name)...)
		}
		return made
	case []any:
		made := make([]any, len(v))
		for i, one := range v {
			name := idOf(one)
			if name == "" {
				name = strconv.Itoa(i + 1)
			}
			made[i] = k.take(one, elementType(t), append(slices.Clip(names), name)...)
		}
		return made
	}
	return value
}

// freeName makes a name of the way to a key, such as MODELS_DEEPSEEK_API_KEY. One that is
// taken gets a number: what is there is never overwritten, so that the old config.yml is
// whole until the new one is in its place.
func (k *keeper) freeName(names []string) string {
	words := strings.FieldsFunc(strings.ToUpper(strings.Join(names, "_")), func(r rune) bool {
		return (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
	base := strings.Join(words, "_")
	for n := 1; ; n++ {
		name := base
		if n > 1 {
			name += "_" + strconv.Itoa(n)
		}
		_, isSet := k.source.lookup(name)
		if _, isKept := k.kept[name]; !isSet && !isKept && !refersTo(k.text, name) {
			return name
		}
	}
}

// Expand is what a text of config.yml stands for: ${NAME} is replaced by what the
// environment or the file of secrets holds. missing names, comma-separated, the variables
// that are not set.
func (l *Live) Expand(text string) (expanded, missing string, err error) {
	source := l.source
	if !l.fixed {
		if source, err = source.withSecrets(); err != nil {
			return "", "", err
		}
	}
	out, err := expand(text, source.lookup)
	return out.text, strings.Join(out.missing, ", "), err
}
