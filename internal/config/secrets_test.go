package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// change edits the file of l, and answers its text and that of its secrets.
func change(t *testing.T, l *Live, changes map[string]any) (text, kept string) {
	t.Helper()
	if err := l.Write(func(text []byte) (Edited, error) { return l.Edit(text, changes) }); err != nil {
		t.Fatal(err)
	}
	return read(t, l.File()), read(t, SecretsFile(l.File()))
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

// US8: a key that is given to the server is kept beside config.yml, in a file that only
// the server may read, is in force and covered at once, and goes with its model.
func TestASecretIsKeptOutsideOfTheFile(t *testing.T) {
	t.Parallel()
	l, path, _ := openLive(t, "max_iterations: 5 # five\n")
	var seen []string
	l.Subscribe(func(_, now *Config) { seen = now.Secrets() })
	model := map[string]any{"id": "deep-seek", "base_url": "https://a.example/v1", "api_key": "sk-1234$$5"}
	text, kept := change(t, l, map[string]any{"models": []any{model}})
	if !strings.Contains(text, "api_key: ${MODELS_DEEP_SEEK_API_KEY}") || strings.Contains(text, "1234") ||
		!strings.Contains(kept, `MODELS_DEEP_SEEK_API_KEY: "sk-1234$5"`) {
		t.Fatalf("the file is\n%s\nand its secrets\n%s", text, kept)
	}
	info, err := os.Stat(SecretsFile(path))
	if err != nil || info.Mode().Perm() != 0o600 || filepath.Base(SecretsFile(path)) != "config.secrets.yml" {
		t.Errorf("the file of secrets: %v, %v", info.Mode(), err)
	}
	if key := l.Current().Models[0].APIKey.Reveal(); key != "sk-1234$5" || !slices.Contains(seen, key) {
		t.Errorf("the key in force is %q, covered are %q", key, seen)
	}
	var shown strings.Builder
	if err := l.Current().Print(&shown); err != nil || strings.Contains(shown.String(), "1234") {
		t.Errorf("the key is shown: %v\n%s", err, shown.String())
	}

	// Given as it is shown, it stays. A new one takes its place, and the old one is gone.
	model["api_key"] = "***"
	model["name"] = "Deep"
	if text, _ = change(t, l, map[string]any{"models": []any{model}}); !strings.Contains(text,
		"${MODELS_DEEP_SEEK_API_KEY}") {
		t.Errorf("the key is not what it was:\n%s", text)
	}
	text, kept = change(t, l, map[string]any{"models[deep-seek].api_key": Secret("sk-other")})
	if l.Current().Models[0].APIKey.Reveal() != "sk-other" || strings.Contains(text+kept, "1234") ||
		strings.Contains(text, "sk-other") || !strings.Contains(kept, "sk-other") {
		t.Errorf("the file is\n%s\nand its secrets\n%s", text, kept)
	}
	if _, kept = change(t, l, map[string]any{"models": []any{}}); strings.Contains(kept, "sk-other") {
		t.Errorf("the key outlived its model: %s", kept)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 2 {
		t.Errorf("something is left behind: %v, %v", entries, err)
	}
}

// US8: every key that is a secret is kept so; text, variables and what is shown are not.
func TestWhatIsKeptAsASecret(t *testing.T) {
	t.Parallel()
	l, path, _ := openLive(t, "models: [{id: b, base_url: http://b, api_key: in-the-file}]\n")
	text, kept := change(t, l, map[string]any{
		"models[a b]": map[string]any{"id": "a b", "base_url": "http://a", "api_key": "key-ab"},
		"models[a_b]": map[string]any{"id": "a_b", "base_url": "http://a", "api_key": "multi\nline: \"x\" # y"},
		"models[b].headers": map[string]any{"X-Token": "token-b", "X-Other": "Bearer ${HOME_TOKEN:-none}",
			"X-Pin": 123456},
		"models[b].name":       "no secret",
		"mcp_servers.gh":       map[string]any{"command": "gh", "env": map[string]any{"TOKEN": "ghp-1", "EMPTY": ""}},
		"web_search.providers": []any{map[string]any{"type": "brave", "api_key": "brave-1"}},
	})
	for _, want := range []string{"${MODELS_A_B_API_KEY}", "${MODELS_A_B_API_KEY_2}", "${MODELS_B_HEADERS_X_TOKEN}",
		"${MODELS_B_HEADERS_X_PIN}",
		"Bearer ${HOME_TOKEN:-none}", "name: no secret", "${MCP_SERVERS_GH_ENV_TOKEN}", "in-the-file",
		"${WEB_SEARCH_PROVIDERS_1_API_KEY}"} {
		if !strings.Contains(text, want) {
			t.Errorf("the file lacks %s:\n%s", want, text)
		}
	}
	c := l.Current()
	for _, secret := range []string{"key-ab", "multi\nline: \"x\" # y", "token-b", "123456", "ghp-1", "brave-1"} {
		if strings.Contains(text, secret) || !slices.Contains(c.Secrets(), secret) {
			t.Errorf("%q is in the file, or not in force:\n%s\n%s", secret, text, kept)
		}
	}
	// Another program that starts reads the same.
	again, warnings, err := Source{Path: path, Env: environment()}.Load()
	if err != nil || len(Diff(c, again)) > 0 {
		t.Errorf("read again: %v, %v, %v", err, warnings, Diff(c, again))
	}
	// The environment comes first, where it says something.
	for value, want := range map[string]string{"": "brave-1", "mine": "mine"} {
		c, _, err := Source{Path: path, Env: environment("WEB_SEARCH_PROVIDERS_1_API_KEY", value)}.Load()
		if err != nil || c.WebSearch.Providers[0].APIKey.Reveal() != want {
			t.Errorf("with %q in the environment: %v, %v", value, c, err)
		}
	}
	if got, missing, err := l.Expand("x${MCP_SERVERS_GH_ENV_TOKEN}${NOPE}"); got != "xghp-1" || missing != "NOPE" ||
		err != nil {
		t.Errorf("expanded to %q, missing %q, %v", got, missing, err)
	}
}

// US8: what cannot be written leaves both files as they were.
func TestARefusedChangeKeepsNoSecret(t *testing.T) {
	t.Parallel()
	l, path, _ := openLive(t, "models: [{id: b, base_url: http://b}]\n")
	before := read(t, path)
	for _, changes := range []map[string]any{
		{"models[b].api_key": "sk-new", "max_iterations": 0},
		{"models[b].api_key": "sk-new", "no_such_key": 1},
	} {
		if err := l.Write(func(text []byte) (Edited, error) { return l.Edit(text, changes) }); err == nil {
			t.Errorf("%v: no error", changes)
		}
		if read(t, path) != before || read(t, SecretsFile(path)) != "" {
			t.Errorf("%v: written:\n%s\n%s", changes, read(t, path), read(t, SecretsFile(path)))
		}
	}
}

// US8: a damaged file of secrets is told with its place, keeps what is in force, and is
// never written over.
func TestADamagedFileOfSecretsIsRefused(t *testing.T) {
	t.Parallel()
	l, path, _ := openLive(t, "max_iterations: 5\n")
	change(t, l, map[string]any{"web_search.providers": []any{map[string]any{"type": "brave", "api_key": "brave-1"}}})
	for text, want := range map[string]string{
		"A: 1\nA: 2\n":  "config.secrets.yml:2:1: A: is there twice",
		"- a\n":         "has to be a mapping",
		"A B: 1\n":      "has a name that ${NAME} cannot refer to",
		"A: [sk-9876]":  "has to be text, not a list",
		"A: \"sk-9876 ": "config.secrets.yml",
		"A: \xff":       "is not UTF-8",
	} {
		write(t, SecretsFile(path), text)
		err := l.Reload()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "9876") {
			t.Errorf("%q: %v", text, err)
		}
		if l.Current().WebSearch.Providers[0].APIKey.Reveal() != "brave-1" {
			t.Errorf("%q is in force", text)
		}
		err = l.Write(func(old []byte) (Edited, error) { return l.Edit(old, map[string]any{"max_iterations": 6}) })
		if err == nil || read(t, SecretsFile(path)) != text {
			t.Errorf("%q is written over: %v", text, err)
		}
		if _, _, err := (Source{Path: path, Env: environment()}).Load(); err == nil {
			t.Errorf("%q is loaded", text)
		}
	}
}

// US8: what a person wrote into the file of secrets stays, comments included; that others
// can read it is told; a change of it alone is in force.
func TestSecretsThatAPersonWrites(t *testing.T) {
	t.Parallel()
	l, path, _ := openLive(t, "models: [{id: b, base_url: http://b, api_key: \"${MINE}\"}]\n")
	safe := filepath.Join(t.TempDir(), "safe.yml")
	if err := os.Symlink(safe, SecretsFile(path)); err != nil {
		t.Fatal(err)
	}
	if l.Current().Models[0].MissingEnv != "MINE" {
		t.Fatal("the variable is set")
	}
	own := SecretsFile(path)
	write(t, own, "# from the safe\nMINE: sk-mine # of the team\nSPARE: sk-spare\n")
	if err := os.Chmod(own, 0o644); err != nil {
		t.Fatal(err)
	}
	l.reloadIfChanged()
	if c := l.Current(); c.Models[0].APIKey.Reveal() != "sk-mine" || !slices.Contains(c.Secrets(), "sk-spare") {
		t.Errorf("in force is %v", c.Models[0])
	}
	if told := l.Warnings().String(); !strings.Contains(told, "chmod 600 config.secrets.yml") {
		t.Errorf("warnings: %s", told)
	}
	_, kept := change(t, l, map[string]any{"models[b].headers": map[string]any{"X": "header-1"}})
	for _, want := range []string{"# from the safe\n", "MINE: sk-mine # of the team\n", "SPARE: sk-spare\n", "header-1"} {
		if !strings.Contains(kept, want) {
			t.Errorf("the secrets lack %q:\n%s", want, kept)
		}
	}
	if target, err := os.Readlink(own); err != nil || target != safe {
		t.Errorf("the link is gone: %q, %v", target, err)
	}
	if info, err := os.Stat(own); err != nil || info.Mode().Perm() != 0o600 || len(l.Warnings()) > 1 {
		t.Errorf("mode %v, %v, warnings %v", info.Mode(), err, l.Warnings())
	}
}

// US8: a secret that holds after a restart, or that nothing refers to, is covered at once.
func TestASecretOfTheNextStartIsCovered(t *testing.T) {
	t.Parallel()
	l, path, _ := openLive(t, "nats: {url: \"nats://127.0.0.1:1\"}\n")
	told := 0
	l.Subscribe(func(_, now *Config) { told++ })
	change(t, l, map[string]any{"nats.token": "token-of-next-start"})
	if !slices.Contains(l.Current().Secrets(), "token-of-next-start") || told != 1 || len(l.PendingRestart()) != 1 {
		t.Errorf("covered are %q, told %d times, pending %v", l.Current().Secrets(), told, l.PendingRestart())
	}
	write(t, SecretsFile(path), read(t, SecretsFile(path))+"SPARE: spare-one\n")
	l.reloadIfChanged()
	if !slices.Contains(l.Current().Secrets(), "spare-one") || told != 2 {
		t.Errorf("covered are %q, told %d times", l.Current().Secrets(), told)
	}
}

// US8: a name that the file refers to already is not given to another secret.
func TestANameThatIsReferredToIsNotFree(t *testing.T) {
	t.Parallel()
	l, _, _ := openLive(t, "models:\n  - {id: b, base_url: http://b, api_key: \"${MODELS_A_API_KEY}\"}\n")
	change(t, l, map[string]any{"models[a]": map[string]any{"id": "a", "base_url": "http://a", "api_key": "key-of-a"}})
	for _, m := range l.Current().Models {
		if want := map[string]string{"a": "key-of-a"}[m.ID]; m.APIKey.Reveal() != want {
			t.Errorf("the key of %s is %q, want %q", m.ID, m.APIKey.Reveal(), want)
		}
	}
}

// US8: of two secrets of which one begins with the other nothing is shown.
func TestTheLongerSecretIsCoveredFirst(t *testing.T) {
	t.Parallel()
	c := mustParse(t, "models:\n  - {id: a, base_url: http://a, api_key: sk-ab}\n"+
		"  - {id: b, base_url: http://b, api_key: sk-abcdef}\n")
	if got := CoverText("-  api_key: sk-abcdef\n", c); strings.Contains(got, "cdef") {
		t.Errorf("covered: %s", got)
	}
}

// FuzzSecrets: what is kept reads the same again, or is refused and nothing is written.
func FuzzSecrets(f *testing.F) {
	for _, seed := range []string{"sk-1", "a\nb: c # d", "\x00", "\u2028\r\n\t", "${A}", "'\"\\", "- x",
		strings.Repeat("é", 99)} {
		f.Add("", seed)
		f.Add("# mine\nOLD: x # y\n", seed)
		f.Add("{OLD: x}", seed)
	}
	f.Fuzz(func(t *testing.T, text, secret string) {
		file := filepath.Join(t.TempDir(), "config.secrets.yml")
		write(t, file, text)
		s, err := readSecrets(file)
		if err != nil {
			return
		}
		before := s.values
		if err := s.change(map[string]string{"NEW_ONE": secret}, func(string) bool { return false }); err != nil {
			if read(t, file) != text {
				t.Errorf("refused with %v, and written", err)
			}
			return
		}
		again, err := readSecrets(file)
		if err != nil || again.values["NEW_ONE"] != secret {
			t.Fatalf("%q reads as %q, %v", secret, again.values["NEW_ONE"], err)
		}
		for name, old := range before {
			if name != "NEW_ONE" && again.values[name] != old {
				t.Errorf("%s was %q and is %q", name, old, again.values[name])
			}
		}
	})
}
