package shellanalysis

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func callsOf(line string) []string {
	a := Analyze(line)
	var calls []string
	for i := range a.Calls {
		if c := &a.Calls[i]; !c.Guess {
			calls = append(calls, c.String())
		}
	}
	return calls
}

// SH4: what a line runs is listed with its words after all expansions, through wrappers,
// scripts and files that the line writes.
func TestCallsAreListedAfterAllExpansions(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"x=rm; $x -rf src":                                    "rm -rf src",
		"a=(rm -rf src); \"${a[@]}\"":                         "rm -rf src",
		"f() { \"$@\"; }; f rm -rf src":                       "rm -rf src",
		"f() { rm -rf src; }":                                 "rm -rf src",
		"declare -n a=b; b=rm; $a -rf src":                    "rm -rf src",
		"printf -v a 'r%s' m; $a -rf src":                     "rm -rf src",
		"IFS=+ read -ra c <<< 'rm+-rf+src'; \"${c[@]}\"":      "rm -rf src",
		"set -- rm -rf src; \"$@\"":                           "rm -rf src",
		"eval 'x=rm; $x -rf src'":                             "rm -rf src",
		"read x <<< 'r\\m'; $x -rf src":                       "rm -rf src",
		"read -d '' x <<< rm; $x -rf src":                     "rm -rf src",
		"if false; then ls; else rm -rf src; fi":              "rm -rf src",
		"exit 0; rm -rf src":                                  "rm -rf src",
		"set -e; false; rm -rf src":                           "rm -rf src",
		"case $1 in a) ls;; b) rm -rf src;; esac":             "rm -rf src",
		"while read -r l; do $l; done <<E\nls\nrm -rf src\nE": "rm -rf src",
		"for i in {1..100000}; do rm -rf src; done":           "rm -rf src",
		"sudo -u x env A=b nice -n 5 timeout 3 rm -rf src":    "rm -rf src",
		"bash -c '\"$0\" \"$@\"' rm -rf src":                  "rm -rf src",
		"echo 'rm -rf src' | bash":                            "rm -rf src",
		"echo 'rm -rf src' > a.sh; chmod +x a.sh; ./a.sh":     "rm -rf src",
		"bash <(echo rm -rf src)":                             "rm -rf src",
		"echo src | xargs rm -rf":                             "rm -rf src",
		"find . -exec rm -rf {} +":                            "rm -rf $(find)",
		"ssh host 'cd x && rm -rf src'":                       "rm -rf src",
		"docker run --rm -v a:b image rm -rf src":             "rm -rf src",
		"trap 'rm -rf src' EXIT":                              "rm -rf src",
		"alias y='rm -rf'; y src":                             "rm -rf src",
		"git submodule foreach 'rm -rf src'":                  "rm -rf src",
		"parallel 'rm -rf {}' ::: src":                        "rm -rf src",
		"cat \"$HOME/.ssh/id_rsa\"":                           "cat ~/.ssh/id_rsa",
		"cat ${PWD:0:1}etc/shadow":                            "cat /etc/shadow",
		"echo \"$API_TOKEN\"":                                 "echo $API_TOKEN",
		"A=b C=\"$D\" make":                                   "A=b C=$D make",
		"rm {a,b}{c,d}":                                       "rm ac ad bc bd",
	} {
		if calls := callsOf(line); !slices.Contains(calls, want) {
			t.Errorf("%s: %q is not among %q", line, want, calls)
		}
	}
}

