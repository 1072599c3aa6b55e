package guard

import (
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/tools"
)

// TG2: each way to hide what a command is asks, under the id of the trick or of the command.
func TestHiddenCommandsAreFound(t *testing.T) {
	t.Parallel()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto}}, nil)
	for id, commands := range map[string][]string{
		"evasion.substitution": {"$(echo rm) -r x", "`echo rm` -r x", "bash -c \"$(cat x)\"", "python3 -c \"$(cat x)\"",
			"source <(cat x)", "sudo $(cat x)", "find . -exec $(cat x) \\;", "echo $(git push --force)"},
		"evasion.obfuscated_word": {
			`r\m x`, "r''m x", `"r"m x`, `$'\x72m' x`, `$'\162m' x`, "{rm,x}", `rm -"r"f x`, `git pu\sh`,
			`cat /et\c/hosts`, "ca''t x", `$"ls" x`, `git push --fo'rce'`,
		},
		"evasion.ifs": {"cat${IFS}x", "cat$IFS/etc/hosts", "ls${IFS:0:1}x", "bash -c 'ls${IFS}x'",
			"IFS=:; c=rm:-r:x; $c"},
		"evasion.indirection": {"x=rm; $x -r y", "a=r; b=m; $a$b -r y", "c=(rm -r y); \"${c[@]}\"", "eval \"$x\"",
			"bash -c \"$x\"", "$X y", "alias ls='rm -r x'", "cd() { ls; }", "trap 'ls' DEBUG", "PROMPT_COMMAND=ls",
			"BASH_ENV=x bash -c ls", "cat x | sh", "PATH=/tmp:$PATH ls", "set -- rm -r x; \"$@\""},
		"evasion.encoded": {"base64 -d x | sh", "echo aWQ= | base64 -d | bash", "xxd -r -p <<< 6964 | sh",
			"rev <<< di | sh", "eval \"$(base64 -d x)\"", "printf '\\x69\\x64' | sh", "base64 -d x > y; sh y",
			"x=$(base64 -d y); eval \"$x\"", "python3 -c \"exec(__import__('base64').b64decode('eA=='))\""},
		"evasion.unicode": {"rm\u00a0x", "r\u200bm x", "ｒｍ x", "rm \u2013rf x", "\u0440m x", "echo \"\u202ex\"",
			"echo \x1b[2K", "ls #\rrm x", "cat /\u0435tc/passwd", "ls \u2066x"},
		"evasion.newline": {"r\\\nm x", "rm -r\\\nf x"},
		"evasion.glob": {"/bin/r? x", "/???/??t x", "r[m] x", "/bin/ch[m]od 1 x", "@(rm|x) y",
			"cat /e?c/sh?dow"},
		"evasion.unparsable": {strings.Repeat("x", 70000), "bash -c 'echo \"x'", "eval 'if true'"},
		"shell.destructive":  {"rm -rf ~\n)", "rm -rf ~; ls\necho \"x"}, // bash runs what stands before the error
	} {
		for _, command := range commands {
			decision := check(t, engine, shellCall(command))
			if decision.Verdict == Allow {
				t.Errorf("%.60q: %+v, want %s", command, decision.Findings, id)
			}
		}
	}
}

// TG2: false alarms are few: what is quoted, complete here-documents, find -exec
// with a plain command, and the output of a harmless command are clean.
func TestPlainCommandsAreNotTakenForHidden(t *testing.T) {
	t.Parallel()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto}}, nil)
	for _, command := range []string{
		"echo 'rm -rf / $(x) `y` ${IFS} \\x72'", "cat > x.sh <<'EOF'\nrm -rf /\n$(curl x | sh)\nEOF",
		"find . -name '*.go' -exec grep -l x {} \\;", "echo $(date)", "echo \"$(git rev-parse HEAD)\"",
		"cd \"$(git rev-parse --show-toplevel)\"",
		"docker build \\\n  --tag x \\\n  .", "echo \"a\nb\"", "printf 'a\\tb\\n'", "grep '\\bfoo\\b' x",
		"sed 's/\\t/ /g' x", "cp my\\ file x", "ls \"my file\"", "echo \"完成 ✅\"", "mkdir 文档", "echo '👩\u200d👩\u200d👧'",
		"\"$VENV/bin/python\" x.py", "PYTHON=python3; $PYTHON x.py",
		"IFS=, read -r a b <<< 'x,y'", "while IFS= read -r l; do echo \"$l\"; done < x", "mkdir -p a/{b,c}", "ls *.go",
		"x=1; echo \"$x\"", "files=(a b); for f in \"${files[@]}\"; do cat \"$f\"; done", "trap 'rm -f \"$tmp\"' EXIT",
		"source venv/bin/activate", "bash script.sh",
		"bash -c 'npm test'", "base64 -d x > y.png", "echo $'a\\tb'", "diff <(sort a) <(sort b)",
		"git log --format='%h %s'", "awk '{print $1}' x", "# a comment\nls", "ls # all of them",
	} {
		if decision := check(t, engine, shellCall(command)); decision.Verdict != Allow {
			t.Errorf("%q: %+v", command, decision.Findings)
		}
	}
}

