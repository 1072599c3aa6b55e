package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.yaml.in/yaml/v4"

	"nanoclaw/internal/config"
	"nanoclaw/internal/metrics"
)

// deployed reads a file of the folder deploy, or beside it.
func deployed(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// GR8: every metric that the dashboard and the alert rules name is one that the server has.
func TestTheDashboardAndTheAlertsNameMetricsThatExist(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "")
	h.call("GET", "/healthz", "", nil) // a request that is counted
	page := h.text("/metrics")
	known := map[string]bool{"up": true}
	for _, line := range strings.Split(page, "\n") {
		if name, is := strings.CutPrefix(line, "# TYPE "); is {
			known[strings.Fields(name)[0]] = true
		}
	}
	described := make(chan *prometheus.Desc, 1000) // also what has no value yet
	for _, c := range metrics.New().Collectors(metrics.Sources{}) {
		c.Describe(described)
	}
	close(described)
	name := regexp.MustCompile(`fqName: "([^"]+)"`)
	for desc := range described {
		known[name.FindStringSubmatch(desc.String())[1]] = true
	}
	for _, file := range []string{"deploy/grafana-dashboard.json", "deploy/alerts.yml"} {
		var tree any
		unmarshal := yaml.Unmarshal
		if strings.HasSuffix(file, ".json") {
			unmarshal = json.Unmarshal
		}
		if err := unmarshal(deployed(t, file), &tree); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		expressions := expressionsIn(tree)
		if len(expressions) < 8 {
			t.Errorf("%s has only %d expressions", file, len(expressions))
		}
		metric := regexp.MustCompile(`\b(?:nanoclaw|process|go)_[a-z0-9_]+`)
		for _, expression := range expressions {
			named := metric.FindAllString(expression, -1)
			if len(named) == 0 && !strings.Contains(expression, "up{") {
				t.Errorf("%s: no metric in %s", file, expression)
			}
			for _, one := range named {
				of := strings.TrimSuffix(one, "_bucket")
				if !known[of] {
					t.Errorf("%s: the server has no metric %s", file, one)
				}
			}
		}
	}
}

// expressionsIn are the texts under the keys expr of a tree.
func expressionsIn(tree any) (found []string) {
	switch node := tree.(type) {
	case map[string]any:
		for key, value := range node {
			if text, is := value.(string); is && key == "expr" {
				found = append(found, text)
			}
			found = append(found, expressionsIn(value)...)
		}
	case []any:
		for _, value := range node {
			found = append(found, expressionsIn(value)...)
		}
	}
	return found
}

// GR8: the stack of docker-compose.yml is one server by default and a cluster in the profile
// cluster, without a default password, and the configuration of its replicas is valid.
func TestTheContainersFitTogether(t *testing.T) {
	t.Parallel()
	var stack struct {
		Services map[string]struct {
			Profiles    []string
			Volumes     []string
			Environment map[string]*string
		}
	}
	if err := yaml.Unmarshal(deployed(t, "docker-compose.yml"), &stack); err != nil {
		t.Fatal(err)
	}
	var single, cluster []string
	for name, service := range stack.Services {
		if slices.Contains(service.Profiles, "cluster") {
			cluster = append(cluster, name)
		} else {
			single = append(single, name)
		}
		for key, value := range service.Environment {
			if strings.Contains(key, "PASSWORD") && (value == nil || *value != "${CLUSTER_PASSWORD:-}") {
				t.Errorf("%s: the password %s is not the operator's", name, key)
			}
		}
	}
	slices.Sort(cluster)
	want := []string{"nats1", "nats2", "nats3", "postgres", "proxy", "replica1", "replica2", "replica3"}
	if !slices.Equal(single, []string{"nanoclaw"}) || !slices.Equal(cluster, want) {
		t.Errorf("by default %q run, in the profile cluster %q", single, cluster)
	}
	proxy := string(deployed(t, "deploy/haproxy.cfg"))
	for _, name := range cluster {
		if strings.HasPrefix(name, "replica") && !strings.Contains(proxy, "server "+name+" "+name+":8787") {
			t.Errorf("the proxy does not know %s", name)
		}
	}
	env := func(name string) (string, bool) {
		if name == "CLUSTER_PASSWORD" {
			return "a0secret0word", true
		}
		return "", false
	}
	c, _, err := config.Source{Path: filepath.Join("..", "..", "deploy", "cluster.yml"), Env: env}.Load()
	if err != nil {
		t.Fatalf("the configuration of the replicas: %v", err)
	}
	if len(c.NATS.Servers()) != 3 || !strings.Contains(c.Database.URL.Reveal(), "a0secret0word@postgres:5432") {
		t.Errorf("the replicas use %q", c.NATS.Servers())
	}
}
