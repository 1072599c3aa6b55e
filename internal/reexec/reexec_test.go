package reexec

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

var early error // what Args said before Main

func TestMain(m *testing.M) {
	_, early = Args("echo")
	Main(Table{"echo": func(args []string) int {
		fmt.Println(strings.Join(args, "|"))
		return len(args)
	}}, Table{"other": func([]string) int { return 0 }})
	os.Exit(m.Run())
}

// A helper gets its arguments, and its exit code is the process's; an unknown one is an
// error and never the program itself.
func TestTheProgramIsItsOwnHelper(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		helper string
		code   int
		out    string
	}{
		"known":   {"echo", 2, "a b|\n"},
		"unknown": {"ech", 2, "nanoclaw-helper: there is no helper \"ech\": the helpers are echo, other\n"},
	} {
		program, err := Program()
		if err != nil {
			t.Fatal(err)
		}
		args, err := Args(c.helper, "a b", "")
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
		var ended *exec.ExitError
		if !errors.As(err, &ended) || ended.ExitCode() != c.code || string(out) != c.out {
			t.Errorf("%s: %v, %q", name, err, out)
		}
	}
}

// A program without the table would start itself for ever.
func TestAProgramWithoutTheTableStartsNoHelper(t *testing.T) {
	t.Parallel()
	if !errors.Is(early, errNotReady) {
		t.Errorf("before Main: %v", early)
	}
}

func TestTwoHelpersOfOneNamePanic(t *testing.T) {
	t.Parallel()
	defer func() {
		if said := fmt.Sprint(recover()); !strings.Contains(said, `two helpers "x"`) {
			t.Errorf("the panic says %q", said)
		}
	}()
	table := Table{"x": func([]string) int { return 0 }}
	Main(table, table)
}