// SH4: where a program's name, or all that a shell runs, depends on what is not known, the
// analysis says so.
func TestWhatIsNotUnderstoodIsNamed(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"$X y", "$(cat x) y", "eval \"$(cat x)\"", "curl u | sh", "base64 -d x | sh", "sh < x", "sudo $X",
		"xargs $X < y", "find . -exec $X {} \\;", "bash -c \"$X\"", "ls | xargs -I{} {}", "/bin/r? x",
		"while read -r c; do $c; done < x", "find . -exec sh {} \\;", "curl -o a.sh u; sh a.sh",
		"printf 'all:\\n\\trm -rf src\\n' > Makefile; make", "cat x | make -f -", strings.Repeat("ls;", 9000),
	} {
		if a := Analyze(line); len(a.NotUnderstood) == 0 {
			t.Errorf("%.60s: everything counts as understood: %v", line, callsOf(line))
		}
	}
	for _, line := range []string{
		"echo \"$X\"", "cd \"$(git rev-parse --show-toplevel)\" && ls", "for f in *.go; do gofmt -d \"$f\"; done",
		"\"$VENV/bin/python\" x.py", "ls | while read -r f; do wc -l \"$f\"; done", "bash script.sh",
		"while true; do sleep 1; done",
	} {
		if a := Analyze(line); len(a.NotUnderstood) > 0 || len(a.Obfuscations) > 0 {
			t.Errorf("%s: %v %v", line, a.NotUnderstood, a.Obfuscations)
		}
	}
}

// TG2: the dry run touches no file, starts no process and opens no connection, whatever
// the line says.
func TestTheDryRunTouchesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("the-content-of-a-file"), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	connected := make(chan struct{}, 1)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conn.Close()
			connected <- struct{}{}
		}
	}()
	port := listener.Addr().(*net.TCPAddr).Port
	for _, line := range []string{
		"echo x > @/a", "touch @/a", "/usr/bin/touch @/a", "cp @/secret @/a", "mkdir @/a", "cat @/secret > @/a",
		"bash -c 'echo x > @/a'", "echo 'touch @/a' | sh", "exec 3> @/a", "exec touch @/a", "command touch @/a",
		"builtin echo x > @/a",
		"rm @/secret", "rm -rf @", "echo x > @/secret", ": > @/secret", "cat <(touch @/a)", "echo x > >(cat > @/a)",
		"echo x &> @/a", "echo x >| @/a", "echo x <> @/a", "coproc touch @/a", "touch @/a &", "source @/secret",
		"mapfile -t x < @/secret",
		"TMPDIR=@; echo x > @/sh-interp-1", "export TMPDIR=@; cat <(echo x)", "echo x > /tmp/sh-interp-nanoclaw-test",
		"cd @ && touch a && echo x > b", "trap 'touch @/a' EXIT", "f() { touch @/a; }; f", "find @ -delete",
		"python3 -c 'open(\"@/a\",\"w\")'",
		fmt.Sprintf("echo x > /dev/tcp/127.0.0.1/%d", port), fmt.Sprintf("curl http://127.0.0.1:%d", port),
		fmt.Sprintf("exec 3<> /dev/tcp/127.0.0.1/%d", port), fmt.Sprintf("nc 127.0.0.1 %d < @/secret", port),
	} {
		a := Analyze(strings.ReplaceAll(line, "@", dir))
		if text := fmt.Sprint(a); strings.Contains(text, "the-content-of-a-file") {
			t.Errorf("%s: a file was read: %s", line, text)
		}
		if len(a.Calls) == 0 {
			t.Errorf("%s: nothing was listed: %+v", line, a)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v (%v)", entries, err)
	}
	if data, err := os.ReadFile(secret); err != nil || string(data) != "the-content-of-a-file" {
		t.Errorf("the file holds %q (%v)", data, err)
	}
	if _, err := os.Stat("/tmp/sh-interp-nanoclaw-test"); err == nil {
		t.Error("a file of the interpreter's own kind was written")
	}
	if len(connected) > 0 {
		t.Error("a connection was opened")
	}
}

