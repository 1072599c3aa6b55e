package runs

import (
	"testing"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/models"
)

// TG4: a call that was approved for more than this time in a sandbox is approved there
// alone: the same call on the host still asks, and so does one with other arguments.
func TestAnApprovedCallIsBoundToItsPlace(t *testing.T) {
	t.Parallel()
	s := &Service{}
	waiting := func(hash, within string) *models.Approval {
		return &models.Approval{ArgumentsHash: hash, Coverages: models.RawJSON(encode([]guard.Coverage{
			{Covers: guard.CoversCall, Within: within}, {Covers: guard.CoversTool, Within: within}}))}
	}
	for _, covers := range []string{"", guard.CoversCall} {
		for _, scope := range []string{models.ScopeConversation, models.ScopeAlways} {
			decided := waiting("h1", "sandbox")
			var err error
			decided.Coverage, err = s.chooseCoverage(decided, DecideRequest{Approve: true, Scope: scope,
				Covers: covers})
			if err != nil {
				t.Fatal(err)
			}
			for _, tc := range []struct {
				other *models.Approval
				want  bool
			}{{waiting("h1", "sandbox"), true}, {waiting("h1", ""), false}, {waiting("h2", "sandbox"), false}} {
				if got := s.coversToo(decided, tc.other); got != tc.want {
					t.Errorf("%q for %s covers %s %s: %t", covers, scope, tc.other.ArgumentsHash, tc.other.Coverages,
						got)
				}
			}
		}
	}
	once, err := s.chooseCoverage(waiting("h1", "sandbox"), DecideRequest{Approve: true})
	if err != nil || len(once) > 0 {
		t.Errorf("once: %s, %v", once, err)
	}
}
