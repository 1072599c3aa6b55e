package api

import (
	"context"

	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
	"nanoclaw/internal/store"
)

// FoundConversation is an entry of the list, with what a search found in it.
type FoundConversation struct {
	Conversation
	Snippet   string `json:"snippet,omitempty" doc:"Of a search: the text around the newest match."`
	MessageID string `json:"message_id,omitempty" doc:"Of a search: the message with the match; absent where the title matches."`
}

type listConversationsInput struct {
	PageInput
	ProjectID string `query:"project_id"`
	Archived  bool   `query:"archived" doc:"Those that are archived, instead of those that are not. A search finds both."`
	Tag       string `query:"tag" maxLength:"50" doc:"Those that have this tag, in upper or lower case."`
	Q         string `query:"q" maxLength:"1000" doc:"Words that title or messages have. Chinese and Japanese text matches by any part of it."`
}

func (s *server) listConversations(ctx context.Context,
	in *listConversationsInput) (*listOutput[FoundConversation], error) {
	user := currentUser(ctx)
	part, err := s.Store.ListConversations(ctx, user, store.ConversationQuery{ProjectID: in.ProjectID, Q: in.Q,
		Archived: in.Archived, Tag: in.Tag, Page: in.page()})
	if err != nil {
		return nil, err
	}
	active, err := s.activeRuns(ctx, user)
	if err != nil {
		return nil, err
	}
	list := newList(part, func(c *models.Conversation) FoundConversation {
		return FoundConversation{Conversation: *runs.ViewConversation(c, active[c.ID])}
	})
	if in.Q != "" {
		err = s.addSnippets(ctx, user, in, list.Items)
	}
	return &listOutput[FoundConversation]{list}, err
}

// activeRuns are the user's runs that have not ended and do not wait for their
// turn, by conversation.
func (s *server) activeRuns(ctx context.Context, user string) (map[string]string, error) {
	active, err := s.Store.ActiveRunsOfUser(ctx, user)
	if err != nil {
		return nil, err
	}
	byConversation := map[string]string{}
	for _, run := range active {
		if !run.Deferred {
			byConversation[run.ConversationID] = run.ID
		}
	}
	return byConversation, nil
}

// snippetPages bounds how far back the text of a match is looked for. A
// conversation whose match lies further back is found, but shows none.
const snippetPages = 3

func (s *server) addSnippets(ctx context.Context, user string, in *listConversationsInput,
	items []FoundConversation) error {
	missing := make(map[string]*FoundConversation, len(items))
	for i := range items {
		missing[items[i].ID] = &items[i]
	}
	page := store.Page{Limit: store.MaxLimit}
	for range snippetPages {
		if len(missing) == 0 {
			return nil
		}
		hits, err := s.Store.Search(ctx, user, store.SearchQuery{Text: in.Q, ProjectID: in.ProjectID, Page: page})
		if err != nil {
			return err
		}
		for _, hit := range hits.Items {
			if item := missing[hit.ConversationID]; item != nil {
				item.Snippet, item.MessageID = hit.Snippet, hit.MessageID
				delete(missing, hit.ConversationID)
			}
		}
		if page.Cursor = hits.Next; page.Cursor == "" {
			return nil
		}
	}
	return nil
}
