package skills

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"nanoclaw/internal/visible"
)

// FileName is the file that makes a directory a skill.
const FileName = "SKILL.md"

// Bounds of the format.
const (
	maxName          = 64   // bytes
	maxDescription   = 1024 // characters
	maxCompatibility = 500  // characters
	maxFields        = 64   // of the front matter and of metadata
)

// Level says whose a skill is.
type Level string

// The levels, the nearest first. Of skills with one name the nearest is used.
const (
	Project Level = "project" // of a project: its folder skills
	User    Level = "user"    // a user's own, in all conversations of hers
	Server  Level = "server"  // of the installation: the folder skills.dir
)

// Skill is one directory with a SKILL.md.
type Skill struct {
	Name          string // of its directory
	Description   string // one line
	License       string
	Compatibility string
	AllowedTools  []string // a wish of the author; it permits nothing
	Metadata      map[string]string
	Level         Level
	Path          string // of its directory, in its project or its folder
	Size          int64  // of SKILL.md, in bytes
	Problem       string // why it is not used; empty: it is fine
	Enabled       bool   // it is fine, and nobody has switched it off
}

var (
	skillName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	errName   = errors.New("the name must be 1 to 64 lower case letters, digits and single hyphens")
)

// check says what is wrong with what the front matter says.
func (f *frontMatter) check(directory string) error {
	switch {
	case f.Name == "":
		return errors.New("name is missing in the front matter")
	case len(f.Name) > maxName || !skillName.MatchString(f.Name):
		return errName
	case f.Name != directory:
		return fmt.Errorf("the name is %q, but the directory is %q: they must be the same", f.Name,
			shortened(directory))
	case f.Description == "":
		return errors.New("description is missing in the front matter")
	case utf8.RuneCountInString(f.Description) > maxDescription:
		return fmt.Errorf("the description is longer than %d characters", maxDescription)
	case utf8.RuneCountInString(f.Compatibility) > maxCompatibility:
		return fmt.Errorf("compatibility is longer than %d characters", maxCompatibility)
	}
	return nil
}

// oneLine is a text without line breaks and without anything unseen: it cannot look
// like another part of a prompt.
func oneLine(text string) string { return visible.Text(strings.Join(strings.Fields(text), " ")) }

func shortened(text string) string {
	const longest = 80
	if utf8.RuneCountInString(text) > longest {
		return string([]rune(text)[:longest]) + "…"
	}
	return text
}