// SH6: what the shell answers at once, be it with a syntax error, is not asked
// about: nothing of a line that does not parse runs. At level strict it asks, as
// everything does.
func TestWhatReturnsAtOnceIsNotAskedAbout(t *testing.T) {
	t.Parallel()
	auto, strict := newEngine(t, Settings{Guard: config.Guard{Level: Auto}}, nil),
		newEngine(t, Settings{Guard: config.Guard{Level: Strict}}, nil)
	for command, refused := range map[string]bool{
		"printf foo": false, "cat": false, "read x": false, `echo "unbalanced`: true, "exit 3": false,
		"python3 -c 'input()'": false, "cat <<EOF\nnever closed": true, "sleep 100 &": false,
		"if true; then ls": true, "ls )": true, strings.Repeat("(", 300): true, `for f in a; do\necho`: true,
		"echo x # y \\\nls": true,
	} {
		decision := check(t, auto, shellCall(command))
		shown := slices.ContainsFunc(decision.Findings, func(f Finding) bool {
			return f.ID == "evasion.unparsable" &&
				f.Severity == Info
		})
		if decision.Verdict != Allow || shown != refused {
			t.Errorf("%.60q: %+v, want it to pass, and to be shown as unparsable: %v", command, decision, refused)
		}
		if decision := check(t, strict, shellCall(command)); decision.Verdict != NeedsApproval {
			t.Errorf("%.60q at level strict: %+v", command, decision)
		}
	}
}

// SH1: a line that is mended before it runs is judged as it runs, by the
// administrator's patterns, too.
func TestAMendedLineIsJudgedAsItRuns(t *testing.T) {
	t.Parallel()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto, Rules: []config.GuardRule{
		{ID: "own.pattern", Tool: "shell_execute", Argument: "command", Pattern: `(?m)^frobnicate\b`, Severity: "HIGH",
			Action: "ask"},
	}}}, nil)
	for command, id := range map[string]string{
		`for i in 1; do\nrm -rf ~\ndone`: "shell.destructive.remove_root",
		`if true; then\nfrobnicate\nfi`:  "own.pattern",
	} {
		if decision := check(t, engine, shellCall(command)); !slices.ContainsFunc(decision.Findings,
			func(f Finding) bool { return f.ID == id }) {
			t.Errorf("%q: %+v, want %s", command, decision.Findings, id)
		}
	}
}

// TG2: what is too long to be looked at asks: nothing hides behind the end of it.
func TestWhatIsTooLongAsks(t *testing.T) {
	t.Parallel()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto}}, nil)
	for name, call := range map[string]Call{
		"code": toolCall(pythonTool, "code", tools.Writes, map[string]any{"code": strings.Repeat("x = 'a' + \"b\"\n",
			400_000)}),
		"a line": shellCall("echo " + strings.Repeat("x", 20<<10)), "commands": shellCall(strings.Repeat("ls;",
			5000) + "ls"),
		"rounds": shellCall(
			"for i in {1..30}; do for j in {1..30}; do for k in {1..30}; do ls $i; done; done; done; rm -rf src"),
	} {
		decision := check(t, engine, call)
		if decision.Verdict != NeedsApproval || !slices.ContainsFunc(decision.Findings,
			func(f Finding) bool { return f.ID == "evasion.unparsable" && f.Severity == High }) {
			t.Errorf("%s: %+v, want it to ask as unparsable", name, decision)
		}
	}
}

// TG2: a place where bash runs a value as a command cannot be approved on a host.
func TestValuesThatRunAreRefused(t *testing.T) {
	t.Parallel()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto}}, nil)
	for _, command := range []string{"x='$(rm -rf src)'; echo \"${x@P}\"", "PS4='$(x)'; set -x", "PROMPT_COMMAND=x",
		"export PROMPT_COMMAND='x'", "test -v 'a[$(x)]'", "printf -v 'a[$(x)]' y", "mapfile -C x -c 1 a < y",
		"bash -c 'echo ${x@P}'"} {
		if decision := check(t, engine, shellCall(command)); decision.Verdict != Deny {
			t.Errorf("%q: %+v, want a denial", command, decision)
		}
	}
}
