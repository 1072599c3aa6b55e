package triggers_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"nanoclaw/internal/app"
	"nanoclaw/internal/config"
	"nanoclaw/internal/models"
	"nanoclaw/internal/redact"
	"nanoclaw/internal/store"
	"nanoclaw/internal/triggers"
)

// house is a server without HTTP whose triggers have a clock of their own.
type house struct {
	t   *testing.T
	app *app.App
	now time.Time
	*triggers.Service
}

func newHouse(t *testing.T, now time.Time) *house {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "config.yml")
	text := "data_dir: " + dir + "/data\nworkspace_root: " + dir + "/ws\n" +
		"llm: { discover_env: false, discover_ollama: false }\nmodels: []\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	logger := slog.New(slog.NewTextHandler(t.Output(), nil))
	live, err := config.Open(config.Source{Path: file}, logger)
	if err != nil {
		t.Fatal(err)
	}
	redactor, err := redact.New(redact.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.New(t.Context(), live, redactor, logger, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	h := &house{t: t, app: a, now: now}
	h.Service = triggers.New(triggers.Options{Store: a.Store, Runs: a.Runs, Logger: logger,
		Now: func() time.Time { return h.now }})
	return h
}

func (h *house) schedule(change func(*models.Schedule)) *models.Schedule {
	h.t.Helper()
	made := &models.Schedule{ID: store.NewID(), UserID: models.LocalUserID, Name: "daily", Cron: "30 2 * * *",
		Timezone: "Europe/Berlin", Target: models.Target{Text: "hello"}, Enabled: true, Source: models.SourceAPI}
	if change != nil {
		change(made)
	}
	if err := h.Plan(made, nil); err != nil {
		h.t.Fatal(err)
	}
	if err := store.SaveTrigger(h.t.Context(), h.app.Store, made); err != nil {
		h.t.Fatal(err)
	}
	return made
}

func (h *house) at(now time.Time) {
	h.t.Helper()
	h.now = now
	if err := h.Tick(h.t.Context()); err != nil {
		h.t.Fatal(err)
	}
}

// firings are what came of a trigger, oldest first, as outcome and moment.
func (h *house) firings(id string) []string {
	h.t.Helper()
	var all []string
	for page := (store.Page{Limit: 200}); ; {
		list, err := h.app.Store.Firings(h.t.Context(), id, page)
		if err != nil {
			h.t.Fatal(err)
		}
		for _, one := range list.Items {
			all = append(all, one.Outcome+" "+one.DueAt.Std().Format(time.RFC3339))
		}
		if page.Cursor = list.Next; page.Cursor == "" {
			slices.Sort(all)
			return all
		}
	}
}

// end ends the last run of a schedule, as if it had been worked on.
func (h *house) end(id string) {
	h.t.Helper()
	schedule, err := store.GetTrigger[models.Schedule](h.t.Context(), h.app.Store, "", id)
	if err != nil {
		h.t.Fatal(err)
	}
	if schedule.LastRunID == "" {
		return
	}
	err = h.app.Store.InTx(h.t.Context(), func(tx *store.Tx) error {
		_, err := tx.EndRun(&models.Run{ID: schedule.LastRunID, RootRunID: schedule.LastRunID,
			Status: models.RunCompleted})
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

var march28 = time.Date(2026, 3, 27, 12, 0, 0, 0, time.UTC)

// IF7: over the change to summer time each day has its run, once, and a tick more
// fires nothing.
func TestAScheduleFiresEveryDayOnce(t *testing.T) {
	t.Parallel()
	h := newHouse(t, march28)
	made := h.schedule(nil)
	for now := march28; now.Before(march28.AddDate(0, 0, 3)); now = now.Add(10 * time.Minute) {
		h.at(now)
		h.at(now)
		h.end(made.ID)
	}
	want := []string{"started 2026-03-28T01:30:00Z", "started 2026-03-29T01:00:00Z", "started 2026-03-30T00:30:00Z"}
	if got := h.firings(made.ID); !slices.Equal(got, want) {
		t.Errorf("firings %v", got)
	}
}

// IF7: a clock that is set back fires nothing twice.
func TestAClockThatJumpsBackFiresNothingTwice(t *testing.T) {
	t.Parallel()
	h := newHouse(t, march28)
	made := h.schedule(nil)
	due := made.NextAt.Std()
	for _, offset := range []time.Duration{time.Second, -3 * time.Hour, -time.Hour, 0, time.Second, -24 * time.Hour,
		time.Hour} {
		h.at(due.Add(offset))
		h.end(made.ID)
	}
	if got := h.firings(made.ID); len(got) != 1 {
		t.Errorf("firings %v", got)
	}
}

// IF7: of many replicas that see the same moment one has it.
func TestOfManyReplicasOneFires(t *testing.T) {
	t.Parallel()
	h := newHouse(t, march28)
	made := h.schedule(func(s *models.Schedule) { s.Cron = "* * * * *"; s.Overlap = models.OverlapQueue })
	h.now = made.NextAt.Std()
	var replicas sync.WaitGroup
	for range 16 {
		replicas.Go(func() {
			if err := h.Tick(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	replicas.Wait()
	conversations, err := h.app.Store.ListConversations(t.Context(), models.LocalUserID, store.ConversationQuery{})
	if got := h.firings(made.ID); err != nil || len(got) != 1 || len(conversations.Items) != 1 {
		t.Errorf("firings %v, %d conversations, %v", got, len(conversations.Items), err)
	}
}

// IF7: moments at which no server ran are left out, or the last is made up for.
func TestMissedMomentsFollowThePolicy(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]string{
		models.MissedSkip: "skipped 2026-03-28T01:30:00Z",
		models.MissedOnce: "started 2026-04-02T00:30:00Z",
	} {
		h := newHouse(t, march28)
		made := h.schedule(func(s *models.Schedule) { s.Missed = policy })
		later := time.Date(2026, 4, 2, 9, 0, 0, 0, time.UTC)
		h.at(later)
		h.at(later.Add(time.Second))
		if got := h.firings(made.ID); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: firings %v", policy, got)
		}
		h.end(made.ID)
		h.at(time.Date(2026, 4, 3, 0, 30, 0, 0, time.UTC))
		if got := h.firings(made.ID); len(got) != 2 || got[len(got)-1] != "started 2026-04-03T00:30:00Z" {
			t.Errorf("%s: firings %v", policy, got)
		}
	}
}

// IF7: while the last run is at work, a moment is left out or waits for its end.
func TestOverlapFollowsThePolicy(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string][]string{
		models.OverlapSkip:  {"skipped 2026-03-28T00:02:00Z", "started 2026-03-28T00:01:00Z"},
		models.OverlapQueue: {"started 2026-03-28T00:01:00Z", "started 2026-03-28T00:02:00Z"},
	} {
		begin := time.Date(2026, 3, 28, 0, 0, 30, 0, time.UTC)
		h := newHouse(t, begin)
		made := h.schedule(func(s *models.Schedule) { s.Cron, s.Overlap = "* * * * *", policy })
		h.at(begin.Add(30 * time.Second))
		h.at(begin.Add(90 * time.Second)) // the first run has not ended
		h.end(made.ID)
		h.at(begin.Add(95 * time.Second))
		if got := h.firings(made.ID); !slices.Equal(got, want) {
			t.Errorf("%s: firings %v", policy, got)
		}
	}
}

// IF7: a paused schedule rests, one whose project is gone says so, jitter delays, and
// "run now" fires beside all that.
func TestPauseFailureJitterAndRunNow(t *testing.T) {
	t.Parallel()
	h := newHouse(t, march28)
	paused := h.schedule(func(s *models.Schedule) { s.Enabled = false })
	broken := h.schedule(func(s *models.Schedule) { s.ProjectID = store.NewID() })
	jittered := h.schedule(func(s *models.Schedule) { s.JitterSeconds = 3600 })
	due := paused.NextAt.Std()
	h.at(due)
	if got := h.firings(broken.ID); len(got) != 1 || got[0] != "failed 2026-03-28T01:30:00Z" {
		t.Errorf("without its project: %v", got)
	}
	if got := h.firings(jittered.ID); len(got) != 0 {
		t.Errorf("with jitter, at once: %v", got)
	}
	for minute := range 61 {
		h.at(due.Add(time.Duration(minute) * time.Minute))
	}
	if got := h.firings(jittered.ID); len(got) != 1 {
		t.Errorf("with jitter, an hour later: %v", got)
	}
	if got := h.firings(paused.ID); len(got) != 0 {
		t.Errorf("paused: %v", got)
	}
	if _, err := h.RunNow(t.Context(), paused); err != nil || len(h.firings(paused.ID)) != 1 {
		t.Errorf("run now: %v, %v", err, h.firings(paused.ID))
	}
}

// US4, IF7: what an account starts by itself ends with the account, and with the right to run.
func TestATriggerOfADisabledAccountStartsNothing(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*models.User){
		"disabled": func(u *models.User) { u.DisabledAt = models.Now() },
		"viewer":   func(u *models.User) { u.Role = models.AccountViewer },
	} {
		h := newHouse(t, march28)
		user := &models.User{Name: name, Role: models.AccountUser}
		if err := h.app.Store.CreateUser(t.Context(), user); err != nil {
			t.Fatal(err)
		}
		schedule := h.schedule(func(s *models.Schedule) { s.UserID = user.ID })
		_, err := h.app.Store.UpdateUser(t.Context(), user.ID, func(u *models.User) error {
			change(u)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		h.at(schedule.NextAt.Std())
		if got := h.firings(schedule.ID); len(got) != 1 || got[0] != "failed 2026-03-28T01:30:00Z" {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// IF7: schedules of config.yml are made, changed and taken away with it, and keep their moment.
func TestSchedulesFollowTheConfiguration(t *testing.T) {
	t.Parallel()
	h := newHouse(t, march28)
	one := config.Schedule{Name: "report", Cron: "0 7 * * *", Text: "Report.", Missed: "once", Overlap: "skip",
		Enabled: true}
	sync := func(list ...config.Schedule) []*models.Schedule {
		t.Helper()
		if err := h.Sync(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		stored, err := h.app.Store.SchedulesOf(t.Context(), models.SourceConfig)
		if err != nil {
			t.Fatal(err)
		}
		return stored
	}
	first := sync(one)
	h.now = h.now.AddDate(0, 0, 2)
	one.Text = "Another report."
	second := sync(one)
	if len(first) != 1 || len(second) != 1 || second[0].ID != first[0].ID || second[0].NextAt != first[0].NextAt ||
		second[0].Text != one.Text {
		t.Errorf("first %+v, then %+v", first, second)
	}
	if left := sync(); len(left) != 0 {
		t.Errorf("left %+v", left)
	}
}
