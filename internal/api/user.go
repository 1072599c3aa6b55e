package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humaecho"

	"nanoclaw/internal/accounts"
	"nanoclaw/internal/models"
)

// authenticate says whose request it is. In auth_mode single everybody who may reach the
// server is the local user.
func (s *server) authenticate(r *request, from *http.Request) error {
	if s.Accounts == nil {
		r.user = models.LocalUserID
		return nil
	}
	identity, err := s.identity(from)
	if identity != nil {
		r.identity, r.user = identity, identity.User.ID
	}
	return err
}

// currentUser is the id of the user whose request it is.
func currentUser(ctx context.Context) string { return requestOf(ctx).user }

// currentName is the user's name in auth_mode multi.
func currentName(ctx context.Context) string {
	if i := requestOf(ctx).identity; i != nil {
		return i.User.Name
	}
	return ""
}

// Me is who asks.
type Me struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Role     string `json:"role" enum:"admin,user,viewer"`
	Timezone string `json:"timezone" doc:"IANA name; empty: the server's."`
	AuthMode string `json:"auth_mode" enum:"single,multi" doc:"single: everybody who reaches the server is this user."`

	Quota *Standing `json:"quota,omitempty" doc:"What the user may use and has used; absent in auth_mode single and where somebody has just signed in."`
}

// meOutput carries the session's cookie beside the user.
type meOutput struct{ Body func(huma.Context) }

type loginInput struct {
	Body struct {
		Username string `json:"username" maxLength:"1000"`
		Password string `json:"password" maxLength:"10000"`
	}
}

type linkInput struct {
	Body struct {
		Token    string `json:"token" maxLength:"200" doc:"What stands behind #link= or #first= in the address."`
		Username string `json:"username,omitempty" maxLength:"1000" doc:"Of the first administrator's link: the name of the account."`
		Password string `json:"password" maxLength:"10000"`
	}
}

type checkLinkInput struct {
	Body struct {
		Token string `json:"token" maxLength:"200" doc:"What stands behind #link= or #first= in the address."`
	}
}

type passwordInput struct {
	Body struct {
		CurrentPassword string `json:"current_password" maxLength:"10000"`
		NewPassword     string `json:"new_password" maxLength:"10000"`
	}
}

func (s *server) registerUser() {
	const tag = "Account"
	handle(s, op("GET", "/auth/me", "get-me", tag, "Who asks"), s.getMe)
	signedIn := answers("200", "Signed in; the session is in a cookie.", "application/json", schemaOf[Me](s))
	handle(s, op("POST", "/auth/login", "sign-in", tag, "Sign in with a password",
		describe("401 wrong_credentials says neither which of both is wrong nor whether the account exists. 429 "+
			"too_many_attempts: Retry-After says when to try again."), ofAccounts, needs(rightPublic), signedIn), s.signIn)
	handle(s, op("POST", "/auth/link", "use-account-link", tag, "Choose a password with a link, and sign in",
		describe("A link holds once. What access the account had ends."), ofAccounts, needs(rightPublic), signedIn),
		s.useLink)
	handle(s, op("POST", "/auth/link/check", "check-account-link", tag, "Ask whether a link can still be used",
		describe("410 invalid_link: it was used or has expired. It does not count as used."), ofAccounts,
		needs(rightPublic)), s.checkLink)
	handle(s, op("POST", "/auth/logout", "sign-out", tag, "End the session", ofAccounts, needs(rightAccount),
		answers("204", "Signed out.", "", nil)), s.signOut)
	handle(s, op("POST", "/auth/password", "change-password", tag, "Choose another password",
		describe("All other sessions end."), ofAccounts, needs(rightAccount)), s.changePassword)
	s.registerOIDC()
	s.registerSessions()
	s.registerTokens()
	s.registerUsers()
}

func (s *server) getMe(ctx context.Context, _ *struct{}) (*struct{ Body Me }, error) {
	user, err := s.Store.GetUser(ctx, currentUser(ctx))
	if err != nil {
		return nil, err
	}
	me := s.viewMe(user)
	if me.Quota, err = s.standing(ctx, user.ID); err != nil {
		return nil, err
	}
	return &struct{ Body Me }{me}, nil
}

