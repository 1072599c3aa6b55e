package runs

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/models"
)

// CodeInvalidCoverage is the code of a decision with a coverage that the call does not have.
const CodeInvalidCoverage = "invalid_coverage"

// StoredCoverage reads the coverage of an approval or a standing one. What cannot be read
// covers nothing.
func StoredCoverage(stored models.RawJSON) guard.Coverage {
	if len(stored) == 0 {
		return guard.Coverage{Covers: guard.CoversCall}
	}
	var coverage guard.Coverage
	if json.Unmarshal(stored, &coverage) != nil {
		return guard.Coverage{}
	}
	return coverage
}

// coveragesOf are those that a standing approval of a call can have. A question within a
// call has none: it is decided once.
func (s *Service) coveragesOf(a *models.Approval) []guard.Coverage {
	list := []guard.Coverage{}
	if a.Live {
		return list
	}
	if len(a.Coverages) > 0 {
		if err := json.Unmarshal(a.Coverages, &list); err != nil {
			s.Logger.Error("the coverages of an approval cannot be read", "approval", a.ID, "error", err)
		}
	}
	if len(list) == 0 {
		return []guard.Coverage{{Covers: guard.CoversCall}}
	}
	return list
}

// shownCoverages keeps secrets out of coverages. A pattern with one covers nothing else.
func (s *Service) shownCoverages(coverages []guard.Coverage) []guard.Coverage {
	var shown []guard.Coverage
	for _, c := range coverages {
		if s.Redactor.String(c.Pattern) != c.Pattern {
			continue
		}
		c.Rules = slices.Clone(c.Rules)
		for i := range c.Rules {
			c.Rules[i].Message = s.Redactor.String(c.Rules[i].Message)
		}
		shown = append(shown, c)
	}
	return shown
}

// chooseCoverage is the coverage that a decision names, one of those that were shown, or
// else that of the call alone. Empty: it is for this time, or for the call wherever it runs.
func (s *Service) chooseCoverage(a *models.Approval, req DecideRequest) (models.RawJSON, error) {
	invalid := func(message string) error {
		return &InvalidError{Field: "covers", Message: message, Code: CodeInvalidCoverage}
	}
	once := req.Scope == "" || req.Scope == models.ScopeOnce
	switch {
	case req.Covers == "" && (!req.Approve || once):
		return nil, nil
	case !req.Approve:
		return nil, invalid("a denial is for this call alone: leave covers out")
	case once:
		return nil, invalid("covers goes with the scope conversation or always: name one of them, or leave covers out")
	case req.Covers == "" || req.Covers == guard.CoversCall:
		if offered := s.coveragesOf(a); len(offered) > 0 && offered[0].Within+offered[0].Tool != "" {
			return models.RawJSON(encode(offered[0])), nil
		}
		return nil, nil
	case req.Arguments != nil:
		return nil, invalid("other arguments are approved by themselves: leave covers or arguments out")
	}
	offered := s.coveragesOf(a)
	at := slices.IndexFunc(offered, func(c guard.Coverage) bool { return c.Covers == req.Covers })
	if at < 0 {
		var names []string
		for _, c := range offered {
			names = append(names, c.Covers)
		}
		return nil, invalid(fmt.Sprintf("an approval of this call cannot cover %q, only: %s", req.Covers,
			strings.Join(names, ", ")))
	}
	return models.RawJSON(encode(offered[at])), nil
}

// coversToo says whether a decision for more than one call covers another call that waits.
func (s *Service) coversToo(decided, waiting *models.Approval) bool {
	coverage := StoredCoverage(decided.Coverage)
	if coverage.Covers == guard.CoversCall &&
		waiting.ArgumentsHash != firstOf(decided.EditedHash, decided.ArgumentsHash) {
		return false
	}
	return coverage.IncludesOneOf(s.coveragesOf(waiting))
}
