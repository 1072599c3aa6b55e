package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"nanoclaw/internal/accounts"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// Account is a user, for administrators.
type Account struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Role      string    `json:"role" enum:"admin,user,viewer" doc:"viewer: reads, and changes nothing."`
	Disabled  bool      `json:"disabled"`
	Invited   bool      `json:"invited" doc:"It has no password yet: send its person a link."`
	CreatedAt time.Time `json:"created_at"`

	Quota *models.Quota `json:"quota" doc:"null: the role's, of config.yml."`
}

type listUsersInput struct {
	PageInput
	Q string `query:"q" maxLength:"1000" doc:"A part of the name, in any case."`
}

type newAccountInput struct {
	Body struct {
		Name     string `json:"name" minLength:"1" maxLength:"1000" doc:"Letters, digits and . _ - @. Case does not matter."`
		Role     string `json:"role" enum:"admin,user,viewer"`
		Password string `json:"password,omitempty" maxLength:"10000" doc:"Left out: make a link with which the person chooses one."`
	}
}

type changeAccountInput struct {
	PathID
	Body struct {
		Role     *string `json:"role,omitempty" enum:"admin,user,viewer"`
		Disabled *bool   `json:"disabled,omitempty" doc:"true: nobody can use the account; its sessions, tokens and runs end."`

		Quota Optional[models.Quota] `json:"quota,omitempty" doc:"Instead of the role's; null: the role's again."`
	}
}

// AccountLinkView lets a person choose a password.
type AccountLinkView struct {
	Path      string    `json:"path" doc:"To be put behind the server's address. It holds once." example:"/login#link=…"`
	ExpiresAt time.Time `json:"expires_at"`
}

func (s *server) registerUsers() {
	const tag = "Users"
	handle(
		s,
		op("GET", "/users", "list-users", tag, "All accounts, by name", ofAccounts, needs(rightAdmin)),
		s.listUsers,
	)
	handle(s, op("GET", "/users/{id}", "get-user", tag, "One account", ofAccounts, needs(rightAdmin)), s.getUser)
	handle(s, op("POST", "/users", "create-user", tag, "Make an account", status(http.StatusCreated),
		ofAccounts, needs(rightAdmin), byPersons), s.createUser)
	handle(s, op("PATCH", "/users/{id}", "change-user", tag, "Change the role or the quota of an account, or disable it",
		describe("With a role or disabled, the requests that it has under way end; made a viewer or disabled, "+
			"its runs too. 409 last_admin: nobody could administer the server."),
		ofAccounts, needs(rightAdmin), byPersons), s.changeUser)
	handle(s, op("DELETE", "/users/{id}", "delete-user", tag, "Delete an account that has nothing",
		describe("409: it has projects, conversations, schedules or hooks. Disable it, or delete those first."), ofAccounts,
		needs(rightAdmin), byPersons), s.deleteUser)
	handle(s, op("POST", "/users/{id}/link", "create-account-link", tag,
		"Make a link with which a person chooses a password", status(http.StatusCreated), ofAccounts,
		needs(rightAdmin), byPersons), s.createAccountLink)
}

func viewAccount(u *models.User) Account {
	return Account{ID: u.ID, Name: u.Name, Role: u.Role, Disabled: u.DisabledAt != 0, Invited: u.PasswordHash == "" && u.Subject == "",
		CreatedAt: u.CreatedAt.Std(), Quota: u.Quota}
}

func (s *server) listUsers(ctx context.Context, in *listUsersInput) (*listOutput[Account], error) {
	part, err := s.Store.ListUsers(ctx, store.UserQuery{Q: accounts.NamePart(in.Q), Page: in.page()})
	if err != nil {
		return nil, err
	}
	return &listOutput[Account]{newList(part, viewAccount)}, nil
}

