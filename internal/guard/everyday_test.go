package guard

import (
	"strings"
	"testing"

	"nanoclaw/internal/config"
)

// everyday are commands of everyday work that look like what the rules are about, each
// with others that look like it and are dangerous.
var everyday = []struct {
	harmless []string
	twins    []string
}{
	{ // lock files can be made again
		[]string{"rm -f package-lock.json", "rm -f go.sum", "rm -f pnpm-lock.yaml", "rm -f web/package-lock.json", "rm -f package-lock.json && rm -rf node_modules && npm install"},
		[]string{"rm -f package.json", "rm -f go.mod", "rm -f package-lock.json main.go", "rm -f my-go.summary"},
	},
	{ // git refuses to remove a worktree with changes
		[]string{"git worktree add ../wt-fix -b fix && (cd ../wt-fix && go test ./...); git worktree remove ../wt-fix", "git worktree remove ../force-push"},
		[]string{"git worktree remove --force ../wt-fix", "git worktree remove ../wt-fix -f", "git worktree remove -ff ../wt-fix", "git worktree remove ../wt-fix --forc"},
	},
	{ // where a trace goes
		[]string{"exec 3>trace.log; BASH_XTRACEFD=3; set -x; make check"},
		[]string{"BASH_XTRACEFD=$x; set -x; make check", "BASH_ENV=3 bash -c ls"},
	},
	{ // a trap that prints, or is taken back
		[]string{`trap 'echo "cmd: $BASH_COMMAND"' DEBUG; x=1; trap - DEBUG`, `trap 'printf "%s\n" "$LINENO" >&2' ERR EXIT; make`},
		[]string{
			"trap 'rm -rf src' DEBUG; ls", `trap 'echo x; $y' DEBUG`, `trap 'echo "$(x)"' DEBUG`, `trap 'echo x > y' DEBUG`, `trap 'echo "${x@P}"' DEBUG`, `trap 'echo "${!x}"' DEBUG`,
			`trap "echo $x" DEBUG`, `trap 'printf -v "a[\$(x)]" y' DEBUG`, `trap 'printf $x y' DEBUG`, `trap "$x" DEBUG`, `trap 'echo x | sh' DEBUG`, `trap 'PATH=. echo x' DEBUG`,
		},
	},
}

// TG2: everyday work asks nobody, and what looks like it and is dangerous does.
func TestEverydayWorkIsFreeAndItsTwinsAreNot(t *testing.T) {
	t.Parallel()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto}}, nil)
	for _, kind := range everyday {
		for _, command := range kind.harmless {
			if decision := check(t, engine, shellCall(command)); decision.Verdict != Allow {
				t.Errorf("%s\nasks: %+v", command, decision.Findings)
			}
		}
		for _, command := range kind.twins {
			if decision := check(t, engine, shellCall(command)); decision.Verdict == Allow {
				t.Errorf("%s\nis allowed: %+v", strings.TrimSpace(command), decision.Findings)
			}
		}
	}
}
