package commandpolicy

import (
	"errors"
	"testing"
)

// SH4: the allow-list is decided on the parsed line.
func TestTheAllowListIsDecidedOnTheParsedLine(t *testing.T) {
	t.Parallel()
	p := Policy{Mode: AllowList, Allow: []string{"ls", "git log", "grep", "find", "xargs", "wc", "env", "cat"}}
	for _, line := range []string{
		"ls -la", "git log", "git log | grep x", "cd dir && ls", "echo hi", "find . -name x", "ls | xargs grep x",
		"env FOO=1 ls", "f() { ls; }; f", "x=1; echo $x", "cat <<EOF\nrm x\nEOF", "/bin/ls",
	} {
		if err := p.Check(line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, line := range []string{
		"git logout", "git push", "ls; rm x", "ls && rm x", "ls $(rm x)", "ls `rm x`", "ls <(rm x)", "echo x | rm",
		"find . -exec rm {} +", "find . -delete", "ls | xargs rm", "env rm x", "env FOO=1 rm x",
		"bash -c 'ls'", "eval ls", "$X", "/tmp/ls", "./ls", "PATH=. ls", "LD_PRELOAD=./x.so ls", "export PATH=.",
		"GIT_PAGER=x git log", "f() { rm x; }; ls", "if rm x; then ls; fi", "alias ls='rm x'", "source x",
		"sudo ls", "(rm x)", "{ rm x; }", "ls & rm x", "ls\nrm x", "trap 'rm x' EXIT", "exec rm x", "command rm x",
		`\rm x`, "r''m x",
	} {
		var refused *RefusedError
		if err := p.Check(line); !errors.As(err, &refused) {
			t.Errorf("%s: got %v, want a RefusedError", line, err)
		}
	}
}

// SH4: the deny-list sees through what wraps a command.
func TestTheDenyListSeesThroughWrappers(t *testing.T) {
	t.Parallel()
	p := Policy{Mode: DenyList, Deny: []string{"git push", "ssh"}}
	for _, line := range []string{"git pushd", "git log", "echo ssh", "git commit -m push", "bash -c 'echo hi'"} {
		if err := p.Check(line); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, line := range []string{
		"git push", "git -C x push origin", "sudo git push", "bash -c 'git push'", "env ssh x", "x=$(ssh y)",
		"echo h | xargs ssh", "$X", "bash script.sh", "g''it push", "find . -exec ssh {} \\;",
	} {
		var refused *RefusedError
		if err := p.Check(line); !errors.As(err, &refused) {
			t.Errorf("%s: got %v, want a RefusedError", line, err)
		}
	}
}
