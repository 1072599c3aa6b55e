package app

import (
	"slices"
	"testing"

	"nanoclaw/internal/config"
)

// US8: calls that name the file of secrets are looked at as those that name config.yml.
func TestTheFileOfSecretsIsProtected(t *testing.T) {
	t.Parallel()
	own := guardSettings(config.Default(), "/etc/nanoclaw/config.yml").Protected
	for _, file := range []string{"/etc/nanoclaw/config.yml", "/etc/nanoclaw/config.secrets.yml"} {
		if !slices.Contains(own, file) {
			t.Errorf("%s is not protected: %q", file, own)
		}
	}
}
