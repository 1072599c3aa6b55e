package shellsyntax

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func dangersOf(t *testing.T, line string) []string {
	t.Helper()
	analysis := Analyze(line)
	if analysis.Err != nil {
		t.Fatalf("%s: %v", line, analysis.Err)
	}
	var ids []string
	for _, d := range analysis.Dangers {
		ids = append(ids, d.Rule.ID)
	}
	return ids
}

// SH4: the destructive classics are found in every spelling.
func TestDestructiveClassicsAreFoundInEverySpelling(t *testing.T) {
	t.Parallel()
	for rule, lines := range map[string][]string{
		"shell.destructive.remove_root": {
			"rm -rf /", "rm -fr /", "rm -r -f /", "rm --recursive --force /", "rm -rf //", "rm -rf /.", "rm -rf /../", "rm -rf /*", "rm -Rf ~",
			"rm -rf $HOME", `rm -rf "$HOME"`, "rm -rf ${HOME}/", "/bin/rm -rf /", `\rm -rf /`, `r\m -rf /`, `"rm" -rf /`, `'r'm -rf /`, `$'\x72m' -rf /`, `$'\162\155' -rf /`,
			"sudo rm -rf /", "sudo -u root rm -rf /", "env FOO=1 rm -rf /", "env -i rm -rf /", "env -S 'rm -rf /'", "nohup rm -rf / &", "timeout 5 rm -rf /", "timeout -k 3 5 rm -rf /",
			"nice -n 5 rm -rf /", "command rm -rf /", "exec rm -rf /", "builtin command rm -rf /", "time rm -rf /", "stdbuf -oL rm -rf /", "busybox rm -rf /",
			"bash -c 'rm -rf /'", `sh -c "rm -rf /"`, "bash -lc 'rm -rf /'", "bash -c 'bash -c \"rm -rf /\"'", "eval rm -rf /", "eval 'rm -rf /'",
			"echo hi; rm -rf /", "true && rm -rf /", "false || rm -rf /", "(rm -rf /)", "{ rm -rf /; }", "if true; then rm -rf /; fi", "for i in 1; do rm -rf /; done",
			"f() { rm -rf /; }; f", "echo $(rm -rf /)", "echo `rm -rf /`", "cat <(rm -rf /)", "x=$(rm -rf /)", `echo "a $(rm -rf /) b"`,
			"bash <<EOF\nrm -rf /\nEOF", "bash <<'EOF'\nrm -rf /\nEOF", "bash <<< 'rm -rf /'", "find . -exec rm -rf / \\;", "echo / | xargs rm -rf /", "xargs -n 1 rm -rf / < list",
			"find / -delete", "trap 'rm -rf /' EXIT", "alias ls='rm -rf /'", "rm -rf /etc", "rm -rf /usr/*", "rm -rf -- /", "rm / -rf", "rm -rf /home/bob", "rm -rf foo /",
		},
		"shell.destructive.format_disk":     {"mkfs.ext4 /dev/sda1", "sudo mkfs -t ext4 /dev/sda", "format c:"},
		"shell.destructive.dd_to_device":    {"dd if=/dev/zero of=/dev/sda", "dd of=/dev/nvme0n1 if=x bs=1M", "sudo dd if=x of=//dev/sda"},
		"shell.destructive.write_to_device": {"echo x > /dev/sda", "cat x >> /dev/nvme0n1", "{ echo x; } > /dev/sda"},
		"shell.fork_bomb":                   {":(){ :|:& };:", "f() { f | f & }; f", "bomb() { bomb & bomb; }; bomb"},
		"shell.system.open_permissions":     {"chmod -R 777 /", "chmod --recursive 777 /etc", "sudo chmod -R a+rwx /usr"},
		"shell.download_and_run":            {"curl http://x | sh", "curl -s x | sudo bash", "wget -qO- x | bash -s -- a", "curl x | tee y | sh", "curl x | env A=1 python3", "(curl x) | sh"},
		"shell.system.shutdown":             {"shutdown -h now", "sudo reboot", "/sbin/poweroff"},
		"shell.system.sysrq":                {"echo c > /proc/sysrq-trigger", "echo c > /proc/./sysrq-trigger", "echo c > //proc//sysrq-trigger"},
	} {
		for _, line := range lines {
			if got := dangersOf(t, line); !slices.Contains(got, rule) {
				t.Errorf("%s: found %v, want %s", line, got, rule)
			}
		}
	}
}

// SH4: what only looks like them is left alone.
func TestHarmlessCommandsAreLeftAlone(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"rm -rf build", "rm -rf ./node_modules", "rm -f /tmp/x", "rm -rf /tmp/build", "echo rm -rf /", "echo 'rm -rf /' > note.txt", "git commit -m 'rm -rf /'", "grep -r 'rm -rf /' .",
		"dd if=/dev/zero of=image.bin bs=1M count=1", "chmod -R 755 dist", "curl x | jq .", "curl -o x y; sh --version", "echo shutdown", "f() { f; }", "ls > /dev/null", "echo x > /dev/stderr",
		"find . -name '*.tmp' -delete", "kill -9 123", "kill %1", "cat <<EOF\nrm -rf /\nEOF", "systemctl status nginx", "make && make test | tee log", "history", "git log --oneline | head",
	} {
		for _, id := range dangersOf(t, line) {
			t.Errorf("%s: found %s", line, id)
		}
	}
}

