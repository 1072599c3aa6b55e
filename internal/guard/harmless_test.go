package guard

import (
	"strings"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/shellanalysis"
)

// TG2: harmless work is harmless with something everyday around it, too.
func TestWrappedHarmlessWorkPasses(t *testing.T) {
	t.Parallel()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto}}, nil)
	wrappings := []string{
		"(CMD\n)", "{ CMD\n}", "{ CMD\n} > out.txt", "(CMD\n) > out.txt 2>&1", "if true; then CMD\nfi",
		"if CMD\nthen echo yes; fi 2>/dev/null", "for i in 1 2; do CMD\ndone",
		"for i in 1; do q__=$i; CMD\ndone > out.csv", "while read -r l; do CMD\ndone < list.txt",
		"while read -r l; do q__=$l; CMD\ndone <<E__\na\nE__", "f() { CMD\n}\nf", "case a in a) CMD\n;; esac",
		"q__=1; CMD\n", "set -euo pipefail\nCMD\n", "CMD\necho done", "true && {\nCMD\n}", "time CMD\n",
		"# a comment\n# and more\nCMD\n", "{ q__=$(date); echo \"$q__\"; CMD\n} >> log.txt", "( cd src && CMD\n)",
		"until CMD\ndo sleep 1; done", "q__=0; while [ $q__ -lt 3 ]; do q__=$((q__+1)); CMD\ndone",
	}
	count := 0
	for _, file := range []string{"commands.yaml", "commands_probes.yaml"} {
		for _, c := range readTable(t, file) {
			if len(c.Expect) > 0 || strings.Contains(c.Command, "E__") || strings.HasPrefix(c.Command, "cp .env") ||
				strings.Contains(c.Command, "local -n") || asksFor(t, engine, c.Command) {
				continue
			}
			for i, wrapping := range wrappings {
				if (i+count)%3 != 0 {
					continue
				}
				line := strings.ReplaceAll(wrapping, "CMD", c.Command)
				if _, err := shellanalysis.Parse(line); err != nil {
					continue
				}
				if count++; asksFor(t, engine, line) {
					t.Errorf("%q asks, though %q passes", line, c.Command)
				}
			}
		}
	}
	if count < 3000 {
		t.Errorf("only %d commands were wrapped", count)
	}
}
