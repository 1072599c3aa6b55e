package shellanalysis

import (
	"bytes"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// BT10: a placeholder is taken where a value can be quoted, and nowhere else.
func TestPlaceholdersStandWhereAValueCanBeQuoted(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"ls {{a}}", "grep -rn {{a}} -- {{b}} | sort", "tool --name={{a}}",
		"cat < {{a}} > {{b}}", `echo "$(wc -l -- {{a}})"`, "if true; then cp -- {{a}} {{b}}; fi", "cat <<< {{a}}",
		"python3 script.py {{a}}", "[ {{a}} = x ] && echo {{b}}", "env NAME={{a}} printenv"} {
		if _, err := ParseTemplate(command); err != nil {
			t.Errorf("%s: %v", command, err)
		}
	}
	for _, command := range []string{"{{a}}", "{{a}} x", `echo "{{a}}"`, "echo '{{a}}'", "echo \\{{a}}", "echo ${{a}}",
		"echo $(({{a}}))", "((x={{a}}))", "[[ {{a}} -eq 1 ]]", "x={{a}}", "x={{a}} ls", "declare x={{a}}", "export X={{a}}",
		"cat <<E\n{{a}}\nE", "echo `echo {{a}}`", "eval {{a}}", "bash -c {{a}}", "sh -ec {{a}}", "python3 -c {{a}}",
		"perl -e {{a}}", ". {{a}}", "trap {{a}} EXIT", "test -v {{a}}", "printf -v {{a}} x", "read {{a}}", "let {{a}}",
		"for x in {{a}}; do :; done", "case {{a}} in *) ;; esac", "echo ${x:-{{a}}}", "f() { {{a}}; }", "$x {{a}}",
		"ls 2>&{{a}}", "echo # {{a}}", "", "# x", "echo {{A}}", "echo {{a", "echo {{a b}}", "ls nanoclawplace0x", "ls '",
		"echo ${arr[{{a}}]}", "echo $'{{a}}'", `echo $"{{a}}"`} {
		if made, err := ParseTemplate(command); err == nil {
			t.Errorf("%q was taken as %+v", command, made)
		}
	}
}

// BT10: a value with a leading dash is no option; behind -- and inside of a word it is a value.
func TestValuesAreNotTakenForOptions(t *testing.T) {
	t.Parallel()
	for command, taken := range map[string]bool{"ls {{a}}": false, "ls -- {{a}}": true, "ls --x={{a}}": true,
		"ls x{{a}}": true, `ls ""{{a}}`: false, `ls ''{{a}}`: false, "ls 'x'{{a}}": true, "cat < {{a}}": true} {
		made, err := ParseTemplate(command)
		if err != nil {
			t.Fatal(err)
		}
		if line, err := made.Fill(map[string]string{"a": "-rf"}); (err == nil) != taken {
			t.Errorf("%s became %q, %v", command, line, err)
		}
	}
	made, err := ParseTemplate("ls {{a}}{{b}}")
	if err != nil {
		t.Fatal(err)
	}
	if line, err := made.Fill(map[string]string{"a": "", "b": "-rf"}); err == nil {
		t.Errorf("two values became %q", line)
	}
}

// nasty are values that would do something where they were pasted.
var nasty = []string{"", "x", "'", "''", `'\''`, `"`, "`id`", "$(id)", "${HOME}", "; id", "| id", "a\nid\n", "\\", "\\'",
	"*", "~", "{a,b}", "a b", "#", "!!", "&& id", "\x1b[31m", "é", "nanoclawplace1x", "{{b}}", "> f", "$'\\x27'"}

// BT10: bash gives every value to the program as it is.
func TestBashPassesValuesOnAsTheyAre(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("NOT TESTED: bash is not installed")
	}
	made, err := ParseTemplate(`printf '%s\0' -- {{a}} x{{b}}y "$(printf '%s' -- {{a}})"`)
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range nasty {
		line, err := made.Fill(map[string]string{"a": value, "b": value})
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), bash, "--norc", "-c", line).Output()
		want := []string{"--", value, "x" + value + "y", "--" + strings.TrimRight(value, "\n")}
		if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: bash ran %s and passed on %q, %v; want %q", value, line, got, err, want)
		}
	}
}

// FuzzTemplateQuoting: whatever the values are, the command stays the one program with
// them as its arguments.
func FuzzTemplateQuoting(f *testing.F) {
	for i, value := range nasty {
		f.Add(value, nasty[len(nasty)-1-i])
	}
	made, err := ParseTemplate("tool --name={{a}} -- {{b}} {{a}}z")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		line, err := made.Fill(map[string]string{"a": a, "b": b})
		if err != nil {
			if !strings.ContainsRune(a+b, 0) {
				t.Fatalf("%q, %q: %v", a, b, err)
			}
			return
		}
		file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
		if err != nil || len(file.Stmts) != 1 {
			t.Fatalf("%q is %v, %v", line, file, err)
		}
		call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr)
		if !ok || len(call.Args) != 5 || len(call.Assigns) != 0 || len(file.Stmts[0].Redirs) != 0 {
			t.Fatalf("%q is no call of one program with four arguments", line)
		}
		got, err := expand.Fields(&expand.Config{CmdSubst: nil}, call.Args...)
		want := []string{"tool", "--name=" + a, "--", b, a + "z"}
		if err != nil || !slices.EqualFunc(got, want, func(x, y string) bool { return bytes.Equal([]byte(x), []byte(y)) }) {
			t.Fatalf("%q passes on %q, %v; want %q", line, got, err, want)
		}
	})
}
