package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"nanoclaw/internal/tools"
)

// oauthTimeout is how long one request to an authorization server may take.
const oauthTimeout = 30 * time.Second

var errUnauthorized = errors.New("it wants to be authorized anew")

// authorizations brings people's answers from the callback to the servers that wait.
type authorizations struct {
	mu      sync.Mutex
	waiting map[string]chan *auth.AuthorizationResult // by state; each takes one
}

func (a *authorizations) expect(state string) <-chan *auth.AuthorizationResult {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting == nil {
		a.waiting = map[string]chan *auth.AuthorizationResult{}
	}
	answer := make(chan *auth.AuthorizationResult, 1)
	a.waiting[state] = answer
	return answer
}

func (a *authorizations) forget(state string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.waiting, state)
}

// Authorized takes what an authorization server sends a person's browser back with:
// a code, or none where the person refused. A state that nobody waits for is an
// error; each is taken once.
func (s *Servers) Authorized(state, code, issuer string) error {
	s.authorizations.mu.Lock()
	defer s.authorizations.mu.Unlock()
	answer := s.authorizations.waiting[state]
	if answer == nil {
		return tools.Errorf(codeNotFound,
			"no MCP server waits for this authorization: follow the link in the settings again")
	}
	delete(s.authorizations.waiting, state)
	answer <- &auth.AuthorizationResult{State: state, Code: code, Iss: issuer}
	return nil
}

// Secrets are the tokens of servers that people have authorized.
func (s *Servers) Secrets() []string {
	if s.TokensFile == "" {
		return nil
	}
	return s.vault.secrets()
}

// authorizer is the OAuth client of a session; nil: there is no way for a person to
// authorize the server, or its configuration says who we are.
func (s *session) authorizer() (auth.OAuthHandler, error) {
	c, servers := s.server.config, s.server.servers
	for name := range c.Headers {
		if http.CanonicalHeaderKey(name) == "Authorization" {
			return nil, nil
		}
	}
	if servers.TokensFile == "" {
		return nil, nil
	}
	client := &http.Client{Timeout: oauthTimeout}
	kept, found, err := servers.vault.get(s.server.grantKey())
	if err != nil {
		return nil, err
	}
	var source oauth2.TokenSource
	if found {
		source = s.server.tokens(context.WithValue(context.Background(), oauth2.HTTPClient, client), kept)
	}
	if servers.RedirectURL == "" {
		return keptAuthorization{source}, nil
	}
	options := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL: servers.RedirectURL, Client: client, RequestRefreshToken: true, AcceptUnadvertisedIss: true,
		AuthorizationCodeFetcher: s.askPerson,
		NewTokenSource: func(ctx context.Context, c *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
			g := grant{ClientID: c.ClientID, ClientSecret: c.ClientSecret, TokenURL: c.Endpoint.TokenURL,
				AuthStyle: c.Endpoint.AuthStyle, Scopes: c.Scopes, Token: token}
			if err := servers.vault.put(s.server.grantKey(), &g); err != nil {
				return nil, err
			}
			return s.server.tokens(ctx, g), nil
		},
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			RedirectURIs: []string{servers.RedirectURL}, ClientName: "NanoClaw", TokenEndpointAuthMethod: "none",
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
		}},
	}
	if c.OAuthClientID != "" {
		options.PreregisteredClient = &oauthex.ClientCredentials{ClientID: c.OAuthClientID}
		if secret := c.OAuthClientSecret.Reveal(); secret != "" {
			options.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: secret}
		}
	}
	options.InitialTokenSource = source
	handler, err := auth.NewAuthorizationCodeHandler(options)
	if err != nil {
		return nil, fmt.Errorf("prepare the authorization of the MCP server %s: %w", s.server.name, err)
	}
	return handler, nil
}

// keptAuthorization has only what was authorized before: no browser can come back.
type keptAuthorization struct{ source oauth2.TokenSource }

// TokenSource implements auth.OAuthHandler.
func (k keptAuthorization) TokenSource(context.Context) (oauth2.TokenSource, error) {
	return k.source, nil
}

// Authorize implements auth.OAuthHandler.
func (k keptAuthorization) Authorize(_ context.Context, _ *http.Request, response *http.Response) error {
	return errors.Join(errors.New("it has to be authorized: start the web server and follow the link in the settings"),
		response.Body.Close())
}

// grantKey ties a token to the address that it was given for.
func (s *server) grantKey() string { return s.name + " " + s.config.URL }

// askPerson shows the link to people and waits until one comes back from it. Only a
// session that is being opened waits: one in use ends, and is opened again.
func (s *session) askPerson(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	if s.opened.Load() {
		s.end(errUnauthorized)
		return nil, errUnauthorized
	}
	link, err := url.Parse(args.URL)
	if err != nil || link.Scheme != "https" && link.Scheme != "http" {
		return nil, fmt.Errorf("its authorization server has no web address: %.100q", args.URL)
	}
	state := link.Query().Get("state")
	servers := s.server.servers
	answer := servers.authorizations.expect(state)
	defer servers.authorizations.forget(state)
	s.startLimit.Stop() // a person may take any time
	defer s.startLimit.Reset(startTimeout)
	s.server.unauthorized(args.URL)
	defer s.server.unauthorized("")
	select {
	case came := <-answer:
		if came.Code == "" {
			return nil, errors.New("the authorization was refused")
		}
		return came, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// unauthorized shows that a person has to follow a link; empty: not any more.
func (s *server) unauthorized(link string) {
	defer s.servers.Changed()
	s.servers.mu.Lock()
	defer s.servers.mu.Unlock()
	if s.retired {
		return
	}
	s.status.AuthorizationURL, s.status.Error, s.status.Since = link, "", time.Now().UTC()
	s.status.State = tools.MCPStarting
	if link != "" {
		s.status.State = tools.MCPUnauthorized
		s.servers.Logger.Info("an MCP server waits for a person to authorize it: the link is in the settings", "server",
			s.name)
	}
}

// tokens refreshes a grant's token, and keeps what is new.
func (s *server) tokens(ctx context.Context, g grant) oauth2.TokenSource {
	c := oauth2.Config{ClientID: g.ClientID, ClientSecret: g.ClientSecret, Scopes: g.Scopes,
		Endpoint: oauth2.Endpoint{TokenURL: g.TokenURL, AuthStyle: g.AuthStyle}}
	return &keptTokens{server: s, grant: g, from: c.TokenSource(ctx, g.Token)}
}

type keptTokens struct {
	server *server
	from   oauth2.TokenSource

	mu    sync.Mutex
	grant grant
}

// Token implements oauth2.TokenSource.
func (k *keptTokens) Token() (*oauth2.Token, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	token, err := k.from.Token()
	if err != nil || token.AccessToken == k.grant.Token.AccessToken {
		return token, err
	}
	k.grant.Token = token
	if err := k.server.servers.vault.put(k.server.grantKey(), &k.grant); err != nil {
		k.server.servers.Logger.Error(
			"a refreshed token is not kept: the MCP server has to be authorized again after a restart", "server",
			k.server.name, "error", err)
	}
	return token, nil
}
