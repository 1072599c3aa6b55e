package undo

import (
	"context"
	"log/slog"
	"sync"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/workspace"
)

// Limits bound what is kept and compared.
type Limits struct {
	RunBytes  int64 // contents kept for one run
	FileBytes int64 // a larger file is not kept
	// a project of more entries is not compared around commands; also of one deleted or moved directory
	CommandFiles int
	CommandBytes int64 // contents kept before a command
}

// Options are what a Service is made of; all are needed.
type Options struct {
	Store    *store.Store
	Projects workspace.Opener
	Dir      string // of the kept contents; made when it is needed
	Limits   func() Limits
	Logger   *slog.Logger
}

// Service notes and takes back changes. It is safe for concurrent use.
type Service struct {
	Options
	versions *versions

	mu        sync.Mutex
	reverting map[string]bool   // root runs
	hashes    map[string]string // of settled files that were kept before a command, by project, path and stamp
}

// New makes a Service.
func New(o Options) *Service {
	return &Service{Options: o, versions: &versions{dir: o.Dir}, reverting: map[string]bool{},
		hashes: map[string]string{}}
}

// maxMemo bounds hashes.
const maxMemo = 50_000

// knownHash is the hash of a settled file that was looked at before.
func (s *Service) knownHash(project string, v workspace.Version) string {
	if !v.Settled {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hashes[project+"\x00"+v.Path+"\x00"+v.Stamp]
}

func (s *Service) rememberHash(project string, v workspace.Version) {
	if !v.Settled {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.hashes) >= maxMemo {
		clear(s.hashes)
	}
	s.hashes[project+"\x00"+v.Path+"\x00"+v.Stamp] = v.ETag
}

// tracked is what changes can be noted of.
type tracked interface {
	workspace.Filesystem
	Look(ctx context.Context, path string, follow bool, hash int64) (workspace.Version, error)
	Survey(ctx context.Context, dir string, limit int, all bool) ([]workspace.Version, bool, error)
	KeepCopy(ctx context.Context, path string, actor workspace.Actor) (string, error)
	PutLink(ctx context.Context, path, target string) error
	RemoveEmptyDir(ctx context.Context, path string) error
}

// wholly makes Look hash a content of any size.
const wholly = -1

var _ tracked = (*workspace.Local)(nil)

// scope is a run at work in a project.
type scope struct {
	*Service
	actor   workspace.Actor
	project string
	files   tracked
}

// row is the note of a path: what v, which is there now, was before the run.
func (s *scope) row(v workspace.Version) *models.RunChange {
	return &models.RunChange{
		RootRunID: s.actor.RootRunID, ProjectID: s.project, Path: []byte(v.Path), RunID: s.actor.RunID,
		CallID:     s.actor.CallID,
		BeforeKind: string(v.Kind), BeforeSize: v.Size, BeforeMode: v.Mode, BeforeETag: v.ETag, BeforeLink: v.Link,
	}
}

// left fills in what a run left at the row's path.
func left(row *models.RunChange, v workspace.Version) {
	row.AfterKnown, row.AfterKind, row.AfterSize, row.AfterETag, row.AfterLink, row.AfterStamp = true, string(v.Kind),
		v.Size, v.ETag, v.Link, v.Stamp
}

// isAs says whether what is at a path is what a row says that the run left.
func isAs(row *models.RunChange, v workspace.Version) bool {
	if !row.AfterKnown || row.AfterKind != string(v.Kind) || row.AfterLink != v.Link {
		return false
	}
	if v.Kind != workspace.TypeFile {
		return true
	}
	if row.AfterETag != "" && v.ETag != "" {
		return row.AfterETag == v.ETag
	}
	return row.AfterStamp != "" && row.AfterStamp == v.Stamp
}

// wasAs says whether what is at a path is what was there before the run.
func wasAs(row *models.RunChange, v workspace.Version) bool {
	return row.BeforeKind == string(v.Kind) && row.BeforeLink == v.Link &&
		(v.Kind != workspace.TypeFile || row.BeforeETag != "" && row.BeforeETag == v.ETag)
}