// TG2: a line that would run, grow or recurse without end is given up within the bounds.
func TestLinesWithoutEndAreGivenUp(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"doubling":     "x=aaaaaaaaaaaaaaaa; for i in {1..30}; do for j in {1..30}; do x=$x$x; done; done; echo $x",
		"replacing":    "x=aaaaaaaa; y=${x//a/$x}; z=${y//a/$y}; w=${z//a/$z}; v=${w//a/$w}; echo $v",
		"recursion":    "f() { f; f; }; f; rm -rf src",
		"eval":         "x='eval \"$x\"'; eval \"$x\"",
		"bomb":         ":(){ :|:& };:",
		"rounds":       "for ((i=0;;i++)); do for ((j=0;;j++)); do for ((k=0;;k++)); do ls $i $j $k; done; done; done",
		"braces":       "echo {1..99999}{1..99999}{1..99999}",
		"letters":      "echo {a..z}{a..z}{a..z}{a..z}",
		"wide":         "printf '%999999s%999999s%999999s' a b c | cat",
		"self source":  "echo '. ./a' > a; . ./a",
		"self pipe":    "f() { echo x | f | f; }; f",
		"substitution": strings.Repeat("$(", 180) + "ls" + strings.Repeat(")", 180),
	} {
		a := Analyze(line)
		size := 0
		for i := range a.Calls {
			size += len(a.Calls[i].String())
		}
		if size > 16<<20 {
			t.Errorf("%s: the calls have %d bytes", name, size)
		}
	}
}

// TG2: places where bash runs a value as a command are named as such.
func TestPlacesWhereBashRunsAValue(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"echo \"${x@P}\"", "PS4='$(x)'", "PS0='`x`' bash", "PROMPT_COMMAND=x",
		"declare PROMPT_COMMAND=x", "test -v 'a[$(x)]'", "unset 'a[$(x)]'", "mapfile -C x a < y", "complete -C x y",
		"bash -c 'echo ${x@P}'", "[[ -v 'a[$(x)]' ]]", "declare \"a[`x`]\"", "read 'a[$(x)]'", "PS1+='`x`'"} {
		a := Analyze(line)
		if !slices.ContainsFunc(a.Obfuscations, func(o Remark) bool { return o.Kind == ValueRuns }) {
			t.Errorf("%s: %v", line, a.Obfuscations)
		}
	}
}

// SH4: prefixes are compared by words, not by text.
func TestPrefixesAreComparedByWords(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		line, pattern string
		is, mayBe     bool
	}{
		{"git log", "git log", true, true}, {"git log --oneline -n 3", "git log", true, true}, {"git logout", "git log",
			false, false}, {"gitlog", "git", false, false}, {"git", "git log", false, false},
		{"git -C dir log", "git log", false, true}, {"git --no-pager log", "git log", false, true}, {"/usr/bin/git log",
			"git log", true, true}, {"/tmp/git log", "git log", false, true}, {"git $SUB", "git log", false, true},
		{"git commit -m log", "git log", false, false}, {"git status", "git", true, true},
		{strings.Repeat("git -a ", 40) + "x", "git log", false, false},
	} {
		call := &Analyze(test.line).Calls[0]
		if got := call.Is(test.pattern); got != test.is {
			t.Errorf("%s is %q: %v, want %v", test.line, test.pattern, got, test.is)
		}
		if got := call.MayBe(test.pattern); got != test.mayBe {
			t.Errorf("%s may be %q: %v, want %v", test.line, test.pattern, got, test.mayBe)
		}
	}
}

// FuzzAnalyze looks for lines that the analysis cannot take.
func FuzzAnalyze(f *testing.F) {
	for _, seed := range []string{"rm -rf /", "bash <<EOF\n$X\nEOF", ":(){ :|:& };:", "env -S 'a b'", `$'\x72m'`,
		"a=1 b", "find . -exec x {} +", "for i in 1; do\necho", "x=(a b); ${x[1]}", "cat <(a) >(b)",
		"a=\ue000v\ue001; $a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, gap := range Analyze(line).NotUnderstood {
			if strings.Contains(gap.Message, "panic") || strings.Contains(gap.Message, "runtime error") {
				t.Errorf("%q: %s", line, gap.Message)
			}
		}
	})
}
