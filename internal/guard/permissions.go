package guard

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"nanoclaw/internal/config"
	"nanoclaw/internal/tools"
)

// Operations on files that permissions are about.
const (
	readFile   = tools.FileRead
	writeFile  = tools.FileWrite
	deleteFile = tools.FileDelete
)

var operations = []string{readFile, writeFile, deleteFile}

// permissions are the rules on files: those for everybody and each profile's.
type permissions struct {
	everybody fileRules
	byRole    bool // a rule names roles
	restrict  bool // there are rules at all
	profiles  map[string]fileRules
}

// fileRules are read from the first to the last; the first that matches wins. An
// empty list allows everything, any other refuses what no rule allows.
type fileRules []fileRule

type fileRule config.Permission

func newPermissions(s Settings) (permissions, error) {
	p := permissions{profiles: map[string]fileRules{}}
	var err error
	if p.everybody, err = newFileRules(s.Guard.Permissions); err != nil {
		return p, fmt.Errorf("guard.permissions: %w", err)
	}
	for id, profile := range s.Profiles {
		if p.profiles[id], err = newFileRules(profile); err != nil {
			return p, fmt.Errorf("permissions of the agent %s: %w", id, err)
		}
	}
	p.restrict = len(p.everybody) > 0
	for _, list := range p.profiles {
		p.byRole = p.byRole || list.namesRoles()
		p.restrict = p.restrict || len(list) > 0
	}
	p.byRole = p.byRole || p.everybody.namesRoles()
	return p, nil
}

func (r fileRules) namesRoles() bool {
	return slices.ContainsFunc(r, func(rule fileRule) bool { return len(rule.Roles) > 0 })
}

func newFileRules(configured []config.Permission) (fileRules, error) {
	var list fileRules
	for i, rule := range configured {
		for _, glob := range rule.Paths {
			if !doublestar.ValidatePattern(glob) {
				return nil, fmt.Errorf("rule %d: %q is not a valid glob", i+1, glob)
			}
		}
		for _, what := range slices.Concat(rule.Allow, rule.Deny) {
			if !slices.Contains(operations, what) {
				return nil, fmt.Errorf("rule %d: %q is none of read, write and delete", i+1, what)
			}
		}
		list = append(list, fileRule(rule))
	}
	return list, nil
}

// allow says whether a role may do something with one file.
func (r fileRules) allow(role, operation, file string) bool {
	for _, rule := range r {
		if allows, denies := rule.says(role, operation); (allows || denies) && rule.covers(file) {
			return allows
		}
	}
	return len(r) == 0
}

// allowBelow says whether it may do that with whatever is in a directory, "."
// being the project.
func (r fileRules) allowBelow(role, operation, dir string) bool {
	for _, rule := range r {
		allows, denies := rule.says(role, operation)
		if denies && rule.reaches(dir) {
			return false
		}
		if allows && rule.coversAll(dir) {
			return true
		}
	}
	return len(r) == 0
}

// says what the rule means for a role and an operation. Of a role that is not
// known only what is denied counts.
func (r fileRule) says(role, operation string) (allows, denies bool) {
	mine := len(r.Roles) == 0 || role != "" && slices.Contains(r.Roles, role)
	denies = slices.Contains(r.Deny, operation) && (mine || role == "")
	return mine && !denies && slices.Contains(r.Allow, operation), denies
}

func (r fileRule) covers(file string) bool {
	return len(r.Paths) == 0 || slices.ContainsFunc(r.Paths,
		func(glob string) bool { return doublestar.MatchUnvalidated(glob, file) })
}

// coversAll says whether the rule covers everything below a directory for certain.
func (r fileRule) coversAll(dir string) bool {
	return len(r.Paths) == 0 || slices.ContainsFunc(r.Paths, func(glob string) bool {
		if glob == "**" || glob == "**/*" {
			return true
		}
		base, all := strings.CutSuffix(glob, "/**")
		return all && !strings.ContainsAny(base, `*?[{\`) && (dir == base || strings.HasPrefix(dir, base+"/"))
	})
}

// reaches says whether the rule may cover something in a directory, or the
// directory itself.
func (r fileRule) reaches(dir string) bool {
	return len(r.Paths) == 0 || dir == "." || slices.ContainsFunc(r.Paths, func(glob string) bool {
		base := glob
		if i := strings.IndexAny(glob, `*?[{\`); i >= 0 {
			base = glob[:strings.LastIndexByte(glob[:i], '/')+1]
		}
		base = strings.TrimSuffix(base, "/")
		return base == "" || base == dir || strings.HasPrefix(base, dir+"/") || strings.HasPrefix(dir, base+"/")
	})
}

// projectPath is a path of a tool's argument as rules see it: relative to the
// project, "." being the project itself.
func projectPath(argument string) string {
	if cleaned := path.Clean("/" + argument); cleaned != "/" {
		return cleaned[1:]
	}
	return "."
}
