package python

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"nanoclaw/internal/sandbox"
	"nanoclaw/internal/sandbox/sandboxtest"
)

// standIn is a small module with the names of matplotlib that matter here.
var standIn = map[string]string{
	"matplotlib/__init__.py": "",
	"matplotlib/figure.py": `
class Figure:
    def savefig(self, fname, format=None):
        data = b"\x89PNG " + self.title.encode()
        if hasattr(fname, "write"):
            fname.write(data)
        else:
            with open(fname, "wb") as f:
                f.write(data)
`,
	"matplotlib/pyplot.py": `
from matplotlib.figure import Figure
_open = {}
def figure(number=None, title=""):
    if number is None: number = len(_open) + 1
    if number not in _open:
        _open[number] = Figure()
        _open[number].title = title
    return _open[number]
def get_fignums(): return sorted(_open)
def savefig(*args, **kwargs): return figure(max(_open)).savefig(*args, **kwargs)
def close(number): del _open[number]
`,
}

// BT5: figures that the code saves or leaves open come back, each once.
func TestFiguresComeBack(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		project := t.TempDir()
		for name, content := range standIn {
			path := filepath.Join(project, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		code := `
import sys; sys.path.insert(0, ".")
import matplotlib.pyplot as plt
plt.figure(title="first"); plt.savefig("saved.png"); plt.close(1)
plt.figure(title="second"); plt.savefig("out.pdf")
plt.figure(title="third")
`
		for _, end := range []string{"", "1/0"} {
			r := newRunner(t, policy)
			got, err := r.Run(t.Context(), Request{Code: code + end, Level: Lenient, Project: project,
				Timeout: 20 * time.Second, OutputLimit: 4096})
			if err != nil || (got.Error != "") != (end != "") {
				t.Fatalf("%+v, %v", got, err)
			}
			var names, titles []string
			for _, figure := range got.Figures {
				names = append(names, figure.Name)
				titles = append(titles, string(bytes.TrimPrefix(figure.Data, []byte("\x89PNG "))))
			}
			if want := []string{"saved.png", "out.pdf", "figure-2.png"}; !slices.Equal(names, want) ||
				!slices.Equal(titles, []string{"first", "second", "third"}) {
				t.Errorf("got %v %v", names, titles)
			}
		}
		r := newRunner(t, policy)
		got, err := r.Run(t.Context(), Request{
			Code:  code + "\nfor i in range(20): plt.figure(title='x')\nplt.figure(title='y' * (5 << 20))",
			Level: Lenient, Project: project, Timeout: 20 * time.Second, OutputLimit: 4096,
		})
		if err != nil || len(got.Figures) != 10 || got.FiguresLeftOut != 14 {
			t.Errorf("%d figures, %d left out, %v", len(got.Figures), got.FiguresLeftOut, err)
		}
	})
}

// BT5: the same with the real matplotlib, where it is installed.
func TestFiguresOfTheRealMatplotlibComeBack(t *testing.T) {
	sandboxtest.Each(t, func(t *testing.T, policy sandbox.Policy) {
		r := newRunner(t, policy)
		if got := run(t, r, Lenient, "import matplotlib"); got.Error != "" {
			t.Skipf("NOT TESTED: there is no matplotlib under %s: %s", policy.Name(), got.Error)
		}
		got, err := r.Run(t.Context(), Request{
			Code: "import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])", Level: Standard,
			Extra: []string{"matplotlib"}, Timeout: 60 * time.Second, OutputLimit: 4096,
		})
		if err != nil || got.Error != "" || len(got.Figures) != 1 || !bytes.HasPrefix(got.Figures[0].Data,
			[]byte("\x89PNG\r\n")) {
			t.Errorf("%d figures, %s %s %s, %v", len(got.Figures), got.Error, got.Traceback, got.Stderr, err)
		}
	})
}
