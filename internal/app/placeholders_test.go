package app

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/executor"
	"nanoclaw/internal/guard"
	"nanoclaw/internal/redact"
	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

// redactedProject is a project whose tools' results are redacted.
type redactedProject struct {
	t        *testing.T
	root     string
	redactor *redact.Redactor
	executor *executor.Executor
	located  *services.Locator
	audit    strings.Builder
	calls    int
}

type oneProject struct{ files workspace.Filesystem }

func (p oneProject) Open(context.Context, string) (workspace.Filesystem, error) { return p.files, nil }

func newRedactedProject(t *testing.T, rules ...redact.Rule) *redactedProject {
	t.Helper()
	return openRedactedProject(t, t.TempDir(), rules...)
}

func openRedactedProject(t *testing.T, root string, rules ...redact.Rule) *redactedProject {
	t.Helper()
	p := &redactedProject{t: t, root: root, located: &services.Locator{}}
	var err error
	if p.redactor, err = redact.New(redact.Options{Key: []byte("key"), Rules: rules}); err != nil {
		t.Fatal(err)
	}
	services.Register[workspace.Opener](p.located, workspace.Key,
		oneProject{workspace.NewLocal(p.root, func() workspace.Limits { return workspace.Limits{} })})
	services.Register[tools.Placeholders](p.located, tools.PlaceholdersKey, newPlaceholders(p.redactor, nil))
	p.executor = executor.New(executor.Options{
		Registry: tools.Default(), Guard: guard.AllowAll{}, Redact: p.redactor.String, Count: p.redactor.Count,
		Blocked: p.redactor.Blocked, Placeholder: redact.FirstMark, Logger: slog.New(slog.DiscardHandler),
		Audit: func(_ context.Context, e executor.AuditEntry) { fmt.Fprintf(&p.audit, "%+v\n", e) },
	})
	return p
}

// restarted is the same project with nothing in memory.
func (p *redactedProject) restarted() *redactedProject { return openRedactedProject(p.t, p.root) }

func (p *redactedProject) put(path, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.root, path), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *redactedProject) holds(path string) string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.root, path))
	if err != nil {
		return ""
	}
	return string(text)
}

type toolAnswer struct {
	Success  bool
	Code     string
	Error    string
	Redacted int

	Truncated string
	Data      struct {
		Content      string
		Next         int `json:"next_start_line"`
		Replacements int
	}
}

// call runs a tool for a run as a model calls it.
func (p *redactedProject) call(run, tool string, arguments args) toolAnswer {
	p.t.Helper()
	encoded, err := json.Marshal(arguments)
	if err != nil {
		p.t.Fatal(err)
	}
	p.calls++
	outcomes, err := p.executor.Process(p.t.Context(), executor.Env{
		Call:  tools.Call{RunID: run, RootRunID: run, ConversationID: "c", ProjectID: "p", Services: p.located},
		Scope: "c/default",
	}, executor.Batch{Calls: []tools.Invocation{{ID: fmt.Sprint(p.calls), Name: tool, Arguments: string(encoded)}}})
	if err != nil {
		p.t.Fatal(err)
	}
	var answer toolAnswer
	if err := json.Unmarshal([]byte(outcomes[0].Record.Result), &answer); err != nil {
		p.t.Fatal(err)
	}
	return answer
}

func (p *redactedProject) must(run, tool string, arguments args) toolAnswer {
	p.t.Helper()
	answer := p.call(run, tool, arguments)
	if !answer.Success {
		p.t.Fatalf("%s %v: %s: %s", tool, arguments, answer.Code, answer.Error)
	}
	return answer
}

// refused is a call that has to end with unresolved_placeholder.
func (p *redactedProject) refused(run, tool string, arguments args) {
	p.t.Helper()
	if answer := p.call(run, tool, arguments); answer.Code != tools.CodeUnresolvedPlaceholder {
		p.t.Errorf("%s %v: %+v, want %s", tool, arguments, answer, tools.CodeUnresolvedPlaceholder)
	}
}

const threeSecrets = "# the service\nDB_PASSWORD=hunter2hunter2\nAPI_TOKEN=a8f5f167f44f4964e6c998dee827110c\nPORT=80\nSMTP_PASSWORD=Blue!42Tango\n"

