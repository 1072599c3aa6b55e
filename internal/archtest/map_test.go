package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// repositoryPath finds the paths of this repository among the code of a page.
var repositoryPath = regexp.MustCompile("`((?:internal|docs|web|cmd|examples)/[\\w./-]+|config\\.yml)`")

// DESIGN 9: the map of the architecture leads to files that are there, for a rule, a wrapper,
// a key, an endpoint, a provider, a tool and a helper process.
func TestTheMapOfTheArchitectureLeadsToFiles(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	page, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(page), "## Where to add …")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, thing := range []string{"a rule", "a wrapper", "a configuration key", "an endpoint", "a model provider",
		"a tool", "a helper process"} {
		if !found || !strings.Contains(section, "\n| "+thing) {
			t.Errorf("the map does not say where to add %s", thing)
		}
	}
	named := 0
	for _, match := range repositoryPath.FindAllStringSubmatch(string(page), -1) {
		named++
		if _, err := os.Stat(filepath.Join(root, match[1])); err != nil {
			t.Errorf("docs/architecture.md names %s, which is not there", match[1])
		}
	}
	if named < 20 {
		t.Errorf("the map names %d files only", named)
	}
}
