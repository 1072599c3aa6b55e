package accounts

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// Codes of *Error of a sign-in at a provider.
const (
	CodeProviderUnavailable = "provider_unavailable"
	CodeSignInExpired       = "sign_in_expired"
	CodeNotAllowed          = "not_allowed"
	CodeNameTaken           = "name_taken"
)

const (
	signInTime      = 10 * time.Minute
	providerTimeout = 10 * time.Second
	clockSkew       = time.Minute // by which a provider's clock may differ
)

// Provider is an OpenID Connect provider of config.yml.
type Provider struct {
	Name, Issuer, ClientID, ClientSecret string
	Scopes                               []string
	GroupsClaim                          string
	Roles                                map[string]string // by group
	DefaultRole                          string            // of who is in none of them; empty: refused
}

var (
	errSignInExpired = &Error{Code: CodeSignInExpired,
		Message: "the sign-in took too long, was used already or began in another browser: begin again"}
	errNotAllowed = &Error{Code: CodeNotAllowed, Message: "your account at the provider may not use this server"}
)

func unavailable(err error) error {
	return errors.Join(&Error{Code: CodeProviderUnavailable,
		Message: "the sign-in provider cannot be reached or gave a wrong answer: try again later"}, err)
}

// connect discovers a provider.
func (p Provider) connect(ctx context.Context, callback string) (context.Context, *oidc.Provider, *oauth2.Config, error) {
	ctx = oidc.ClientContext(ctx, &http.Client{Timeout: providerTimeout})
	at, err := oidc.NewProvider(ctx, p.Issuer)
	if err != nil {
		return ctx, nil, nil, unavailable(err)
	}
	return ctx, at, &oauth2.Config{ClientID: p.ClientID, ClientSecret: p.ClientSecret, Endpoint: at.Endpoint(),
		RedirectURL: callback, Scopes: append([]string{oidc.ScopeOpenID}, p.Scopes...)}, nil
}

// BeginSignIn returns the provider's address to send a person to, and the state, which their
// browser keeps. back is the path of the app that they return to.
func (s *Service) BeginSignIn(ctx context.Context, p Provider, callback, back string) (address, state string, err error) {
	_, _, config, err := p.connect(ctx, callback)
	if err != nil {
		return "", "", err
	}
	state, hash := newSecret("")
	nonce, _ := newSecret("")
	verifier := oauth2.GenerateVerifier()
	err = s.Store.CreateSignInState(ctx, &models.SignInState{Hash: hash, Provider: p.Name, Nonce: nonce,
		Verifier: verifier, Back: back, ExpiresAt: models.TimeOf(s.now().Add(signInTime))})
	return config.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)), state, err
}

// FinishSignIn opens a session for who comes back from a provider with a code. kept is the
// state of their browser. The role is what the provider's groups say today.
func (s *Service) FinishSignIn(ctx context.Context, p Provider, callback, state, kept, code string,
	from Client) (secret, back string, _ *Identity, err error) {
	if state == "" || state != kept {
		return "", "", nil, errSignInExpired
	}
	begun, err := s.Store.TakeSignInState(ctx, hashOf(state))
	if store.IsCode(err, store.CodeNotFound) || err == nil && begun.Provider != p.Name {
		return "", "", nil, errSignInExpired
	}
	if err != nil {
		return "", "", nil, err
	}
	who, err := p.exchange(ctx, callback, code, begun, s.now())
	if err != nil {
		return "", "", nil, err
	}
	role := p.roleOf(who.groups)
	if role == "" {
		return "", "", nil, errNotAllowed
	}
	user, err := s.userOf(ctx, p, who, role)
	if err != nil {
		return "", "", nil, err
	}
	secret, identity, err := s.open(ctx, user, from)
	return secret, begun.Back, identity, err
}

// person is who a provider says has signed in.
type person struct {
	subject, name string
	groups        []string
}

func (p Provider) exchange(ctx context.Context, callback, code string, begun *models.SignInState,
	now time.Time) (person, error) {
	ctx, at, config, err := p.connect(ctx, callback)
	if err != nil {
		return person{}, err
	}
	token, err := config.Exchange(ctx, code, oauth2.VerifierOption(begun.Verifier))
	if err != nil {
		return person{}, unavailable(err)
	}
	raw, _ := token.Extra("id_token").(string)
	verifier := at.Verifier(&oidc.Config{ClientID: p.ClientID, Now: func() time.Time { return now.Add(-clockSkew) }})
	id, err := verifier.Verify(ctx, raw)
	if err != nil {
		return person{}, unavailable(err)
	}
	if id.Nonce != begun.Nonce {
		return person{}, errSignInExpired
	}
	claims := map[string]any{}
	if err := id.Claims(&claims); err != nil {
		return person{}, unavailable(err)
	}
	if claims[p.GroupsClaim] == nil || nameIn(claims) == "" { // many providers keep them at another place
		info, err := at.UserInfo(ctx, oauth2.StaticTokenSource(token))
		if err != nil || info.Subject != id.Subject {
			return person{}, unavailable(fmt.Errorf("read the user info: %w", err))
		}
		if err := info.Claims(&claims); err != nil {
			return person{}, unavailable(err)
		}
	}
	return person{subject: id.Subject, name: nameIn(claims), groups: textsOf(claims[p.GroupsClaim])}, nil
}

// nameIn is the name for an account that claims suggest.
func nameIn(claims map[string]any) string {
	for _, key := range []string{"preferred_username", "email"} {
		if name, _ := claims[key].(string); name != "" {
			return name
		}
	}
	return ""
}

func textsOf(claim any) []string {
	if one, is := claim.(string); is {
		return []string{one}
	}
	var texts []string
	list, _ := claim.([]any)
	for _, one := range list {
		if text, is := one.(string); is {
			texts = append(texts, text)
		}
	}
	return texts
}

// roleOf is the strongest role of the groups.
func (p Provider) roleOf(groups []string) string {
	strongest := p.DefaultRole
	order := []string{"", models.AccountViewer, models.AccountUser, models.AccountAdmin}
	for _, group := range groups {
		if role := p.Roles[group]; slices.Index(order, role) > slices.Index(order, strongest) {
			strongest = role
		}
	}
	return strongest
}

// userOf finds or makes the account of a subject. It never takes an account of another kind
// that has the name.
func (s *Service) userOf(ctx context.Context, p Provider, who person, role string) (*models.User, error) {
	user, err := s.Store.UserBySubject(ctx, p.Issuer, who.subject)
	if store.IsCode(err, store.CodeNotFound) {
		name, err := Name(who.name)
		if err != nil {
			return nil, unavailable(fmt.Errorf("the name %q: %w", who.name, err))
		}
		user = &models.User{Name: name, Role: role, Issuer: p.Issuer, Subject: who.subject}
		if err := s.Store.CreateUser(ctx, user); store.IsCode(err, store.CodeConflict) {
			return nil, &Error{Code: CodeNameTaken,
				Message: "there is another account with your user name: ask an administrator"}
		} else if err != nil {
			return nil, err
		}
		return user, nil
	}
	if err != nil {
		return nil, err
	}
	if user.DisabledAt != 0 {
		return nil, errNotAllowed
	}
	if user.Role != role {
		return s.Update(ctx, user.ID, Change{Role: &role})
	}
	return user, nil
}