func (s *server) getUser(ctx context.Context, in *PathID) (*struct{ Body Account }, error) {
	user, err := s.Store.GetUser(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &struct{ Body Account }{viewAccount(user)}, nil
}

func (s *server) createUser(ctx context.Context, in *newAccountInput) (*struct{ Body Account }, error) {
	var user *models.User
	change := fileChange{
		operation: "create-user",
		arguments: map[string]any{"name": in.Body.Name, "role": in.Body.Role},
	}
	err := s.audited(ctx, change, func() (err error) {
		user, err = s.Accounts.Create(ctx, in.Body.Name, in.Body.Role, in.Body.Password)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &struct{ Body Account }{viewAccount(user)}, nil
}

func (s *server) changeUser(ctx context.Context, in *changeAccountInput) (*struct{ Body Account }, error) {
	ctx = context.WithoutCancel(ctx) // an administrator may change the own account
	var user *models.User
	change := fileChange{operation: "change-user", arguments: map[string]any{"user": in.ID, "role": in.Body.Role,
		"disabled": in.Body.Disabled, "quota": in.Body.Quota.shown()}}
	err := s.audited(ctx, change, func() (err error) {
		if in.Body.Quota.Set {
			if user, err = s.Store.UpdateUser(ctx, in.ID, in.setQuota); err != nil {
				return err
			}
		}
		if in.Body.Role == nil && in.Body.Disabled == nil && in.Body.Quota.Set {
			return nil
		}
		user, err = s.Accounts.Update(ctx, in.ID, accounts.Change{Role: in.Body.Role, Disabled: in.Body.Disabled})
		return err
	})
	if err != nil {
		return nil, err
	}
	if !user.MayRun() {
		if err := s.stopRunsWithoutAccess(ctx); err != nil {
			return nil, err
		}
	}
	return &struct{ Body Account }{viewAccount(user)}, nil
}

func (in *changeAccountInput) setQuota(u *models.User) error {
	u.Quota = nil
	if !in.Body.Quota.Null {
		u.Quota = &in.Body.Quota.Value
	}
	return nil
}

// stopRunsOf cancels what a user's agents are doing, also in projects of others.
func (s *server) stopRunsOf(ctx context.Context, userID string) error {
	runs, err := s.Store.ActiveRootRuns(ctx, userID)
	if err != nil {
		return err
	}
	return s.stopAll(ctx, runs)
}

// stopRunsWithoutAccess cancels what agents do for disabled accounts, and for viewers.
func (s *server) stopRunsWithoutAccess(ctx context.Context) error {
	runs, err := s.Store.RunsWithoutAccess(ctx)
	if err != nil {
		return err
	}
	return s.stopAll(ctx, runs)
}

func (s *server) stopAll(ctx context.Context, runs []models.Run) (err error) {
	byOwner := map[string][]string{}
	for _, run := range runs {
		byOwner[run.UserID] = append(byOwner[run.UserID], run.ID)
	}
	for owner, ids := range byOwner {
		err = errors.Join(err, s.stopRuns(ctx, owner, ids))
	}
	return err
}

// deleteUser stops what the account's agents do in projects of others, once the account is
// gone and can start nothing more.
func (s *server) deleteUser(ctx context.Context, in *PathID) (*struct{}, error) {
	ctx = context.WithoutCancel(ctx)
	err := s.audited(ctx, fileChange{operation: "delete-user", arguments: map[string]any{"user": in.ID}},
		func() error {
			if err := s.Accounts.Delete(ctx, in.ID); err != nil {
				return err
			}
			return s.stopRunsOf(ctx, in.ID)
		})
	if err == nil {
		s.forget(ctx, store.DeletedUser, in.ID)
	}
	return nil, err
}

func (s *server) createAccountLink(ctx context.Context, in *PathID) (*struct{ Body AccountLinkView }, error) {
	if _, err := s.Store.GetUser(ctx, in.ID); err != nil {
		return nil, err
	}
	var secret string
	err := s.audited(ctx, fileChange{operation: "create-account-link", arguments: map[string]any{"user": in.ID}},
		func() (err error) {
			secret, err = s.Accounts.NewLink(ctx, in.ID)
			return err
		})
	if err != nil {
		return nil, err
	}
	return &struct{ Body AccountLinkView }{AccountLinkView{Path: accounts.LinkPath(secret),
		ExpiresAt: time.Now().Add(accounts.LinkLifetime).UTC()}}, nil
}
