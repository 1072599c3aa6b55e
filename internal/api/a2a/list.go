package a2a

import (
	"net/http"
	"slices"
	"time"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// listParams is ListTasksRequest.
type listParams struct {
	ContextID        string     `json:"contextId"`
	Status           string     `json:"status"`
	PageSize         *int       `json:"pageSize"`
	PageToken        string     `json:"pageToken"`
	HistoryLength    *int       `json:"historyLength"`
	After            *time.Time `json:"statusTimestampAfter"`
	IncludeArtifacts bool       `json:"includeArtifacts"`
}

// The sizes of a page that the protocol sets.
const (
	defaultPageSize = 50
	maxPageSize     = 100
)

// otherStates are the protocol's that no task of this server has.
var otherStates = []string{"TASK_STATE_REJECTED", "TASK_STATE_AUTH_REQUIRED"}

// listTasks answers with the tasks that the user can see, last changed first.
func (h *handler) listTasks(w http.ResponseWriter, r *http.Request, c *call) error {
	ctx := r.Context()
	var params listParams
	if err := c.params(&params); err != nil {
		return err
	}
	query, err := params.query()
	if err != nil {
		return err
	}
	found, total, err := h.Store.RootRuns(ctx, h.User(ctx), query)
	if err != nil {
		return err
	}
	tasks := make([]object, len(found.Items))
	for i := range found.Items {
		if tasks[i], err = h.viewRun(ctx, &found.Items[i], params.HistoryLength, params.IncludeArtifacts); err != nil {
			return err
		}
	}
	return c.answer(w, object{"tasks": tasks, "nextPageToken": found.Next, "pageSize": query.Limit, "totalSize": total})
}

func (p *listParams) query() (store.RunQuery, error) {
	query := store.RunQuery{ConversationID: p.ContextID, Page: store.Page{Limit: defaultPageSize, Cursor: p.PageToken}}
	if p.PageSize != nil {
		query.Limit = *p.PageSize
	}
	if query.Limit < 1 || query.Limit > maxPageSize {
		return query, fail(invalidParams, "pageSize is %d, but must be from 1 to %d", query.Limit, maxPageSize)
	}
	if p.After != nil {
		query.ChangedSince = models.TimeOf(*p.After)
	}
	if p.Status != "" && p.Status != "TASK_STATE_UNSPECIFIED" {
		query.Statuses = []string{}
		for status, state := range states {
			if state == p.Status {
				query.Statuses = append(query.Statuses, status)
			}
		}
		if len(query.Statuses) == 0 && !slices.Contains(otherStates, p.Status) {
			return query, fail(invalidParams, "there is no status %q: use one such as TASK_STATE_WORKING", p.Status)
		}
	}
	return query, checkHistory(p.HistoryLength)
}
