package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"nanoclaw/internal/accounts"
	"nanoclaw/internal/config"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// offerSetUp makes a link for the first administrator where nobody can administer the server.
func (a *App) offerSetUp(ctx context.Context, url string, show func(address string)) error {
	if a.accounts == nil || show == nil {
		return nil
	}
	admins, err := a.Store.CanSignIn(ctx, models.AccountAdmin)
	if err != nil || admins > 0 {
		return err
	}
	secret, err := a.accounts.NewLink(ctx, "")
	if err != nil {
		return err
	}
	show(url + accounts.FirstLinkPath(secret))
	return nil
}

// quota is what a user may use: their own quota, else their role's.
func (a *App) quota(ctx context.Context, userID string) (models.Quota, error) {
	if a.accounts == nil {
		return models.Quota{}, nil
	}
	user, err := a.Store.GetUser(ctx, userID)
	if err != nil {
		return models.Quota{}, err
	}
	if user.Quota != nil {
		return *user.Quota, nil
	}
	of := a.Live.Current().Quotas.User
	if user.Role == models.AccountAdmin {
		of = a.Live.Current().Quotas.Admin
	}
	return models.Quota{TokensPerDay: of.Tokens, CostPerDay: of.Cost, ConcurrentRuns: of.Runs,
		Storage: of.Storage.Bytes(), Models: of.Models, Agents: of.Agents}, nil
}

// disabledEvery is how often the server looks for what the command line, or another replica,
// has disabled or made a viewer.
const disabledEvery = 2 * time.Second

// stopDisabled cancels the runs of accounts that lost the right to run, until ctx ends.
func (a *App) stopDisabled(ctx context.Context) {
	tick := time.NewTicker(disabledEvery)
	defer tick.Stop()
	for {
		if err := a.stopRunsWithoutAccess(ctx); err != nil && ctx.Err() == nil {
			a.Logger.Error("runs of accounts without access could not be stopped", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (a *App) stopRunsWithoutAccess(ctx context.Context) error {
	list, err := a.Store.RunsWithoutAccess(ctx)
	for _, run := range list {
		if _, failed := a.Runs.Cancel(ctx, run.UserID, run.ID); failed != nil {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// Accounts opens the accounts beside a server that runs, or without one, for the command
// line. close ends it.
func Accounts(ctx context.Context, c *config.Config, log *slog.Logger) (_ *accounts.Service, close func() error,
	err error) {
	options := storeOptions(c)
	options.Logger = log
	s, err := store.Open(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	if _, err := s.EnsureLocalUser(ctx); err != nil {
		return nil, nil, err
	}
	return &accounts.Service{Store: s, Limits: func() accounts.Limits { return accounts.Limits{} }}, s.Close, nil
}
