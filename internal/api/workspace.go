package api

import (
	"context"
	"time"

	"nanoclaw/internal/config"
)

// WorkspaceStatus is how a project's files are kept, for somebody who reads them.
type WorkspaceStatus struct {
	Mode           string         `json:"mode" doc:"local, remote, sandbox or custom:NAME"`
	Executes       bool           `json:"executes" doc:"Agents can run shell commands here."`
	WhyNot         string         `json:"why_not" doc:"Why they cannot; empty: they can."`
	IsolationScope string         `json:"isolation_scope,omitempty" enum:"session,user,agent,global" doc:"Whose files of mode remote or sandbox are apart."`
	Sandbox        *SandboxStatus `json:"sandbox,omitempty" doc:"In mode sandbox."`
}

// SandboxStatus is what is known of a sandbox without opening it.
type SandboxStatus struct {
	State     string            `json:"state" enum:"stopped,running,leased_elsewhere" doc:"leased_elsewhere: another server has it."`
	Snapshots []SandboxSnapshot `json:"snapshots" doc:"Those that are kept, the newest first."`
	LastGood  *SandboxSnapshot  `json:"last_good,omitempty" doc:"The one that a lost sandbox is restored from; absent: there is none."`
	Problem   string            `json:"problem" doc:"Why it is not known which snapshots there are; empty: it is."`
}

// SandboxSnapshot is what a sandbox held at one moment.
type SandboxSnapshot struct {
	CreatedAt time.Time `json:"created_at"`
	Size      int64     `json:"size" doc:"In bytes."`
	SHA256    string    `json:"sha256" doc:"Its checksum, in hex."`
	Damaged   bool      `json:"damaged" doc:"Its checksum was wrong when it was read: it is not used again."`
}

func (s *server) registerWorkspace() {
	handle(s, op("GET", "/projects/{id}/workspace", "get-workspace", "Projects", "How a project's files are kept",
		describe("Where sessions or agents have files of their own, the query's conversation and agent say whose. "+
			"Nothing is started for the answer.")), s.getWorkspace)
}

func (s *server) getWorkspace(ctx context.Context, in *PathID) (*struct{ Body *WorkspaceStatus }, error) {
	project, err := s.Store.GetProject(ctx, currentUser(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	access, err := s.fileAccess(ctx, project)
	if err != nil {
		return nil, err
	}
	if s.Workspace == nil {
		return &struct{ Body *WorkspaceStatus }{&WorkspaceStatus{Mode: config.LocalMode}}, nil
	}
	status, err := s.Workspace(ctx, access)
	return &struct{ Body *WorkspaceStatus }{status}, err
}