// RD1, RD2: three secrets survive a hundred rounds of reading, editing and writing.
func TestSecretsSurviveAHundredEditsThroughPlaceholders(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	p := newRedactedProject(t, redact.Rule{ID: "secret", Strategy: redact.Mask})
	p.put(".env", threeSecrets)
	want := strings.Split(strings.TrimSuffix(threeSecrets, "\n"), "\n")
	for round := range 100 {
		run := fmt.Sprint(round / 7)
		seen := p.must(run, "file_read", args{"path": ".env"})
		if seen.Redacted != 3 || strings.Contains(seen.Data.Content, "hunter2") || strings.Contains(seen.Data.Content,
			"Tango") {
			t.Fatalf("round %d: %+v", round, seen)
		}
		lines := strings.Split(strings.TrimSuffix(seen.Data.Content, "\n"), "\n")
		i := random.IntN(len(lines))
		renamed := fmt.Sprintf("# %d\n", round)
		p.must(run, "file_edit", args{"path": ".env", "old_string": lines[i] + "\n",
			"new_string": renamed + lines[i] + "\n"})
		want = slices.Insert(want, i, strings.TrimSuffix(renamed, "\n"))
		lines = slices.Insert(lines, i, strings.TrimSuffix(renamed, "\n"))
		a, b := random.IntN(len(lines)), random.IntN(len(lines))
		lines[a], lines[b] = lines[b], lines[a]
		want[a], want[b] = want[b], want[a]
		if len(lines) > 12 {
			at := slices.IndexFunc(lines, func(line string) bool { return line[0] == '#' })
			lines, want = slices.Delete(lines, at, at+1), slices.Delete(want, at, at+1)
		}
		if random.IntN(4) == 0 {
			p.must(run, "file_delete", args{"path": ".env"}) // what the run has read is still known
		}
		p.must(run, "file_write", args{"path": ".env", "content": strings.Join(lines, "\n") + "\n"})
		if got := p.holds(".env"); got != strings.Join(want, "\n")+"\n" {
			t.Fatalf("round %d:\n%s\nwant\n%s", round, got, strings.Join(want, "\n"))
		}
	}
	for _, secret := range []string{"hunter2", "a8f5f167f44f", "Tango"} {
		if strings.Contains(p.audit.String(), secret) {
			t.Errorf("the audit has %q", secret)
		}
	}
}

// RD1: what stands for no secret of the file is an error, and nothing is written.
func TestAPlaceholderThatIsNotOfTheFileIsRefused(t *testing.T) {
	t.Parallel()
	p := newRedactedProject(t)
	p.put(".env", threeSecrets)
	p.put("README", "see [REDACTED:password] and .env\n")
	seen := p.must("r", "file_read", args{"path": ".env"}).Data.Content
	mark := strings.TrimPrefix(strings.Split(seen, "\n")[1], "DB_PASSWORD=")
	forged := "[REDACTED:password:0123456789ab]"
	for _, text := range []string{mark, forged, "[REDACTED:secret]", strings.TrimSuffix(mark, "]"), seen} {
		p.refused("r", "file_write", args{"path": "README", "content": text})
		p.refused("r", "file_append", args{"path": "README", "content": text})
		p.refused("r", "file_write", args{"path": "new.txt", "content": text})
		p.refused("r", "file_write", args{"path": "README", "content": text, "mode": "append"})
		p.refused("r", "file_edit", args{"path": "README", "old_string": "see", "new_string": text})
		p.refused("r", "file_edit", args{"path": "README", "old_string": text, "new_string": "x"})
		p.refused("r", "shell_execute", args{"command": "cat > .env <<'E'\n" + text + "\nE"})
		p.refused("r", "execute_python", args{"code": "open('.env','w').write('''" + text + "''')"})
		p.refused("r", "file_move", args{"from": ".env", "to": text})
		p.refused("r", "file_write", args{"path": text, "content": "x"})
	}
	for _, text := range []string{forged, "[REDACTED:secret]", strings.Replace(mark, "]", "0]", 1)} {
		p.refused("r", "file_write", args{"path": ".env", "content": text})
	}
	if p.holds(".env") != threeSecrets || p.holds("README") != "see [REDACTED:password] and .env\n" ||
		p.holds("new.txt") != "" {
		t.Errorf("something was written: %q, %q, %q", p.holds(".env"), p.holds("README"), p.holds("new.txt"))
	}

	// The literal that the file holds itself may be written to it.
	p.must("r", "file_write", args{"path": "README", "content": "look: [REDACTED:password]\n"})
	p.must("r", "file_edit", args{"path": "README", "old_string": "look: [REDACTED:password]",
		"new_string": "[REDACTED:password], look"})
	if got := p.holds("README"); got != "[REDACTED:password], look\n" {
		t.Errorf("README: %q", got)
	}
}

