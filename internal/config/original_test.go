package config

import (
	"strings"
	"testing"
)

const originalFile = `# the original's file
backend_port: 3000
frontend_port: 4000
max_iterations: 12
tool_max_workers: 6
sub_agent:
  max_iterations: 4
  max_concurrency: 2
  timeout: 90
code_execution:
  default_strictness: standard
  extra_allowed_modules:
    standard: [numpy, pandas]
    strict: [numpy]
models:
  - id: deepseek-chat
    name: DeepSeek V3
    api_url: https://api.deepseek.com/chat/completions
    api_key: ${DEEPSEEK_API_KEY}
  - id: glm-5
    api_url: https://open.bigmodel.cn/api/paas/v4/chat/completions/
    api_key: sk-literal
default_model: glm-5
workspace_root: ./ws
auth_mode: single
jwt_secret: please-change
db_type: sqlite
db_host: localhost
db_port: 3306
db_user: root
db_password: "123456"
db_name: nano_claw
db_sqlite_file: nano_claw.db
`

// CF1: a config.yml of the original nanoClaw loads as it is; what has no effect is named.
func TestAFileOfTheOriginalLoads(t *testing.T) {
	t.Parallel()
	c, warnings, err := Parse([]byte(originalFile), "config.yml", environment())
	if err != nil {
		t.Fatal(err)
	}
	if c.Listen != "127.0.0.1:3000" || c.MaxIterations != 12 || c.ToolMaxWorkers != 6 || c.WorkspaceRoot != "./ws" ||
		c.DefaultModel != "glm-5" {
		t.Errorf("got %+v", c)
	}
	if c.SubAgent != (SubAgent{MaxIterations: 4, MaxConcurrency: 2, MaxTasks: 5, Timeout: seconds(90)}) {
		t.Errorf("sub_agent: %+v", c.SubAgent)
	}
	if got := c.CodeExecution.ExtraAllowedModules; len(got["standard"]) != 2 || len(got["strict"]) != 1 {
		t.Errorf("extra_allowed_modules: %v", got)
	}
	if c.Database.SQLiteFile != "nano_claw.db" {
		t.Errorf("database: %+v", c.Database)
	}
	if got := c.Models[0]; got.BaseURL != "https://api.deepseek.com" || got.MissingEnv != "DEEPSEEK_API_KEY" ||
		got.APIKey != "" || got.Model != "deepseek-chat" {
		t.Errorf("first model: %+v", got)
	}
	if got := c.Models[1]; got.BaseURL != "https://open.bigmodel.cn/api/paas/v4" || got.MissingEnv != "" ||
		got.APIKey.Reveal() != "sk-literal" || got.Name != "glm-5" {
		t.Errorf("second model: %+v", got)
	}
	if got := c.Models[2]; got.ID != "demo" || len(c.Models) != 3 {
		t.Errorf("the demo model is not added: %+v", c.Models)
	}
	for _, key := range []string{"backend_port", "frontend_port", "jwt_secret", "models[0]", "db_host", "db_port",
		"db_user", "db_password", "db_name"} {
		if !mentions(warnings, key) {
			t.Errorf("no warning names %s:\n%s", key, warnings)
		}
	}
	if len(warnings) != 9 {
		t.Errorf("%d warnings:\n%s", len(warnings), warnings)
	}
	if warnings[0].Line != 2 {
		t.Errorf("the warning of backend_port names line %d", warnings[0].Line)
	}
}

func mentions(ps []Problem, key string) bool {
	for _, p := range ps {
		if p.Key == key {
			return true
		}
	}
	return false
}

func TestTheOriginalsKeysAreRefusedWhereTheyCannotBeMeant(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ text, key, message string }{
		"mysql":            {"db_type: mysql\ndb_host: h\n", "db_type", "SQLite file in data_dir"},
		"another database": {"db_type: oracle\n", "db_type", "not a database that is supported"},
		"postgres":         {"db_type: postgresql\ndb_password: geheim\n", "db_type", "SQLite file in data_dir"},
		"two ports": {"backend_port: 3000\nlisten: 127.0.0.1:8787\n", "backend_port",
			"contradicts listen in line 2"},
		"a port that is none": {"backend_port: 99999\n", "backend_port", "1 to 65535"},
		"two files": {"db_type: sqlite\ndb_sqlite_file: a\ndatabase: {sqlite_file: b}\n",
			"db_sqlite_file", "contradicts database.sqlite_file in line 3"},
		"two addresses": {"models: [{id: a, api_url: 'https://a/v1/chat/completions', base_url: 'https://b/v1'}]\n",
			"models[0].api_url", "contradicts base_url in line 1"},
		"an address with a query": {"models: [{id: a, api_url: 'https://a/chat/completions?v=1'}]\n",
			"models[0].base_url", "query"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := Parse([]byte(c.text), "config.yml", environment())
			wantProblem(t, err, c.key, c.message)
			if err != nil && strings.Contains(err.Error(), "geheim") {
				t.Errorf("a password is quoted: %v", err)
			}
		})
	}
}

func TestTwoKeysThatSayTheSameAreNoContradiction(t *testing.T) {
	t.Parallel()
	c := mustParse(t,
		"backend_port: 8787\nlisten: 127.0.0.1:8787\ndb_type: sqlite\ndb_sqlite_file: a\ndatabase: {sqlite_file: a}\n"+
			"models: [{id: a, api_url: 'https://a/v1/chat/completions', base_url: 'https://a/v1/'}]\n")
	if c.Listen != "127.0.0.1:8787" || c.Database.SQLiteFile != "a" {
		t.Errorf("got %s, %+v", c.Listen, c.Database)
	}
}

func TestALenientDefaultOfTheOriginalBecomesTheSafeOne(t *testing.T) {
	t.Parallel()
	c, warnings, err := Parse([]byte("code_execution: {default_strictness: lenient}\n"), "config.yml", nil)
	if err != nil || c.CodeExecution.DefaultStrictness != "standard" || !mentions(warnings,
		"code_execution.default_strictness") {
		t.Errorf("got %+v, %v, %v", c, warnings, err)
	}
	c = mustParse(t, "code_execution: {default_strictness: lenient, loosest_strictness: lenient}\n")
	if c.CodeExecution.DefaultStrictness != "lenient" {
		t.Errorf("said explicitly: got %s", c.CodeExecution.DefaultStrictness)
	}
	_, _, err = Parse([]byte("code_execution: {default_strictness: lenient, loosest_strictness: strict}\n"),
		"config.yml", nil)
	wantProblem(t, err, "code_execution.default_strictness", "looser")
}
