package guard

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/tools"
)

// worstShapes are inputs of the largest size that are made to cost as much as
// they can.
func worstShapes() map[string]Call {
	const size = 64 << 10
	fill := func(part string) string { return strings.Repeat(part, size/len(part)) }
	shell := map[string]string{
		"pipes":         fill("a|") + "sh",
		"lists":         fill("rm -rf x;"),
		"substitutions": strings.Repeat("$(", 190) + fill("x ")[:size-600] + strings.Repeat(")", 190),
		"many_small":    fill("$(a)"),
		"braces":        fill("{a,b}"),
		"brace_words":   fill("{a,b}{c,d} "),
		"documents":     fill("cat <<X\na\nX\n"),
		"quotes":        fill("'a'\"b\""),
		"variables":     fill("x=a$x;") + "$x",
		"arrays":        fill("a+=(b c);") + "${a[@]}",
		"loops":         fill("for i in 1 2; do $i; done;"),
		"evals":         fill("eval 'eval x';"),
		"interpreters":  fill("python3 -c 'open(\"/etc/x\")';"),
		"long_word":     fill("a"),
		"slashes":       "cat " + fill("/a"),
		"globs":         "cat " + fill("/?*[a]"),
		"dots":          "cat " + fill("../"),
		"functions":     fill("f() { f; };"),
		"downloads":     fill("curl -o a http://x;"),
		"decoders":      fill("base64 -d x > y;"),
		"unicode":       fill("é "),
		"comments":      fill("# it's\n"),
		"escapes":       fill(`\n`),
		"open_quotes":   fill(`"\n`),
		"xargs":         "echo " + fill("a ") + "| xargs rm",
		"find":          "find " + fill("a ") + "-exec rm {} \\;",
		"redirects":     "ls " + fill(">a "),
		"assigns":       fill("PATH=a "),
		"ends":          fill("a # b\\\n"),
		"ends_docs":     fill("cat <<X # b\\\n# c\\\nX\n"),
		"ends_wrong":    fill("a # b\\\nif # c\\\n"),
		"glued":         fill("x=(a) # b\n") + "x=()#",
		"written":       fill("echo a > f;") + "sh f",
		"written_runs":  "echo 'a;b;c;d' > f;" + fill("sh f;"),
		"written_files": row("echo 'a;b' > f%d;", 800) + fill("sh *;")[:3000],
		"written_text":  "cat > f <<X\n" + fill("ls -l a;")[:15<<10] + "\nX\nsh f; python3 f; make -f f; . f",
		"makefiles": "cat > Makefile <<'X'\n" + row("A%d = $(B)$(B)$(C)$(C)\n",
			300) + fill("\t$(A1)$(A2)\n")[:8000] + "\nX\nmake",
		"filled":        "echo " + fill("a ")[:6000] + "| xargs -I{} b " + fill("{}{}{}{} ")[:9000],
		"found":         "find " + fill("/a ")[:6000] + "-name 'x*' -exec b " + fill("{}/{} ")[:9000] + " \\;",
		"separated":     "IFS=abc; x=" + fill("xa")[:7000] + ";" + fill("rm $x;")[:8000],
		"lines":         "while read a b; do $a $b; done <<X\n" + fill("a b\n")[:15<<10] + "\nX",
		"reads":         fill("read a <<< 'b';") + "$a",
		"lines_piped":   fill("echo a | while read b; do c $b; done;"),
		"defaults":      fill(": ${x:=a};") + "$x",
		"appends":       "x=a; x=b; x=c; x=d; x=e; x=f; x=g; x=h;" + fill("x+=aaaa;")[:15000] + "$x",
		"earlier":       fill("a=(b c);") + "${a[@]}",
		"declared":      "n=x;" + fill("declare $n=y;") + "$x",
		"wrappers":      "f() { \"$@\"; };" + fill("f ls a;"),
		"wrappers_many": row("f%d() { \"$@\"; };", 40) + row("f%d ls;", 40) + fill("f1 f2 f3 a;")[:14000],
		"wrappers_deep": "f() { g \"$@\"; }; g() { f \"$@\"; };" + fill("f a b c;")[:15000],
		"references":    fill("declare -n a=b; b=c;") + "$a",
		"fifos":         fill("mkfifo a;")[:8000] + fill("sh a;")[:8000],
		"handed":        fill("find . -exec sh -c 'ls \"$1\"' _ {} +;"),
		"bisects":       fill("git bisect run make;"),
		"awks":          fill("awk '{print | \"sort\"}';"),
		"prompts":       "x='$(a)';" + fill("${x@P}"),
		"indexed":       fill("x='a[$(b)]';"),
		"quotes_deep":   "echo \"" + fill("$(é\"")[:9000],
	}
	for name, line := range exhausting() {
		shell["exhausting_"+name] = line
	}
	calls := map[string]Call{}
	for name, line := range shell {
		calls["shell_"+name] = shellCall(line)
		calls["shell_16k_"+name] = shellCall(line[:min(len(line), 16<<10)])
	}
	for name, code := range map[string]string{
		"joins": fill("a='x'+"), "brackets": fill("("), "texts": fill("'/etc/x' "), "formats": fill("f'{a}{b}' "),
		"systems": fill("os.system('rm -rf x')\n"), "names": fill("x = x + x\n"), "calls": fill("a.b(c)."),
		"lines": fill("open('/etc/passwd')\n"),
	} {
		calls["python_"+name] = toolCall(pythonTool, "code", tools.Writes, map[string]any{"code": code})
	}
	return calls
}

