package guard

import (
	"context"
	"path"
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/config"
	"nanoclaw/internal/tools"
)

func sensitive(decision Decision) bool {
	return slices.ContainsFunc(decision.Findings, func(f Finding) bool {
		return f.ID == "path.sensitive" && asks(Auto,
			f.Severity)
	})
}

// TG2: every way to write ~/.ssh/id_rsa in a shell command is found.
func TestEverySpellingOfASensitivePathIsFoundInTheShell(t *testing.T) {
	t.Parallel()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto}}, nil)
	for _, path := range []string{
		"~/.ssh/id_rsa", "$HOME/.ssh/id_rsa", "${HOME}/.ssh/id_rsa", `"$HOME/.ssh/id_rsa"`, `"$HOME"/.ssh/id_rsa`,
		`"${HOME}"/".ssh"/'id_rsa'`, "${HOME:-/root}/.ssh/id_rsa", "${HOME%/}/.ssh/id_rsa",
		"/root/.ssh/id_rsa", "/home/bob/.ssh/id_rsa", "/Users/bob/.ssh/id_rsa", "~bob/.ssh/id_rsa", "~/.ssh//id_rsa",
		"~/./.ssh/./id_rsa", "~/x/../.ssh/id_rsa", "/root//.ssh/id_rsa", "/home/../root/.ssh/id_rsa",
		"../../root/.ssh/id_rsa", ".ssh/id_rsa", "./.ssh/id_rsa", "id_rsa", "~/.s''sh/id_rsa", `~/.ss\h/id_rsa`,
		`~/".ssh"/id_rsa`, `~/.ssh/'id_rsa'`, `$'/root/\x2essh/id_rsa'`, `$'/root/.ssh/id\137rsa'`,
		"~/.ss?/id_rsa", "~/.s*/id_rsa", "~/.ssh/id_*", "~/.ssh/id_r[sS]a", "~/.[s]sh/id_rsa", "/root/.s?h/id_rsa",
		"/home/*/.ssh/id_rsa", "~/.{ssh,x}/id_rsa", "~/.ssh/id_{rsa,dsa}", "~/.ssh/*", "/???t/.ssh/id_rsa",
		"~/.ssh/$KEY", "$DIR/.ssh/id_rsa", `~/.ssh/"$k"`, "${HOME}${x}/.ssh/id_rsa", "~/.ss${x}h/id_rsa",
		"~/.ssh/id_r\\\nsa", `$(echo ~/.ssh/id_rsa)`, "${p:-~/.ssh/id_rsa}", "/proc/self/root/root/.ssh/id_rsa",
		"file:///root/.ssh/id_rsa",
	} {
		if decision := check(t, engine, shellCall("cat "+path)); !sensitive(decision) {
			t.Errorf("cat %s: not found: %+v", path, decision.Findings)
		}
	}
	for _, command := range []string{
		"cat < ~/.ssh/id_rsa", "x=~/.ssh/id_rsa; cat $x", `d=$HOME/.ssh; cat "$d/id_rsa"`,
		"a=.ss; b=h; cat ~/$a$b/id_rsa", "p=(~/.ssh/id_rsa); cat ${p[0]}", "for f in ~/.ssh/*; do cat $f; done",
		"cd ~/.ssh; ls",
		"dd if=$HOME/.ssh/id_rsa of=x", "tar czf x.tgz -C ~ .ssh", "curl -F f=@$HOME/.ssh/id_rsa localhost",
		"cp ~/.ssh/id_rsa .", "ssh -i~/.ssh/id_rsa h", "base64 ~/.ssh/id_rsa", "echo ~/.ssh/id_rsa | xargs cat",
		"xargs cat <<< ~/.ssh/id_rsa",
		"bash -c 'cat ~/.ssh/id_rsa'", "sudo cat ~/.ssh/id_rsa", "env cat ~/.ssh/id_rsa", `eval "cat ~/.ssh/id_rsa"`,
		"while read -r l; do :; done < ~/.ssh/id_rsa", "echo key >> ~/.ssh/authorized_keys", "find ~/.ssh -type f",
		"python3 -c 'print(open(\"/root/.ssh/id_rsa\").read())'",
		"node -e 'require(\"fs\").readFileSync(process.env.HOME + \"/.ssh/id_rsa\")'", "cat /proc/1/environ",
		"tr '\\0' '\\n' </proc/self/environ", "curl 169.254.169.254", "echo x > .git/hooks/pre-commit",
	} {
		if decision := check(t, engine, shellCall(command)); !sensitive(decision) {
			t.Errorf("%s: not found: %+v", command, decision.Findings)
		}
	}
}

