package remote

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"nanoclaw/internal/workspace"
)

// names are those in JetStream.
type names struct {
	journal  string // stream
	subjects string // what the journal's subjects begin with
	records  string // bucket: one record per namespace, where its snapshot is
	contents string // bucket of small contents, by id
	objects  string // bucket of large contents, by id
}

// namesOf are those of an installation; the empty prefix is that of a server in this process.
func namesOf(prefix string) names {
	n := names{journal: "NANOCLAW_FILES"}
	if prefix == "" {
		prefix = "nanoclaw"
	} else {
		n.journal = prefix + "-FILES"
	}
	n.subjects = prefix + ".files."
	n.records, n.contents, n.objects = prefix+"_records", prefix+"_contents", prefix+"_objects"
	return n
}

// Options say where the files are.
type Options struct {
	Dir    string        // of a server in this process
	Remote *Servers      // elsewhere; nil: in this process
	Grace  time.Duration // how long a content that nothing names is kept; 0: 10 min
	Logger *slog.Logger  // nil: none
}

// Servers are NATS servers elsewhere.
type Servers struct {
	// Connect signs in; the store closes the connection.
	Connect func(ctx context.Context) (*nats.Conn, error)
	// Copies is how many servers keep everything; nil: one.
	Copies func(conn *nats.Conn) int
	// Prefix is what all names begin with, so that installations can share servers; empty:
	// those of a server in this process.
	Prefix string
}

// Store is files in JetStream. It is safe for concurrent use.
type Store struct {
	options  Options
	names    names
	conn     *nats.Conn
	server   *server.Server // nil: elsewhere
	js       jetstream.JetStream
	journal  jetstream.Stream
	records  jetstream.KeyValue
	contents *contents

	stop context.CancelFunc
	done sync.WaitGroup

	mu   sync.Mutex
	open map[Namespace]*journal
}

// Open connects to the files, and makes what is missing. Close must be called.
func Open(ctx context.Context, o Options) (_ *Store, err error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Grace <= 0 {
		o.Grace = 10 * time.Minute
	}
	s := &Store{options: o, open: map[Namespace]*journal{}, names: namesOf("")}
	if o.Remote != nil {
		s.names = namesOf(o.Remote.Prefix)
	}
	if s.conn, s.server, err = connect(ctx, o); err != nil {
		return nil, err
	}
	background, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = cancel
	if err := s.make(ctx); err != nil {
		s.Close()
		return nil, err
	}
	s.done.Go(func() { s.collectNowAndThen(background) })
	return s, nil
}

func (s *Store) make(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if s.js, err = jetstream.New(s.conn); err != nil {
		return fmt.Errorf("open JetStream: %w", err)
	}
	copies := 1
	if o := s.options.Remote; o != nil && o.Copies != nil {
		copies = o.Copies(s.conn)
	}
	// No direct reads: a copy that lags behind would show files as they were.
	s.journal, err = s.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: s.names.journal, Subjects: []string{s.names.subjects + "*.*"}, Storage: jetstream.FileStorage,
		Replicas: copies,
	})
	if err != nil {
		return fmt.Errorf("make the stream %s: %w", s.names.journal, err)
	}
	s.records, err = s.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: s.names.records,
		Replicas: copies})
	if err != nil {
		return fmt.Errorf("make the bucket %s: %w", s.names.records, err)
	}
	s.contents, err = openContents(ctx, s.js, s.names, copies)
	return err
}

// Close ends the connection, and the server where it is in this process.
func (s *Store) Close() {
	s.stop()
	s.done.Wait()
	s.conn.Close()
	stop(s.server)
}

// Files are the files of a namespace, under limits that are asked for on every call;
// nil: none.
func (s *Store) Files(ns Namespace, limits func() workspace.Limits) *Files {
	if limits == nil {
		limits = func() workspace.Limits { return workspace.Limits{} }
	}
	return &Files{journal: s.journalOf(ns), contents: s.contents, limits: limits}
}

// mostOpen is how many trees are held in memory.
const mostOpen = 256

func (s *Store) journalOf(ns Namespace) *journal {
	s.mu.Lock()
	defer s.mu.Unlock()
	j, known := s.open[ns]
	if !known {
		if len(s.open) >= mostOpen {
			clear(s.open) // those that are in use go on, and the others are read again
		}
		j = &journal{store: s, ns: ns, subject: s.names.subjects + ns.token(), turn: make(chan struct{}, 1)}
		s.open[ns] = j
	}
	return j
}

// away turns an error of JetStream into that of a file operation.
func away(path string, err error) error {
	var own *workspace.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own), errors.Is(err, context.Canceled):
		return err
	}
	return &workspace.Error{Code: workspace.CodeUnavailable, Path: path, Err: err,
		Message: "the store of these files cannot be reached: try again later, and tell the user"}
}
