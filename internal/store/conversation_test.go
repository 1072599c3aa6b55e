package store

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// CH1
func TestAConversationIsStoredAsItIs(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		clock := newClock()
		s := open(t, clock)
		warm := 0.7
		conv := models.Conversation{UserID: "u", Title: "A title", TitleGiven: true, Agent: "main", Model: "demo",
			SystemPrompt: "be kind", Temperature: &warm, MaxTokens: 9, Thinking: "on", ToolsEnabled: true, Pinned: true}
		must(t, s.CreateConversation(t.Context(), &conv))
		got, err := s.GetConversation(t.Context(), "u", conv.ID)
		must(t, err)
		if got.Temperature == nil || *got.Temperature != warm {
			t.Errorf("the temperature is %v", got.Temperature)
		}
		got.Temperature = conv.Temperature
		if !reflect.DeepEqual(*got, conv) {
			t.Errorf("stored %+v, read %+v", conv, *got)
		}
		if conv.Version != 1 || conv.CreatedAt != models.TimeOf(clock.now()) || conv.UpdatedAt != conv.CreatedAt {
			t.Errorf("a new conversation has version %d, times %v and %v", conv.Version, conv.CreatedAt, conv.UpdatedAt)
		}
	})
}

func TestUpdateConversationChecksTheVersionAndKeepsWhatIsNotToChange(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		clock := newClock()
		s := open(t, clock)
		conv := models.Conversation{UserID: "u", Title: "old", Pinned: true}
		must(t, s.CreateConversation(t.Context(), &conv))
		clock.advance(time.Minute)

		got, err := s.UpdateConversation(t.Context(), "u", conv.ID, 1, func(c *models.Conversation) error {
			c.Title, c.Pinned = "new", false
			c.ID, c.UserID, c.CreatedAt, c.Version = "x", "x", 1, 77
			return nil
		})
		must(t, err)
		stored, err := s.GetConversation(t.Context(), "u", conv.ID)
		must(t, err)
		if !reflect.DeepEqual(*got, *stored) {
			t.Errorf("returned %+v, stored %+v", *got, *stored)
		}
		if stored.Title != "new" || stored.Pinned || stored.Version != 2 || stored.CreatedAt != conv.CreatedAt ||
			stored.UpdatedAt != models.TimeOf(clock.now()) {
			t.Errorf("after the change it is %+v", *stored)
		}

		nothing := func(*models.Conversation) error { return nil }
		_, err = s.UpdateConversation(t.Context(), "u", conv.ID, 1, nothing)
		wantCode(t, err, CodePreconditionFailed)
		_, err = s.UpdateConversation(t.Context(), "u", conv.ID, 0, nothing)
		must(t, err)

		refused := errors.New("refused")
		if _, err = s.UpdateConversation(t.Context(), "u", conv.ID, 0, func(c *models.Conversation) error {
			c.Title = "lost"
			return refused
		}); !errors.Is(err, refused) {
			t.Errorf("the error is %v", err)
		}
		if stored, err = s.GetConversation(t.Context(), "u", conv.ID); err != nil || stored.Title != "new" ||
			stored.Version != 3 {
			t.Errorf("after a refused change it is %+v, %v", stored, err)
		}
		_, err = s.UpdateConversation(t.Context(), "u", conv.ID, 0, func(c *models.Conversation) error {
			c.ActiveLeafID = NewID()
			return nil
		})
		wantCode(t, err, CodeNotFound)
	})
}

