package app

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nanoclaw/internal/llm/llmtest"
)

// surfaces are a project on a server with a sandbox, in which names and sizes are
// limited, and every way to its files.
type surfaces struct {
	*house
	model        *llmtest.Server
	project, dir string
	runs         int
}

// newSurfaces skips the test where there is no sandbox.
func newSurfaces(t *testing.T, workspace string) *surfaces {
	t.Helper()
	if _, err := exec.LookPath("bwrap"); err != nil && os.Getenv("CI") == "" {
		t.Skip("NOT TESTED: bubblewrap is not installed: run scripts/setup-sandbox.sh")
	}
	model := llmtest.NewServer(t)
	h := newHouse(t, `
models: [{id: m, provider: openai, base_url: "`+model.URL()+`", api_key: k, supports: [tools]}]
default_model: m
guard: {level: "off"}
shell: {policy: sandbox}
code_execution: {loosest_strictness: lenient, default_strictness: lenient}
workspace: {`+workspace+`}
`)
	project := h.create("/projects", `{"name":"p"}`)
	return &surfaces{house: h, model: model, project: project, dir: filepath.Join(h.dir, "workspaces", project)}
}

// tool calls a tool in a run of its own and answers its result.
func (s *surfaces) tool(name string, arguments args) string {
	s.t.Helper()
	s.runs++
	text := fmt.Sprintf("call %d of %s", s.runs, name)
	s.model.On(llmtest.User(text)).Steps(calls(s.t, name, arguments), llmtest.Text("done"))
	run := s.send(s.create("/conversations", `{"project_id":"`+s.project+`"}`), text)
	status, results := s.ended(run)
	if status != "completed" || len(results) != 1 {
		s.t.Fatalf("%s: the run ended %s with %q", name, status, results)
	}
	return results[0] + s.model.Requests(llmtest.User(text))[0].System()
}

// rest sends a request about the project and answers all of the answer.
func (s *surfaces) rest(method, path, contentType, body string) string {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), method, s.url+"/api/v1/projects/"+s.project+path,
		strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Content-Type", contentType)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if archive, err := zip.NewReader(bytes.NewReader(answer), int64(len(answer))); err == nil {
		for _, file := range archive.File {
			content, err := file.Open()
			if err != nil {
				s.t.Fatal(err)
			}
			text, err := io.ReadAll(content)
			if err != nil {
				s.t.Fatal(err)
			}
			answer = append(append(answer, file.Name...), text...)
		}
	}
	return fmt.Sprint(response.StatusCode, " ", string(answer))
}

func (s *surfaces) json(method, path, body string) string {
	return s.rest(method, path, "application/json", body)
}

func (s *surfaces) put(path, content string) string {
	return s.rest("PUT", "/files/"+path, "application/octet-stream", content)
}

