package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"nanoclaw/internal/config"
	"nanoclaw/internal/undo"
)

// Configuration is the configuration in force, with secrets covered.
type Configuration struct {
	Values         map[string]any    `json:"values" doc:"As a tree, every default filled in."`
	Sources        map[string]string `json:"sources" doc:"Where each value comes from, by dotted key: default, file, environment, flag."`
	Text           string            `json:"text" doc:"The same as YAML, with the source behind each value."`
	Keys           []ConfigKey       `json:"keys" doc:"Every key that config.yml may hold."`
	Error          string            `json:"error" doc:"Why the file's newest state is not in force; empty: it is."`
	Warnings       []string          `json:"warnings"`
	PendingRestart []ConfigChange    `json:"pending_restart" doc:"What the file says that holds after a restart."`
	Editable       bool              `json:"editable" doc:"There is a file, and PUT can change it."`
}

// ConfigKey describes a key, for forms.
type ConfigKey struct {
	Path    string   `json:"path" example:"sub_agent.max_tasks"`
	Type    string   `json:"type" enum:"text,integer,number,boolean,duration,size,section,list,map,any"`
	Items   string   `json:"items" doc:"Of a list or a map: the type of its entries. Else empty."`
	Enum    []string `json:"enum" doc:"What the value, or each entry, may be. Empty: anything of its type."`
	Names   []string `json:"names" doc:"Of a map: the names that it may have. Empty: any."`
	Minimum *float64 `json:"minimum,omitempty" doc:"Of the value, or of each entry, in unit."`
	Maximum *float64 `json:"maximum,omitempty"`
	Zero    bool     `json:"zero" doc:"0 is allowed below minimum too."`
	Unit    string   `json:"unit" enum:",s,B" doc:"Of minimum and maximum: seconds or bytes."`
	Secret  bool     `json:"secret" doc:"It is never shown."`
	Restart bool     `json:"restart" doc:"A change holds after a restart."`
	Default string   `json:"default" doc:"As config.yml would say it."`
	Doc     string   `json:"doc"`
}

// ConfigChange is a key that differs.
type ConfigChange struct {
	Key  string `json:"key"`
	From string `json:"from" doc:"Empty: absent."`
	To   string `json:"to" doc:"Empty: absent."`
}

// ConfigChanged says what a change of the file did.
type ConfigChanged struct {
	Changes        []ConfigChange `json:"changes" doc:"In force now."`
	PendingRestart []ConfigChange `json:"pending_restart"`
	Diff           string         `json:"diff" doc:"What is different in the file, in the unified format, with secrets covered. Empty: nothing."`
	SecretsFile    string         `json:"secrets_file" doc:"The file beside config.yml in which secrets of the change are kept, readable by the server alone. Empty: the change gives none."`
	Error          string         `json:"error" doc:"The file was written, but is not in force; empty: it is."`
}

type configOutput struct {
	ETag string `header:"ETag"`
	Body Configuration
}

type changeConfigInput struct {
	IfMatchInput
	Body struct {
		Changes map[string]any `json:"changes" minProperties:"1" doc:"By dotted key, such as sub_agent.max_tasks or models[deepseek].name. null removes the key. The text *** leaves a secret as it is. An object changes the keys of a section that it has; a list, and a mapping with free names, is replaced as a whole. What is sent as GET shows it stays in the file as it stands. A secret that is given as text is kept in secrets_file; config.yml refers to it as ${NAME}."`
		Preview bool           `json:"preview,omitempty" doc:"Say what would change, and write nothing."`
	}
}

type configChangedOutput struct {
	ETag string `header:"ETag"`
	Body ConfigChanged
}

func (s *server) registerConfig() {
	const tag = "Configuration"
	handle(s, op("GET", "/config", "get-config", tag, "The configuration in force", needs(rightAdmin)), s.getConfig)
	handle(s, op("PUT", "/config", "change-config", tag, "Change config.yml",
		describe("The file keeps its comments. What the change would make invalid is refused as a whole."), byPersons,
		needs(rightAdmin)), s.changeConfig)
}

func (s *server) getConfig(context.Context, *struct{}) (*configOutput, error) {
	c := s.Live.Current()
	out := &configOutput{Body: Configuration{
		Sources: map[string]string{}, Warnings: []string{}, PendingRestart: viewChanges(s.Live.PendingRestart()),
		Keys: viewKeys(),
	}}
	var text strings.Builder
	if err := c.Print(&text); err != nil {
		return nil, err
	}
	out.Body.Text = text.String()
	var err error
	if out.Body.Values, err = c.Tree(); err != nil {
		return nil, err
	}
	addSources(c, out.Body.Values, "", out.Body.Sources)
	if err := s.Live.LastError(); err != nil {
		out.Body.Error = err.Error()
	}
	for _, w := range s.Live.Warnings() {
		out.Body.Warnings = append(out.Body.Warnings, w.String())
	}
	tag, err := s.configTag()
	out.Body.Editable = err == nil && s.Live.Editable()
	out.ETag = tag
	return out, nil
}

