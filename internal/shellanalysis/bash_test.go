//go:build unix

package shellanalysis_test

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"nanoclaw/internal/shellanalysis"
)

// snippets are put together to lines that bash may understand in its own way.
var snippets = []string{
	" ", " ", " ", "\n", "\n", "\\\n", "; ", " && ", " || ", " | ", " & ", "#", " # c", " # c\\\n", "'", "\"", "\\",
	"$x", "${x}", "\"$x\"", "''", "$(", ")", "`", "((", "))", "$((1", "{ ", "; }", "(", "<<E\n", "\nE\n", "<<'E'\n",
	"<<-E\n", "\n\tE\n", "<<\"E\" ", "<<<",
	"echo a", "zz", "zz", "zz 1", " zz\n", "a=1", "if true", "\nthen ", "; then ", "; fi", "\nfi\n", "case a in ",
	"a) ", ";; ", "esac", "for i in 1", "; do ", "; done", "[[ a == a ]]", "[[ a ", "]]", "f() {", "\n}\n", "f\n", "! ",
	"\t", "$'", "x[1]=", "x=(", "*", "?", "~",
	">/dev/null", "2>&1", "time ", "function g {", "E", "${x:-", "}", "${x#", "${#x}", "=~ ", "a#b", "$#", "\r", "\r\n",
	"\\ ", "\\'", "\\\"", "\\$", "\\`", "\\#", "eval ", "export ", "local ", "declare ", ",", "{a,", "!x", "%", "+",
	"-", "=", "@(", "!(", "<(", "1>", "<&", ">&", "|&", "&>", ";;&", ";&", "let ", "in ", "\\\\", "\\\\\n", "[", "]",
}

// wholes are lines that bash runs.
var wholes = []string{
	"echo a", "zz", "zz 1", `"zz" x`, "x=1", `echo "$x"`, `echo "a b" # c`, "cat <<E\nzz\nE\n", "cat <<'E'\nzz\nE\n",
	"if true; then zz; fi", "for i in 1; do zz; done", "case a in a) zz;; esac", "(zz)", "{ zz; }", "f() { zz; }; f",
	"echo $(zz)", "echo `zz`",
	"[[ a == a ]] && zz", "((1)) && zz", "x=(1 2); zz", ": ${y:=1}; zz", "! zz", "zz | :", "zz & wait", "echo '# a'",
	"echo a \\\n b", "a=1 zz", ">/dev/null zz", "zz <<<x", "eval zz", "time zz", `: $'a\'b'; zz`, `echo "a\"b"`,
	"echo a#b", "echo ${x#a}", "echo $((1+2))", ": \"$(echo a)\"",
	"{ x=1; zz; } >/dev/null", "while read -r l; do zz; done <<< a", "f() { \"$@\"; }; f zz a", "x=(zz a); \"${x[@]}\"",
	"x=(a zz); ${x[1]}", "time -- zz", "set -- zz a; \"$@\"", "set -- a zz; ${@:2}", "read -r x <<< zz; $x",
	"printf -v x %s zz; $x", "x=zz; ${x:0:2}", "x=azz; ${x#a}", "declare -n r=x; x=zz; $r",
	"f() { local -n r=$1; r=zz; }; f x; $x", "g() { zz; }; f() { g; }; f", "x=a; [[ -n $x ]] && x=zz; $x",
	"x=zza; ${x%a}", "if ! zz; then :; fi", "zz && { zz; } || zz", "declare x=zz; $x", "x=z; x+=z; $x",
	"for x in zz a; do $x; done", "case zz in z*) zz;; esac", "{ zz; } <<< a", "(x=zz; $x)", "eval 'zz; zz'",
	"x='zz a'; $x", "y=zz; x=y; ${!x}", "trap zz EXIT",
}

// TG2: whatever bash runs, the analysis lists, or it says that it does not understand the line. The
// lines are the same each time; NANOCLAW_BASH_LINES=100000 tries as many that are new.
func TestTheAnalysisSeesWhatBashRuns(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Fatal(err)
	}
	count, seed := 600, uint64(1)
	if more := os.Getenv("NANOCLAW_BASH_LINES"); more != "" {
		if count, err = strconv.Atoi(more); err != nil {
			t.Fatal(err)
		}
		seed = uint64(time.Now().UnixNano())
	}
	random := rand.New(rand.NewPCG(seed, 1))
	dir := t.TempDir()
	ran, refused := 0, 0
	for range count {
		var line strings.Builder
		for range 1 + random.IntN(3) {
			line.WriteString(wholes[random.IntN(len(wholes))])
			line.WriteString([]string{"; ", "\n", " && ", "\n"}[random.IntN(4)])
		}
		text := line.String()
		for range random.IntN(4) {
			at := random.IntN(len(text) + 1)
			text = text[:at] + snippets[random.IntN(len(snippets))] + text[at:]
		}
		for n := 0; strings.Contains(text, "zz"); n++ {
			text = strings.Replace(text, "zz", "Z"+string(rune('a'+n%26)), 1)
		}
		source, _ := shellanalysis.Mend(text)
		if _, err := shellanalysis.Parse(source); err != nil {
			refused++
			continue
		}
		analysis := shellanalysis.Analyze(source)
		asks := len(analysis.Obfuscations) > 0 || len(analysis.NotUnderstood) > 0
		listed := map[string]bool{}
		for i := range analysis.Calls {
			listed[strings.ToUpper(analysis.Calls[i].Name())] = true
		}
		if asks {
			continue
		}
		for _, name := range namesRun(t, bash, dir, source) {
			// of one at the end of the text bash keeps it
			if ran++; !listed[strings.ToUpper(name)] && !listed[strings.ToUpper(strings.TrimSuffix(name, `\`))] {
				t.Errorf("bash runs %s, the analysis does not know of it: %q", name, source)
			}
		}
	}
	if ran == 0 {
		t.Error("bash ran nothing")
	}
	t.Logf("seed %d: %d commands ran, %d lines did not parse", seed, ran, refused)
}

// namesRun are the commands of a line that bash looks for. None of them exists.
func namesRun(t *testing.T, bash, dir, line string) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	file, err := os.CreateTemp(dir, "ran") // a job may write after its line has ended
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	command := exec.CommandContext(ctx, bash, "--norc", "--noprofile", "-c", line)
	command.Dir, command.Env = dir, []string{"PATH=/nonexistent", "FUNCNEST=20",
		`BASH_FUNC_command_not_found_handle%%=() { printf "%s\\0" "$1" >&3; }`}
	command.ExtraFiles, command.WaitDelay = []*os.File{file}, 100*time.Millisecond
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	_ = command.Wait()                                      // how it ends is not the question
	_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) // jobs that it left behind
	text, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(strings.Split(string(text), "\x00"),
		func(name string) bool { return !strings.HasPrefix(name, "Z") })
}
