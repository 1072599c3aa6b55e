package shellsyntax

import (
	"regexp"
	"strings"
)

// deletesByAPI says whether a command asks a service on the network to delete something:
// with the tool of a forge, or with a request that carries a key or goes to a known one.
func (c *Command) deletesByAPI() bool {
	args := c.arguments()
	switch c.Name() {
	case "gh", "glab":
		return len(args) > 1 && forgeDeletes(args)
	case "curl", "wget", "http", "https", "xh", "xhs":
	default:
		return false
	}
	deletes, keyed, known, remote := false, false, false, false
	for i, w := range args {
		value := w.Value
		if method, _, found := option(args, i, "X", "--request", "--method"); found {
			deletes = deletes || strings.EqualFold(method.Value, "DELETE")
		}
		deletes = deletes || value == "DELETE" && c.Name() != "curl" && c.Name() != "wget"
		keyed = keyed || carriesKey.MatchString(value)
		if host := hostOf(value); host != "" {
			remote = remote || !isNear(host)
			known = known || cloudHost.MatchString(host)
		}
	}
	return deletes && (known || keyed && remote)
}

// forgeDeletes is about gh api and glab api.
func forgeDeletes(args []Word) bool {
	if args[0].Value != "api" {
		return false
	}
	for i, w := range args {
		if method, _, found := option(args, i, "X", "--method"); found && strings.EqualFold(method.Value, "DELETE") {
			return true
		}
		if hidesOrShows.MatchString(w.Value) {
			return true
		}
	}
	return false
}

// hidesOrShows are fields that publish or archive a repository, and mutations of GraphQL
// that delete.
var hidesOrShows = regexp.MustCompile(`^(visibility=public|private=false|archived=true)$|(?is)\bmutation\b.*\b(delete|remove|archive|transfer)\w*\s*\(`)

// carriesKey is what gives a request the rights of somebody.
var carriesKey = regexp.MustCompile(`(?i)^(-\w*H)?(authorization|private-token|x-api-key|x-auth-(key|token)|api-key|x-vault-token|deploy-token|job-token): ?\S|^(-\w*u|-a|-A|--user|--oauth2-bearer|--auth|--netrc\S*|--password|--aws-sigv4)(=|$)|^-\w*H$|^--header(=|$)`)

// cloudHost are services that keep what others use.
var cloudHost = regexp.MustCompile(`(?i)(^|\.)(api\.github\.com|gitlab\.com|api\.bitbucket\.org|amazonaws\.com|googleapis\.com|azure\.com|windows\.net|digitalocean\.com|cloudflare\.com|heroku\.com|vercel\.com|netlify\.com|linode\.com|hetzner\.cloud|fly\.io|machines\.dev|supabase\.com|atlassian\.net|stripe\.com|slack\.com|npmjs\.org|docker\.com|pypi\.org)$`)

// hostOf is the machine of an address; empty: the word is none.
func hostOf(word string) string {
	_, rest, found := strings.Cut(word, "://")
	if !found {
		if strings.HasPrefix(word, "-") || !strings.Contains(word, "/") || !strings.Contains(word, ".") || strings.ContainsAny(word, " \n") {
			return ""
		}
		rest = word
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	rest = rest[strings.LastIndexByte(rest, '@')+1:]
	if strings.HasPrefix(rest, "[") {
		return rest
	}
	host, _, _ := strings.Cut(rest, ":")
	return strings.TrimSuffix(host, ".")
}

// isNear says whether a machine is this one, or one of a project that is tried out: a name
// without a dot, or one that is kept for tests. One that is not known counts as well.
func isNear(host string) bool {
	if !strings.Contains(host, ".") || strings.HasPrefix(host, "$") || strings.HasPrefix(host, "127.") || host == "0.0.0.0" {
		return !strings.HasPrefix(host, "[") || host == "[::1]" || strings.HasPrefix(host, "[::1]:")
	}
	for _, end := range []string{".localhost", ".local", ".test", ".internal"} {
		if strings.HasSuffix(host, end) {
			return true
		}
	}
	return false
}
