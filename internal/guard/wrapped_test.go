package guard

import (
	"strings"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/shellanalysis"
)

// TG2: a command is as dangerous where something is around it. CMD stands for it, QUOTED
// for it in quotes.
func TestAWrappedCommandIsAskedToo(t *testing.T) {
	t.Parallel()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto}}, nil)
	wrappings := []string{
		"(CMD\n)", "{ CMD\n}", "if true; then CMD\nfi", "if CMD\nthen ls; fi", "for i in 1; do CMD\ndone",
		"while CMD\ndo break; done", "f() { CMD\n}; f", "function f { CMD\n}\nf", "case a in a) CMD\n;; esac",
		"x=$(CMD\n)", "echo \"$(CMD\n)\"", "echo <(CMD\n)", "ls > >(CMD\n)",
		"[[ $(CMD\n) ]]", ": \"${x:=$(CMD\n)}\"", "arr__[$(CMD\n)]=1", "echo $(( $(CMD\n) ))",
		"cat <<E__\n$(CMD\n)\nE__", "true &&\nCMD", "false ||\nCMD", "!\nCMD", "coproc { CMD\n}", "ls\nCMD\nls",
		"ls; (ls; { CMD\n})", "local x=$(CMD\n)", "export x=$(CMD\n)", "echo ${x:-$(CMD\n)}", "[ \"$(CMD\n)\" ]",
		"select pick__ in 1; do CMD\ndone", "until CMD\ndo ls; done", "for ((i=0;i<1;i++)); do CMD\ndone",
		"x=($(CMD\n))", "read x < <(CMD\n)", "cat <<< \"$(CMD\n)\"",
		"bash -c QUOTED", "sh -c QUOTED", "eval QUOTED", "eval -- QUOTED", "trap QUOTED EXIT", "echo QUOTED | bash",
		"printf '%s\\n' QUOTED | sh", "bash <<< QUOTED", "bash -s <<< QUOTED", "nohup bash -c QUOTED &",
		"timeout 5 sh -c QUOTED", "env X=1 bash -c QUOTED", "sudo -u me bash -lc QUOTED", "command bash -c QUOTED",
		"exec bash -c QUOTED", "xargs -I{} sh -c QUOTED", "find . -maxdepth 0 -exec sh -c QUOTED \\;",
		"echo QUOTED > f__.sh; bash f__.sh", "bash -c \"$(echo QUOTED)\"", "x=QUOTED; eval \"$x\"",
		"x=QUOTED; bash -c \"$x\"", "source <(echo QUOTED)", "ssh localhost QUOTED", "docker run --rm x sh -c QUOTED",
		"python3 -c 'import os; os.system('\\''true'\\'')'; bash -c QUOTED", "time bash -c QUOTED",
		"nice -n 5 bash -c QUOTED", "flock l__ -c QUOTED", "su -c QUOTED", "script -c QUOTED /dev/null",
		"tmux new -d QUOTED", "busybox sh -c QUOTED", "setsid bash -c QUOTED", "stdbuf -oL bash -c QUOTED",
		"unshare bash -c QUOTED",
	}
	count := 0
	for _, file := range []string{"commands.yaml", "commands_probes.yaml"} {
		for _, c := range readTable(t, file) {
			if len(c.Expect) == 0 || !asksFor(t, engine, c.Command) || strings.Contains(c.Command, "E__") {
				continue
			}
			if script, err := shellanalysis.Parse(c.Command); err != nil || script == nil {
				continue
			}
			quoted := "'" + strings.ReplaceAll(c.Command, "'", `'\''`) + "'"
			for i, wrapping := range wrappings {
				// each of them meets many
				if (i+count)%23 != 0 || strings.HasPrefix(wrapping, "x=") && strings.Contains(c.Command, "$x") {
					continue
				}
				line := strings.NewReplacer("CMD", c.Command, "QUOTED", quoted).Replace(wrapping)
				if _, err := shellanalysis.Parse(line); err != nil {
					continue // nothing of it runs
				}
				if count++; !asksFor(t, engine, line) {
					t.Errorf("%q passes, though %q asks", line, c.Command)
				}
			}
		}
	}
	if count < 2400 {
		t.Errorf("only %d commands were wrapped", count)
	}
}
