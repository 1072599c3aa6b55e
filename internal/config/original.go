package config

import (
	"net"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// translateOriginal turns the keys that only the original nanoClaw had into
// today's, in the tree, so that its config.yml loads as it is. What it drops or
// reads differently becomes a warning.
func (d *decoder) translateOriginal(root *yaml.Node, c *Config) {
	d.translatePorts(root)
	d.translateDatabase(root)
	if models := follow(valueOf(root, "models")); models != nil && models.Kind == yaml.SequenceNode {
		for i, m := range models.Content {
			d.translateAPIURL(follow(m), indexPath("models", i))
		}
	}
	d.translateStrictness(root, c)
}

// take removes a key from a mapping and answers its node and its text; path is what
// problems call it. It is false where there is no text.
func (d *decoder) take(n *yaml.Node, name, path string) (key *yaml.Node, text string, ok bool) {
	i := indexOf(n, name)
	if i < 0 {
		return nil, "", false
	}
	key, value := n.Content[i], follow(n.Content[i+1])
	n.Content = slices.Delete(n.Content, i, i+2)
	switch {
	case isNull(value):
		return key, "", false
	case value.Kind != yaml.ScalarNode:
		d.problem(key, path, "has to be a single value, not %s", kindOf(value))
		return key, "", false
	}
	text, _, ok = d.text(value, path, key)
	return key, text, ok
}

// given is the text of a key that stays; its line is for problems.
func (d *decoder) given(n *yaml.Node, name, path string) (text string, line int, ok bool) {
	i := indexOf(n, name)
	if i < 0 {
		return "", 0, false
	}
	key, value := n.Content[i], follow(n.Content[i+1])
	if isNull(value) || value.Kind != yaml.ScalarNode {
		return "", 0, false
	}
	text, _, _ = d.text(value, path, key)
	return text, key.Line, true
}

// put sets a key of a mapping to a text, at the place of the key that gave it.
func put(n *yaml.Node, name, text string, at *yaml.Node) {
	if i := indexOf(n, name); i >= 0 {
		n.Content = slices.Delete(n.Content, i, i+2)
	}
	n.Content = append(n.Content, textNode(name, at), textNode(text, at))
}

func (d *decoder) translatePorts(root *yaml.Node) {
	if key, _, ok := d.take(root, "frontend_port", "frontend_port"); ok {
		d.warn(d.position(key), "frontend_port", "has no effect: the web page comes from the same port as the API")
	}
	key, text, ok := d.take(root, "backend_port", "backend_port")
	if !ok {
		return
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		d.problem(key, "backend_port", "has to be a port, 1 to 65535")
		return
	}
	listen := net.JoinHostPort("127.0.0.1", strconv.FormatUint(port, 10))
	if old, line, ok := d.given(root, "listen", "listen"); ok {
		if _, oldPort, _ := net.SplitHostPort(old); oldPort != strconv.FormatUint(port, 10) {
			d.problem(key, "backend_port", "contradicts listen in line %d: remove backend_port", line)
		}
		return
	}
	d.warn(d.position(key), "backend_port", "is read as listen: %s", listen)
	put(root, "listen", listen, key)
}

// translateDatabase makes database.sqlite_file of the db_ keys.
func (d *decoder) translateDatabase(root *yaml.Node) {
	address := []string{"db_host", "db_port", "db_user", "db_password", "db_name"}
	typeKey, kind, _ := d.take(root, "db_type", "db_type")
	switch kind {
	case "sqlite":
		d.ignore(root, "has no effect with db_type: sqlite", address...)
	case "":
		d.ignore(root, "has no effect without db_type: remove it", address...)
	default:
		d.problem(typeKey, "db_type",
			"is not a database that is supported: remove the db_ keys, and a new SQLite file in "+
				"data_dir is used; what is in the other database stays there")
		for _, name := range append(address, "db_sqlite_file") {
			if i := indexOf(root, name); i >= 0 {
				root.Content = slices.Delete(root.Content, i, i+2)
			}
		}
		return
	}
	if key, file, ok := d.take(root, "db_sqlite_file", "db_sqlite_file"); ok {
		d.setDatabase(root, "sqlite_file", file, "db_sqlite_file", key)
	}
}

// setDatabase puts one key into the mapping database, which it makes where there is none.
func (d *decoder) setDatabase(root *yaml.Node, name, text, from string, key *yaml.Node) {
	db := follow(valueOf(root, "database"))
	if isNull(db) {
		put(root, "database", "", key)
		db = root.Content[len(root.Content)-1]
		*db = yaml.Node{Kind: yaml.MappingNode, Line: key.Line, Column: key.Column}
	}
	if old, line, _ := d.given(db, name, "database."+name); old != "" {
		if old != text {
			d.problem(key, from, "contradicts database.%s in line %d: remove the db_ keys", name, line)
		}
		return
	}
	put(db, name, text, key)
}

// ignore drops keys and warns of those that say something.
func (d *decoder) ignore(root *yaml.Node, reason string, names ...string) {
	for _, name := range names {
		i := indexOf(root, name)
		if i < 0 {
			continue
		}
		if !isNull(root.Content[i+1]) {
			d.warn(d.position(root.Content[i]), name, "%s", reason)
		}
		root.Content = slices.Delete(root.Content, i, i+2)
	}
}

// translateAPIURL makes base_url of a model's api_url, which named the whole endpoint.
func (d *decoder) translateAPIURL(model *yaml.Node, path string) {
	key, text, ok := d.take(model, "api_url", path+".api_url")
	if !ok {
		return
	}
	base := strings.TrimRight(text, "/")
	for _, suffix := range []string{"/chat/completions", "/messages"} {
		base = strings.TrimSuffix(base, suffix)
	}
	if old, line, ok := d.given(model, "base_url", path+".base_url"); ok {
		if strings.TrimRight(old, "/") != base {
			d.problem(key, path+".api_url", "contradicts base_url in line %d: keep base_url", line)
		}
		return
	}
	put(model, "base_url", base, key)
}

// translateStrictness keeps a default_strictness that is looser than the safe
// default of loosest_strictness from being an error in files that do not know the latter.
func (d *decoder) translateStrictness(root *yaml.Node, c *Config) {
	code := follow(valueOf(root, "code_execution"))
	i := indexOf(code, "default_strictness")
	if i < 0 || code.Content[i+1].Value != "lenient" || indexOf(code, "loosest_strictness") >= 0 {
		return
	}
	d.warn(d.position(code.Content[i]), "code_execution.default_strictness",
		"lenient is read as %s: set loosest_strictness: lenient beside it if the model may run unrestricted code",
		c.CodeExecution.DefaultStrictness)
	code.Content = slices.Delete(code.Content, i, i+2)
}