// TG2: texts that only look like paths, and paths that only look sensitive, pass.
func TestPathsThatOnlyLookSensitivePass(t *testing.T) {
	t.Parallel()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto}}, nil)
	for _, command := range []string{
		"echo 'see ~/.ssh/id_rsa'", `git commit -m "mention ~/.ssh/id_rsa"`, "grep -rn id_rsa docs", "cat .env.example",
		"cp .env.example .env", "ls -la .git/hooks", "cat ssh/config.md", "cat ~/.sshx/notes", "cat keys.go", "ls *.md",
		"cat /etc/hosts",
		"cat /proc/cpuinfo", "cat id_rsa.md", "test -f ~/.ssh/id_rsa", "sed -n '/id_rsa/p' notes.md",
		"cat docs/environ.md", "printf '%s\\n' ~/.bashrc", "curl http://169.254.1.1/",
	} {
		if decision := check(t, engine, shellCall(command)); sensitive(decision) {
			t.Errorf("%s: %+v", command, decision.Findings)
		}
	}
}

// TG2: every way to write ~/.ssh/id_rsa in Python is found, in execute_python and
// in the shell.
func TestEverySpellingOfASensitivePathIsFoundInPython(t *testing.T) {
	t.Parallel()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto}}, nil)
	for _, code := range []string{
		`open("/root/.ssh/id_rsa")`, `open('/root/.ssh/id_rsa')`, `open("""/root/.ssh/id_rsa""")`,
		`open('''/root/.ssh/id_rsa''')`, `open(r"/root/.ssh/id_rsa")`, `open(b"/root/.ssh/id_rsa")`,
		`open(rb'/root/.ssh/id_rsa')`, `open(u"/root/.ssh/id_rsa")`,
		`open("/root/" + ".ssh/id_rsa")`, `open("/root/.s" "sh/id_rsa")`,
		`open("/root" + "/" + ".ssh" + "/" + "id_rsa")`, "open('/root/.s'\n 'sh/id_rsa')",
		`open("/root/\x2essh/id_rsa")`, `open("/root/\u002essh/id_rsa")`, `open("/root/\056ssh/id_rsa")`,
		`open(f"/root/{x}.ssh/id_rsa")`, `open(f"{home}/.ssh/id_rsa")`, `open(f"{'/root'}/{'.ssh'}/id_rsa")`,
		`open("%s/.ssh/id_rsa" % home)`, `open("%s/%s" % ("/root/.ssh", "id_rsa"))`,
		`open("{}/.ssh/id_rsa".format(home))`, `open("{}/{}".format("/root/.ssh", "id_rsa"))`,
		`from pathlib import Path; Path.home() / ".ssh" / "id_rsa"`, `pathlib.Path.home()/'.ssh'/'id_rsa'`,
		`Path("/root", ".ssh", "id_rsa").read_text()`, `Path("/root").joinpath(".ssh", "id_rsa")`,
		`Path("~/.ssh/id_rsa").expanduser().read_text()`,
		`os.path.join(home, ".ssh", "id_rsa")`, `os.path.join(os.path.expanduser("~"), ".ssh", "id_rsa")`,
		`os.path.expanduser("~/.ssh/id_rsa")`, `open(os.environ["HOME"] + "/.ssh/id_rsa")`,
		`open(os.getenv("HOME") + "/.ssh/id_rsa")`, `open(os.path.expandvars("$HOME/.ssh/id_rsa"))`,
		"d = '/root/.ssh'\nopen(d + '/id_rsa')", "d = '/root'\nn = '.ssh'\nopen(f'{d}/{n}/id_rsa')",
		`open("/".join(["/root", ".ssh", "id_rsa"]))`, `open("".join(["/root/.s", "sh/id_rsa"]))`,
		`open("/root/.sXsh/id_rsa".replace("X", ""))`,
		`open("/root/" + chr(46) + "ssh/id_rsa")`, `glob.glob("/home/*/.ssh/id_*")`, `Path.home().glob(".ssh/*")`,
		`shutil.copy("/root/.ssh/id_rsa", "x")`,
		`os.system("cat ~/.ssh/id_rsa")`, `subprocess.run(["cat", "/root/.ssh/id_rsa"])`, `open("/proc/self/environ")`,
		`urllib.request.urlopen("http://169.254.169.254/latest")`,
		"def f():\n    '''A docstring.'''\n    return open('/etc/shadow')",
	} {
		if decision := check(t, engine, toolCall(pythonTool, "code", tools.Writes,
			map[string]any{"code": code})); !sensitive(decision) {
			t.Errorf("execute_python %s: not found: %+v", code, decision.Findings)
		}
		quoted := "python3 - <<'PY'\n" + code + "\nPY"
		if decision := check(t, engine, shellCall(quoted)); !sensitive(decision) {
			t.Errorf("python3 in a here-document, %s: not found: %+v", code, decision.Findings)
		}
	}
	for _, code := range []string{
		"# see ~/.ssh/id_rsa\nprint(1)", `print("do not touch ~/.ssh/id_rsa, please")`, `open("data/keys.csv")`,
		`x = {"path": "src/main.py"}`, `Path("docs") / "ssh" / "notes.md"`, `re.compile(r"id_\w+")`, `a / b + c`,
		`"""The file ~/.ssh/id_rsa holds a key."""`, `open(f"{name}.txt")`,
	} {
		if decision := check(t, engine, toolCall(pythonTool, "code", tools.Writes,
			map[string]any{"code": code})); decision.Verdict != Allow {
			t.Errorf("execute_python %s: %+v", code, decision.Findings)
		}
	}
}

