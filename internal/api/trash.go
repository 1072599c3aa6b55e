package api

import (
	"context"
	"net/http"

	"nanoclaw/internal/workspace"
)

// maxTrashList is how many items one answer has, at most.
const maxTrashList = 200

// TrashItem is something of a project that was deleted.
type TrashItem = workspace.TrashItem

type listTrashInput struct {
	PathID
	PageInput
}

type changeTrashInput struct {
	PathID
	Body struct {
		Action string   `json:"action" enum:"restore,purge" doc:"purge: delete for good."`
		IDs    []string `json:"ids,omitempty" maxItems:"1000"`
		All    bool     `json:"all,omitempty" doc:"Every item, instead of ids."`
		To     string   `json:"to,omitempty" doc:"restore of one item: another path than the one that it had."`
	}
}

// TrashOutcome is what came of one item.
type TrashOutcome struct {
	ID   string `json:"id"`
	Path string `json:"path,omitempty" doc:"Where it is now; empty: gone for good."`
}

func (s *server) registerTrash() {
	const tag, route = "Files", "/projects/{id}/trash"
	handle(s, op("GET", route, "list-trash", tag, "What was deleted, the last one first",
		describe("Items count in the project's quota until they are purged; workspace.trash_retention says how long "+
			"they are kept.")), s.listTrash)
	handle(s, op("POST", route, "change-trash", tag, "Restore or purge what was deleted",
		describe("A path that is taken is answered with 409, and nothing more is restored: give to, or move away "+
			"what is there. "+
			"Items before one that fails are done."), status(http.StatusOK)), s.changeTrash)
}

// trashed opens the trash of one of the user's projects.
func (s *server) trashed(ctx context.Context, projectID string) (workspace.Trashed, error) {
	files, err := s.files(ctx, projectID)
	if err != nil {
		return nil, err
	}
	if trashed, ok := files.(workspace.Trashed); ok {
		return trashed, nil
	}
	return nil, newProblem(http.StatusNotImplemented, "unavailable", "the files of this project have no trash")
}

func (s *server) listTrash(ctx context.Context, in *listTrashInput) (*listOutput[TrashItem], error) {
	files, err := s.trashed(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	limit := in.Limit
	if limit <= 0 || limit > maxTrashList {
		limit = maxTrashList
	}
	page, err := files.Trash(ctx, in.Cursor, limit)
	if err != nil {
		return nil, err
	}
	list := wholeList(page.Items)
	if page.Next != "" {
		list.NextCursor = &page.Next
	}
	return &listOutput[TrashItem]{list}, nil
}

func (s *server) changeTrash(ctx context.Context, in *changeTrashInput) (*struct{ Body List[TrashOutcome] }, error) {
	files, err := s.trashed(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	if in.Body.To != "" && (in.Body.Action != "restore" || in.Body.All || len(in.Body.IDs) != 1) {
		return nil, invalidField("body.to", "it is for restoring one item of ids")
	}
	ids := in.Body.IDs
	switch {
	case in.Body.All == (len(ids) > 0):
		return nil, invalidField("body.ids", "name items, or say all: true")
	case in.Body.All:
		if ids, err = allTrash(ctx, files); err != nil {
			return nil, err
		}
	}
	done := []TrashOutcome{}
	for _, id := range ids {
		one := TrashOutcome{ID: id}
		change := fileChange{operation: in.Body.Action + "-trash", project: in.ID, arguments: map[string]any{"id": id,
			"to": in.Body.To}}
		err := s.audited(ctx, change, func() error {
			if in.Body.Action == "purge" {
				return files.Purge(ctx, id)
			}
			entry, err := files.Restore(ctx, id, in.Body.To)
			one.Path = entry.Path
			return err
		})
		if err != nil {
			return nil, err
		}
		done = append(done, one)
	}
	return &struct{ Body List[TrashOutcome] }{*wholeList(done)}, nil
}

func allTrash(ctx context.Context, files workspace.Trashed) (ids []string, err error) {
	for after := ""; ; {
		page, err := files.Trash(ctx, after, 1000)
		if err != nil {
			return nil, err
		}
		for _, item := range page.Items {
			ids = append(ids, item.ID)
		}
		if after = page.Next; after == "" {
			return ids, nil
		}
	}
}
