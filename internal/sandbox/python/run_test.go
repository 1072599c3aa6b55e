package python

import (
	"context"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/sandbox/sandboxtest"
)

func newRunner(t testing.TB, policy sandbox.Policy) *Runner {
	t.Helper()
	r := NewRunner(Settings{Policy: policy, Memory: 512 << 20, Interpreter: Interpreter{Program: "python3"}})
	t.Cleanup(r.Close)
	return r
}

func run(t testing.TB, r *Runner, level, code string) Result {
	t.Helper()
	result, err := r.Run(t.Context(), Request{Code: code, Level: level, Timeout: 20 * time.Second, OutputLimit: 4096})
	if err != nil {
		t.Fatalf("%s: %v", code, err)
	}
	return result
}

// BT5: output, the last value and tracebacks come back.
func TestCodeAnswersOutputValueAndTraceback(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		r := newRunner(t, policy)
		if got := run(t, r, Standard,
			"import json\nprint(json.dumps({'a': [1, 2]}))\n6 * 7"); got.Stdout != "{\"a\": [1, 2]}\n" ||
			got.Value != "42" || got.Error != "" {
			t.Errorf("got %+v", got)
		}
		got := run(t, r, Standard, "x = 1\ndef f():\n    return 1 / 0\nprint('before')\nf()")
		if got.Error != "ZeroDivisionError: division by zero" || got.Stdout != "before\n" ||
			!strings.Contains(got.Traceback, "line 3, in f\n    return 1 / 0") || strings.Contains(got.Traceback,
			"runner") {
			t.Errorf("got %+v", got)
		}
		if got := run(t, r, Standard, "def f(:\n  pass"); !strings.HasPrefix(got.Error, "SyntaxError") ||
			!strings.Contains(got.Traceback, "line 1") {
			t.Errorf("got %+v", got)
		}
		if got := run(t, r, Standard,
			"try:\n    x\nexcept NameError:\n    print('fresh')\nx = 1"); got.Stdout != "fresh\n" {
			t.Errorf("got %+v", got)
		}
		if got := run(t, r, Standard, "x"); !strings.HasPrefix(got.Error, "NameError") {
			t.Errorf("a name of the last call is there: %+v", got)
		}
		if got := run(t, r, Lenient,
			"import sys; sys.stderr.write('oops'); sys.exit(3)"); got.Error != "SystemExit: 3" || got.Stderr != "oops" {
			t.Errorf("got %+v", got)
		}
	})
}

// BT5: every module of a level imports and works; others are refused by name.
func TestEveryAllowedModuleImports(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		r := newRunner(t, policy)
		for _, level := range []string{Standard, Strict} {
			modules := AllowedModules(level)
			var code strings.Builder
			for _, module := range modules {
				if module == "uu" {
					continue // left the library with Python 3.13
				}
				code.WriteString("import " + module + "\n")
			}
			if got := run(t, r, level, code.String()); got.Error != "" {
				t.Errorf("%s: %s\n%s", level, got.Error, got.Traceback)
			}
			refused := []string{"os", "sys", "subprocess", "socket", "importlib", "builtins", "ctypes", "pathlib",
				"xml.sax", "xml"}
			code.Reset()
			for _, module := range refused {
				code.WriteString("try:\n    import " + module + "\nexcept ImportError as e:\n    print(str(e)[:90])\n")
			}
			got := run(t, r, level, code.String())
			for _, module := range refused {
				if !strings.Contains(got.Stdout, "the module "+module+" is not allowed at strictness "+level+";") {
					t.Errorf("%s: import %s: %+v", level, module, got)
				}
			}
			if got := run(t, r, level, "import os"); !got.Blocked || !strings.Contains(got.Error,
				"module os is not allowed at strictness "+level) {
				t.Errorf("%s: %+v", level, got)
			}
		}
		uses := `
import json, re, datetime, hashlib, hmac, base64, logging, decimal, dataclasses, collections.abc, csv, statistics, random, difflib, pprint
from xml.etree import ElementTree
import xml.etree.ElementTree as ET
from collections import Counter
assert json.loads(json.dumps([1])) == [1] and re.compile("a+").match("aa")
assert datetime.datetime.now() and ET.fromstring("<a/>").tag == "a" and ElementTree is ET
assert hashlib.sha256(b"").hexdigest() and hmac.new(b"k", b"", "sha256") and base64.b64encode(b"x") and Counter("aa")["a"] == 2
logging.warning("seen"); assert statistics.mean([1, 3]) == 2 and decimal.Decimal("0.1") and random.random() < 1
@dataclasses.dataclass
class P: x: int = 1
assert P().x == 1`
		if got := run(t, r, Standard, uses); got.Error != "" || !strings.Contains(got.Stderr, "seen") {
			t.Errorf("%+v", got)
		}
		if got := run(t, r, Standard,
			"try:\n    import numpy\nexcept ImportError as e:\n    print('without')"); got.Stdout != "without\n" {
			t.Errorf("%+v", got)
		}
	})
}