// TG2: a file name pattern is judged by what it can mean, and names nothing by
// wildcards alone, wherever they stand.
func TestPatternsOfSensitivePaths(t *testing.T) {
	t.Parallel()
	engine := newEngine(t, Settings{Guard: config.Guard{Level: Auto}}, nil)
	for line, message := range map[string]string{
		"cat ~/.ss*/id*": "it reaches a private key", "cat .s?h/*": "it reaches a private key",
		"cat x/.s*/*": "it reaches a private key", `cat .ss\h/*`: "it reaches a private key",
		"cat /ho?e/*/.ssh/id_*": "it reaches a private key", "cat */.net*": "it reaches credentials",
		"cat /et?/shado*": "it reaches the accounts of the machine",
		"cat [i]d_[r]sa":  "it reaches a private key", "cat .ss[a-z]/*": "it reaches a private key",
		"cat .aw?/*": "it reaches credentials", "cat .k?be/*": "it reaches credentials",
		"cat .config/g?/*": "it reaches credentials", "cat ../../root/.aw?/*": "it reaches credentials",
		"tar c .mozill?/*/*": "it reaches credentials",
		"cat .aw?/cred*":     "it reaches credentials", "cat .aw?/[!a]*": "it reaches credentials",
		"cat .aw?/config": "it reaches credentials", "cat .ku*/cache/x": "it reaches credentials",
		"cd ~ && cat .aw?/*": "it reaches credentials", "cd /root; cat .gnup?/*": "it reaches a private key",
		"cp -r .k?be/* /tmp/x": "it reaches credentials",
	} {
		decision := check(t, engine, shellCall(line))
		if i := slices.IndexFunc(decision.Findings, func(f Finding) bool { return f.ID == "path.sensitive" }); i < 0 ||
			decision.Findings[i].Message != message {
			t.Errorf("%s: %+v, want %q", line, decision.Findings, message)
		}
	}
	for _, line := range []string{"ls src*/*", "wc -l internal*/*", "cat a*/b/*", "cat ?ocs/*/*", "cat foo/*", "ls */*",
		"go vet ./cmd*/...", "cat s*/*", "cat b*/*/*", "ls -d .*", "cat .github/*/*", "cat test?/*/*", "cat .ssh/*.pub",
		"cat .github/*/ci.yml", "cat .*/*.md", "cat b*/.env.example", "cat s*/main.go", "cat src/[!a]*", "ls [a-z]*",
		"wc [A-Za-z_]*/*"} {
		if decision := check(t, engine, shellCall(line)); decision.Verdict != Allow {
			t.Errorf("%s: %+v", line, decision.Findings)
		}
	}
}

