package api

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func contains(text, part string) bool { return strings.Contains(text, part) }

// FS: any name that the file system takes works, decoded exactly once.
func TestAFileOfAnyNameIsWrittenReadAndDeleted(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	p := h.newProject()
	dir := filepath.Join(h.dir, "projects", p.ID)
	for i, name := range []string{
		"plain.txt", "a+b.txt", "a@b&c=d.txt", "100%.txt", "%2e%2e", "a%2Fb", "a b  c", "你好/世界.md", "line\nbreak",
		"quote\"s'", "q?x=1#frag",
		"semi;colon,comma", "back\\slash", "{braces}[x]", ":colon:param", "*star*", "emoji 🦀", "dir/sub dir/ü.txt",
		"%252F", "tab\there", "..hidden", "~tilde",
	} {
		encoded := escapePath(name)
		content := fmt.Sprintf("content %d", i)
		path := "/api/v1/projects/" + p.ID + "/files/" + encoded
		written := h.do("PUT", path, content).is(201)
		if location := written.header.Get("Location"); location != path {
			t.Errorf("%q: Location %q, want %q", name, location, path)
		}
		onDisk, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil || string(onDisk) != content {
			t.Errorf("%q: on disk %q, %v", name, onDisk, err)
		}
		if got := h.do("GET", path, nil).is(200); got.body != content ||
			got.header.Get("ETag") != written.header.Get("ETag") {
			t.Errorf("%q: read %q with ETag %s", name, got.body, got.header.Get("ETag"))
		}
		h.do("DELETE", path, nil).is(204)
		h.do("GET", path, nil).is(404)
	}
}

func escapePath(name string) string {
	var parts []string
	for part := range strings.SplitSeq(name, "/") {
		parts = append(parts, url.PathEscape(part))
	}
	return strings.Join(parts, "/")
}

// FS: writes carry conditions, so that nobody's change is lost.
func TestConditionalWritesSeeWhatOthersDid(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	path := "/api/v1/projects/" + h.newProject().ID + "/files/f.txt"
	first := h.do("PUT", path, "one", "If-None-Match", "*").is(201).header.Get("ETag")
	h.do("PUT", path, "two", "If-None-Match", "*").is(412, `"code":"already_exists"`)
	second := h.do("PUT", path, "two", "If-Match", first).is(200).header.Get("ETag")
	h.do("PUT", path, "three", "If-Match", first).is(412, `"code":"precondition_failed"`)
	h.do("PUT", path, "three", "If-Match", `"other", `+second).is(200)
	h.do("PUT", path, "four", "If-Match", `"x", "y"`).is(412)
	h.do("PUT", path, "four", "If-Match", "W/"+second).is(412)
	h.do("PUT", path, "four", "If-Match", "*").is(200)
	h.do("PUT", path+"-none", "x", "If-Match", "*").is(412)
	h.do("PUT", path, "five", "If-None-Match", first).is(422, "If-None-Match")
	h.do("DELETE", path, nil, "If-Match", first).is(412)
	h.do("GET", path, nil, "If-Match", first).is(412)
	if got := h.do("GET", path, nil).is(200); got.body != "four" {
		t.Errorf("it is %q", got.body)
	}
	tag := h.do("GET", path, nil).header.Get("ETag")
	h.do("GET", path, nil, "If-None-Match", tag).is(304)
	h.do("DELETE", path, nil, "If-Match", tag).is(204)
}

func TestFilesAreRawBytesAndMayBeEmpty(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	base := "/api/v1/projects/" + h.newProject().ID + "/files/"
	h.do("PUT", base+"empty", nil).is(201, `"size":0`)
	h.do("PUT", base+"empty", nil, "Content-Type", "application/json").is(200)
	raw := string([]byte{0, 1, 2, 0xff, 0xfe, '\r', '\n', 0})
	h.do("PUT", base+"raw.bin", raw, "Content-Type", "application/json").is(201)
	if got := h.do("GET", base+"raw.bin", nil).is(200); got.body != raw {
		t.Errorf("it came back as %q", got.body)
	}
	h.do("PUT", base+"digits", "0123456789").is(201)
	part := h.do("GET", base+"digits", nil, "Range", "bytes=2-4").is(206)
	if part.body != "234" || part.header.Get("Content-Range") != "bytes 2-4/10" {
		t.Errorf("the range is %q, %s", part.body, part.header.Get("Content-Range"))
	}
	if head := h.do("HEAD", base+"digits", nil).is(200); head.header.Get("Content-Length") != "10" || head.body != "" {
		t.Errorf("HEAD: %v", head.header)
	}
}

// A file of a project never runs as a page or script of our origin.
func TestAFileCannotRunInOurOrigin(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	base := "/api/v1/projects/" + h.newProject().ID + "/files/"
	for name, want := range map[string]struct{ contentType, policy string }{
		"page.html":   {"text/html; charset=utf-8", "sandbox;"},
		"page.xhtml":  {"application/xhtml+xml", "sandbox;"},
		"draw.svg":    {"image/svg+xml", "sandbox;"},
		"app.js":      {"text/plain; charset=utf-8", "sandbox;"},
		"app.mjs":     {"text/plain; charset=utf-8", "sandbox;"},
		"style.css":   {"text/plain; charset=utf-8", "sandbox;"},
		"mod.wasm":    {"text/plain; charset=utf-8", "sandbox;"},
		"noname":      {"text/plain; charset=utf-8", "sandbox;"},
		"picture.png": {"image/png", "default-src 'none'"},
		"doc.pdf":     {"application/pdf", "default-src 'none'"},
		"code.ts":     {"text/plain; charset=utf-8", "sandbox;"},
		"read.md":     {"text/markdown; charset=utf-8", "sandbox;"},
		"data.json":   {"application/json", "sandbox;"},
	} {
		h.do("PUT", base+name, "<script>alert(1)</script>").is(201)
		got := h.do("GET", base+name, nil).is(200)
		if got.header.Get("Content-Type") != want.contentType || !contains(got.header.Get("Content-Security-Policy"),
			want.policy) ||
			got.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %s, %s", name, got.header.Get("Content-Type"), got.header.Get("Content-Security-Policy"))
		}
	}
	download := h.do("GET", base+"page.html?download=true", nil).is(200)
	if got := download.header.Get("Content-Disposition"); !strings.HasPrefix(got, "attachment;") {
		t.Errorf("Content-Disposition %q", got)
	}
}