func TestWhatBelongsToAnotherUserIsNotFound(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		ctx := t.Context()
		project := models.Project{UserID: "ann", Name: "p"}
		must(t, s.CreateProject(ctx, &project))
		conv := models.Conversation{UserID: "ann", Title: "secret", ProjectID: project.ID}
		must(t, s.CreateConversation(ctx, &conv))
		message := addMessage(t, s, conv.ID, "", "secret words")
		upload := models.Upload{UserID: "ann", Name: "f", Data: []byte("x")}
		must(t, s.CreateUpload(ctx, &upload))

		for name, do := range map[string]func() error{
			"get a project":    func() error { _, err := s.GetProject(ctx, "bob", project.ID); return err },
			"delete a project": func() error { return s.DeleteProject(ctx, "bob", project.ID, 0) },
			"use a project": func() error {
				return s.CreateConversation(ctx, &models.Conversation{UserID: "bob", ProjectID: project.ID})
			},
			"get":               func() error { _, err := s.GetConversation(ctx, "bob", conv.ID); return err },
			"delete":            func() error { return s.DeleteConversation(ctx, "bob", conv.ID, 0) },
			"export":            func() error { _, err := s.ExportConversation(ctx, "bob", conv.ID); return err },
			"read all messages": func() error { _, err := s.AllMessages(ctx, "bob", conv.ID); return err },
			"read the tree":     func() error { _, err := s.Children(ctx, "bob", conv.ID); return err },
			"get a message":     func() error { _, err := s.GetMessage(ctx, "bob", message.ID); return err },
			"delete a message":  func() error { return s.DeleteMessage(ctx, "bob", conv.ID, message.ID) },
			"switch":            func() error { _, err := s.SwitchBranch(ctx, "bob", conv.ID, message.ID); return err },
			"get an upload":     func() error { _, err := s.GetUpload(ctx, "bob", upload.ID); return err },
			"see an upload":     func() error { _, err := s.UploadInfo(ctx, "bob", []string{upload.ID}); return err },
			"delete an upload":  func() error { return s.DeleteUpload(ctx, "bob", upload.ID) },
			"change": func() error {
				_, err := s.UpdateConversation(ctx, "bob", conv.ID, 0, func(*models.Conversation) error { return nil })
				return err
			},
			"change a project": func() error {
				_, err := s.UpdateProject(ctx, "bob", project.ID, 0, func(*models.Project) error { return nil })
				return err
			},
		} {
			if err := do(); !IsCode(err, CodeNotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
		for _, query := range []ConversationQuery{{}, {ProjectID: project.ID}, {Q: "secret"}} {
			if list, err := s.ListConversations(ctx, "bob", query); err != nil || len(list.Items) > 0 {
				t.Errorf("the list %+v holds %v, %v", query, list.Items, err)
			}
		}
		if hits, err := s.Search(ctx, "bob", SearchQuery{Text: "secret"}); err != nil || len(hits.Items) > 0 {
			t.Errorf("the search found %v, %v", hits.Items, err)
		}
		if projects, err := s.ListProjects(ctx, "bob", ProjectQuery{}); err != nil || len(projects.Items) > 0 {
			t.Errorf("the projects are %v, %v", projects.Items, err)
		}
	})
}

func TestDeletingAConversationDeletesAllBelowItButUsageAndAudit(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		ctx := t.Context()
		conv := models.Conversation{UserID: "u", Title: "doomed"}
		must(t, s.CreateConversation(ctx, &conv))
		message := addMessage(t, s, conv.ID, "", "doomed too")
		must(t, s.tx(ctx, func(tx *gorm.DB) error {
			run := models.Run{ID: NewID(), ConversationID: conv.ID, UserID: "u", Status: models.RunCompleted,
				UserMessageID: message.ID}
			run.RootRunID = run.ID
			must(t, tx.Create(&run).Error)
			must(t, tx.Create(&models.Step{ID: NewID(), RunID: run.ID, RootRunID: run.ID}).Error)
			must(t, tx.Create(&models.ToolCall{ID: NewID(), RunID: run.ID, RootRunID: run.ID}).Error)
			must(t, tx.Create(&models.Approval{ID: NewID(), CallID: NewID(), RunID: run.ID}).Error)
			return tx.Create(&models.TokenUsage{ID: NewID(), StepID: NewID(), UserID: "u", ConversationID: conv.ID,
				Day: "2026-01-01"}).Error
		}))
		must(t, s.AppendAudit(ctx, []*models.Audit{{ConversationID: conv.ID}}))
		must(t, s.chainPending(ctx))

		wantCode(t, s.DeleteConversation(ctx, "u", conv.ID, 7), CodePreconditionFailed)
		must(t, s.DeleteConversation(ctx, "u", conv.ID, 1))
		wantCode(t, s.DeleteConversation(ctx, "u", conv.ID, 0), CodeNotFound)
		for model, want := range map[any]int64{&models.Message{}: 0, &models.Run{}: 0, &models.Step{}: 0,
			&models.ToolCall{}: 0,
			&models.Approval{}: 0, &searchDocument{}: 0, &models.TokenUsage{}: 1, &models.Audit{}: 1} {
			var n int64
			must(t, s.db.Model(model).Count(&n).Error)
			if n != want {
				t.Errorf("%T: %d rows are left, want %d", model, n, want)
			}
		}
		if hits, err := s.Search(ctx, "u", SearchQuery{Text: "doomed"}); err != nil || len(hits.Items) > 0 {
			t.Errorf("the search still finds %v, %v", hits.Items, err)
		}
	})
}

func TestDeletingAProjectDeletesItsConversationsAlone(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		ctx := t.Context()
		project := models.Project{UserID: "u", Name: "p"}
		must(t, s.CreateProject(ctx, &project))
		inside := models.Conversation{UserID: "u", Title: "inside", ProjectID: project.ID}
		outside := models.Conversation{UserID: "u", Title: "outside"}
		must(t, s.CreateConversation(ctx, &inside))
		must(t, s.CreateConversation(ctx, &outside))
		must(t, s.DeleteProject(ctx, "u", project.ID, 1))
		_, err := s.GetProject(ctx, "u", project.ID)
		wantCode(t, err, CodeNotFound)
		_, err = s.GetConversation(ctx, "u", inside.ID)
		wantCode(t, err, CodeNotFound)
		_, err = s.GetConversation(ctx, "u", outside.ID)
		must(t, err)
	})
}

