package undo

import (
	"context"
	"fmt"
	"io"
	"path"
	"strings"

	"nanoclaw/internal/workspace"
)

// Before is the content of a file before a root run changed it first; nil where the
// run has not changed it, where it was no file, and where its content was not kept.
func (s *Service) Before(ctx context.Context, rootRunID, projectID, name string) ([]byte, error) {
	cleaned := strings.TrimPrefix(path.Clean("/"+name), "/")
	row, err := s.Store.RunChange(ctx, rootRunID, projectID, []byte(cleaned))
	if err != nil || row == nil || !row.Kept || row.BeforeKind != string(workspace.TypeFile) {
		return nil, err
	}
	f, err := s.versions.open(row.BeforeETag)
	if err != nil {
		return nil, nil // swept
	}
	defer f.Close()
	content, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("read what %q held before the run: %w", name, err)
	}
	return content, nil
}