func TestADirectoryIsListedInPartsMadeMovedAndSearched(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	project := "/api/v1/projects/" + h.newProject().ID
	for _, name := range []string{"b.txt", "a.txt", "sub/deep.txt", "sub/needle.md"} {
		h.do("PUT", project+"/files/"+name, "line\nThe Needle in "+name+"\n").is(201)
	}
	h.do("POST", project+"/directories", m{"path": "empty/inner"}).is(201, `"type":"directory"`)
	h.do("POST", project+"/directories", m{"path": "empty/inner"}).is(200)
	names, cursor := "", ""
	for {
		part := into[List[FileEntry]](h.do("GET", project+"/files?limit=2&cursor="+cursor, nil).is(200))
		for _, entry := range part.Items {
			names += entry.Path + " "
		}
		if part.NextCursor == nil {
			break
		}
		cursor = *part.NextCursor
	}
	if names != "empty sub a.txt b.txt " {
		t.Errorf("the listing is %q", names)
	}
	h.do("GET", project+"/files?recursive=true&pattern=*.md", nil).is(200, "sub/needle.md")
	h.do("GET", project+"/files?path=sub", nil).is(200, "sub/deep.txt")
	found := into[FileMatches](h.do("POST", project+"/search", m{"query": "needle", "path": "sub",
		"max_results": 1}).is(200))
	if len(found.Items) != 1 || !found.Truncated || found.Items[0].Line != 2 || found.Items[0].Path != "sub/deep.txt" {
		t.Errorf("found %+v", found)
	}
	h.do("POST", project+"/search", m{"query": "NEEDLE", "case_sensitive": true}).is(200, `"items":[]`)
	h.do("POST", project+"/search", m{"query": "N..dle in a", "regex": true}).is(200, "a.txt")
	h.do("POST", project+"/move", m{"from": "a.txt", "to": "new/name.txt"}).is(200, `"path":"new/name.txt"`)
	h.do("POST", project+"/move", m{"from": "b.txt", "to": "new/name.txt"}).is(409, `"code":"already_exists"`)
	h.do("DELETE", project+"/files/sub", nil).is(409, "recursive")
	h.do("DELETE", project+"/files/sub?recursive=true", nil).is(204)
	h.do("DELETE", project+"/files/?recursive=true", nil).is(403, "root")
	h.do("GET", project+"/files", nil).is(200, "b.txt")
}

func TestFoldersAreKeptInAnUploadAndInAnArchive(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	project := "/api/v1/projects/" + h.newProject().ID
	form := multipartForm(map[string]string{"photos/2026/a+b.txt": "A", "photos/你好.txt": "B"}, "path", "in box")
	h.do("POST", project+"/upload", form, "Content-Type", formType).is(201, `"path":"in box/photos/2026/a+b.txt"`,
		`in box/photos/你好.txt`)
	if got := h.do("GET", project+"/files/"+escapePath("in box/photos/你好.txt"), nil).is(200); got.body != "B" {
		t.Errorf("it is %q", got.body)
	}
	h.do("POST", project+"/upload?path=..", multipartForm(map[string]string{"x": "x"}), "Content-Type",
		formType).is(403)
	h.do("POST", project+"/upload", multipartForm(map[string]string{"/etc/passwd": "x"}), "Content-Type",
		formType).is(403)
	h.do("POST", project+"/upload", multipartForm(nil, "path", "x"), "Content-Type", formType).is(422, "holds no file")
	h.do("POST", project+"/upload", form[:len(form)-40], "Content-Type", formType).is(400)
	h.do("POST", project+"/upload", m{}).is(415)

	archive := h.do("GET", project+"/archive", nil).is(200)
	if got := archive.header.Get("Content-Disposition"); !contains(got, `filename="p.zip"`) {
		t.Errorf("Content-Disposition %q", got)
	}
	zipped, err := zip.NewReader(bytes.NewReader([]byte(archive.body)), int64(len(archive.body)))
	if err != nil {
		t.Fatal(err)
	}
	file, err := zipped.Open("in box/photos/2026/a+b.txt")
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(file)
	if err != nil || string(content) != "A" {
		t.Errorf("in the archive it is %q, %v", content, err)
	}
	h.do("GET", project+"/archive?path=none", nil).is(404)
}

const formType = "multipart/form-data; boundary=XX"

// multipartForm writes a form by hand, as browsers do: names are not cut.
func multipartForm(files map[string]string, fields ...string) string {
	var b strings.Builder
	for i := 0; i+1 < len(fields); i += 2 {
		fmt.Fprintf(&b, "--XX\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", fields[i], fields[i+1])
	}
	for name, content := range files {
		fmt.Fprintf(&b,
			"--XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"%s\"\r\nContent-Type: "+
				"text/plain\r\n\r\n%s\r\n", name, content)
	}
	return b.String() + "--XX--\r\n"
}