// exhausting are short lines that would need much more work than others of their length.
func exhausting() map[string]string {
	long := strings.Repeat("a", 8000)
	grown := "a=$(curl x);"
	for _, pair := range []string{"ab", "bc", "cd", "de", "ef"} {
		grown += pair[1:] + "=" + strings.Repeat("$"+pair[:1], 120) + ";"
	}
	return map[string]string{
		"nested":        strings.Repeat("$(", 100) + "id" + strings.Repeat(")", 100),
		"nested_often":  strings.Repeat(strings.Repeat("$(", 95)+"id"+strings.Repeat(")", 95)+";", 10),
		"nested_quotes": strings.Repeat("\"$(", 90) + "id" + strings.Repeat(")\"", 90),
		"braces":        strings.Repeat("{1..9}{1..9} ", 1200),
		"values":        "a=x;" + strings.Repeat("a+=y;", 20) + strings.Repeat("$a ", 4000),
		"long_values":   "x=" + long + ";echo" + strings.Repeat(" $x", 40),
		"long_removals": "x=" + long + ";" + strings.Repeat("rm -rf $x;", 700),
		"removals":      "x=" + long[:2000] + ";" + strings.Repeat("rm -rf $x;", 700),
		"evals":         "x='" + strings.Repeat("ls /tmp; ", 800) + "';" + strings.Repeat("eval \"$x\";", 500),
		"sources":       grown + "echo $f",
		"programs":      "a=$(curl x);" + row("echo $(p%d);", 400),
		"placeholders":  "ls " + strings.Repeat("a ", 3000) + "| xargs -I{} b " + strings.Repeat("{} ", 3000),
		"items": strings.Repeat("a=("+strings.Repeat("aaaaaaaaaaaaaaaaaaaaaaaaaaaaa ",
			63)+"); echo "+strings.Repeat("${a[@]}", 120)+";", 4),
		"rounds": "x=$(printf '" + strings.Repeat("%.0s", 1500) + "' " + strings.Repeat("a ", 4500) + ")",
	}
}

// TG2: lines that are made to need much work are judged within the bounds, and a danger
// in front of them or behind them is not allowed.
func TestALineThatIsTooMuchIsNeverAllowed(t *testing.T) {
	t.Parallel()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto}}, nil)
	for name, line := range exhausting() {
		line = strings.TrimSuffix(line, ";")
		for _, hidden := range []string{"y=/; rm -rf $y", "cat ~/.ss{h,i}/id_rsa",
			"eval $(echo cm0gLXJmIC8= | base64 -d)"} {
			before, behind := check(t, engine, shellCall(hidden+"; "+line)),
				check(t, engine, shellCall(line+"; "+hidden))
			if before.Verdict == Allow || behind.Verdict == Allow {
				t.Errorf("%s with %s: %s before it, %s behind it: %+v", name, hidden, before.Verdict, behind.Verdict,
					behind.Findings)
			}
		}
	}
}

// TG2: every one of the worst shapes gets an answer, and no guardian fails on it.
func TestTheWorstShapesAreJudged(t *testing.T) {
	t.Parallel()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto}}, nil)
	for name, call := range worstShapes() {
		if decision := check(t, engine, call); strings.Contains(decision.Reason, "security check of this call failed") {
			t.Errorf("%s: %s", name, decision.Reason)
		}
	}
}

// A variable that is empty is no word at all.
func TestEmptyVariablesInPlacesOfWords(t *testing.T) {
	t.Parallel()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto}}, nil)
	for _, line := range []string{"x=; source $x", "x=''; . $x", "x=; trap $x EXIT", "x=; $x", "x=; eval $x",
		"x=; bash -c $x", "x=; find $x -exec $x", "x=; xargs $x", "x=; cd $x; env $x", "x=; alias $x; export $x"} {
		if decision := check(t, engine, shellCall(line)); strings.Contains(decision.Reason, "security check") {
			t.Errorf("%s: %s", line, decision.Reason)
		}
	}
}

// BenchmarkWorst is the time of the slowest check of each of the worst shapes; none
// may need more than 50 ms.
func BenchmarkWorst(b *testing.B) {
	engine := newEngine(b, Settings{Guard: config.Guard{Level: Auto}}, nil)
	calls := worstShapes()
	names := make([]string, 0, len(calls))
	for name := range calls {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		b.Run(name, func(b *testing.B) {
			slowest := time.Duration(0)
			for b.Loop() {
				start := time.Now()
				if _, err := engine.Check(context.Background(), calls[name]); err != nil {
					b.Fatal(err)
				}
				slowest = max(slowest, time.Since(start))
			}
			b.ReportMetric(float64(slowest.Microseconds())/1000, "slowest-ms")
		})
	}
}
