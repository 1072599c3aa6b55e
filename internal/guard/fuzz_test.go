package guard

import (
	"context"
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"nanoclaw/internal/config"
	"nanoclaw/internal/tools"
)

// judged says that the engine gave an answer and that no guardian failed on the way.
func judged(t *testing.T, engine *Engine, call Call) {
	decision, err := engine.Check(context.Background(), call)
	if err != nil || decision.Verdict == "" {
		t.Fatalf("%v, %v", decision, err)
	}
	if len(decision.Findings) > maxFindings {
		t.Fatalf("%d findings", len(decision.Findings))
	}
	if strings.Contains(decision.Reason, "the security check of this call failed") {
		t.Fatalf("a guardian failed (set a Logger to see why): %s", decision.Reason)
	}
}

func FuzzCheckShell(f *testing.F) {
	data, err := os.ReadFile("testdata/commands.yaml")
	if err != nil {
		f.Fatal(err)
	}
	var cases []struct {
		Command string   `yaml:"command"`
		Expect  []string `yaml:"expect"`
	}
	if err := yaml.Load(data, &cases); err != nil {
		f.Fatal(err)
	}
	for _, c := range cases {
		f.Add(c.Command)
	}
	for _, seed := range []string{
		strings.Repeat("a|", 2000) + "sh", strings.Repeat("{a,b}", 40), strings.Repeat("$(", 150) + strings.Repeat(")",
			150), strings.Repeat("eval ", 500) + "x", "x=$x$x; y=$x$x; $y", strings.Repeat("bash -c '", 5) + "ls",
		"a=(1 2 3); ${a[@]:1:2}", "${x//a/b}", "{1..999999999}", "for ((;;)); do x & done", "cat <<A <<B\nx\nA\ny\nB",
		strings.Repeat("x=aaaaaaaa$x;", 200) + "$x",
		"x=; source $x", "x=; trap $x EXIT", "a=$(curl x); b=$a$a; eval $b", "x=; $x$x {a,$x}",
	} {
		f.Add(seed)
	}
	for _, seed := range exhausting() {
		f.Add(seed)
	}
	engine := newEngine(f, Settings{Guard: config.Guard{Level: Auto}}, nil)
	f.Fuzz(func(t *testing.T, command string) { judged(t, engine, shellCall(command)) })
}

func FuzzCheckPython(f *testing.F) {
	for _, seed := range []string{
		`open(f"{a}/{b['c']}")`, `Path.home() / ".ssh"`, `"%s" % (1, 2)`, "'''x\n'''", `rb"\x00" b''`,
		strings.Repeat("(", 500), strings.Repeat("[a+", 500), `f"{f'{x}'}"`, `"\`, `"\x`, `"\N{`, "os.system(",
		`x = x + x`, strings.Repeat("x = x + x\n", 50) + `x = "a"`, `"{".format()`, `"%`,
	} {
		f.Add(seed)
	}
	engine := newEngine(f, Settings{Guard: config.Guard{Level: Auto}}, nil)
	f.Fuzz(func(t *testing.T, code string) {
		judged(t, engine, toolCall(pythonTool, "code", tools.Writes, map[string]any{"code": code}))
	})
}

// FuzzRules: rules that compile judge; the others are an error, and never a panic.
func FuzzRules(f *testing.F) {
	f.Add("tool_*", "command", `rm\s`, "", "docs/**", "~/x", "rm -rf")
	f.Add("*", "", "", "git push", "**", "*.pem", "git -C x push")
	f.Add("{a,[b", "x", "(", " ", "{a,b}/**", "[", "x")
	f.Fuzz(func(t *testing.T, tool, argument, pattern, command, path, sensitive, line string) {
		settings, err := Settings{
			Guard: config.Guard{
				Level: Auto, DeniedTools: []string{"x" + tool}, GuardedTools: []string{tool},
				SensitivePaths: []string{sensitive}, Permissions: []config.Permission{{Paths: []string{path},
					Allow: all}, {Allow: all}},
				Rules: []config.GuardRule{{ID: "r", Tool: tool, Argument: argument, Pattern: pattern, Command: command,
					Severity: "LOW", Action: "ask"}},
			},
		}.Compile()
		if err != nil {
			return
		}
		engine := newEngine(t, settings, nil)
		judged(t, engine, shellCall(line))
		judged(t, engine, toolCall("file_read", "file", tools.Reads, map[string]any{"path": line}))
	})
}
