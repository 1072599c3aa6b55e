package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// SH2: of a repository's configuration only what runs nothing is left.
func TestOnlyHarmlessGitSettingsAreKept(t *testing.T) {
	t.Parallel()
	ordinary := "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = " +
		"true\n[remote \"origin\"]\n\turl = https://example.org/a.git\n" +
		"\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\tmerge = " +
		"refs/heads/main\n# a remark\n[user]\n\tname = A \"B\" C\n"
	if kept, dropped := harmlessGitConfig(ordinary); dropped || kept != ordinary {
		t.Errorf("an ordinary configuration became %q", kept)
	}
	for _, text := range []string{
		"[core]\n\tfsmonitor = evil\n", "[core]\n\thooksPath = x\n", "[CORE]\n\tFsMonitor=evil\n",
		"[core] fsmonitor = evil\n", "[core]fsmonitor=evil\n",
		"[core]\n\tbare = false \\\n\tfsmonitor = evil\n", "[core]\n\tsshcommand = evil\n", "[core]\n\teditor = evil\n",
		"[core]\n\tpager = evil\n", "[core]\n\tworktree = /evil\n",
		"[alias]\n\tst = !evil\n", "[filter \"evil\"]\n\tclean = evil\n", "[diff \"evil\"]\n\ttextconv = evil\n",
		"[diff]\n\texternal = evil\n", "[include]\n\tpath = evil\n",
		"[includeIf \"gitdir:/\"]\n\tpath = evil\n", "[credential]\n\thelper = evil\n", "[gpg]\n\tprogram = evil\n",
		"[gpg \"ssh\"]\n\tprogram = evil\n", "[uploadpack]\n\tpackObjectsHook = evil\n",
		"[remote \"x\"]\n\tuploadpack = evil\n", "[remote \"x\"]\n\turl = ext::evil\n",
		"[remote \"x\"]\n\tvcs = evil\n", "[remote \"a\"]\n\tproxy = evil\n", "[submodule \"a\"]\n\tupdate = !evil\n",
		"[url \"ext::evil\"]\n\tinsteadOf = https\n", "[merge \"x\"]\n\tdriver = evil\n",
		"[mergetool \"x\"]\n\tcmd = evil\n", "[core.evil]\n\tfsmonitor = evil\n",
		"[user]\n[core\n]\n\tfsmonitor = evil\n",
		"[sequence]\n\teditor = evil\n", "[interactive]\n\tdiffFilter = evil\n", "[browser \"x\"]\n\tcmd = evil\n",
		"[extensions]\n\tworktreeConfig = true evil\n", "[protocol]\n\tallow = evil\n", "[pager]\n\tlog = evil\n",
		"\ufeff[core]\n\tfsmonitor = evil\n", "[core]\r\tfsmonitor = evil\n", "[core]\n\tfsmonitor\x00 = evil\n",
		"[pull]\n\ttwohead = evil\n", "[trailer \"x\"]\n\tcommand = evil\n",
	} {
		kept, dropped := harmlessGitConfig(text)
		if !dropped || strings.Contains(strings.ToLower(kept), "evil") {
			t.Errorf("of %q there is left %q", text, kept)
		}
	}
}

