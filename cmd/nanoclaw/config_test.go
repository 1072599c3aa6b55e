package main

import (
	"strings"
	"testing"
)

// CF1
func TestConfigCheckTellsAllProblemsWithTheirPlace(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	i.want(0, "config.yml is valid\n", "", "config", "check")
	i.configure("max_iterations: many\nsub_agent:\n  max_task: 3\nlisten: nowhere\n")
	i.want(1, "", "config.yml:1:1: max_iterations: ", "config", "check")
	for _, part := range []string{"config.yml:3:3: sub_agent.max_task: ", "config.yml:4:1: listen: "} {
		if !strings.Contains(i.errors.String(), part) {
			t.Errorf("%q is missing in\n%s", part, i.errors.String())
		}
	}
	i.want(1, "", "max_iterations", "config", "print")
	i.want(1, "", "max_iterations", "backup", i.dir)
	i.configure(quiet +
		"default_model: m\nmodels: [{id: m, base_url: 'http://127.0.0.1:1/v1', api_key: '${NO_SUCH_KEY}'}]\n")
	i.want(0, "warning: "+i.vars["NANOCLAW_CONFIG"]+":4:10: models[0]", "", "config", "check")
	i.want(1, "", "no such file", "config", "check", "--config", i.dir+"/missing.yml")
}

// CF1
func TestConfigPrintTellsOriginsAndNoSecrets(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	i.vars["KEY"] = "sk-0123456789abcdef"
	i.configure(
		"sub_agent: {max_tasks: 7}\ndefault_model: m\nmodels: [{id: m, base_url: 'http://127.0.0.1:1/v1', " +
			"api_key: '${KEY}'}]\n")
	i.want(0, "max_tasks: 7 # file\n", "", "config", "print")
	for _, part := range []string{"max_concurrency: 3 # default\n", "/data # environment\n", `api_key: "***"`} {
		if !strings.Contains(i.out.String(), part) {
			t.Errorf("%q is missing in\n%s", part, i.out.String())
		}
	}
	if strings.Contains(i.out.String(), i.vars["KEY"]) {
		t.Error("the key is printed")
	}
	i.want(0, "data_dir: /elsewhere # flag\n", "", "config", "print", "--data", "/elsewhere")
}

func TestConfigGetReadsOneKey(t *testing.T) {
	t.Parallel()
	i := newInvocation(t)
	i.configure(
		"models: [{id: m, base_url: 'http://127.0.0.1:1/v1', api_key: a-secret-key, supports: " +
			"[tools]}]\nsystem_prompt: \"a: b\"\n")
	for key, want := range map[string]string{
		"sub_agent.max_tasks": "5", "cache.ttl": "5m", "cache.enabled": "true", "models[0].id": "m",
		"models[0].api_key":  "***",
		"models[0].supports": "- tools", "system_prompt": "a: b", "cache": "enabled: true\nttl: 5m",
		"database.sqlite_file": "",
	} {
		i.want(0, "", "", "config", "get", key)
		if got := i.out.String(); got != want+"\n" {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	i.want(1, "", "there is no key cache.size", "config", "get", "cache.size")
	i.want(2, "", "is not a key", "config", "get", "models[")
}
