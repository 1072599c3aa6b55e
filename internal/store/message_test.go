package store

import (
	"slices"
	"testing"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// addMessage stores a user's message and makes it the end of the active branch.
func addMessage(tb testing.TB, s *Store, conversationID, parentID, text string) models.Message {
	tb.Helper()
	message := models.Message{ID: NewID(), ConversationID: conversationID, ParentID: parentID, Role: models.RoleUser,
		Text: text, CreatedAt: s.now()}
	must(tb, s.tx(tb.Context(), func(tx *gorm.DB) error {
		if err := s.insertMessage(tx, "u", &message); err != nil {
			return err
		}
		return tx.Model(&models.Conversation{}).Where("id = ?", conversationID).Update("active_leaf_id",
			message.ID).Error
	}))
	return message
}

// tree is a conversation with the branches
//
//	a ─ b ─ c
//	  └ d ─ e
//	f
type tree struct {
	conv             models.Conversation
	a, b, c, d, e, f models.Message
}

func newTree(tb testing.TB, s *Store) tree {
	tb.Helper()
	t := tree{conv: models.Conversation{UserID: "u"}}
	must(tb, s.CreateConversation(tb.Context(), &t.conv))
	t.a = addMessage(tb, s, t.conv.ID, "", "alpha")
	t.b = addMessage(tb, s, t.conv.ID, t.a.ID, "beta")
	t.c = addMessage(tb, s, t.conv.ID, t.b.ID, "gamma")
	t.f = addMessage(tb, s, t.conv.ID, "", "zeta")
	t.d = addMessage(tb, s, t.conv.ID, t.a.ID, "delta")
	t.e = addMessage(tb, s, t.conv.ID, t.d.ID, "epsilon")
	return t
}

func ids(messages []models.Message) []string {
	var out []string
	for _, message := range messages {
		out = append(out, message.ID)
	}
	return out
}

// CH3
func TestABranchGoesFromTheRootToItsLeaf(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		tree := newTree(t, s)
		for leaf, want := range map[string][]string{
			"":        nil,
			tree.a.ID: {tree.a.ID},
			tree.c.ID: {tree.a.ID, tree.b.ID, tree.c.ID},
			tree.e.ID: {tree.a.ID, tree.d.ID, tree.e.ID},
			tree.f.ID: {tree.f.ID},
		} {
			got, err := s.Branch(t.Context(), tree.conv.ID, leaf)
			must(t, err)
			if !slices.Equal(ids(got), want) {
				t.Errorf("the branch to %q is %v, want %v", leaf, ids(got), want)
			}
		}
		_, err := s.Branch(t.Context(), tree.conv.ID, NewID())
		wantCode(t, err, CodeNotFound)
		_, err = s.Branch(t.Context(), NewID(), tree.c.ID)
		wantCode(t, err, CodeNotFound)

		all, err := s.AllMessages(t.Context(), "u", tree.conv.ID)
		must(t, err)
		if want := []string{tree.a.ID, tree.b.ID, tree.c.ID, tree.f.ID, tree.d.ID, tree.e.ID}; !slices.Equal(ids(all),
			want) {
			t.Errorf("all messages are %v, want %v", ids(all), want)
		}
		below, err := s.Children(t.Context(), "u", tree.conv.ID)
		must(t, err)
		if !slices.Equal(below[""], []string{tree.a.ID, tree.f.ID}) || !slices.Equal(below[tree.a.ID],
			[]string{tree.b.ID, tree.d.ID}) ||
			len(below[tree.c.ID]) != 0 {
			t.Errorf("the tree is %v", below)
		}
	})
}

func TestAMessageIsStoredAsItIs(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		conv := models.Conversation{UserID: "u"}
		must(t, s.CreateConversation(t.Context(), &conv))
		stored := models.Message{ID: NewID(), ConversationID: conv.ID, RunID: "r", Role: models.RoleAssistant,
			Text: "zero \u2028 and 😀 ' \" \\ %", Model: "demo", CreatedAt: 5,
			Attachments: []models.Attachment{{UploadID: "x", Name: "a.png", ContentType: "image/png", Size: 3}},
			Steps:       models.RawJSON(`[{"index":0}]`), ToolCalls: models.RawJSON(`[]`),
			Usage: models.RawJSON(`{"total_tokens":3}`)}
		must(t, s.tx(t.Context(), func(tx *gorm.DB) error { return s.insertMessage(tx, "u", &stored) }))
		got, err := s.GetMessage(t.Context(), "u", stored.ID)
		must(t, err)
		if got.Text != stored.Text || string(got.Steps) != string(stored.Steps) ||
			string(got.Usage) != string(stored.Usage) ||
			len(got.Attachments) != 1 || got.Attachments[0] != stored.Attachments[0] || got.CreatedAt != 5 ||
			got.RunID != "r" {
			t.Errorf("stored %+v, read %+v", stored, *got)
		}
	})
}

