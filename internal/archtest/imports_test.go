package archtest

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// mayImport is the table of docs/architecture.md: the rooms that each room may
// import. A subpackage belongs to its room unless it is named here itself, and
// may import its own room. "*" is everything but cmd.
var mayImport = map[string][]string{
	"fault":         {},
	"telemetry":     {},
	"services":      {},
	"visible":       {},
	"models":        {},
	"redact":        {},
	"shellanalysis": {},
	"nearest":       {},
	"clock":         {},
	"crontab":       {},
	"netsafe":       {},
	"jsontree":      {},
	"process":       {},
	"reexec":        {},
	"datadir":       {},
	"backup":        {"config", "datadir", "store", "workspace"},
	"config":        {"redact", "nearest", "crontab", "shellanalysis"},
	"store":         {"models", "fault"},
	"tools":         {"services", "jsontree"},
	"llm":           {"config", "redact", "jsontree"},
	"sandbox":       {"config", "redact", "shellanalysis", "services", "netsafe", "reexec"},
	"workspace":     {"config", "redact", "shellanalysis", "services", "sandbox"},
	"guard":         {"config", "tools", "shellanalysis", "store"},
	"tools/builtin": {"tools", "services", "nearest", "shellanalysis", "netsafe", "workspace", "sandbox",
		"reexec"},
	"skills":   {"tools", "workspace", "services", "visible"},
	"memory":   {"workspace", "visible"},
	"programs": {"config", "tools", "services", "guard", "sandbox", "shellanalysis", "workspace"},
	"browser":  {"tools", "services", "sandbox", "netsafe", "workspace"},
	"executor": {"tools", "guard", "redact", "nearest", "jsontree", "clock", "telemetry"},
	"mcp":      {"config", "tools", "services", "process"},
	"acp":      {"config", "tools", "workspace", "process", "clock"},
	"agent":    {"executor", "llm", "tools", "guard", "clock"},
	"runs": {"agent", "executor", "guard", "llm", "nearest", "redact", "services", "store", "models", "tools",
		"fault", "telemetry"},
	"accounts": {"store", "models"},
	"api": {"runs", "store", "accounts", "models", "workspace", "undo", "guard", "config", "tools", "llm", "process",
		"skills", "memory", "telemetry", "triggers", "mcpserver", "api/turn", "api/wire",
		"api/openai", "api/aisdk", "api/agui", "api/a2a"},
	"api/turn":   {"models", "runs", "store", "tools"},
	"api/wire":   {"api/turn", "config", "llm", "models", "runs", "store", "tools"},
	"api/openai": {"api/turn", "api/wire", "models", "runs", "store", "tools"},
	"api/a2a":    {"api/turn", "api/wire", "models", "runs", "store"},
	"api/agui":   {"api/turn", "api/wire", "models", "runs", "tools"},
	"api/aisdk":  {"api/turn", "api/wire", "models", "runs", "store", "tools"},
	"mcpserver":  {"api/turn", "config", "models", "runs", "store", "workspace"},
	"triggers":   {"config", "crontab", "models", "runs", "store"},
	"undo":       {"store", "models", "workspace"},
	"metrics":    {"llm", "store"},
	"notify":     {"netsafe", "config", "runs", "store", "tools", "visible"},
	"doctor":     {"config", "store", "llm", "workspace", "sandbox", "browser", "programs"},
	"terminal":   {"visible"},
	"app":        {"*"},
	"archtest":   {},
	"chaos":      {},
}

// ownedBy says which room alone may touch a library.
var ownedBy = map[string][]string{
	"github.com/netresearch/go-cron":  {"crontab"},
	"github.com/labstack/echo":        {"api"},
	"github.com/danielgtaylor/huma":   {"api"},
	"github.com/tmc/langchaingo":      {"llm"},
	"github.com/anthropics/":          {"llm"},
	"gorm.io/":                        {"store"},
	"github.com/nats-io/":             {"runs", "workspace", "app"},
	"mvdan.cc/sh":                     {"shellanalysis"},
	"github.com/google/jsonschema-go": {"tools"},
	"github.com/go-json-experiment/":  {"jsontree"},
	"github.com/modelcontextprotocol": {"mcp", "mcpserver"},
	"github.com/coreos/go-oidc/v3":    {"accounts"},
	"golang.org/x/oauth2":             {"mcp", "accounts"},
	"golang.org/x/crypto":             {"accounts"},
	"github.com/chromedp/":            {"browser"},
	"github.com/coder/acp-go-sdk":     {"acp"},
	"go.opentelemetry.io/":            {"telemetry"},
}

const module = "nanoclaw/"

func TestImportsPointDownwards(t *testing.T) {
	t.Parallel()
	packages := listPackages(t)
	if len(packages) < 15 {
		t.Fatalf("only %d packages were found", len(packages))
	}
	for path, imports := range packages {
		own := room(path)
		if own == "" {
			continue // cmd and web
		}
		allowed, known := mayImport[own]
		if !known {
			t.Errorf("%s is a room that the table does not know: add it here and to docs/architecture.md", path)
			continue
		}
		for _, imported := range imports {
			other := room(imported)
			switch {
			case imported == module+"web" && own == "app":
			case strings.HasPrefix(imported, module) && other == "":
				t.Errorf("%s imports %s: rooms do not import cmd or web", path, imported)
			case other == "" || other == own || slices.Contains(allowed, "*"), slices.Contains(allowed, other):
			default:
				t.Errorf("%s imports %s, but %s may import only %v", path, imported, own, allowed)
			}
			for library, owners := range ownedBy {
				if strings.HasPrefix(imported, library) && !slices.Contains(owners, own) {
					t.Errorf("%s imports %s, which only %v may touch", path, imported, owners)
				}
			}
		}
	}
}

// listPackages maps each package of the module to its direct imports, tests left out.
func listPackages(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, module+"...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		packages[fields[0]] = fields[1:]
	}
	return packages
}

// room is the room that a package of ours is in: the longest name in the table
// that its path begins with, else its first folder; "" outside internal.
func room(path string) string {
	rest, internal := strings.CutPrefix(path, module+"internal/")
	if !internal {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	for known := range mayImport {
		if (rest == known || strings.HasPrefix(rest, known+"/")) && len(known) > len(name) {
			name = known
		}
	}
	return name
}
