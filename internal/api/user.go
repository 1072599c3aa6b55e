package api

import (
	"context"

	"nanoclaw/internal/models"
)

// authenticate says whose request it is. In auth_mode single everybody who may
// reach the server is the local user.
func (s *server) authenticate(r *request) { r.user = models.LocalUserID }

// currentUser is the id of the user whose request it is.
func currentUser(ctx context.Context) string { return requestOf(ctx).user }

// Me is who asks.
type Me struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Role     string `json:"role" enum:"admin,user"`
	Timezone string `json:"timezone" doc:"IANA name; empty: the server's."`
	AuthMode string `json:"auth_mode" enum:"single,multi" doc:"single: everybody who reaches the server is this user."`
}

func (s *server) registerUser() {
	handle(s, op("GET", "/auth/me", "get-me", "Users", "Who asks"), s.getMe)
}

func (s *server) getMe(ctx context.Context, _ *struct{}) (*struct{ Body Me }, error) {
	user, err := s.Store.GetUser(ctx, currentUser(ctx))
	if err != nil {
		return nil, err
	}
	return &struct{ Body Me }{Me{
		ID: user.ID, Name: user.Name, Role: user.Role, Timezone: user.Timezone, AuthMode: "single",
	}}, nil
}
