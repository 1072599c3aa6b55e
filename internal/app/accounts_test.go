package app

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"testing"
	"time"

	"nanoclaw/internal/accounts"
	"nanoclaw/internal/config"
	"nanoclaw/internal/llm/llmtest"
	"nanoclaw/internal/models"
	"nanoclaw/internal/runs"
)

// peopleApp is an app of auth_mode multi with a user's and an administrator's account.
func peopleApp(t *testing.T, model string, change func(c *config.Config)) (a *App, user, admin *models.User) {
	t.Helper()
	a = appWith(t, func(c *config.Config) {
		c.AuthMode, c.DefaultModel = "multi", "m"
		c.Models = []config.Model{{ID: "m", Provider: "openai", BaseURL: model, APIKey: "k"}}
		change(c)
	})
	user = &models.User{Name: "ben", Role: models.AccountUser}
	admin = &models.User{Name: "anna", Role: models.AccountAdmin}
	for _, one := range []*models.User{user, admin} {
		if err := a.Store.CreateUser(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
	return a, user, admin
}

// US6: a user has the quota of the role, as config.yml says it now, unless an administrator has
// given another one; in single mode nobody has any.
func TestAQuotaIsTheRolesUnlessItIsOnesOwn(t *testing.T) {
	t.Parallel()
	var c *config.Config
	a, user, admin := peopleApp(t, "http://127.0.0.1:9", func(own *config.Config) {
		own.Quotas.User = config.Quota{Tokens: 1000, Cost: 1.5, Runs: 2, Storage: 5 << 20, Models: []string{"m"},
			Agents: []string{"default"}}
		own.Quotas.Admin = config.Quota{Tokens: 9000}
		c = own
	})
	viewer := &models.User{Name: "eve", Role: models.AccountViewer}
	if err := a.Store.CreateUser(t.Context(), viewer); err != nil {
		t.Fatal(err)
	}
	want := func(who *models.User, want models.Quota) {
		t.Helper()
		got, err := a.quota(t.Context(), who.ID)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("the quota of %s is %+v, %v, want %+v", who.Name, got, err, want)
		}
	}
	ofUsers := models.Quota{TokensPerDay: 1000, CostPerDay: 1.5, ConcurrentRuns: 2, Storage: 5 << 20,
		Models: []string{"m"}, Agents: []string{"default"}}
	want(user, ofUsers)
	want(viewer, ofUsers)
	want(admin, models.Quota{TokensPerDay: 9000})
	own := models.Quota{TokensPerDay: 5}
	give := func(quota *models.Quota) {
		t.Helper()
		_, err := a.Store.UpdateUser(t.Context(), user.ID, func(u *models.User) error {
			u.Quota = quota
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	give(&own)
	want(user, own)
	give(&models.Quota{}) // no limit at all, whatever the role has
	want(user, models.Quota{})
	give(nil)
	ofUsers.TokensPerDay, c.Quotas.User.Tokens = 2000, 2000
	want(user, ofUsers)
	if _, err := a.quota(t.Context(), "nobody"); err == nil {
		t.Error("who does not exist has a quota")
	}
	a.accounts = nil
	want(user, models.Quota{})
}

// US6: the quota of the role refuses a run.
func TestTheQuotaOfARoleHolds(t *testing.T) {
	t.Parallel()
	a, user, _ := peopleApp(t, "http://127.0.0.1:9", func(c *config.Config) {
		c.Quotas.User.Models = []string{"another"}
	})
	conversation := &models.Conversation{UserID: user.ID, Model: "m"}
	if err := a.Store.CreateConversation(t.Context(), conversation); err != nil {
		t.Fatal(err)
	}
	_, err := a.Runs.StartTurn(t.Context(), runs.StartRequest{UserID: user.ID, ConversationID: conversation.ID,
		Text: "hello"})
	var refused *runs.InvalidError
	if !errors.As(err, &refused) || refused.Code != "model_not_allowed" {
		t.Errorf("the run is refused with %v", err)
	}
}

// US1: what the command line disables beside a running server stops working, runs included.
func TestAnAccountThatTheCommandLineDisablesStops(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(t)
	gate := llmtest.NewGate()
	t.Cleanup(gate.Release)
	model.On(llmtest.Any()).Reply(llmtest.Text("late").At(gate))
	a, user, _ := peopleApp(t, model.URL(), func(*config.Config) {})
	conversation := &models.Conversation{UserID: user.ID, Model: "m"}
	if err := a.Store.CreateConversation(t.Context(), conversation); err != nil {
		t.Fatal(err)
	}
	run, err := a.Runs.StartTurn(t.Context(), runs.StartRequest{UserID: user.ID, ConversationID: conversation.ID,
		Text: "go"})
	if err != nil {
		t.Fatal(err)
	}
	<-gate.Reached()
	service, closeStore, err := Accounts(t.Context(), a.Live.Current(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	yes := true
	_, err = service.Update(t.Context(), user.ID, accounts.Change{Disabled: &yes})
	if err != nil {
		t.Fatal(err)
	}
	if err := closeStore(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	watch, err := a.Runs.WatchRun(ctx, user.ID, run.ID, "")
	for err == nil {
		_, err = watch.Next(ctx)
	}
	if ctx.Err() != nil {
		t.Fatal("the run goes on")
	}
	if done, err := a.Store.Run(t.Context(), user.ID, run.ID); err != nil || done.Status != models.RunCancelled {
		t.Errorf("the run is %+v, %v", done, err)
	}
}
