package web

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

func TestFSIsRootedAtTheBuildFolder(t *testing.T) {
	t.Parallel()
	if _, err := fs.Stat(FS(), ".gitkeep"); err != nil {
		t.Fatalf("the committed placeholder is not at the root: %v", err)
	}
	if _, err := fs.Stat(FS(), "dist"); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("dist is still part of the path: %v", err)
	}
}

func TestBuiltTellsWhetherThereIsAPage(t *testing.T) {
	t.Parallel()
	page, err := fs.ReadFile(FS(), "index.html")
	if Built() != (err == nil) {
		t.Fatalf("Built() = %v, reading index.html: %v", Built(), err)
	}
	if err == nil && !strings.Contains(string(page), `id="app"`) {
		t.Fatalf("index.html is not the app's page:\n%s", page)
	}
}

// The content security policy allows no inline script, so the page must not hold one.
func TestBuiltPageHasNoInlineScriptAndAsksNoOtherHost(t *testing.T) {
	t.Parallel()
	if !Built() {
		t.Skip("the page is not built; run `npm run build` in web/")
	}
	raw, err := fs.ReadFile(FS(), "index.html")
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	for _, tag := range strings.Split(page, "<script")[1:] {
		head, _, _ := strings.Cut(tag, ">")
		if !strings.Contains(head, "src=") {
			t.Errorf("inline script: <script%s>", head)
		}
	}
	for _, host := range []string{`"http://`, `"https://`, `"//`} {
		if strings.Contains(page, host) {
			t.Errorf("the page names another host: %s", host)
		}
	}
}