func (s *server) viewMe(user *models.User) Me {
	mode := "single"
	if s.Accounts != nil {
		mode = "multi"
	}
	return Me{ID: user.ID, Name: user.Name, Role: user.Role, Timezone: user.Timezone, AuthMode: mode}
}

// from is where a request comes from.
func (s *server) from(ctx context.Context) accounts.Client {
	r := requestOf(ctx)
	return accounts.Client{Address: r.client, Agent: r.userAgent}
}

func (s *server) signIn(ctx context.Context, in *loginInput) (*meOutput, error) {
	return s.signedIn(ctx, "sign-in", in.Body.Username, func() (string, *accounts.Identity, error) {
		return s.Accounts.SignIn(ctx, in.Body.Username, in.Body.Password, s.from(ctx))
	})
}

func (s *server) useLink(ctx context.Context, in *linkInput) (*meOutput, error) {
	return s.signedIn(ctx, "use-account-link", in.Body.Username, func() (string, *accounts.Identity, error) {
		return s.Accounts.UseLink(ctx, in.Body.Token, in.Body.Username, in.Body.Password, s.from(ctx))
	})
}

func (s *server) checkLink(ctx context.Context, in *checkLinkInput) (*struct{}, error) {
	return nil, s.Accounts.CheckLink(ctx, in.Body.Token)
}

// signedIn answers with the session that enter opens. Both outcomes stand in the audit,
// with the name of an account that exists alone: what else is typed there may be a password.
func (s *server) signedIn(ctx context.Context, operation, name string,
	enter func() (string, *accounts.Identity, error)) (*meOutput, error) {
	if err := requestOf(ctx).transport; err != nil {
		return nil, err
	}
	var secret string
	var identity *accounts.Identity
	change := fileChange{
		operation: operation,
		arguments: map[string]any{"address": s.from(ctx).Address},
	}
	err := s.audited(ctx, change, func() (err error) {
		secret, identity, err = enter()
		if known, failed := accounts.Name(name); failed == nil {
			if user, failed := s.Store.UserByName(ctx, known); failed == nil {
				change.arguments["username"] = user.Name
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &meOutput{func(hc huma.Context) {
		c := humaecho.Unwrap(hc)
		s.setSession(c.Response(), c.Request(), secret)
		if err := c.JSON(http.StatusOK, s.viewMe(identity.User)); err != nil {
			c.Error(err)
		}
	}}, nil
}

func (s *server) signOut(ctx context.Context, _ *struct{}) (*meOutput, error) {
	if i := requestOf(ctx).identity; i.Session != nil {
		err := s.audited(ctx, fileChange{operation: "sign-out"}, func() error {
			return s.Accounts.SignOut(context.WithoutCancel(ctx), i.User.ID, i.Session.ID)
		})
		if err != nil {
			return nil, err
		}
	}
	return &meOutput{s.withoutSession}, nil
}

func (s *server) withoutSession(hc huma.Context) {
	c := humaecho.Unwrap(hc)
	s.setSession(c.Response(), c.Request(), "")
	if err := c.NoContent(http.StatusNoContent); err != nil {
		c.Error(err)
	}
}

func (s *server) changePassword(ctx context.Context, in *passwordInput) (*struct{}, error) {
	if err := s.requirePerson(ctx); err != nil {
		return nil, err
	}
	return nil, s.audited(ctx, fileChange{operation: "change-password"}, func() error {
		return s.Accounts.ChangePassword(ctx, requestOf(ctx).identity, in.Body.CurrentPassword, in.Body.NewPassword,
			s.from(ctx))
	})
}

// accountProblem shows what the accounts refuse.
func accountProblem(err *accounts.Error) *Problem {
	status := map[string]int{
		accounts.CodeWrongCredentials: http.StatusUnauthorized, accounts.CodeTooManyAttempts: http.StatusTooManyRequests,
		accounts.CodeInvalidLink: http.StatusGone, accounts.CodeLastAdmin: http.StatusConflict,
		accounts.CodeInvalid: http.StatusUnprocessableEntity, accounts.CodeConflict: http.StatusConflict,
	}[err.Code]
	p := newProblem(status, err.Code, err.Message)
	if err.Field != "" {
		p.Errors = []FieldError{{Location: "body." + err.Field, Message: err.Message}}
		p.Detail = err.Field + ": " + err.Message
	}
	p.retryAfter = err.RetryAfter
	return p
}
