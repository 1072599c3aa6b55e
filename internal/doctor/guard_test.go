package doctor

import (
	"testing"

	"nanoclaw/internal/config"
)

// TG3: a guard that is off is said.
func TestAGuardThatIsOffIsSaid(t *testing.T) {
	t.Parallel()
	for level, want := range map[string]Status{"strict": OK, "auto": OK, "smart": OK, "off": Warn} {
		c := config.Default()
		c.Guard.Level = level
		v := &visit{config: c}
		if got := v.guard(t.Context()); len(got) != 1 || got[0].Status != want {
			t.Errorf("level %s: %+v, want %s", level, got, want)
		}
	}
}
