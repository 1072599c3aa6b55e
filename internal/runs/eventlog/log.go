package eventlog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Stream names and the subjects that they hold.
const (
	eventsStream = "EVENTS"
	workStream   = "WORK"
	workSubject  = "work.runs"

	readyTimeout = 10 * time.Second
	// dedupeWindow is for how long a message id is remembered.
	dedupeWindow = 10 * time.Minute
)

// Options say where NATS runs.
type Options struct {
	Dir    string        // of the streams of a server in this process
	URL    string        // of a NATS server elsewhere; empty: in this process
	MaxAge time.Duration // how long events are kept; 0: for ever
	Buffer int           // events that wait for one subscriber before it is too slow; 0: 512
	Logger *slog.Logger
}

// Log is an open connection to both streams. It is safe for concurrent use.
type Log struct {
	logger *slog.Logger
	server *server.Server // nil: elsewhere
	conn   *nats.Conn
	js     jetstream.JetStream
	events jetstream.Stream
	work   jetstream.Stream
	hub    *hub
	epoch  string        // tells this EVENTS stream from one before it
	last   atomic.Uint64 // highest sequence number that was published or seen
}

// Open starts NATS where none is given, and makes the streams.
func Open(ctx context.Context, o Options) (*Log, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Buffer <= 0 {
		o.Buffer = 512
	}
	l := &Log{logger: o.Logger}
	if err := l.connect(o); err != nil {
		l.Close()
		return nil, err
	}
	if err := l.makeStreams(ctx, o); err != nil {
		l.Close()
		return nil, err
	}
	hub, err := newHub(ctx, l, o.Buffer)
	if err != nil {
		l.Close()
		return nil, err
	}
	l.hub = hub
	return l, nil
}

func (l *Log) connect(o Options) error {
	options := []nats.Option{nats.Name("nanoclaw"), nats.MaxReconnects(-1)}
	if o.URL != "" {
		conn, err := nats.Connect(o.URL, options...)
		if err != nil {
			return fmt.Errorf("connect to NATS: %w", err)
		}
		l.conn = conn
	} else {
		srv, err := server.NewServer(&server.Options{
			ServerName: "nanoclaw", DontListen: true, JetStream: true, StoreDir: o.Dir,
			NoSigs: true, NoLog: true, DisableJetStreamBanner: true,
		})
		if err != nil {
			return fmt.Errorf("set up NATS in %s: %w", o.Dir, err)
		}
		l.server = srv
		srv.Start()
		if !srv.ReadyForConnections(readyTimeout) {
			return fmt.Errorf("NATS in %s was not ready within %s", o.Dir, readyTimeout)
		}
		conn, err := nats.Connect("", append(options, nats.InProcessServer(srv))...)
		if err != nil {
			return fmt.Errorf("connect to NATS in this process: %w", err)
		}
		l.conn = conn
	}
	js, err := jetstream.New(l.conn, jetstream.WithPublishAsyncMaxPending(4096))
	if err != nil {
		return fmt.Errorf("open JetStream: %w", err)
	}
	l.js = js
	return nil
}

func (l *Log) makeStreams(ctx context.Context, o Options) error {
	events, err := l.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: eventsStream, Subjects: []string{subjectPrefix + ">"}, Storage: jetstream.FileStorage,
		MaxAge: o.MaxAge, Duplicates: dedupe(o.MaxAge), AllowDirect: true, Discard: jetstream.DiscardOld,
	})
	if err != nil {
		return fmt.Errorf("make the stream %s: %w", eventsStream, err)
	}
	work, err := l.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: workStream, Subjects: []string{workSubject}, Storage: jetstream.FileStorage,
		Retention: jetstream.WorkQueuePolicy, Duplicates: dedupeWindow,
	})
	if err != nil {
		return fmt.Errorf("make the stream %s: %w", workStream, err)
	}
	l.events, l.work = events, work
	info := events.CachedInfo()
	l.epoch = strconv.FormatInt(info.Created.UnixMicro(), 36)
	l.saw(info.State.LastSeq)
	return nil
}

func dedupe(maxAge time.Duration) time.Duration {
	if maxAge > 0 {
		return min(dedupeWindow, maxAge)
	}
	return dedupeWindow
}

// saw raises the highest known sequence number.
func (l *Log) saw(seq uint64) {
	for {
		last := l.last.Load()
		if seq <= last || l.last.CompareAndSwap(last, seq) {
			return
		}
	}
}

// Ready asks NATS for an answer.
func (l *Log) Ready(ctx context.Context) error {
	if _, err := l.events.Info(ctx); err != nil {
		return fmt.Errorf("reach the stream %s: %w", eventsStream, err)
	}
	return nil
}

// Close ends all subscriptions and stops NATS where it runs in this process.
func (l *Log) Close() {
	if l.hub != nil {
		l.hub.close()
	}
	if l.conn != nil {
		if err := l.conn.FlushTimeout(time.Second); err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
			l.logger.Warn("NATS was closed before all was sent", "error", err)
		}
		l.conn.Close()
	}
	if l.server != nil {
		l.server.Shutdown()
		l.server.WaitForShutdown()
	}
}
