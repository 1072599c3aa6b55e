package skills

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"nanoclaw/internal/workspace"
)

// Folder is a directory whose directories are skills.
type Folder struct {
	Level Level
	Files workspace.Filesystem
	Dir   string // in Files
}

// Limits bound what is read and listed.
type Limits struct {
	FileSize    int64 // of a SKILL.md, and of a file that a model reads
	Count       int   // skills of one folder
	ListingSize int   // bytes of the list in a prompt
}

// list are the skills of a folder, by name; one that is not there has none.
func (f Folder) list(ctx context.Context, limits Limits) ([]Skill, error) {
	// a directory more than are used says that there are more
	listing, err := f.Files.List(ctx, f.Dir, workspace.ListOptions{Limit: limits.Count + maxStrays})
	if isCode(err, workspace.CodeNotFound, workspace.CodeNotADirectory, workspace.CodeAccessDenied) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the skills of the %s: %w", f.Level, err)
	}
	var list []Skill
	for _, entry := range listing.Entries {
		if entry.Type != workspace.TypeDirectory && entry.Type != workspace.TypeSymlink ||
			strings.HasPrefix(entry.Name, ".") {
			continue
		}
		skill, err := f.find(ctx, entry.Name, limits)
		if isCode(err, workspace.CodeNotFound, workspace.CodeNotADirectory) {
			continue // a directory of something else
		}
		if err != nil {
			return nil, err
		}
		if len(list) >= limits.Count && skill.Problem == "" {
			skill.Problem = fmt.Sprintf(
				"there are more than %d skills (skills.max_count): the ones after them by name "+
					"are not used",
				limits.Count,
			)
		}
		list = append(list, *skill)
	}
	return list, nil
}

// maxStrays is how many entries that are no skills a folder may have beside them.
const maxStrays = 100

// find reads what the SKILL.md of a directory says. The error is that of a directory
// without one, or that files cannot be read at all; all else is the skill's problem.
func (f Folder) find(ctx context.Context, directory string, limits Limits) (*Skill, error) {
	skill := &Skill{Name: strings.ToValidUTF8(directory, "�"), Level: f.Level, Path: path.Join(f.Dir, directory)}
	front, _, err := f.read(ctx, skill, limits)
	if ctx.Err() != nil || isCode(err, workspace.CodeNotFound, workspace.CodeNotADirectory) {
		return nil, err
	}
	var described *frontMatter
	if err == nil {
		described, err = parse(front)
	}
	if err == nil {
		err = described.check(directory)
	}
	if err != nil {
		skill.Problem = err.Error()
		return skill, nil
	}
	skill.Description, skill.License, skill.Compatibility = described.Description, described.License,
		described.Compatibility
	skill.AllowedTools, skill.Metadata = described.AllowedTools, described.Metadata
	return skill, nil
}

// read reads the SKILL.md of a skill.
func (f Folder) read(ctx context.Context, skill *Skill, limits Limits) (front, text string, err error) {
	name := path.Join(skill.Path, FileName)
	content, err := f.Files.Read(ctx, name, 0, limits.FileSize)
	if err != nil {
		return "", "", err
	}
	if skill.Size = content.Size; content.Size > limits.FileSize {
		return "", "", fmt.Errorf("SKILL.md has %d bytes, more than the %d of skills.max_size: move parts of it to "+
			"files beside it", content.Size, limits.FileSize)
	}
	return split(string(content.Data))
}

// readFile reads another file of a skill, from its directory.
func (f Folder) readFile(ctx context.Context, skill *Skill, name string, limits Limits) (string, error) {
	cleaned := path.Clean(name)
	if path.IsAbs(cleaned) || cleaned == ".." || strings.HasPrefix(cleaned, "../") || strings.Contains(name, `\`) {
		return "", workspace.Errorf(workspace.CodeAccessDenied, name,
			"it is not in the skill's directory: give a path relative to that, such as references/more.md")
	}
	content, err := f.Files.Read(ctx, path.Join(skill.Path, cleaned), 0, limits.FileSize)
	if err != nil {
		return "", err
	}
	if content.Size > limits.FileSize {
		return "", workspace.Errorf(workspace.CodeTooLarge, name,
			"it has %d bytes, more than the %d that can be read of a skill's file (skills.max_size)", content.Size,
			limits.FileSize)
	}
	if !utf8.Valid(content.Data) {
		return "", workspace.Errorf(workspace.CodeInvalidArgument, name, "it is not UTF-8 text")
	}
	return string(content.Data), nil
}

// File is a file of a skill.
type File struct {
	Path string // in the skill's directory
	Size int64
}

// maxFiles is how many files of a skill are listed.
const maxFiles = 100

// files lists what a skill has beside its SKILL.md.
func (f Folder) files(ctx context.Context, skill *Skill) ([]File, error) {
	listing, err := f.Files.List(ctx, skill.Path, workspace.ListOptions{Recursive: true, Limit: 10 * maxFiles})
	if err != nil {
		return nil, fmt.Errorf("list the files of the skill %s: %w", skill.Name, err)
	}
	list := []File{}
	for _, entry := range listing.Entries {
		name := strings.TrimPrefix(entry.Path, skill.Path+"/")
		if entry.Type == workspace.TypeFile && name != FileName && len(list) < maxFiles {
			list = append(list, File{Path: strings.ToValidUTF8(name, "�"), Size: entry.Size})
		}
	}
	return list, nil
}

func isCode(err error, codes ...workspace.Code) bool {
	var own *workspace.Error
	if !errors.As(err, &own) {
		return false
	}
	for _, code := range codes {
		if own.Code == code {
			return true
		}
	}
	return false
}
