package skills

import (
	"context"
	"fmt"

	"nanoclaw/internal/workspace"
)

// Save writes the SKILL.md of a user's own skill, which is made where it is missing. The
// error is invalid_arguments where it could not be used.
func (s *Service) Save(ctx context.Context, userID, name, text string) error {
	limits := s.Limits()
	if err := checkText(name, text, limits); err != nil {
		return &workspace.Error{Code: workspace.CodeInvalidArgument, Path: shortened(name), Message: err.Error()}
	}
	files, err := s.User(userID, true)
	if err != nil {
		return err
	}
	list, err := (Folder{Level: User, Files: files, Dir: "."}).list(ctx, limits)
	if err != nil {
		return err
	}
	others := 0
	for _, skill := range list {
		if skill.Name != name {
			others++
		}
	}
	if others >= limits.Count {
		return workspace.Errorf(workspace.CodeQuotaExceeded, name,
			"you have %d skills, and no more are used (skills.max_count): delete one first", others)
	}
	_, err = files.Write(ctx, name+"/"+FileName, []byte(text), workspace.WriteOptions{})
	return err
}

func checkText(name, text string, limits Limits) error {
	if int64(len(text)) > limits.FileSize {
		return fmt.Errorf("SKILL.md has %d bytes, more than the %d of skills.max_size", len(text), limits.FileSize)
	}
	front, _, err := split(text)
	if err != nil {
		return err
	}
	described, err := parse(front)
	if err != nil {
		return err
	}
	return described.check(name)
}

// Delete removes a user's own skill with all its files.
func (s *Service) Delete(ctx context.Context, userID, name string) error {
	if !skillName.MatchString(name) {
		return workspace.Errorf(workspace.CodeNotFound, shortened(name), "you have no such skill")
	}
	files, err := s.User(userID, false)
	if err != nil {
		return err
	}
	err = files.Delete(ctx, name, workspace.DeleteOptions{Recursive: true, Permanent: true})
	if isCode(err, workspace.CodeNotFound) {
		return workspace.Errorf(workspace.CodeNotFound, name, "you have no such skill")
	}
	return err
}
