package builtin

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"nanoclaw/internal/reexec"
	"nanoclaw/internal/tools"
)

// testHelper does what the first word of its input says.
var testHelper = &helper{name: "test", memory: 256 << 20, stack: 16 << 20, answer: 1000,
	inherits: func(name string) bool { return name == "NANOCLAW_TEST_PASSED_ON" }, work: doTestTask}

func doTestTask(in []byte) (any, error) {
	switch what := string(in); what {
	case "stack":
		return deeper(1), nil
	case "memory":
		var all [][]byte
		for len(all) < 1<<20 { // a terabyte
			all = append(all, bytes.Repeat([]byte("x"), 1<<20))
		}
		return len(all), nil
	case "time":
		for n := 0; ; n++ {
		}
	case "panic":
		panic(what)
	case "fail":
		return nil, errors.New(what)
	case "answer":
		return strings.Repeat("x", 2000), nil
	case "environment":
		return os.Environ(), nil
	}
	return map[string]string{"echo": string(in)}, nil
}

// TestMain lets the test binary be its own helper process.
func TestMain(m *testing.M) {
	reexec.Main(Helpers(), helperTable(testHelper))
	os.Exit(m.Run())
}

func deeper(n int) int {
	if n == 1<<40 {
		return n
	}
	return deeper(n+1) + 1
}

// BT2 BT4 BT11: however a helper process ends, its caller lives and learns why.
func TestAHelperProcessIsBounded(t *testing.T) {
	t.Setenv("NANOCLAW_TEST_PASSED_ON", "yes")
	t.Setenv("NANOCLAW_TEST_KEPT", "secret")
	for what, want := range map[string]error{
		"stack": errHelperDied, "memory": errHelperDied, "panic": errHelperDied, "fail": errHelperDied,
		"answer": errHelperDied, "time": errHelperTime,
	} {
		limit := time.Minute
		if want == errHelperTime {
			limit = 100 * time.Millisecond
		}
		var answer any
		if err := testHelper.run(t.Context(), []byte(what), limit, &answer); !errors.Is(err, want) {
			t.Errorf("%s: %v, %v; want %v", what, answer, err, want)
		}
	}
	var echo map[string]string
	if err := testHelper.run(t.Context(), []byte("hello"), time.Minute, &echo); err != nil || echo["echo"] != "hello" {
		t.Errorf("%v, %v", echo, err)
	}
	var environment []string
	if err := testHelper.run(t.Context(), []byte("environment"), time.Minute, &environment); err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(environment, " "); strings.Contains(all, "secret") || !strings.Contains(all,
		"NANOCLAW_TEST_PASSED_ON=yes") || strings.Contains(all, "PATH=") {
		t.Errorf("the environment is %s", all)
	}
	short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := testHelper.run(short, []byte("time"), time.Minute, &echo); tools.CodeOf(err) != tools.CodeTimeout {
		t.Errorf("the call's own time: %v", err)
	}
}
