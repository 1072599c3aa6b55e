package config

import (
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// translateOriginal turns the keys that only the original nanoClaw had into
// today's, in the tree, so that its config.yml loads as it is. What it drops or
// reads differently becomes a warning.
func (d *decoder) translateOriginal(root *node, c *Config) {
	if root.kind != mappingNode {
		return
	}
	d.translatePorts(root)
	d.translateDatabase(root)
	if models, ok := root.get("models"); ok {
		for i, m := range models.value.items {
			d.translateAPIURL(m, indexPath("models", i))
		}
	}
	d.translateStrictness(root, c)
}

// take removes a key from a mapping and answers its text; path is what problems call it.
func (d *decoder) take(n *node, key, path string) (text string, e entry, ok bool) {
	i := slices.IndexFunc(n.entries, func(e entry) bool { return e.key == key })
	if i < 0 {
		return "", entry{}, false
	}
	e = n.entries[i]
	n.entries = slices.Delete(n.entries, i, i+1)
	switch e.value.kind {
	case nullNode:
		return "", e, false
	case scalarNode:
		text, _, ok = d.text(e.value, path, e.pos)
		return text, e, ok
	default:
		d.problem(e.pos, path, "has to be a single value, not %s", e.value.kind)
		return "", e, false
	}
}

func (d *decoder) translatePorts(root *node) {
	if _, e, ok := d.take(root, "frontend_port", "frontend_port"); ok {
		d.warn(e.pos, "frontend_port", "has no effect: the web page comes from the same port as the API")
	}
	text, e, ok := d.take(root, "backend_port", "backend_port")
	if !ok {
		return
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		d.problem(e.pos, "backend_port", "has to be a port, 1 to 65535")
		return
	}
	listen := net.JoinHostPort("127.0.0.1", strconv.FormatUint(port, 10))
	if old, ok := root.get("listen"); ok && old.value.kind == scalarNode {
		given, _, _ := d.text(old.value, "listen", old.pos)
		if _, givenPort, _ := net.SplitHostPort(given); givenPort != strconv.FormatUint(port, 10) {
			d.problem(e.pos, "backend_port", "contradicts listen in line %d: remove backend_port", old.pos.line)
		}
		return
	}
	d.warn(e.pos, "backend_port", "is read as listen: %s", listen)
	root.entries = append(root.entries, entry{key: "listen", pos: e.pos, value: scalar(listen, e.pos)})
}

// translateDatabase makes database.url or database.sqlite_file of the db_ keys.
func (d *decoder) translateDatabase(root *node) {
	kind, kindEntry, _ := d.take(root, "db_type", "db_type")
	switch kind {
	case "sqlite":
		d.ignore(root, "has no effect with db_type: sqlite", "db_host", "db_port", "db_user", "db_password", "db_name")
	case "postgres", "postgresql":
		d.ignore(root, "has no effect with db_type: "+kind, "db_sqlite_file")
		d.translatePostgres(root, kindEntry)
		return
	case "mysql":
		d.problem(kindEntry.pos, "db_type", "mysql is not supported: remove the db_ keys, and a new SQLite file in data_dir is used; what is in MySQL stays there")
		d.drop(root, "db_host", "db_port", "db_user", "db_password", "db_name", "db_sqlite_file")
		return
	case "":
		d.ignore(root, "has no effect without db_type: remove it", "db_host", "db_port", "db_user", "db_password", "db_name")
	default:
		d.problem(kindEntry.pos, "db_type", "is not a database that is supported: use sqlite")
		d.drop(root, "db_host", "db_port", "db_user", "db_password", "db_name", "db_sqlite_file")
		return
	}
	if file, e, ok := d.take(root, "db_sqlite_file", "db_sqlite_file"); ok {
		d.setDatabase(root, "sqlite_file", file, "db_sqlite_file", e.pos)
	}
}

func (d *decoder) translatePostgres(root *node, kind entry) {
	part := func(key, fallback string) string {
		if text, _, ok := d.take(root, key, key); ok && text != "" {
			return text
		}
		return fallback
	}
	host := part("db_host", "localhost")
	port := part("db_port", "5432")
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		d.problem(kind.pos, "db_port", "has to be a port, 1 to 65535")
		port = "5432"
	}
	u := url.URL{Scheme: "postgres", Host: net.JoinHostPort(host, port), Path: "/" + part("db_name", "nanoclaw")}
	user, password := part("db_user", ""), part("db_password", "")
	switch {
	case password != "":
		u.User = url.UserPassword(user, password)
	case user != "":
		u.User = url.User(user)
	}
	d.setDatabase(root, "url", u.String(), "db_type", kind.pos)
}