// BT5: each forbidden builtin answers with a clear error.
func TestForbiddenBuiltinsAnswerClearly(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		r := newRunner(t, policy)
		for _, level := range []string{Standard, Strict} {
			var code strings.Builder
			for _, name := range ForbiddenBuiltins(level) {
				if name != "__import__" { // refused before anything runs
					code.WriteString("try:\n    " + name + "('x')\nexcept ImportError as e:\n    print(str(e)[:90])\n")
				}
			}
			got := run(t, r, level, code.String())
			for _, name := range ForbiddenBuiltins(level) {
				if name != "__import__" && !strings.Contains(got.Stdout,
					"the builtin "+name+" is not allowed at strictness "+level+"\n") {
					t.Errorf("%s: %s: %+v", level, name, got)
				}
			}
			for _, code := range []string{"__import__('x')", "eval('x')"} {
				if got := run(t, r, level, code); !got.Blocked || !strings.Contains(got.Error,
					"not allowed at strictness "+level) {
					t.Errorf("%s: %s: %+v", level, code, got)
				}
			}
		}
		for _, code := range []string{"().__class__.__bases__", "print.__globals__", "__builtins__",
			"(lambda: 0).__code__"} {
			if got := run(t, r, Standard, code); !got.Blocked {
				t.Errorf("%s: %+v", code, got)
			}
		}
	})
}

// BT5: a module of Go's own registration can be imported.
func TestRegisteredModulesCanBeImported(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		r := newRunner(t, policy)
		if err := RegisterExtraModules(Strict, "colorsys"); err != nil {
			t.Fatal(err)
		}
		if got := run(t, r, Strict, "import colorsys"); got.Error != "" {
			t.Errorf("%+v", got)
		}
		result, err := r.Run(t.Context(), Request{Code: "import fnmatch\nfnmatch.fnmatch('a', '*')", Level: Standard,
			Extra: []string{"fnmatch"}, Timeout: 10 * time.Second, OutputLimit: 100})
		if err != nil || result.Value != "True" {
			t.Errorf("%+v, %v", result, err)
		}
		if RegisterExtraModules("loose", "x") == nil {
			t.Error("an unknown level was taken")
		}
	})
}

// Issue 10, point 10: what the code writes to its descriptors neither breaks nor
// forges its answer.
func TestCodeCannotSpoilItsAnswer(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		r := newRunner(t, policy)
		for name, code := range map[string]string{
			"descriptors of the protocol": `
import os
for fd in range(3, 10):
    try: os.write(fd, b'{"value": "forged"}\n')
    except OSError: pass`,
			"every descriptor": `
import os
for fd in range(3, 256):
    try: os.write(fd, b'{"value": "forged"}\n' + b'x' * 70000)
    except OSError: pass`,
			"a file of its own": `
import os
f = open("/tmp/own" + str(os.getpid()), "w+")
assert f.fileno() == 3, f.fileno()
f.write("{}\n"); f.flush()
os.unlink(f.name)`,
			"a child": `
import subprocess
subprocess.run("echo '{}' >&3; echo '{}' >&4; exit 0", shell=True, stderr=subprocess.DEVNULL)`,
		} {
			if got := run(t, r, Lenient, code+"\nprint('printed')\n'the value'"); got.Value != "'the value'" ||
				got.Stdout != "printed\n" || got.Error != "" {
				t.Errorf("%s: %.2000v", name, got)
			}
		}
		if got := run(t, r, Lenient, "import os\nos.closerange(3, 1000)\n1"); got.Value == "1" ||
			!strings.Contains(got.Error, "without an answer") {
			t.Errorf("closed: %+v", got)
		}
	})
}

