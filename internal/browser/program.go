package browser

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// programs are the names that Chromium has in PATH.
var programs = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"}

// behind are the programs behind the scripts of distributions, which read files of
// /etc that the sandbox does not show.
var behind = []string{"/usr/lib/chromium/chromium", "/usr/lib64/chromium-browser/chromium-browser"}

// Names are the names of Chromium that PATH is searched for.
func Names() []string { return slices.Clone(programs) }

// Install says how to get Chromium.
const Install = "apt install chromium (Debian, Ubuntu), dnf install chromium (Fedora), or name it as browser.program"

// Find is the path of Chromium: the configured one, or the first that PATH has.
func Find(configured string) (string, error) {
	names := programs
	if configured != "" {
		names = []string{configured}
	}
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if path, err = filepath.EvalSymlinks(path); err != nil {
			continue
		}
		if !isScript(path) {
			return path, nil
		}
		for _, program := range behind {
			if _, err := exec.LookPath(program); err == nil {
				return program, nil
			}
		}
		return path, nil
	}
	if configured != "" {
		return "", fmt.Errorf("browser.program %q is not a program that can be run", configured)
	}
	return "", errors.New("no Chromium is installed: " + Install)
}

func isScript(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, 2)
	n, _ := file.Read(head) // what cannot be read is no script
	return string(head[:n]) == "#!"
}

// Facts says what isolates Chromium, one sentence each.
func Facts() []string {
	return []string{
		"Chromium runs in namespaces of its own (bubblewrap): it sees no other processes, no project and no file of the " +
			"server.",
		"It has no network but a proxy, which reaches what fetch allows.",
		"Each conversation has cookies and storage of its own, which are gone with its pages.",
		"Chromium's own sandbox is off: the one around it forbids what it needs.",
	}
}

// visible are the directories of a program that the sandbox does not show by itself.
func visible(program string) []string {
	if strings.HasPrefix(program, "/usr/") {
		return nil
	}
	return []string{filepath.Dir(program)}
}
