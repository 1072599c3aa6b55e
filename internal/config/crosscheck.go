package config

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
)

// What follows are the rules that look at more than one key.

func (ch *checker) checkServer(c *Config) {
	if host, _, err := net.SplitHostPort(c.Listen); err == nil && c.AuthMode == "single" && !c.AllowInsecureListen &&
		!isLoopback(host) {
		ch.problem("listen",
			"is an address that other machines reach, and with auth_mode single there are no accounts: listen on "+
				"127.0.0.1, set auth_mode: multi, or set allow_insecure_listen: true if everybody who reaches the port may run tools as you")
	}
	if c.Environment != "development" {
		if c.Shell.Policy == "host" {
			ch.problem("shell.policy", "host runs commands without isolation, which environment "+c.Environment+
				" refuses: use sandbox or docker")
		}
		if c.CodeExecution.AllowHost {
			ch.problem("code_execution.allow_host", "runs Python without isolation, which environment "+c.Environment+
				" refuses: set it to false")
		}
	}
	for name, provider := range c.Auth.OIDC {
		for group, role := range provider.Roles {
			if !slices.Contains([]string{"admin", "user", "viewer"}, role) {
				ch.problem(joinPath("auth.oidc."+name+".roles", group), "is "+role+", but must be admin, user or viewer")
			}
		}
	}
	ch.checkWorkspace(c)
	if c.Workspace.MaxTotalSize != 0 && c.Workspace.MaxTotalSize < c.Workspace.MaxFileSize {
		ch.problem("workspace.max_total_size", "is smaller than workspace.max_file_size: raise it, or 0 for no limit")
	}
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func (ch *checker) checkModels(c *Config) {
	ids := make([]string, 0, len(c.Models))
	for i, m := range c.Models {
		path := indexPath("models", i)
		ch.unique(path+".id", m.ID, ids)
		if m.ID != "" && !slices.Contains(ids, m.ID) {
			ids = append(ids, m.ID)
		}
		if m.Provider == "openai" && m.BaseURL == "" {
			ch.problem(path+".base_url", "is missing: give the endpoint, such as https://api.openai.com/v1")
		}
		if strings.Contains(m.BaseURL, "?") {
			ch.problem(path+".base_url",
				"has a query (?…), which is lost when a path is appended: remove it, and use headers for keys")
		}
		for name, value := range m.Headers {
			ch.header(joinPath(path+".headers", name), name, value)
		}
	}
	if c.DefaultModel != "" && !slices.Contains(ids, c.DefaultModel) {
		ch.problem("default_model", "is not the id of one of models: use "+orList(ids))
	}
	agents := make([]string, 0, len(c.Agents))
	for i, a := range c.Agents {
		path := indexPath("agents", i)
		ch.unique(path+".id", a.ID, agents)
		agents = append(agents, a.ID)
		if a.Model != "" && !slices.Contains(ids, a.Model) {
			ch.problem(path+".model", "is not the id of one of models: use "+orList(ids))
		}
		for j, p := range a.Permissions {
			ch.permission(indexPath(path+".permissions", j), p)
		}
	}
}

func (ch *checker) permission(path string, p Permission) {
	if len(p.Allow) == 0 && len(p.Deny) == 0 {
		ch.problem(path, "neither allows nor denies anything: give allow or deny, with read, write or delete")
	}
	for _, what := range p.Allow {
		if slices.Contains(p.Deny, what) {
			ch.problem(path, "both allows and denies "+what+": keep one of them")
		}
	}
}

// unique notes an id that one of the earlier ones has already.
func (ch *checker) unique(path, id string, earlier []string) {
	if id != "" && slices.Contains(earlier, id) {
		ch.problem(path, "is used twice: every id is given once")
	}
}

func (ch *checker) header(path, name string, value Secret) {
	const separators = "()<>@,;:\\\"/[]?={} \t"
	bad := func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(separators, r) }
	if name == "" || strings.ContainsFunc(name, bad) {
		ch.problem(path, "is not a name that an HTTP header can have")
	}
	if strings.ContainsAny(value.Reveal(), "\r\n\x00") {
		ch.problem(path, "holds a line break, which an HTTP header cannot")
	}
}

func (ch *checker) checkTools(c *Config) {
	levels := []string{"lenient", "standard", "strict"}
	code := c.CodeExecution
	loosest, wanted := slices.Index(levels, code.LoosestStrictness), slices.Index(levels, code.DefaultStrictness)
	if loosest >= 0 && wanted >= 0 && wanted < loosest {
		ch.problem("code_execution.default_strictness",
			fmt.Sprintf("%s is looser than loosest_strictness %s: change one of them", code.DefaultStrictness,
				code.LoosestStrictness))
	}
	if c.Shell.Timeout > c.Shell.MaxTimeout {
		ch.problem("shell.timeout", "is longer than shell.max_timeout: change one of them")
	}
	for name := range c.Shell.Env {
		if !isEnvName(name) {
			ch.problem(joinPath("shell.env", name), "is not a name that an environment variable can have")
		}
	}
	var rules, redactions []string
	for i, r := range c.Guard.Rules {
		path := indexPath("guard.rules", i)
		ch.unique(path+".id", r.ID, rules)
		rules = append(rules, r.ID)
		if (r.Pattern == "") == (r.Command == "") {
			ch.problem(path, "needs either pattern or command")
		}
	}
	for i, p := range c.Guard.Permissions {
		ch.permission(indexPath("guard.permissions", i), p)
	}
	for i, r := range c.Redaction.Rules {
		ch.unique(indexPath("redaction.rules", i)+".id", r.ID, redactions)
		redactions = append(redactions, r.ID)
	}
}

func (ch *checker) checkConnections(c *Config) {
	ch.checkNATS(c.NATS)
	ch.databaseURL("database.url", c.Database.URL, "postgres", "postgresql")
	for name, db := range c.Databases {
		ch.databaseURL(joinPath("databases", name)+".url", db.URL, "postgres", "postgresql", "sqlite")
	}
	for i, p := range c.WebSearch.Providers {
		path := indexPath("web_search.providers", i)
		if p.Type == "searxng" && p.BaseURL == "" {
			ch.problem(path+".base_url", "is missing: searxng has no address of its own")
		}
		if (p.Type == "brave" || p.Type == "tavily") && p.APIKey == "" {
			ch.problem(path+".api_key", "is missing: "+p.Type+" needs one")
		}
	}
	for name, s := range c.MCPServers {
		path := joinPath("mcp_servers", name)
		if (s.Command == "") == (s.URL == "") {
			ch.problem(path, "needs either command or url")
		}
		for h, value := range s.Headers {
			ch.header(joinPath(path+".headers", h), h, value)
		}
	}
}

// databaseURL looks at an address that may hold a password: it is never quoted.
func (ch *checker) databaseURL(path string, address Secret, schemes ...string) {
	if address == "" {
		return
	}
	u, err := url.Parse(address.Reveal())
	if err != nil || !slices.Contains(schemes, u.Scheme) || u.Host == "" && u.Path == "" {
		ch.problem(path, "is not an address of this kind: begin it with "+orList(withSlashes(schemes))+
			", and percent-encode special characters of a password")
	}
}

func withSlashes(schemes []string) []string {
	out := make([]string, len(schemes))
	for i, s := range schemes {
		out[i] = s + "://"
	}
	return out
}
