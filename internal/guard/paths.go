package guard

import (
	_ "embed"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"
)

//go:embed data/sensitive.yaml
var sensitiveYAML []byte

// use is what is done with a path.
type use int

const (
	reads use = 1 << iota
	writes
	lists  // its name or its existence only
	anyUse = reads | writes | lists
)

// pathClass is a row of data/sensitive.yaml, which says what the fields mean.
type pathClass struct {
	What       string     `yaml:"what"`
	Severity   Severity   `yaml:"severity"`
	Uses       []string   `yaml:"uses"`
	Autorun    bool       `yaml:"autorun"`
	Project    bool       `yaml:"project"`
	Names      [][]string `yaml:"names"`
	Extensions [][]string `yaml:"extensions"`
	Paths      [][]string `yaml:"paths"`
	Globs      []string   `yaml:"globs"`
	Except     expression `yaml:"except"`
	Hosts      []string   `yaml:"hosts"`

	uses use
}

// exempts says whether a name is one that the class does not mean.
func (c *pathClass) exempts(base string) bool {
	return c.Except.Regexp != nil && c.Except.MatchString(base)
}

// Classes that the program's own code finds.
var (
	ownClass = &pathClass{What: "this server's own data or configuration", Severity: Critical, uses: anyUse,
		Project: true}
	namedClass = &pathClass{What: "a path that the administrator named (guard.sensitive_paths, " +
		"workspace.denied_names)", Severity: High, uses: anyUse, Project: true}
)

// sensitivePath is a path with its class.
type sensitivePath struct {
	path  string
	class *pathClass
}

// pathTable finds classes by parts of a path.
type pathTable struct {
	names      map[string]*pathClass
	extensions map[string]*pathClass
	paths      []sensitivePath
	globs      []sensitivePath
	hosts      map[string]*pathClass
}

var sensitiveTable = sync.OnceValue(func() *pathTable {
	t := &pathTable{names: map[string]*pathClass{}, extensions: map[string]*pathClass{}, hosts: map[string]*pathClass{}}
	for _, class := range loadTable[[]*pathClass]("sensitive.yaml", sensitiveYAML) {
		for _, name := range class.Uses {
			class.uses |= map[string]use{"read": reads, "write": writes, "list": lists}[name]
		}
		for _, name := range slices.Concat(class.Names...) {
			t.names[name] = class
		}
		for _, extension := range slices.Concat(class.Extensions...) {
			t.extensions[extension] = class
		}
		for _, path := range slices.Concat(class.Paths...) {
			t.paths = append(t.paths, sensitivePath{path, class})
		}
		for _, glob := range class.Globs {
			t.globs = append(t.globs, sensitivePath{glob, class})
		}
		for _, host := range class.Hosts {
			t.hosts[host] = class
		}
	}
	return t
})

// sensitivePaths are the table, the server's own paths, and the administrator's.
type sensitivePaths struct {
	own       []string
	addresses []string // of the server, as host:port
	named     []string
}

func newSensitivePaths(s Settings) (*sensitivePaths, error) {
	p := &sensitivePaths{addresses: s.Addresses}
	for _, own := range s.Protected {
		if !filepath.IsAbs(own) {
			return nil, fmt.Errorf("the protected path %q is not absolute", own)
		}
		p.own = append(p.own, filepath.ToSlash(filepath.Clean(own)))
	}
	for _, glob := range s.Guard.SensitivePaths {
		glob = strings.TrimSuffix(filepath.ToSlash(glob), "/")
		if !doublestar.ValidatePattern(glob) || glob == "" {
			return nil, fmt.Errorf("guard.sensitive_paths: %q is not a valid glob", glob)
		}
		p.named = append(p.named, fromHome(glob))
	}
	return p, nil
}

// find is the class of a path: absolute, from "~", or relative; nil: it is not sensitive
// for that use.
func (p *sensitivePaths) find(name string, how use) *pathClass {
	clean := fromHome(path.Clean(name))
	class := p.classOf(clean, how)
	if rest := strings.TrimLeft(clean, "./"); class == nil && strings.HasPrefix(clean, "../") {
		class = p.classOf(fromHome("/"+rest), how) // far enough up is the root
	}
	return class
}

// isOwn says whether a path leads to what is the server's own.
func (p *sensitivePaths) isOwn(clean string) bool {
	return slices.ContainsFunc(p.own, func(own string) bool {
		return within(clean, own) || within(clean,
			fromHome(own))
	})
}

// overlaps says whether a directory lies over or under what is the server's own.
func (p *sensitivePaths) overlaps(dir string) bool {
	return slices.ContainsFunc(p.own, func(own string) bool { return within(dir, own) || within(own, dir) })
}

func (p *sensitivePaths) classOf(clean string, how use) *pathClass {
	switch {
	case p.isOwn(clean):
		return ownClass
	case p.isNamed(clean):
		return namedClass
	}
	for _, class := range tableClasses(clean) {
		if class.uses&how != 0 {
			return class
		}
	}
	return nil
}

