package api

import (
	"context"
	"net/http"
	"time"

	"nanoclaw/internal/accounts"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// Member is a person who may use a project.
type Member struct {
	UserID    string    `json:"user_id"`
	Name      string    `json:"name"`
	Role      string    `json:"role" enum:"owner,editor,viewer" doc:"owner: everything. editor: works in it. viewer: looks at it."`
	CreatedAt time.Time `json:"created_at"`
}

type putMemberInput struct {
	PathID
	Body struct {
		Username string `json:"username" minLength:"1" maxLength:"1000" doc:"The name of an account."`
		Role     string `json:"role" enum:"editor,viewer"`
	}
}

type memberIDs struct {
	PathID
	MemberID string `path:"mid"`
}

func (s *server) registerMembers() {
	const tag = "Projects"
	handle(s, op("GET", "/projects/{id}/members", "list-members", tag, "Who may use a project, its owner first",
		ofAccounts), s.listMembers)
	handle(s, op("POST", "/projects/{id}/members", "put-member", tag, "Share a project with a colleague",
		describe("A member gets another role by the same request. Conversations in the project are visible to all "+
			"members, and belong to its owner. 404: there is no such account."), ofAccounts, needs(rightOwner)), s.putMember)
	handle(s, op("DELETE", "/projects/{id}/members/{mid}", "delete-member", tag, "End a membership",
		describe("mid is the member's user id: the owner's to end, and the member's own. Their streams and runs in the "+
			"project end; what they made stays."), ofAccounts, needs(rightOwner)), s.deleteMember)
}

func (s *server) listMembers(ctx context.Context, in *PathID) (*listOutput[Member], error) {
	members, err := s.Store.ListMembers(ctx, currentUser(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	shown := make([]Member, len(members))
	for i, one := range members {
		shown[i] = Member{UserID: one.UserID, Name: one.Name, Role: one.Role, CreatedAt: one.CreatedAt.Std()}
	}
	return &listOutput[Member]{wholeList(shown)}, nil
}

func (s *server) putMember(ctx context.Context, in *putMemberInput) (*struct{ Body Member }, error) {
	user := currentUser(ctx)
	if _, err := s.Store.GetProject(ctx, user, in.ID); err != nil {
		return nil, err
	}
	member, err := s.memberNamed(ctx, in.Body.Username)
	if err != nil {
		return nil, err
	}
	change := fileChange{operation: "put-member", project: in.ID, arguments: map[string]any{"user": member.ID,
		"role": in.Body.Role}}
	err = s.audited(ctx, change, func() error {
		return s.Store.PutMember(ctx, user, models.ProjectMember{ProjectID: in.ID, UserID: member.ID, Role: in.Body.Role})
	})
	if err != nil {
		return nil, err
	}
	if in.Body.Role == models.MemberViewer {
		err = s.stopMember(ctx, in.ID, member.ID)
	}
	s.streams.endOf(member.ID)
	return &struct{ Body Member }{Member{UserID: member.ID, Name: member.Name, Role: in.Body.Role,
		CreatedAt: time.Now().UTC()}}, err
}

// memberNamed finds the account that a person has named.
func (s *server) memberNamed(ctx context.Context, name string) (*models.User, error) {
	missing := newProblem(http.StatusNotFound, codeNotFound, "there is no account "+quoted(name)+
		": ask an administrator to make one")
	missing.Errors = []FieldError{{Location: "body.username", Message: missing.Detail}}
	name, err := accounts.Name(name)
	if err != nil {
		return nil, missing
	}
	user, err := s.Store.UserByName(ctx, name)
	if store.IsCode(err, store.CodeNotFound) || err == nil && user.DisabledAt != 0 {
		return nil, missing
	}
	return user, err
}

func (s *server) deleteMember(ctx context.Context, in *memberIDs) (*struct{}, error) {
	change := fileChange{operation: "delete-member", project: in.ID, arguments: map[string]any{"user": in.MemberID}}
	err := s.audited(ctx, change, func() error {
		return s.Store.DeleteMember(ctx, currentUser(ctx), in.ID, in.MemberID)
	})
	if err != nil {
		return nil, err
	}
	s.streams.endOf(in.MemberID)
	return nil, s.stopMember(ctx, in.ID, in.MemberID)
}

// stopMember cancels what a member's agents do in a project that the member may not change
// any more.
func (s *server) stopMember(ctx context.Context, projectID, userID string) error {
	project, err := s.Store.AnyProject(ctx, projectID)
	if err != nil {
		return err
	}
	ids, err := s.Store.MemberRuns(ctx, projectID, userID)
	if err != nil {
		return err
	}
	return s.stopRuns(ctx, project.UserID, ids)
}
