package doctor

import (
	"errors"
	"fmt"
	"os"

	"nanoclaw/internal/config"
)

// loadConfig is the check that comes first, as others need its result.
func (v *visit) loadConfig() Check {
	path, explicit := v.Source.File()
	c, warnings, err := v.Source.Load()
	var problems config.Problems
	switch {
	case errors.As(err, &problems):
		return Check{"config", Fail, problems.Error(),
			"correct what is named; nanoclaw config check tells whether that was all"}
	case err != nil:
		return Check{"config", Fail, err.Error(), "name a file that can be read with --config, or leave it out"}
	}
	v.config = c
	if len(warnings) > 0 {
		return Check{"config", Warn, warnings.String(), "the rest is in force; nanoclaw config print shows it"}
	}
	if _, err := os.Stat(path); err != nil && !explicit {
		return Check{"config", OK, fmt.Sprintf("there is no %s: every key has its default", path), ""}
	}
	return Check{"config", OK, path + " is valid", ""}
}

// findOwner asks once who owns the data directory.
func (v *visit) findOwner() {
	if _, err := os.Stat(v.config.DataDir); err == nil && v.Options.Owner != nil {
		v.owner, v.ownerErr = v.Options.Owner(v.config.DataDir)
	}
}
