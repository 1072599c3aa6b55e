// Package skills finds skills in the Agent Skills format (https://agentskills.io/specification):
// a directory with a SKILL.md, whose front matter says what the skill is for and whose
// text says how it is done.
//
// What it promises:
//
//   - Only names and descriptions go into a prompt; the text is read when a model asks for it.
//   - A skill that breaks the format is listed with what is wrong with it, and used by nobody.
//   - No front matter can take up more time, memory or room in a prompt than the limits allow.
//   - Files are read through workspace.Filesystem alone, so that its limits and denied names hold.
//
// It must not know where switches are stored, nor how a prompt is put together.
package skills
