package config

// Origin says where the value of a key comes from.
type Origin string

// The origins, weakest first.
const (
	FromDefault     Origin = "default"
	FromFile        Origin = "file"
	FromEnvironment Origin = "environment"
	FromFlag        Origin = "flag"
)

// position is where something is said: in the file, an environment variable or a flag.
type position struct {
	origin    Origin
	source    string // name of the file, variable or flag
	line, col int
}

// meta is what a loaded Config knows of its making.
type meta struct {
	at map[string]position // by path; only what was said somewhere

	// variables holds the paths whose value came from environment variables; true
	// where one of them sounds secret.
	variables map[string]bool

	// references holds, by path, texts that are one ${NAME} and nothing else.
	references map[string]string

	// secrets is what the file beside config.yml holds, by name.
	secrets map[string]string
}

func newMeta() *meta {
	return &meta{at: map[string]position{}, variables: map[string]bool{}, references: map[string]string{}}
}

// Origin says where the value of a key, such as "sub_agent.max_tasks", comes from.
// A key that was not said anywhere is a default.
func (c *Config) Origin(key string) Origin { return c.meta.origin(key) }

// Reference is the ${NAME} that the file gives for a key, where it gives that alone, and
// something stands behind it; else it is empty.
func (c *Config) Reference(key string) string {
	if c.meta == nil {
		return ""
	}
	return c.meta.references[key]
}

func (m *meta) origin(key string) Origin {
	if m == nil || m.at[key].origin == "" {
		return FromDefault
	}
	return m.at[key].origin
}

// nearest is where a path, or the closest thing around it, was said.
func (m *meta) nearest(path string) position {
	for ; path != ""; path = parentPath(path) {
		if pos, ok := m.at[path]; ok {
			return pos
		}
	}
	return position{}
}
