package redact

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// sample is a line of the corpus; see testdata/README.md.
type sample struct {
	About   string `json:"about"`
	Text    string `json:"text"`
	secrets []Match
}

// readCorpus reads a file of the corpus and takes its marks out of the texts.
func readCorpus(t testing.TB, file string) []sample {
	t.Helper()
	f, err := os.Open("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var samples []sample
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var s sample
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		var text strings.Builder
		for _, r := range strings.ReplaceAll(s.Text, "¦", "") {
			switch r {
			case '⟦':
				s.secrets = append(s.secrets, Match{Start: text.Len()})
			case '⟧':
				s.secrets[len(s.secrets)-1].End = text.Len()
			default:
				text.WriteRune(r)
			}
		}
		s.Text = text.String()
		samples = append(samples, s)
	}
	return samples
}

// redactsAll says whether every byte of every secret is redacted.
func (s sample) redactsAll(found []Match) bool {
	for _, secret := range s.secrets {
		at := secret.Start
		for _, m := range found {
			if m.Start <= at && m.End > at {
				at = m.End
			}
		}
		if at < secret.End {
			return false
		}
	}
	return true
}

// excess is the number of bytes that are redacted and belong to no secret.
func (s sample) excess(found []Match) int {
	n := 0
	for _, m := range found {
		n += m.End - m.Start
		for _, secret := range s.secrets {
			n -= max(0, min(m.End, secret.End)-max(m.Start, secret.Start))
		}
	}
	return n
}

// SH8: recall of at least 99 %, false positives of at most 1 %, also for what the
// rules were not tuned with.
func TestTheRulesFindTheCorpus(t *testing.T) {
	r := newTest(t, Options{})
	for _, part := range []struct {
		name, secrets, harmless string
		tuned                   bool
		least                   int // samples of each kind
	}{
		{"tuned", "secrets.jsonl", "harmless.jsonl", true, 200},
		{"held out", "secrets-held-out.jsonl", "harmless-held-out.jsonl", false, 100},
	} {
		secrets, harmless := readCorpus(t, part.secrets), readCorpus(t, part.harmless)
		if len(secrets) < part.least || len(harmless) < part.least {
			t.Errorf("%s: only %d texts with secrets and %d without", part.name, len(secrets), len(harmless))
		}
		missed, wrong, excess := 0, 0, 0
		for _, s := range secrets {
			found := r.Find(s.Text)
			excess += s.excess(found)
			if s.redactsAll(found) {
				continue
			}
			missed++
			if part.tuned {
				t.Logf("missed (%s): %q became %q", s.About, s.Text, r.String(s.Text))
			}
		}
		for _, s := range harmless {
			if got := r.String(s.Text); got != s.Text {
				wrong++
				if part.tuned {
					t.Logf("wrong (%s): %q became %q", s.About, s.Text, got)
				}
			}
		}
		recall := 100 - 100*float64(missed)/float64(len(secrets))
		falsePositives := 100 * float64(wrong) / float64(len(harmless))
		t.Logf("%s: recall %.2f %% of %d, false positives %.2f %% of %d, %d bytes too many redacted",
			part.name, recall, len(secrets), falsePositives, len(harmless), excess)
		if recall < 99 || falsePositives > 1 {
			t.Errorf("%s: recall %.2f %% (99 is the least), false positives %.2f %% (1 is the most)", part.name, recall,
				falsePositives)
		}
	}
}

// SH8: code that says token and password on every page, and holds no secret. The
// standard library's tests are left out: they do hold keys and passwords.
func TestTheStandardLibraryHoldsNearlyNoSecrets(t *testing.T) {
	t.Parallel()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	r := newTest(t, Options{})
	lines, found := 0, 0
	for _, dir := range []string{"net", "crypto", "encoding", "go", "os", "text", "html", "cmd/go"} {
		dir = filepath.Join(strings.TrimSpace(string(root)), "src", dir)
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && entry.Name() == "testdata":
				return fs.SkipDir
			case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			code, err := os.ReadFile(path)
			lines += bytes.Count(code, []byte("\n"))
			for _, m := range r.Find(string(code)) {
				found++
				t.Logf("%s: %s: %q", path, m.Rule, code[m.Start:m.End])
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if lines < 250_000 || found*10_000 > lines {
		t.Errorf("%d finds in %d lines", found, lines)
	}
	t.Logf("%d finds in %d lines", found, lines)
}

// EX5, CH2: a text in pieces is redacted as the whole is.
func TestAStreamOfTheCorpusGivesTheSame(t *testing.T) {
	t.Parallel()
	r := newTest(t, Options{})
	for _, file := range []string{"secrets.jsonl", "secrets-held-out.jsonl", "harmless.jsonl",
		"harmless-held-out.jsonl"} {
		for _, s := range readCorpus(t, file) {
			checkPieces(t, r, s.Text, 1)
			checkPieces(t, r, "一段 text "+s.Text+"\nand more text\n", 1)
		}
	}
}

func TestRedactingTheCorpusAgainChangesNothing(t *testing.T) {
	t.Parallel()
	r := newTest(t, Options{})
	for _, file := range []string{"secrets.jsonl", "secrets-held-out.jsonl"} {
		for _, s := range readCorpus(t, file) {
			once := r.String(s.Text)
			if again := r.String(once); again != once {
				t.Errorf("%q became %q", once, again)
			}
		}
	}
}
