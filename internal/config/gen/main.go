// Command gen writes config.yml and docs/configuration.md from the struct tags
// of internal/config. go generate ./internal/config runs it in that directory.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	root := filepath.Join("..", "..")
	for name, content := range files() {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			fail(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o644); err != nil {
			fail(err)
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "generate configuration files:", err)
	os.Exit(1)
}
