package config

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// DefaultPath is the file that is read when none is named.
const DefaultPath = "config.yml"

// Source is where a configuration comes from: a file, over it the environment,
// over that the flags of the command line.
type Source struct {
	// Path of the file. Empty: NANOCLAW_CONFIG, and where that is empty too,
	// config.yml in the working directory, which need not exist.
	Path  string
	Flags Overrides
	// Advise looks at a configuration that is valid for what the program knows better
	// than this package, such as names of tools that nobody has; nil: nobody does. What
	// it says becomes warnings, and problems where it refuses.
	Advise func(c *Config) []Advice
	// Env looks up environment variables; nil is os.LookupEnv.
	Env func(name string) (string, bool)

	secrets *secrets // nil: not read yet
}

// Overrides are values that beat the file; an empty one does not.
type Overrides struct {
	Listen        string
	DataDir       string
	WorkspaceRoot string
	LogLevel      string
}

// Load reads a file, see Source. The error is Problems where the content is at
// fault, and wraps the system's error where the file cannot be read.
func Load(path string) (*Config, Warnings, error) {
	return Source{Path: path}.Load()
}

// Parse reads the text of a file; name is what problems call it. env gives
// ${NAME} and the overrides NANOCLAW_…; nil is an empty environment. The error
// is Problems.
func Parse(data []byte, name string, env func(string) (string, bool)) (*Config, Warnings, error) {
	if env == nil {
		env = func(string) (string, bool) { return "", false }
	}
	return Source{Env: env, secrets: &secrets{}}.Parse(data, name)
}

// File is the path that Load reads, and whether it was named explicitly: then
// it has to exist.
func (s Source) File() (path string, explicit bool) {
	if s.Path != "" {
		return s.Path, true
	}
	if path, _ := s.env()("NANOCLAW_CONFIG"); path != "" {
		return path, true
	}
	return DefaultPath, false
}

// Load reads the file and the secrets beside it, and lays environment and flags over it.
func (s Source) Load() (*Config, Warnings, error) {
	path, explicit := s.File()
	data, s, err := s.readBoth(func() ([]byte, error) {
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) && !explicit {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read configuration: %w", err)
		}
		return data, nil
	})
	if err != nil {
		return nil, nil, err
	}
	return s.Parse(data, path)
}

// Parse is Load for a text that is already there.
func (s Source) Parse(data []byte, name string) (*Config, Warnings, error) {
	s, err := s.withSecrets()
	if err != nil {
		return nil, nil, err
	}
	return s.parse(data, name, s.overrides())
}

func (s Source) parse(data []byte, name string, overrides []override) (*Config, Warnings, error) {
	root, problems := parseYAML(data, name)
	if len(problems) > 0 {
		return nil, nil, problems
	}
	c := Default()
	c.meta = newMeta()
	c.meta.secrets = s.secrets.values
	d := &decoder{file: name, env: s.lookup, meta: c.meta}
	if s.secrets.isOpen {
		d.warn(position{FromFile, s.secrets.file, 0, 0}, "", "can be read by others than the server: chmod 600 %s",
			filepath.Base(s.secrets.file))
	}
	if root.Kind == yaml.MappingNode {
		d.translateOriginal(root, c)
	}
	d.decode(root, reflect.ValueOf(c).Elem(), "", root)
	d.override(c, overrides)
	complete(c, d)
	for _, p := range check(c) {
		if !slices.ContainsFunc(d.problems, func(q Problem) bool { return q.Key == p.Key }) {
			d.problems = append(d.problems, p)
		}
	}
	if len(d.problems) > 0 {
		sortByPlace(d.problems)
		return nil, nil, d.problems
	}
	if s.Advise != nil {
		for _, advice := range s.Advise(c) {
			if advice.Refuse {
				d.problems = append(d.problems, problemAt(d.meta.nearest(advice.Key), advice.Key, advice.Message))
				continue
			}
			d.warn(d.meta.nearest(advice.Key), advice.Key, "%s", advice.Message)
		}
	}
	if len(d.problems) > 0 {
		sortByPlace(d.problems)
		return nil, nil, d.problems
	}
	sortByPlace(d.warnings)
	return c, d.warnings, nil
}

func (s Source) env() func(string) (string, bool) {
	if s.Env != nil {
		return s.Env
	}
	return os.LookupEnv
}

// complete fills what depends on other keys, and warns of what will surprise.
func complete(c *Config, d *decoder) {
	hasDemo := false
	for i := range c.Models {
		m := &c.Models[i]
		if m.Name == "" {
			m.Name = m.ID
		}
		if m.Model == "" {
			m.Model = m.ID
		}
		if m.MissingEnv != "" {
			path := indexPath("models", i)
			d.warn(d.meta.nearest(path), path, "is disabled: the environment variable %s is not set", m.MissingEnv)
		}
		hasDemo = hasDemo || m.ID == DemoModelID
	}
	if !hasDemo {
		c.Models = append(slices.Clip(c.Models), demoModel())
	}
	for i := range c.Agents {
		if c.Agents[i].Name == "" {
			c.Agents[i].Name = c.Agents[i].ID
		}
	}
	if _, said := d.meta.at["default_model"]; !said && len(c.Models) > 1 {
		pos := d.meta.nearest("models")
		d.warn(pos, "default_model", "is not given: new conversations use the offline model demo")
	}
	if host, _, err := net.SplitHostPort(c.Listen); err == nil && c.AllowInsecureListen && !isLoopback(host) {
		d.warn(d.meta.nearest("listen"), "listen",
			"is an address that other machines reach, and there are no accounts: everybody who reaches the port can "+
				"run tools as you")
	}
	if c.JWTSecret != "" {
		d.warn(d.meta.nearest("jwt_secret"), "jwt_secret", "has no effect: sessions are kept on the server")
	}
}

// An override is one value from outside the file.
type override struct {
	key  string
	text string
	pos  position
}

func (s Source) overrides() []override {
	env := s.env()
	var out []override
	for _, o := range []struct{ key, variable, flag, flagValue string }{
		{"listen", "NANOCLAW_LISTEN", "--listen", s.Flags.Listen},
		{"data_dir", "NANOCLAW_DATA", "--data", s.Flags.DataDir},
		{"workspace_root", "NANOCLAW_WORKSPACE_ROOT", "--workspace-root", s.Flags.WorkspaceRoot},
		{"log_level", "NANOCLAW_LOG_LEVEL", "--log-level", s.Flags.LogLevel},
	} {
		if o.flagValue != "" {
			out = append(out, override{o.key, o.flagValue, position{origin: FromFlag, source: o.flag}})
		} else if value, _ := env(o.variable); value != "" {
			out = append(out, override{o.key, value, position{origin: FromEnvironment, source: o.variable}})
		}
	}
	return out
}

// override lays values over what the file said; a problem that the file's own
// value had is gone with it.
func (d *decoder) override(c *Config, overrides []override) {
	v := reflect.ValueOf(c).Elem()
	set := fieldsOf(v.Type())
	for _, o := range overrides {
		d.problems = slices.DeleteFunc(d.problems, func(p Problem) bool { return p.Key == o.key })
		delete(d.meta.variables, o.key)
		d.meta.at[o.key] = o.pos
		v.Field(set.byName[o.key].index).SetString(strings.TrimSpace(o.text))
	}
}