func TestSwitchBranchFollowsTheNewestAnswers(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		tree := newTree(t, s)
		for _, test := range []struct{ to, want string }{
			{tree.b.ID, tree.c.ID}, {tree.a.ID, tree.e.ID}, {tree.f.ID, tree.f.ID},
		} {
			conv, err := s.SwitchBranch(t.Context(), "u", tree.conv.ID, test.to)
			must(t, err)
			if conv.ActiveLeafID != test.want {
				t.Errorf("the active leaf is %s, want %s", conv.ActiveLeafID, test.want)
			}
		}
		_, err := s.SwitchBranch(t.Context(), "u", tree.conv.ID, NewID())
		wantCode(t, err, CodeNotFound)
	})
}

func TestDeleteMessageTakesItsSubtreeAndMovesTheActiveLeaf(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		for _, test := range []struct {
			name           string
			active, remove func(tree) models.Message
			leaf           func(tree) string
			left           int
		}{
			{"a leaf, to its parent", func(t tree) models.Message { return t.e },
				func(t tree) models.Message { return t.e },
				func(t tree) string { return t.d.ID }, 5},
			{"a branch, to its sibling's end", func(t tree) models.Message { return t.e },
				func(t tree) models.Message { return t.d },
				func(t tree) string { return t.c.ID }, 4},
			{"a root, to the other root", func(t tree) models.Message { return t.c },
				func(t tree) models.Message { return t.a },
				func(t tree) string { return t.f.ID }, 1},
			{"another branch, not at all", func(t tree) models.Message { return t.c },
				func(t tree) models.Message { return t.d },
				func(t tree) string { return t.c.ID }, 4},
		} {
			t.Run(test.name, func(t *testing.T) {
				s := open(t, newClock())
				tree := newTree(t, s)
				_, err := s.SwitchBranch(t.Context(), "u", tree.conv.ID, test.active(tree).ID)
				must(t, err)
				must(t, s.DeleteMessage(t.Context(), "u", tree.conv.ID, test.remove(tree).ID))
				conv, err := s.GetConversation(t.Context(), "u", tree.conv.ID)
				must(t, err)
				if conv.ActiveLeafID != test.leaf(tree) {
					t.Errorf("the active leaf is %s, want %s", conv.ActiveLeafID, test.leaf(tree))
				}
				all, err := s.AllMessages(t.Context(), "u", tree.conv.ID)
				must(t, err)
				if len(all) != test.left {
					t.Errorf("%d messages are left, want %d", len(all), test.left)
				}
				hits, err := s.Search(t.Context(), "u", SearchQuery{Text: test.remove(tree).Text})
				must(t, err)
				if len(hits.Items) != 0 {
					t.Errorf("the search still finds %v", hits.Items)
				}
			})
		}
	})
}

func TestDeletingTheLastMessageLeavesAnEmptyConversation(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		conv := models.Conversation{UserID: "u"}
		must(t, s.CreateConversation(t.Context(), &conv))
		only := addMessage(t, s, conv.ID, "", "only")
		must(t, s.DeleteMessage(t.Context(), "u", conv.ID, only.ID))
		wantCode(t, s.DeleteMessage(t.Context(), "u", conv.ID, only.ID), CodeNotFound)
		got, err := s.GetConversation(t.Context(), "u", conv.ID)
		must(t, err)
		if got.ActiveLeafID != "" {
			t.Errorf("the active leaf is %q", got.ActiveLeafID)
		}
	})
}

func TestAMessageUnderAnActiveRunCannotBeDeletedAndEndedRunsGoWithTheirMessages(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		tree := newTree(t, s)
		ctx := t.Context()
		run := models.Run{ID: NewID(), ConversationID: tree.conv.ID, UserID: "u", Status: models.RunRunning,
			UserMessageID: tree.d.ID}
		run.RootRunID = run.ID
		child := models.Run{ID: NewID(), ConversationID: tree.conv.ID, RootRunID: run.ID, ParentRunID: run.ID,
			Status: models.RunCompleted}
		waiting := models.Run{ID: NewID(), ConversationID: tree.conv.ID, Status: models.RunQueued, Deferred: true,
			ParentMessageID: tree.c.ID}
		waiting.RootRunID = waiting.ID
		must(t, s.tx(ctx, func(tx *gorm.DB) error { return tx.Create([]*models.Run{&run, &child, &waiting}).Error }))

		wantCode(t, s.DeleteMessage(ctx, "u", tree.conv.ID, tree.d.ID), CodeConflict)
		wantCode(t, s.DeleteMessage(ctx, "u", tree.conv.ID, tree.a.ID), CodeConflict)
		wantCode(t, s.DeleteMessage(ctx, "u", tree.conv.ID, tree.c.ID), CodeConflict)
		must(t, s.DeleteMessage(ctx, "u", tree.conv.ID, tree.f.ID))

		must(t, s.db.Model(&run).Update("status", models.RunCompleted).Error)
		must(t, s.DeleteMessage(ctx, "u", tree.conv.ID, tree.d.ID))
		var left []string
		must(t, s.db.Model(&models.Run{}).Pluck("id", &left).Error)
		if !slices.Equal(left, []string{waiting.ID}) {
			t.Errorf("the runs %v are left, want %v", left, waiting.ID)
		}
	})
}
