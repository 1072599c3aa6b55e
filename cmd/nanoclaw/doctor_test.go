package main

import (
	"encoding/json"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"nanoclaw/internal/datadir"
	"nanoclaw/internal/doctor"
)

// CF5
func TestDoctorPrintsEachCheckWithItsHint(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	i.configure(quiet + "listen: 127.0.0.1:0\n")
	i.want(0, "ok    config ", "", "doctor")
	for _, name := range []string{"data_dir", "database", "disk_space", "listen", "model demo", "bubblewrap", "docker",
		"python3", "chromium", "landlock", "node"} {
		if !strings.Contains(i.out.String(), "  "+name+" ") {
			t.Errorf("%s is missing in\n%s", name, i.out.String())
		}
	}
	i.want(0, `"name": "config"`, "", "doctor", "--json")
	var report doctor.Report
	if err := json.Unmarshal(i.out.Bytes(), &report); err != nil || !report.OK || len(report.Checks) < 15 {
		t.Errorf("%v, %+v", err, report)
	}
	i.configure("default_model: nope\n")
	i.want(1, "fail  config ", "", "doctor")
	if !strings.Contains(i.out.String(), "-> correct what is named") || i.errors.Len() > 0 {
		t.Errorf("%s%s", i.out.String(), i.errors.String())
	}
	i.want(1, `"ok": false`, "", "doctor", "--json")
}

// CF5
func TestDoctorColoursOnATerminalOnly(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	i.configure(quiet + "listen: 127.0.0.1:0\n")
	i.terminal = func(stream any) (int, int, bool) { return 80, 24, stream == i.stdout }
	i.want(0, "\x1b[32mok  \x1b[0m  config ", "", "doctor")
	i.vars["NO_COLOR"] = "1"
	i.want(0, "ok    config ", "", "doctor")
}

// CF5
func TestDoctorSeesTheServerAndChangesNothing(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	before := i.files()
	i.configure(quiet + "listen: 127.0.0.1:0\n")
	i.want(0, "will be made at the first start", "", "doctor")
	if after := i.files(); after != before {
		t.Errorf("there was\n%s\nand is\n%s", before, after)
	}
	s := i.serving()
	i.want(0, "serves "+s.url, "", "doctor")
	if !strings.Contains(i.out.String(), s.url+" answers") || !strings.Contains(i.out.String(), "is whole") {
		t.Error(i.out.String())
	}
	s.end()
	before = i.files()
	i.want(0, "no process owns the data directory", "", "doctor")
	if after := i.files(); after != before {
		t.Errorf("there was\n%s\nand is\n%s", before, after)
	}
	i.owner = func(string) (*datadir.Owner, error) { return nil, fs.ErrPermission }
	i.want(1, "fail  owner", "", "doctor")
}

// files are the names of all files.
func (i *invocation) files() string {
	i.t.Helper()
	var names []string
	err := filepath.WalkDir(i.dir, func(path string, _ fs.DirEntry, err error) error {
		names = append(names, path)
		return err
	})
	if err != nil {
		i.t.Fatal(err)
	}
	return strings.Join(names, "\n")
}
