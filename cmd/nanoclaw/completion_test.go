package main

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

func TestCompletionOffersCommandsAndTheFlagsOfACommand(t *testing.T) {
	t.Parallel()
	var out, mistakes bytes.Buffer
	p := &program{stdout: &out, stderr: &mistakes, env: func(string) (string, bool) { return "", false }}
	if code := p.main(t.Context(), []string{"completion", "bash"}); code != exitOK {
		t.Fatalf("exit %d: %s", code, mistakes.String())
	}
	var help bytes.Buffer
	p.stdout = &help
	if code := p.main(t.Context(), []string{"help", "serve"}); code != exitOK {
		t.Fatal("there is no help for serve")
	}
	for words, want := range map[string]string{`nanoclaw ser`: "serve", `nanoclaw serve --li`: "--listen"} {
		script := out.String() + `
nanoclaw() { printf '%s' "$HELP"; }
COMP_WORDS=(` + words + `); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _nanoclaw; echo "${COMPREPLY[@]}"`
		cmd := exec.CommandContext(t.Context(), "bash", "-c", script)
		cmd.Env = []string{"HELP=" + help.String(), "PATH=/usr/bin:/bin"}
		got, err := cmd.CombinedOutput()
		if err != nil || strings.TrimSpace(string(got)) != want {
			t.Errorf("%q completes to %q, %v; want %q", words, got, err, want)
		}
	}
	if code := p.main(t.Context(), []string{"completion", "tcsh"}); code != exitUsage {
		t.Errorf("an unknown shell: exit %d", code)
	}
}