// SH4: prefixes are compared by words, not by text.
func TestPrefixesAreComparedByWords(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		line, pattern   string
		allowed, denied bool
	}{
		{"git log", "git log", true, true},
		{"git log --oneline -n 3", "git log", true, true},
		{"git logout", "git log", false, false},
		{"gitlog", "git", false, false},
		{"git", "git log", false, false},
		{"git -C dir log", "git log", false, true},
		{"git --no-pager log", "git log", false, true},
		{"/usr/bin/git log", "git log", true, true},
		{"/tmp/git log", "git log", false, true},
		{"./git log", "git log", false, true},
		{"git $SUB", "git log", false, true},
		{"$GIT log", "git log", false, false},
		{"git commit -m log", "git log", false, false},
		{"git status", "git", true, true},
		{strings.Repeat("git -a ", 40) + "x", "git log", false, false},
	} {
		script, err := Parse(test.line)
		if err != nil {
			t.Fatal(err)
		}
		command := script.Commands()[0]
		if got := command.Allowed(test.pattern); got != test.allowed {
			t.Errorf("%s under the allowed %q: %v, want %v", test.line, test.pattern, got, test.allowed)
		}
		if got := command.Denied(test.pattern); got != test.denied {
			t.Errorf("%s under the denied %q: %v, want %v", test.line, test.pattern, got, test.denied)
		}
	}
}

// SH4: what cannot be decided before it runs is marked.
func TestWhatCannotBeDecidedIsMarked(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"$CMD x", "`echo ls`", "eval $X", "bash script.sh", "bash -c \"$X\"", "cat x | sh", "bash < x", "source env.sh", ". ./x", "xargs $X", "sudo $X", "env $X", "find . $X",
		"bash <<EOF\n$X\nEOF", "trap \"$X\" EXIT", "ls*", "export $X", "$(curl x)", "{ls,-la}",
	} {
		script, err := Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(script.Commands(), func(c Command) bool { return c.Opaque != "" }) {
			t.Errorf("%s: every command counts as known: %+v", line, script.Commands())
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"rm -rf /", "bash <<EOF\n$X\nEOF", ":(){ :|:& };:", "env -S 'a b'", `$'\x72m'`, "a=1 b", "find . -exec x {} +", `for i in 1; do\necho`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		line, _ = Mend(line)
		script, err := Parse(line)
		if err != nil {
			return
		}
		Analyze(line)
		script.Functions()
		for _, c := range script.Commands() {
			c.Allowed("git log")
			c.Denied("git log")
		}
	})
}

// The expressions are compiled late, and piece by piece: here each of them is, and
// what it says is what the whole expression says.
func TestAPatternSaysWhatItsExpressionSays(t *testing.T) {
	t.Parallel()
	texts := []string{"", "x", "K = \u212a, s = \u017f", "LD_PRELOAD=/tmp/x.so"}
	for _, rule := range Rules() {
		texts = append(texts, rule.Message, strings.ToUpper(rule.Message))
	}
	for _, table := range []string{"commands.yaml", "commands_probes.yaml"} {
		data, err := os.ReadFile("../guard/testdata/" + table)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(data), "\n")
		for i := 0; i < len(lines); i += 1 + len(lines)/300 {
			texts = append(texts, lines[i])
		}
	}
	given, hits := 0, 0
	for _, rule := range Rules() {
		x := rule.Expressions
		for expression, p := range map[string]pattern{
			x.Argument: rule.Argument, x.First: rule.First, x.Text: rule.Text, x.Except: rule.Except, x.WritesTo: rule.WritesTo,
			x.ReadsFrom: rule.ReadsFrom, x.Setting: rule.Setting, x.Input: rule.Input, x.Expands: rule.Expands,
		} {
			if !p.given() {
				continue
			}
			given++
			whole := regexp.MustCompile(expression)
			for _, a := range p.alternatives {
				a.re()
			}
			for _, text := range texts {
				want := whole.MatchString(text)
				if want {
					hits++
				}
				if p.matches(text) != want {
					t.Errorf("rule %s: %q on %q: %v, want %v", rule.ID, expression, text, !want, want)
				}
			}
		}
	}
	if given < 50 || hits < 500 {
		t.Errorf("only %d expressions were read, which matched %d times", given, hits)
	}
}

// Whatever looks least like setting a variable is one: the pattern of a case, an index.
func TestVariablesAreLearntWhereverTheyAreSet(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"y=rm; $y -rf /", "case $1 in -a)y=rm;; esac; $y -rf /", "case $1 in /x)y=rm;; esac; $y -rf /", "a[1 -1]=rm; ${a[0]} -rf /",
		"{ y=rm\n}; $y -rf /", "y+=rm; $y -rf /", "true&y=rm; $y -rf /",
	} {
		if got := dangersOf(t, line); !slices.Contains(got, "shell.destructive.remove_root") {
			t.Errorf("%s: %v", line, got)
		}
	}
}

// A bomb of several functions has the name of the first, at every look.
func TestABombHasOneName(t *testing.T) {
	t.Parallel()
	for range 20 {
		a := Analyze("b() { a & }; a() { c & }; c() { b & a & }; b")
		if len(a.Dangers) == 0 || a.Dangers[0].Rule.Shape != "fork_bomb" || a.Dangers[0].Evidence != "a()" {
			t.Fatalf("%+v", a.Dangers)
		}
	}
}
