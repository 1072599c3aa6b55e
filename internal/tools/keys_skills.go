package tools

import (
	"context"

	"nanoclaw/internal/services"
)

// SkillsKey finds the skills of an agent: instructions for kinds of tasks.
var SkillsKey = services.NewKey[Skills]("skills")

// Skills are those of the installation and of the call's project.
type Skills interface {
	// Names are those that the call's agent can read, sorted.
	Names(ctx context.Context, call Call) ([]string, error)

	// Read is the text of a skill, or of a file in its directory where path is not
	// empty. The error has a code.
	Read(ctx context.Context, call Call, name, path string) (SkillText, error)
}

// SkillText is a part of a skill.
type SkillText struct {
	Name    string      `json:"name"`
	Level   string      `json:"level"`               // project | server
	Path    string      `json:"path"`                // in the skill's directory
	Root    string      `json:"directory,omitempty"` // of the skill, in the project; a server's is not in it
	Content string      `json:"content"`
	Files   []SkillFile `json:"files,omitempty"` // beside SKILL.md, with that alone
}

// SkillFile is a file in a skill's directory.
type SkillFile struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
}