// Issue 10, point 10: the limit that code met is named.
func TestTheLimitThatCodeMetIsNamed(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		r := newRunner(t, policy)
		for limit, code := range map[string]string{
			"memory":    "x = [0] * (1 << 30)",
			"output":    "print('x' * 10000)",
			"file_size": "f = open('/tmp/large', 'wb')\nimport os\nos.unlink('/tmp/large')\nf.truncate(200 << 20)",
		} {
			if got := run(t, r, Lenient, code); strings.Join(got.Limits, " ") != limit {
				t.Errorf("%s: %.1000v", limit, got)
			}
		}
		if got := run(t, r, Strict, "1"); len(got.Limits) != 0 {
			t.Errorf("%+v", got)
		}
	})
}

// BT5: time and memory are bounded, and what was printed stays.
func TestTimeAndMemoryAreBounded(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		r := newRunner(t, policy)
		result, err := r.Run(t.Context(), Request{Code: "print('before')\nwhile True: pass", Level: Strict,
			Timeout: 500 * time.Millisecond, OutputLimit: 100})
		if err != nil || !result.TimedOut || result.Stdout != "before\n" || strings.Join(result.Limits, "") != "time" {
			t.Errorf("%+v, %v", result, err)
		}
		if got := run(t, r, Strict, "x = [0] * (1 << 30)"); !strings.Contains(got.Error, "memory") {
			t.Errorf("%+v", got)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		result, err = r.Run(ctx, Request{Code: "while True: pass", Level: Strict, Timeout: time.Minute,
			OutputLimit: 100})
		if err != nil && ctx.Err() == nil || err == nil && !result.Cancelled {
			t.Errorf("%+v, %v", result, err)
		}
	})
}

// BT5: lenient code works on the project's files, others have none.
func TestOnlyLenientCodeSeesTheProject(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		r := newRunner(t, policy)
		project := t.TempDir()
		request := Request{Code: "open('made.txt', 'w').write('by code')\nimport os\nos.listdir('.')", Level: Lenient,
			Project: project, Timeout: 10 * time.Second, OutputLimit: 100}
		result, err := r.Run(t.Context(), request)
		if err != nil || result.Value != "['made.txt']" {
			t.Errorf("%+v, %v", result, err)
		}
	})
}

// BenchmarkPrint is one call of print(1) in a fresh interpreter. rested: calls come
// one at a time, with a pause in which the next interpreter starts. sustained: as
// many as there are processors, without a pause.
func BenchmarkPrint(b *testing.B) {
	for name, policy := range sandboxtest.Policies(b) {
		b.Run(name+"/rested", func(b *testing.B) {
			r := newRunner(b, policy)
			run(b, r, Standard, "1")
			sandboxtest.ReportMedian(b, func() { run(b, r, Standard, "print(1)") },
				func() { time.Sleep(300 * time.Millisecond) })
		})
		b.Run(name+"/sustained", func(b *testing.B) {
			r := newRunner(b, policy)
			run(b, r, Standard, "1")
			began, calls := time.Now(), atomic.Int64{}
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					run(b, r, Standard, "print(1)")
					calls.Add(1)
				}
			})
			b.ReportMetric(float64(calls.Load())/time.Since(began).Seconds()/float64(runtime.GOMAXPROCS(0)),
				"calls/s/core")
		})
	}
}