// tableClasses are the classes of a path by the table, the most exact first.
func tableClasses(clean string) []*pathClass {
	t, base := sensitiveTable(), path.Base(clean)
	var list []*pathClass
	add := func(class *pathClass) {
		if class != nil && !class.exempts(base) {
			list = append(list, class)
		}
	}
	add(t.names[base])
	if dot := strings.LastIndexByte(base, '.'); dot > 0 {
		add(t.extensions[base[dot:]])
	}
	for _, glob := range t.globs {
		if doublestar.MatchUnvalidated(glob.path, clean) {
			add(glob.class)
		}
	}
	for _, tree := range t.paths {
		if tree.holds(clean) {
			add(tree.class)
		}
	}
	return list
}

// holds says whether a path is the sensitive one, or lies below it.
func (s sensitivePath) holds(clean string) bool {
	if s.path[0] == '/' || s.path[0] == '~' {
		return within(clean, s.path)
	}
	return within(clean, s.path) || strings.Contains(clean+"/", "/"+s.path+"/")
}

// isNamed matches the administrator's globs. One without a beginning is looked for at
// every part of the path; what is below a match is one, too.
func (p *sensitivePaths) isNamed(clean string) bool {
	for _, glob := range p.named {
		anchored := glob[0] == '/' || glob[0] == '~'
		for rest := clean; ; {
			if doublestar.MatchUnvalidated(glob, rest) || doublestar.MatchUnvalidated(glob+"/**", rest) {
				return true
			}
			cut := strings.IndexByte(rest, '/')
			if anchored || cut < 0 {
				break
			}
			rest = rest[cut+1:]
		}
	}
	return false
}

// findPattern is the class of a path that a file name pattern can mean, part by part; nil:
// there is none, or the pattern says too little.
func findPattern(pattern string, how use) *pathClass {
	parts := patternParts(pattern)
	last := parts[len(parts)-1]
	t := sensitiveTable()
	means := func(class *pathClass) bool { return class.uses&how != 0 && !class.exempts(last) }
	for _, tree := range t.paths {
		if means(tree.class) && tree.couldHold(parts) {
			return tree.class
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.names)) {
		if class := t.names[name]; means(class) && couldBeAll([]string{last}, []string{name}) {
			return class
		}
	}
	return nil
}

// patternParts are the parts of a pattern, with the home directories as "~".
func patternParts(pattern string) []string {
	parts := strings.Split(fromHome(path.Clean(pattern)), "/")
	switch {
	case len(parts) > 3 && parts[0] == "" && couldBe(parts[1], "home"): // /home/*/x
		return append([]string{"~"}, parts[3:]...)
	case len(parts) > 2 && parts[0] == "" && isPattern(parts[1]) && couldBe(parts[1], "root"):
		return append([]string{"~"}, parts[2:]...)
	}
	return parts
}

// couldHold says whether a pattern can mean the sensitive path, or something below it.
func (s sensitivePath) couldHold(parts []string) bool {
	want := strings.Split(s.path, "/")
	last := len(parts) - len(want)
	if want[0] == "" || want[0] == "~" {
		last = min(last, 0)
	}
	for at := 0; at <= last; at++ {
		if couldBeAll(parts[at:at+len(want)], want) {
			return true
		}
	}
	return false
}

// isPattern says whether a text is a file name pattern of the shell.
func isPattern(text string) bool { return strings.ContainsAny(text, "*?[") }

// couldBeAll compares parts with a path. Parts that are all pattern say too little: at
// least half of what a pattern means has to stand there.
func couldBeAll(parts, want []string) bool {
	said, length := 0, 0
	for i, part := range parts {
		if !couldBe(part, want[i]) {
			return false
		}
		if isPattern(part) {
			said += len(wildcards.ReplaceAllString(part, ""))
			length += len(want[i])
		} else {
			said += 2 * len(part)
		}
	}
	return 3*said >= length && said > 1
}

// wildcards are the parts of a pattern that stand for something else.
var wildcards = regexp.MustCompile(`\[[^\]]*\]|[*?]`)

func couldBe(part, want string) bool {
	ok, err := path.Match(part, want)
	return part == want || ok && err == nil && (want == "" || want[0] != '.' || part[0] == '.' || part[0] == '[' ||
		part[0] == '?')
}

func within(name, dir string) bool {
	return strings.HasPrefix(name, dir) && (len(name) == len(dir) || name[len(dir)] == '/')
}

// homes are home directories at the beginning of a path.
var homes = regexp.MustCompile(`^(~[^/]*|/root|/(home|Users)/[^/]+)(/|$)`)

// fromHome writes the home directories as "~".
func fromHome(name string) string {
	if at := homes.FindStringSubmatchIndex(name); at != nil {
		return "~" + name[at[3]:]
	}
	return name
}