func (s *surfaces) upload(path, content string) string {
	s.t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile("file", path)
	if err == nil {
		_, err = io.WriteString(part, content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return s.rest("POST", "/upload", w.FormDataContentType(), form.String())
}

func (s *surfaces) shell(command string) string {
	return s.tool("shell_execute", args{"command": command})
}

func (s *surfaces) python(code string) string { return s.tool("execute_python", args{"code": code}) }

// files are the paths of the project's files, with what they hold.
func (s *surfaces) files() map[string]string {
	s.t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(s.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.Contains(path, ".tool-output") {
			return err
		}
		name, err := filepath.Rel(s.dir, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		found[name] = string(text)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return found
}

// WS0: no way to a project's files reads, changes or makes what has a denied name, also
// not after it or a directory above it was renamed.
func TestDeniedNamesHoldOnEverySurface(t *testing.T) {
	t.Parallel()
	s := newSurfaces(t, `denied_names: [".env", "*.pem", "a/keys/**", "AGENTS.md", "SKILL.md"]`)
	const hidden = "HIDDENHIDDEN"
	denied := map[string]string{".env": hidden, "deep/er/id.PEM": hidden, "a/keys/k": hidden, "AGENTS.md": hidden,
		"skills/s/SKILL.md": skillFile("s", hidden, hidden)}
	s.house.put(prefixed(s.dir[len(s.house.dir)+1:], denied))
	s.house.put(prefixed(s.dir[len(s.house.dir)+1:], map[string]string{"a/fine": "fine", "fine.txt": "fine"}))
	if err := os.Symlink(".env", filepath.Join(s.dir, "link")); err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct {
		name string
		do   func() string
	}{
		{"file_read", func() string { return s.tool("file_read", args{"path": ".env"}) }},
		{"file_read of a link", func() string { return s.tool("file_read", args{"path": "link"}) }},
		{"file_grep", func() string { return s.tool("file_grep", args{"pattern": "HIDDEN."}) }},
		{"file_edit", func() string {
			return s.tool("file_edit", args{"path": ".env", "old_string": "HIDDEN", "new_string": "x", "replace_all": true})
		}},
		{"file_append", func() string { return s.tool("file_append", args{"path": "deep/er/id.PEM", "content": "x"}) }},
		{"file_write", func() string { return s.tool("file_write", args{"path": "new.pem", "content": "made"}) }},
		{"file_move from", func() string { return s.tool("file_move", args{"from": ".env", "to": "seen1"}) }},
		{"file_move to", func() string { return s.tool("file_move", args{"from": "fine.txt", "to": "fine.pem"}) }},
		{"file_move above", func() string { return s.tool("file_move", args{"from": "a", "to": "seen2"}) }},
		{"file_delete", func() string { return s.tool("file_delete", args{"path": "a/keys", "recursive": true}) }},
		{"file_mkdir", func() string { return s.tool("file_mkdir", args{"path": "new.pem"}) }},
		{"db_query", func() string {
			return s.tool("db_query", args{"sql": "SELECT 1", "database": "deep/er/id.PEM"})
		}},
		{"read_skill", func() string { return s.tool("read_skill", args{"name": "s"}) }},
		{"GET", func() string { return s.json("GET", "/files/deep/er/id.PEM", "") }},
		{"GET of a link", func() string { return s.json("GET", "/files/link", "") }},
		{"PUT", func() string { return s.put("new.pem", "made") }},
		{"DELETE", func() string { return s.json("DELETE", "/files/.env", "") }},
		{"move", func() string { return s.json("POST", "/move", `{"from":".env","to":"seen3"}`) }},
		{"move above", func() string { return s.json("POST", "/move", `{"from":"a","to":"seen4"}`) }},
		{"search", func() string { return s.json("POST", "/search", `{"query":"HIDDEN."`+`,"regex":true}`) }},
		{"upload", func() string { return s.upload("new.pem", "made") }},
		{"archive", func() string { return s.json("GET", "/archive", "") }},
		{"memory", func() string { return s.json("GET", "/memory", "") }},
		{"skills", func() string { return s.json("GET", "/skills/s", "") }},
		{"shell reads", func() string { return s.shell("cat .env link a/keys/k deep/er/*; grep -r HIDDEN .; base64 .env") }},
		{"shell renames", func() string {
			return s.shell("mv .env seen5; mv deep seen6; mv a seen7; ln deep/er/id.PEM seen8; cp -r . /tmp/c; cat seen* " +
				"/tmp/c/.env; find /tmp/c seen* -type f | xargs cat")
		}},
		{"shell makes", func() string {
			return s.shell("echo made > made.pem; mkdir -p a/keys; echo made > a/keys/new; echo made > b; mv b c.PEM")
		}},
		{"shell unmounts", func() string {
			return s.shell("umount .env; mount --bind / /mnt; cat /proc/1/root/.env; cat .env")
		}},
		{"Python reads", func() string {
			return s.python("import os\nfor r, _, fs in os.walk('.'):\n  for f in fs:\n    try: " +
				"print(open(os.path.join(r, f)).read())\n    " +
				"except OSError as e: print(e)\n")
		}},
		{"Python makes", func() string {
			return s.python("import os\nopen('p.pem', 'w').write('made')\ntry: os.rename('.env', 'seen9')\n" +
				"except OSError as e: print(e)\n")
		}},
	} {
		if answer := one.do(); strings.Contains(answer, hidden) {
			t.Errorf("%s shows what is denied: %s", one.name, answer)
		}
	}
	found := s.files()
	for name, content := range denied {
		if found[name] != content {
			t.Errorf("%s holds %q", name, found[name])
		}
	}
	for name, content := range found {
		if strings.Contains(content, "made") ||
			strings.Contains(content, hidden) && denied[name] == "" && name != "link" {
			t.Errorf("there is %s: %q", name, content)
		}
	}
	var trash struct{ Items []struct{ ID, Path string } }
	answer := s.json("GET", "/trash", "")
	if err := json.Unmarshal([]byte(answer[4:]), &trash); err != nil || len(trash.Items) == 0 {
		t.Fatalf("what commands made is not in the trash: %s, %v", answer, err)
	}
	for _, item := range trash.Items {
		if answer := s.json("POST", "/trash", `{"action":"restore","ids":["`+item.ID+`"]}`); s.files()[item.Path] != "" {
			t.Errorf("%s is restored: %s", item.Path, answer)
		}
	}
}

// clear deletes all files of the project for good.
func (s *surfaces) clear() {
	s.t.Helper()
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, entry := range entries {
		if err := os.RemoveAll(filepath.Join(s.dir, entry.Name())); err != nil {
			s.t.Fatal(err)
		}
	}
	s.json("POST", "/trash", `{"action":"purge","all":true}`)
}

// prefixed are files below a directory.
func prefixed(dir string, files map[string]string) map[string]string {
	below := map[string]string{}
	for name, text := range files {
		below[filepath.Join(dir, name)] = text
	}
	return below
}

// WS0: no way to a project's files makes one that is too large, or too many; what a
// command left is told to the model.
func TestSizesAndCountsHoldOnEverySurface(t *testing.T) {
	t.Parallel()
	s := newSurfaces(t, "max_file_size: 1KiB, max_files: 4, max_total_size: 1MiB")
	large := strings.Repeat("x", 2000)
	for _, one := range []struct {
		name string
		do   func(path, content string) string
		told string // of what is too large; what is too many is quota_exceeded for all
	}{
		{"file_write", func(path, content string) string {
			return s.tool("file_write", args{"path": path, "content": content})
		}, "too_large"},
		{"file_append", func(path, content string) string {
			return s.tool("file_append", args{"path": path, "content": content})
		}, "too_large"},
		{"PUT", s.put, "too_large"},
		{"upload", s.upload, "too_large"},
		{"shell", func(path, content string) string {
			return s.shell("for i in 1 2 3; do printf %s " + content + " > " + path + "$i; done")
		}, "workspace.max_file_size"},
		{"Python", func(path, content string) string {
			return s.python("for i in range(3): open(f'" + path + "{i}', 'w').write('" + content + "')")
		}, "workspace.max_file_size"},
	} {
		t.Run(one.name, func(t *testing.T) {
			s.clear()
			if answer := one.do("large", large); !strings.Contains(answer, one.told) {
				t.Errorf("what is too large: %s", answer)
			}
			if program := strings.Contains(one.told, "workspace"); !program && len(s.files()) > 0 {
				t.Errorf("there is %v", slices.Collect(maps.Keys(s.files())))
			}
			s.clear()
			s.house.put(prefixed(s.dir[len(s.house.dir)+1:], map[string]string{"1": "x", "2": "x", "3": "x", "4": "x"}))
			answer := one.do("more", "x")
			if !strings.Contains(answer, "quota_exceeded") && !strings.Contains(answer, "and may have 4") {
				t.Errorf("one too many: %s", answer)
			}
		})
	}
}