// configTag is the ETag of the file's text. A Live without a file has none.
func (s *server) configTag() (string, error) {
	var tag string
	err := s.Live.Write(func(text []byte) (config.Edited, error) {
		tag = textTag(text)
		return config.Edited{}, errOnlyLooking
	})
	if errors.Is(err, errOnlyLooking) {
		return tag, nil
	}
	return "", err
}

// errOnlyLooking ends a Write that only wanted to see the file, under its lock.
var errOnlyLooking = errors.New("nothing is to be written")

func textTag(text []byte) string {
	sum := sha256.Sum256(text)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// addSources walks the tree of values to its leaves.
func addSources(c *config.Config, tree map[string]any, path string, into map[string]string) {
	for name, value := range tree {
		key := name
		if path != "" {
			key = path + "." + name
		}
		if below, ok := value.(map[string]any); ok && len(below) > 0 {
			addSources(c, below, key, into)
			continue
		}
		into[key] = string(c.Origin(key))
	}
}

func viewKeys() []ConfigKey {
	keys := config.Keys()
	list := make([]ConfigKey, len(keys))
	for i, k := range keys {
		list[i] = ConfigKey{
			Path: k.Path, Type: k.Type, Items: k.Items, Enum: append([]string{}, k.Enum...), Names: append([]string{},
				k.Names...),
			Minimum: k.Minimum, Maximum: k.Maximum, Zero: k.Zero, Unit: k.Unit,
			Secret: k.Secret, Restart: k.Restart, Default: k.Default, Doc: k.Doc,
		}
	}
	return list
}

func viewChanges(changes []config.Change) []ConfigChange {
	list := make([]ConfigChange, len(changes))
	for i, c := range changes {
		list[i] = ConfigChange{Key: c.Key, From: c.From, To: c.To}
	}
	return list
}

// changeConfig is CF4: the condition is checked under the same lock as the write.
func (s *server) changeConfig(ctx context.Context, in *changeConfigInput) (out *configChangedOutput, err error) {
	if in.Body.Preview {
		return s.writeConfig(in)
	}
	keys := slices.Sorted(maps.Keys(in.Body.Changes))
	err = s.audited(ctx, fileChange{operation: "change-config", arguments: map[string]any{"keys": keys},
		result: func() any { return map[string]any{"diff": out.Body.Diff} }}, func() (err error) {
		out, err = s.writeConfig(in)
		return err
	})
	return out, err
}

func (s *server) writeConfig(in *changeConfigInput) (*configChangedOutput, error) {
	expected := entityTags(in.IfMatch)
	before := s.Live.Current()
	out := &configChangedOutput{}
	var next []byte
	err := s.Live.Write(func(text []byte) (config.Edited, error) {
		if len(expected) > 0 && !slices.Contains(expected, "*") && !slices.Contains(expected,
			strings.Trim(textTag(text), `"`)) {
			return config.Edited{}, stale()
		}
		edited, err := s.Live.Edit(text, in.Body.Changes)
		if err != nil {
			return edited, err
		}
		was := edited.Before
		if was == nil {
			was = before
		}
		out.Body.Diff = undo.Unified("config.yml", "config.yml", text, edited.Text)
		out.Body.Diff = config.CoverText(out.Body.Diff, was, edited.After)
		if edited.Before == nil {
			out.Body.Diff = config.CoverRemoved(out.Body.Diff)
		}
		if len(edited.Kept) > 0 {
			out.Body.SecretsFile = filepath.Base(config.SecretsFile(s.Live.File()))
		}
		if in.Body.Preview {
			out.Body.Changes, out.ETag = viewChanges(config.Diff(was, edited.After)), textTag(text)
			return edited, errOnlyLooking
		}
		next = edited.Text
		return edited, nil
	})
	if errors.Is(err, errOnlyLooking) {
		out.Body.PendingRestart = viewChanges(s.Live.PendingRestart())
		return out, nil
	}
	switch notInForce := s.Live.LastError(); {
	case err == nil:
	case next == nil, errors.Is(err, config.ErrReadOnly):
		return nil, notEditable(err)
	case notInForce != nil && notInForce.Error() == err.Error():
		out.Body.Error = err.Error()
	default:
		return nil, err
	}
	out.ETag = textTag(next)
	out.Body.Changes = viewChanges(config.Diff(before, s.Live.Current()))
	out.Body.PendingRestart = viewChanges(s.Live.PendingRestart())
	return out, nil
}

// notEditable keeps a problem as it is; what is left is that there is no file, or
// that it cannot be read.
func notEditable(err error) error {
	var own *Problem
	var wrong config.Problems
	switch {
	case errors.As(err, &own), errors.As(err, &wrong):
		return err
	case errors.Is(err, config.ErrReadOnly):
		return newProblem(http.StatusConflict, "conflict", "config.yml: "+config.ErrReadOnly.Error())
	case strings.HasSuffix(err.Error(), "there is no file"):
		return newProblem(http.StatusConflict, "conflict", "this server runs without a config.yml")
	}
	return err
}