// TG2: path arguments of tools, the server's own files and the administrator's list.
func TestSensitivePathsAreFoundInArguments(t *testing.T) {
	t.Parallel()
	engine := newEngine(t, Settings{
		Guard:     config.Guard{Level: Auto, SensitivePaths: []string{"payroll/**", "*.vault", "~/private"}},
		Protected: []string{"/srv/nanoclaw/data", "/etc/nanoclaw/config.yml"},
	}, nil)
	read := func(path string) Call {
		return toolCall("file_read", "file", tools.Reads, map[string]any{"path": path})
	}
	for _, call := range []Call{
		read(".ssh/id_rsa"), read("a/../.ssh/id_rsa"), read(".env"), read("conf/.env.production"),
		read("payroll/2024.csv"), read("a/b/x.vault"), read("certs/server.key"),
		toolCall("file_write", "file", tools.Writes, map[string]any{"path": ".git/hooks/pre-commit", "content": ""}),
		toolCall("file_glob", "file", tools.Reads, map[string]any{"pattern": "**/id_*"}),
		toolCall("file_move", "file", tools.Writes, map[string]any{"from": "a", "to": ".git/hooks/post-merge"}),
		toolCall("file_grep", "file", tools.Reads, map[string]any{"pattern": "x", "glob": ".env"}),
		shellCall("cat /srv/nanoclaw/data/nanoclaw.db"), shellCall("cat /srv/x/../nanoclaw/data/nanoclaw.db"),
		shellCall("cat /etc/nanoclaw/config.yml"), shellCall("cat payroll/2024.csv"), shellCall("ls ~/private"),
		shellCall("ls /root/private/x"),
	} {
		if decision := check(t, engine, call); !sensitive(decision) {
			t.Errorf("%s %v: not found: %+v", call.Tool.Name, call.Args, decision.Findings)
		}
	}
	for _, call := range []Call{
		read("src/main.go"), read(".env.example"), read("docs/ssh.md"), toolCall("file_write", "file", tools.Writes,
			map[string]any{"path": ".env", "content": "X=1"}), shellCall("ls /srv/nanoclaw/database"),
		shellCall("cat /etc/nanoclaw/config.yml.md"),
	} {
		if decision := check(t, engine, call); decision.Verdict != Allow {
			t.Errorf("%s %v: %+v", call.Tool.Name, call.Args, decision.Findings)
		}
	}
}

// A finding quotes no more than a little, and never half a character.
func TestEvidenceIsShort(t *testing.T) {
	t.Parallel()
	if got := evidence(strings.Repeat("ü", 1000)); len(got) > maxEvidence+4 || strings.Contains(got, "\uFFFD") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

// TG2: in a project that is opened in place over or under what is the server's own,
// a relative path leads there, too.
func TestAProjectOverTheServersOwnDataIsNoWayToIt(t *testing.T) {
	t.Parallel()
	settings, err := Settings{Guard: config.Guard{Level: Auto}, Protected: []string{"/srv/claw/data"}}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]Verdict{"/srv": NeedsApproval, "/srv/claw": NeedsApproval,
		"/srv/claw/data/x": NeedsApproval, "/srv/other": Allow} {
		engine, err := New(Options{Settings: func() Settings { return settings }, ProjectDir: func(context.Context,
			string, string) (string, error) {
			return dir, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"claw/data/nanoclaw.db", "data/nanoclaw.db", "nanoclaw.db"} {
			if target := path.Join(dir, name); want == NeedsApproval && !strings.HasPrefix(target, "/srv/claw/data/") {
				continue
			}
			for _, call := range []Call{shellCall("cat " + name), toolCall("file_read", "file", tools.Reads,
				map[string]any{"path": name})} {
				call.Call.ProjectID = "project"
				if decision := check(t, engine, call); decision.Verdict != want {
					t.Errorf("%s in %s, %s: %+v, want %s", name, dir, call.Tool.Name, decision, want)
				}
			}
		}
	}
}

// Issue 10, point 2: the server's own address is sensitive, however it is written.
func TestTheServersOwnAddressIsSensitive(t *testing.T) {
	t.Parallel()
	settings, err := Settings{Guard: config.Guard{Level: Auto}, Addresses: []string{"127.0.0.1:8787"}}.Compile()
	if err != nil {
		t.Fatal(err)
	}
	engine, err := New(Options{Settings: func() Settings { return settings }})
	if err != nil {
		t.Fatal(err)
	}
	own := func(call Call) bool {
		return slices.ContainsFunc(check(t, engine, call).Findings, func(f Finding) bool {
			return f.ID == "path.sensitive" && f.Message == "it reaches this server's own data or configuration"
		})
	}
	for _, url := range []string{"http://127.0.0.1:8787/api/v1/approvals", "http://localhost:8787/", "127.1:8787/x",
		"http://[::1]:8787/x", "http://u:p@0:8787/x", "http://2130706433:8787/"} {
		if !own(shellCall("curl -s '"+url+"'")) || !own(toolCall(pythonTool, "code", tools.Writes,
			map[string]any{"code": "import urllib.request\nurllib.request.urlopen('" + url + "')"})) {
			t.Errorf("%s passes", url)
		}
	}
	for _, url := range []string{"http://127.0.0.1:8080/", "http://example.org:8787/",
		"http://127.0.0.1.example.org:8787/"} {
		if own(shellCall("curl -s '" + url + "'")) {
			t.Errorf("%s does not pass", url)
		}
	}
}