func TestListsAreNewestFirstAndCursorsLoseNothingWhileRowsAreAdded(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		clock := newClock()
		s := open(t, clock)
		var want []string
		for i := range 25 {
			if i%5 == 0 { // five share each moment
				clock.advance(time.Second)
			}
			conv := models.Conversation{UserID: "u", Title: fmt.Sprint("number ", i)}
			must(t, s.CreateConversation(t.Context(), &conv))
			want = append(want, conv.ID)
		}
		slices.Reverse(want)
		for _, q := range []string{"", "number"} {
			var got []string
			query := ConversationQuery{Q: q, Page: Page{Limit: 4}}
			for {
				page, err := s.ListConversations(t.Context(), "u", query)
				must(t, err)
				for _, conv := range page.Items {
					got = append(got, conv.ID)
				}
				if page.Next == "" {
					break
				}
				query.Cursor = page.Next
				clock.advance(time.Second)
				must(t, s.CreateConversation(t.Context(), &models.Conversation{UserID: "u", Title: "added meanwhile"}))
			}
			got = slices.DeleteFunc(got, func(id string) bool { return !slices.Contains(want, id) })
			if !slices.Equal(got, want) {
				t.Errorf("q=%q: the pages held\n%v, want\n%v", q, got, want)
			}
		}
	})
}

func TestLimitsAndCursorsAreChecked(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		for range 210 {
			must(t, s.CreateConversation(t.Context(), &models.Conversation{UserID: "u"}))
		}
		for limit, want := range map[int]int{0: 50, 7: 7, 200: 200, 5000: 200} {
			list, err := s.ListConversations(t.Context(), "u", ConversationQuery{Page: Page{Limit: limit}})
			must(t, err)
			if len(list.Items) != want || list.Next == "" {
				t.Errorf("limit %d gave %d rows and the cursor %q", limit, len(list.Items), list.Next)
			}
		}
		_, err := s.ListConversations(t.Context(), "u", ConversationQuery{Page: Page{Cursor: position{No: 7}.cursor()}})
		wantCode(t, err, CodeInvalidArgument) // of another list
		_, err = s.ListAudit(t.Context(), AuditQuery{Page: Page{Cursor: position{At: 7, ID: "x"}.cursor()}})
		wantCode(t, err, CodeInvalidArgument)
		for _, page := range []Page{{Limit: -1}, {Cursor: "?"}, {Cursor: "bm9uc2Vuc2U"}} {
			_, err = s.ListConversations(t.Context(), "u", ConversationQuery{Page: page})
			wantCode(t, err, CodeInvalidArgument)
			_, err = s.Search(t.Context(), "u", SearchQuery{Text: "x", Page: page})
			wantCode(t, err, CodeInvalidArgument)
			_, err = s.ListAudit(t.Context(), AuditQuery{Page: page})
			wantCode(t, err, CodeInvalidArgument)
		}
	})
}

func TestListsFilterByProjectAndWords(t *testing.T) {
	onEachEngine(t, func(t *testing.T, open openFunc) {
		s := open(t, newClock())
		ctx := t.Context()
		project := models.Project{UserID: "u", Name: "100% Done"}
		must(t, s.CreateProject(ctx, &project))
		in := models.Conversation{UserID: "u", Title: "green apples", ProjectID: project.ID}
		out := models.Conversation{UserID: "u", Title: "fruit"}
		must(t, s.CreateConversation(ctx, &in))
		must(t, s.CreateConversation(ctx, &out))
		addMessage(t, s, out.ID, "", "apples and pears")
		for _, test := range []struct {
			query ConversationQuery
			want  []string
		}{
			{ConversationQuery{}, []string{out.ID, in.ID}},
			{ConversationQuery{ProjectID: project.ID}, []string{in.ID}},
			{ConversationQuery{Q: "apple"}, []string{out.ID, in.ID}},
			{ConversationQuery{Q: "apple", ProjectID: project.ID}, []string{in.ID}},
			{ConversationQuery{Q: "pear"}, []string{out.ID}},
			{ConversationQuery{Q: "plum"}, nil},
			{ConversationQuery{Q: "?!"}, nil},
		} {
			list, err := s.ListConversations(ctx, "u", test.query)
			must(t, err)
			var got []string
			for _, conv := range list.Items {
				got = append(got, conv.ID)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%+v gave %v, want %v", test.query, got, test.want)
			}
		}
		for q, want := range map[string]int{"": 1, "done": 1, "0% d": 1, "1_0": 0, "%": 1, `\`: 0} {
			list, err := s.ListProjects(ctx, "u", ProjectQuery{Q: q})
			must(t, err)
			if len(list.Items) != want {
				t.Errorf("projects with %q: %d, want %d", q, len(list.Items), want)
			}
		}
	})
}
