package workspace

import (
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"nanoclaw/internal/config"
)

// Limits bounds one project's files (FS3). A zero is no limit.
type Limits struct {
	MaxFileSize  int64    // bytes of one file
	MaxFiles     int      // regular files
	MaxTotalSize int64    // bytes of all files
	MaxDepth     int      // directories in each other
	SkipFolders  []string // names of folders that walks do not go into, beside .git and what .gitignore names
	// globs; without a slash on every name of a path, else on the path from the root; case does not count
	DeniedNames []string
}

// LimitsFrom reads the limits of a configuration.
func LimitsFrom(c config.Workspace) Limits {
	return Limits{
		MaxFileSize:  c.MaxFileSize.Bytes(),
		MaxFiles:     c.MaxFiles,
		MaxTotalSize: c.MaxTotalSize.Bytes(),
		MaxDepth:     c.MaxDepth,
		SkipFolders:  c.SkipFolders,
		DeniedNames:  c.DeniedNames,
	}
}

// Validate finds globs that cannot match.
func (l Limits) Validate() error {
	for _, glob := range l.DeniedNames {
		if !doublestar.ValidatePattern(glob) {
			return fmt.Errorf("denied name %q is not a valid glob", glob)
		}
	}
	return nil
}

// denies says whether the last name of a cleaned path, or the path itself, is
// denied. Callers ask for every directory on the way as well.
func (l Limits) denies(cleaned string) (glob string, denied bool) {
	folded := strings.ToLower(cleaned)
	name := folded[strings.LastIndexByte(folded, '/')+1:]
	for _, glob := range l.DeniedNames {
		pattern := strings.ToLower(glob)
		subject := name
		if strings.Contains(pattern, "/") {
			subject = folded
		}
		if matched, err := doublestar.Match(pattern, subject); matched || err != nil {
			return glob, true // a glob that cannot be read denies everything
		}
	}
	return "", false
}

// Permit refuses a cleaned path that is denied, or has a denied directory on its way.
func (l Limits) Permit(name, cleaned string) error {
	for end := 0; end < len(cleaned) && len(l.DeniedNames) > 0; end++ {
		if next := strings.IndexByte(cleaned[end:], '/'); next >= 0 {
			end += next
		} else {
			end = len(cleaned)
		}
		if glob, denied := l.denies(cleaned[:end]); denied {
			return deniedError(name, glob)
		}
	}
	return nil
}

func deniedError(name, glob string) error {
	return Errorf(CodeAccessDenied, name, "the configuration denies names like %q", glob)
}

// depth is how many directories in each other a walk goes into.
func (l Limits) depth() int {
	if l.MaxDepth <= 0 {
		return noDepth
	}
	return l.MaxDepth
}

// PermitDepth refuses a cleaned path of something new that lies too deep.
func (l Limits) PermitDepth(name, cleaned string) error {
	if depthOf(cleaned) > l.depth() {
		return Errorf(CodeInvalidArgument, shorten(name),
			"the path is nested deeper than %d directories (workspace.max_depth)", l.depth())
	}
	return nil
}

func (l Limits) countsFiles() bool { return l.MaxFiles > 0 || l.MaxTotalSize > 0 }

// TooLarge says whether a file of this size is over the limit.
func (l Limits) TooLarge(size int64) bool { return l.MaxFileSize > 0 && size > l.MaxFileSize }

// TooLargeError says so.
func (l Limits) TooLargeError(path string) error {
	return Errorf(CodeTooLarge, path, "the file is larger than the limit of %s", humanBytes(l.MaxFileSize))
}

// humanBytes is "10 MiB" or "1.5 KiB".
func humanBytes(n int64) string {
	units := []string{"KiB", "MiB", "GiB", "TiB"}
	if n < 1024 {
		return fmt.Sprintf("%d bytes", n)
	}
	value, unit := float64(n)/1024, 0
	for value >= 1024 && unit < len(units)-1 {
		value, unit = value/1024, unit+1
	}
	text := strings.TrimSuffix(fmt.Sprintf("%.1f", value), ".0")
	return text + " " + units[unit]
}