// SH2: what a sandbox makes at names that programs obey is put aside; what was
// there before, and what is nobody's business, stays.
func TestNewNamesThatProgramsObeyAreMadeHarmless(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	write := func(path, content string, mode os.FileMode) {
		t.Helper()
		path = filepath.Join(project, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	write(".npmrc", "of the user", 0o644)
	write(".git/config", "[alias]\n\tx = !of-the-user\n", 0o644)
	for _, dir := range []string{".git/objects", ".git/refs"} {
		if err := os.MkdirAll(filepath.Join(project, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	protected, err := protect(project, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer closeProtected(protected)
	d := newDisarmer(project, protected)

	evil := "[core]\n\tbare = false\n\tfsmonitor = evil\n"
	write(".bashrc", "evil", 0o644)
	write(".vscode/tasks.json", "evil", 0o644)
	write("src/.bashrc", "evil", 0o644)
	write(".git/hooks/pre-commit", "evil", 0o755)
	for _, repository := range []string{"new/.git", "bare.git", "a/b/c/d/e/.git", "new/.git/modules/sub"} {
		write(repository+"/config", evil, 0o644)
		write(repository+"/hooks/post-checkout", "evil", 0o755)
		write(repository+"/objects/x", "", 0o644)
		write(repository+"/refs/x", "", 0o644)
	}
	write("tool", "of the user", 0o755)
	if err := os.MkdirAll(filepath.Join(project, "linked/.git/objects"), 0o755); err != nil {
		t.Fatal(err)
	}
	write("linked/.git/refs/x", "", 0o644)
	for name, target := range map[string]string{"linked/.git/hooks": "../../tools",
		"linked/.git/config": "../../evilconfig", ".envrc": "tool"} {
		if err := os.Symlink(target, filepath.Join(project, name)); err != nil {
			t.Fatal(err)
		}
	}
	d.settle()
	d.finish()

	for _, gone := range []string{".bashrc", "src/.bashrc", ".vscode", ".envrc", "linked/.git/hooks",
		"linked/.git/config"} {
		if _, err := os.Lstat(filepath.Join(project, gone)); err == nil {
			t.Errorf("%s is still there", gone)
		}
		if _, err := os.Lstat(filepath.Join(project, gone+untrusted)); err != nil {
			t.Errorf("%s was not put aside: %v", gone, err)
		}
	}
	for _, repository := range []string{"new/.git", "bare.git", "a/b/c/d/e/.git", "new/.git/modules/sub"} {
		if text, err := os.ReadFile(filepath.Join(project, repository, "config")); err != nil ||
			string(text) != "[core]\n\tbare = false\n" {
			t.Errorf("%s: the configuration is %q, %v", repository, text, err)
		}
		if text, err := os.ReadFile(filepath.Join(project, repository, "config"+untrusted)); err != nil ||
			string(text) != evil {
			t.Errorf("%s: put aside is %q, %v", repository, text, err)
		}
	}
	for _, hook := range []string{".git/hooks/pre-commit", "new/.git/hooks/post-checkout",
		"bare.git/hooks/post-checkout", "a/b/c/d/e/.git/hooks/post-checkout"} {
		if info, err := os.Stat(filepath.Join(project, hook)); err != nil || info.Mode()&0o111 != 0 {
			t.Errorf("%s can be run: %v, %v", hook, info.Mode(), err)
		}
	}
	for path, want := range map[string]string{".npmrc": "of the user", ".git/config": "[alias]\n\tx = !of-the-user\n",
		"tool": "of the user"} {
		if text, err := os.ReadFile(filepath.Join(project, path)); err != nil || string(text) != want {
			t.Errorf("%s holds %q, %v", path, text, err)
		}
	}
	if info, err := os.Stat(filepath.Join(project, "tool")); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("a program of the project lost its right to run: %v", err)
	}
}

// What was there before a session, and was not touched in it, stays as it is.
func TestUntouchedRepositoriesAreLeftAlone(t *testing.T) {
	t.Parallel()
	project := t.TempDir()
	deep := filepath.Join(project, "a/b/c/d/e/.git")
	for _, dir := range []string{"objects", "refs", "hooks"} {
		if err := os.MkdirAll(filepath.Join(deep, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(deep, "config"), []byte("[alias]\n\tx = !mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(deep, "hooks/pre-commit"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	d := newDisarmer(project, nil)
	d.since = time.Now().Add(time.Hour) // as if all of it were older
	d.finish()
	if text, err := os.ReadFile(filepath.Join(deep, "config")); err != nil || !strings.Contains(string(text), "mine") {
		t.Errorf("%q, %v", text, err)
	}
	if info, err := os.Stat(filepath.Join(deep, "hooks/pre-commit")); err != nil || info.Mode()&0o111 == 0 {
		t.Errorf("the hook was changed: %v", err)
	}
}
