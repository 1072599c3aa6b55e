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
	}
	calls := map[string]Call{}
	for name, line := range shell {
		calls["shell_"+name] = shellCall(line)
		calls["shell_16k_"+name] = shellCall(line[:min(len(line), 16<<10)])
	}
	for name, code := range map[string]string{
		"joins": fill("a='x'+"), "brackets": fill("("), "texts": fill("'/etc/x' "), "formats": fill("f'{a}{b}' "), "systems": fill("os.system('rm -rf x')\n"), "names": fill("x = x + x\n"), "calls": fill("a.b(c)."), "lines": fill("open('/etc/passwd')\n"),
	} {
		calls["python_"+name] = toolCall(pythonTool, "code", tools.Writes, map[string]any{"code": code})
	}
	return calls
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