// setDatabase puts one key into the mapping database, which it makes where there is none.
func (d *decoder) setDatabase(root *node, key, text, from string, pos position) {
	i := slices.IndexFunc(root.entries, func(e entry) bool { return e.key == "database" })
	if i < 0 || root.entries[i].value.kind == nullNode {
		root.entries = slices.DeleteFunc(root.entries, func(e entry) bool { return e.key == "database" })
		root.entries = append(root.entries, entry{key: "database", pos: pos, value: &node{kind: mappingNode, pos: pos}})
		i = len(root.entries) - 1
	}
	db := root.entries[i].value
	if old, ok := db.get(key); ok && old.value.kind == scalarNode {
		given, _, _ := d.text(old.value, "database."+key, old.pos)
		if given != "" {
			if given != text {
				d.problem(pos, from, "contradicts database.%s in line %d: remove the db_ keys", key, old.pos.line)
			}
			return
		}
		db.entries = slices.DeleteFunc(db.entries, func(e entry) bool { return e.key == key })
	}
	db.entries = append(db.entries, entry{key: key, pos: pos, value: scalar(text, pos)})
}

// ignore drops keys that are there and says so.
func (d *decoder) ignore(root *node, reason string, keys ...string) {
	for _, e := range d.drop(root, keys...) {
		if e.value.kind != nullNode {
			d.warn(e.pos, e.key, "%s", reason)
		}
	}
}

func (d *decoder) drop(root *node, keys ...string) (dropped []entry) {
	root.entries = slices.DeleteFunc(root.entries, func(e entry) bool {
		if !slices.Contains(keys, e.key) {
			return false
		}
		dropped = append(dropped, e)
		return true
	})
	return dropped
}

// translateAPIURL makes base_url of a model's api_url, which named the whole endpoint.
func (d *decoder) translateAPIURL(model *node, path string) {
	text, e, ok := d.take(model, "api_url", path+".api_url")
	if !ok {
		return
	}
	base := strings.TrimRight(text, "/")
	for _, suffix := range []string{"/chat/completions", "/messages"} {
		base = strings.TrimSuffix(base, suffix)
	}
	if old, ok := model.get("base_url"); ok && old.value.kind == scalarNode {
		given, _, _ := d.text(old.value, path+".base_url", old.pos)
		if strings.TrimRight(given, "/") != base {
			d.problem(e.pos, path+".api_url", "contradicts base_url in line %d: keep base_url", old.pos.line)
		}
		return
	}
	model.entries = append(model.entries, entry{key: "base_url", pos: e.pos, value: scalar(base, e.pos)})
}

// translateStrictness keeps a default_strictness that is looser than the safe
// default of loosest_strictness from being an error in files that do not know the latter.
func (d *decoder) translateStrictness(root *node, c *Config) {
	code, ok := root.get("code_execution")
	if !ok || code.value.kind != mappingNode {
		return
	}
	wanted, ok := code.value.get("default_strictness")
	if _, knows := code.value.get("loosest_strictness"); !ok || knows || wanted.value.text != "lenient" {
		return
	}
	code.value.entries = slices.DeleteFunc(code.value.entries, func(e entry) bool { return e.key == "default_strictness" })
	d.warn(wanted.pos, "code_execution.default_strictness", "lenient is read as %s: set loosest_strictness: lenient beside it if the model may run unrestricted code", c.CodeExecution.DefaultStrictness)
}