// RD1: a placeholder cannot be moved, nor its surroundings be changed, so that the
// next reading would show the secret.
func TestAnEditThatWouldShowASecretIsRefused(t *testing.T) {
	t.Parallel()
	p := newRedactedProject(t)
	p.put(".env", threeSecrets)
	seen := p.must("r", "file_read", args{"path": ".env"}).Data.Content
	mark := strings.TrimPrefix(strings.Split(seen, "\n")[1], "DB_PASSWORD=")
	p.refused("r", "file_append", args{"path": ".env", "content": "COPY=" + mark + "\n"})
	p.refused("r", "file_write", args{"path": ".env", "content": "COPY=" + mark + "\n"})
	p.refused("r", "file_edit", args{"path": ".env", "old_string": "DB_PASSWORD=" + mark, "new_string": "COPY=" + mark})
	p.refused("r", "file_edit", args{"path": ".env", "old_string": "DB_PASSWORD", "new_string": "COPY"})
	if got := p.holds(".env"); got != threeSecrets {
		t.Fatalf(".env: %q", got)
	}

	p.must("r", "file_append", args{"path": ".env", "content": "OLD_DB_PASSWORD=" + mark + "\n"})
	p.must("r", "file_edit", args{"path": ".env", "old_string": "PORT=80",
		"new_string": "# hunter2hunter2, as you told me\nPORT=81"})
	want := strings.Replace(threeSecrets, "PORT=80", "# hunter2hunter2, as you told me\nPORT=81",
		1) + "OLD_DB_PASSWORD=hunter2hunter2\n"
	if got := p.holds(".env"); got != want {
		t.Errorf(".env: %q", got)
	}
}

// RD1: the mapping is in the file, so that it outlives a restart; what only a run
// was shown is that run's alone.
func TestPlaceholdersAreResolvedAfterARestartFromTheFile(t *testing.T) {
	t.Parallel()
	p := newRedactedProject(t)
	p.put(".env", threeSecrets)
	seen := p.must("r", "file_read", args{"path": ".env"})
	again := p.must("r2", "file_read", args{"path": "./.env"}) // not from the cache, which would leave nothing known
	if seen.Data.Content != again.Data.Content {
		t.Error("the ids differ")
	}
	p.put(".env", "")
	p.refused("r3", "file_write", args{"path": ".env", "content": seen.Data.Content})
	p.must("r2", "file_write", args{"path": ".env", "content": seen.Data.Content})
	next := p.restarted()
	next.must("r", "file_write", args{"path": ".env", "content": seen.Data.Content + "A=1\n"})
	if got := p.holds(".env"); got != threeSecrets+"A=1\n" {
		t.Errorf(".env: %q", got)
	}
	if err := os.Remove(filepath.Join(p.root, ".env")); err != nil {
		t.Fatal(err)
	}
	p.restarted().refused("r", "file_write", args{"path": ".env", "content": seen.Data.Content})
}

// RD1: placeholders are longer than secrets; what does not fit any more is read on,
// and nothing is left out between the parts.
func TestAFileFullOfSecretsIsReadInParts(t *testing.T) {
	t.Parallel()
	p := newRedactedProject(t)
	var whole strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&whole, "K%d_PASSWORD=x%dy9z\n", i, i)
	}
	p.put(".env", whole.String())
	var all strings.Builder
	for line := 1; line > 0; {
		seen := p.must("r", "file_read", args{"path": ".env", "start_line": line})
		if seen.Truncated != "" || seen.Redacted == 0 {
			t.Fatalf("from line %d: %d secrets, %s", line, seen.Redacted, seen.Truncated)
		}
		all.WriteString(seen.Data.Content)
		line = seen.Data.Next
	}
	p.must("r", "file_write", args{"path": ".env", "content": all.String()})
	if p.holds(".env") != whole.String() {
		t.Error("the file is not what it was")
	}
}

// RD1: an edit matches what the model sees, never a part of a secret.
func TestAnEditNeverMatchesInsideASecret(t *testing.T) {
	t.Parallel()
	p := newRedactedProject(t)
	p.put(".env", "hunter=1\r\nDB_PASSWORD=hunter2hunter2\r\n")
	if got := p.must("r", "file_edit", args{"path": ".env", "old_string": "hunter", "new_string": "fisher",
		"replace_all": true}); got.Data.Replacements != 1 {
		t.Errorf("%d replacements", got.Data.Replacements)
	}
	for _, guess := range []string{"D=hunter2", "unter2", "UNTER2H", "2hunter2\n"} {
		inside := p.call("r", "file_edit", args{"path": ".env", "old_string": guess, "new_string": "x"})
		nowhere := p.call("r", "file_edit", args{"path": ".env", "old_string": "q9q9" + guess, "new_string": "x"})
		if inside.Success || inside.Error != nowhere.Error {
			t.Errorf("%q: %q, but elsewhere %q", guess, inside.Error, nowhere.Error)
		}
	}
	// all of it, as the model knows it
	p.must("r", "file_edit", args{"path": ".env", "old_string": "PASSWORD=hunter2hunter2\n",
		"new_string": "PASSWORD=another99word\n"})
	if got := p.holds(".env"); got != "fisher=1\r\nDB_PASSWORD=another99word\r\n" {
		t.Errorf(".env: %q", got)
	}
}
