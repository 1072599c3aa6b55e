package eventlog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

	openTimeout  = 10 * time.Second
	closeTimeout = 3 * time.Second
	// dedupeWindow is for how long a message id is remembered.
	dedupeWindow = 10 * time.Minute
)

// errDamaged says that events that NATS has stored are gone from its files.
var errDamaged = errors.New("files of the event log are damaged")

// backend is one connection to NATS and, in this process, its server. It is never
// repaired, only replaced.
type backend struct {
	options Options
	ctx     context.Context // ends with the backend
	cancel  context.CancelFunc
	server  *server.Server // nil: elsewhere
	folder  os.FileInfo    // of the events' folder, to notice that it was replaced
	conn    *nats.Conn
	js      jetstream.JetStream
	events  jetstream.Stream
	work    jetstream.Stream
	hub     *hub
	epoch   string        // tells this EVENTS stream from one before it
	last    atomic.Uint64 // highest sequence number that was published or seen
	working atomic.Bool   // workers are subscribed

	listening *nats.Subscription // to notices

	subjects string // what all subjects begin with: of servers that others use too
	lag      lag    // of servers elsewhere
}

func openBackend(ctx context.Context, o Options) (opened *backend, err error) {
	b := &backend{options: o}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			b.close(ErrClosed)
			opened = nil
		}
	}()
	if servers := o.Servers; servers != nil {
		ctx, cancel := context.WithTimeout(ctx, serversTimeout)
		defer cancel()
		b.subjects = servers.Prefix + "."
		if b.conn, err = servers.Connect(ctx, o.Logger); err != nil {
			return nil, err
		}
		return b, eventually(ctx, func() error {
			attempt, cancel := context.WithTimeout(ctx, attemptTimeout)
			defer cancel()
			if err := b.prepare(attempt); err != nil {
				return servers.explainStreams(err)
			}
			return nil
		})
	}
	ctx, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	if err := b.startServer(); err != nil {
		return nil, err
	}
	if b.conn, err = nats.Connect("", nats.Name("nanoclaw"), nats.MaxReconnects(-1),
		nats.InProcessServer(b.server)); err != nil {
		return nil, fmt.Errorf("connect to NATS: %w", err)
	}
	return b, b.prepare(ctx)
}

// prepare makes the streams and subscribes to them.
func (b *backend) prepare(ctx context.Context) (err error) {
	if b.js, err = jetstream.New(b.conn, jetstream.WithPublishAsyncMaxPending(4096)); err != nil {
		return fmt.Errorf("open JetStream: %w", err)
	}
	if err := b.makeStreams(ctx); err != nil {
		return err
	}
	if err := b.lost(ctx); err != nil {
		return err
	}
	if b.hub != nil {
		b.hub.close(ErrReopened)
	}
	if b.hub, err = newHub(ctx, b, b.options.Buffer); err != nil {
		return err
	}
	if err := b.listen(); err != nil {
		return err
	}
	// Only a write shows that events can be stored.
	if _, err := b.js.Publish(ctx, b.subjects+EventSubject("-", "-", "-"), []byte("{}")); err != nil {
		return fmt.Errorf("write to the stream %s: %w", b.eventsName(), err)
	}
	return nil
}

func (b *backend) eventsName() string { return b.streamName(eventsStream) }
func (b *backend) workName() string   { return b.streamName(workStream) }

// streamName is unique among the installations that share servers.
func (b *backend) streamName(name string) string {
	if b.options.Servers == nil {
		return name
	}
	return b.options.Servers.Prefix + "-" + name
}

// startServer starts NATS in this process. JetStream is enabled after it, since a
// server that starts with it does not say why it cannot.
func (b *backend) startServer() error {
	dir := b.options.Dir
	srv, err := server.NewServer(&server.Options{
		ServerName: "nanoclaw", DontListen: true, StoreDir: dir, NoSigs: true, NoLog: true,
		DisableJetStreamBanner: true,
	})
	if err != nil {
		return fmt.Errorf("set up NATS in %s: %w", dir, err)
	}
	b.server = srv
	srv.Start()
	if !srv.ReadyForConnections(openTimeout) {
		return fmt.Errorf("NATS in %s was not ready within %s", dir, openTimeout)
	}
	// The limits are the disk's own: NATS would else take a share of what is free now.
	if err := srv.EnableJetStream(&server.JetStreamConfig{StoreDir: dir, MaxMemory: 1 << 30,
		MaxStore: 1 << 50}); err != nil {
		return fmt.Errorf("start JetStream in %s: %w", dir, err)
	}
	return nil
}

// makeStreams makes what is missing. Work in this process needs no file: after a
// restart the database says what there is to do.
func (b *backend) makeStreams(ctx context.Context) error {
	maxAge := b.options.MaxAge
	events := jetstream.StreamConfig{
		Name: b.eventsName(), Subjects: []string{b.subjects + subjectPrefix + ">"}, Storage: jetstream.FileStorage,
		MaxAge: maxAge, Duplicates: dedupe(maxAge), AllowDirect: true, Discard: jetstream.DiscardOld,
	}
	work := jetstream.StreamConfig{
		Name: b.workName(), Subjects: []string{b.subjects + workSubject}, Storage: jetstream.MemoryStorage,
		Retention: jetstream.WorkQueuePolicy, Duplicates: dedupeWindow,
	}
	if servers := b.options.Servers; servers != nil {
		events.Replicas = servers.Copies(b.conn)
		events.AllowDirect = false // any copy would answer, also one that is behind
		work.Replicas, work.Storage = events.Replicas, jetstream.FileStorage
	} else if err := b.js.DeleteStream(ctx, workStream); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("delete the old stream %s: %w", workStream, err)
	}
	var err error
	if b.events, err = b.js.CreateOrUpdateStream(ctx, events); err != nil {
		return fmt.Errorf("make the stream %s: %w", events.Name, err)
	}
	if b.work, err = b.js.CreateOrUpdateStream(ctx, work); err != nil {
		return fmt.Errorf("make the stream %s: %w", work.Name, err)
	}
	info := b.events.CachedInfo()
	b.epoch = epochOf(info)
	b.saw(info.State.LastSeq)
	if b.server != nil {
		if b.folder, err = os.Stat(b.eventsFolder()); err != nil {
			return fmt.Errorf("find the files of the stream %s: %w", eventsStream, err)
		}
	}
	return nil
}

// epochOf tells a stream from one of the same name before it.
func epochOf(info *jetstream.StreamInfo) string {
	return strconv.FormatInt(info.Created.UnixMicro(), 36)
}

func (b *backend) eventsFolder() string {
	return filepath.Join(b.options.Dir, server.JetStreamStoreDir, "$G", "streams", eventsStream, "msgs")
}

// lost says whether NATS in this process found on opening that stored events are gone.
func (b *backend) lost(ctx context.Context) error {
	if b.server == nil {
		return nil
	}
	msg, err := b.conn.RequestWithContext(ctx, "$JS.API.STREAM.INFO."+eventsStream, nil)
	if err != nil {
		return fmt.Errorf("look at the stream %s: %w", eventsStream, err)
	}
	var info struct {
		State struct {
			Lost *server.LostStreamData `json:"lost"`
		} `json:"state"`
	}
	if err := json.Unmarshal(msg.Data, &info); err != nil {
		return fmt.Errorf("look at the stream %s: %w", eventsStream, err)
	}
	if info.State.Lost != nil {
		return fmt.Errorf("%w: %d bytes are lost", errDamaged, info.State.Lost.Bytes)
	}
	return nil
}

func dedupe(maxAge time.Duration) time.Duration {
	if maxAge > 0 {
		return min(dedupeWindow, maxAge)
	}
	return dedupeWindow
}

// saw raises the highest known sequence number.
func (b *backend) saw(seq uint64) {
	for {
		last := b.last.Load()
		if seq <= last || b.last.CompareAndSwap(last, seq) {
			return
		}
	}
}

// check asks both streams for an answer, and compares the events' files with what
// NATS believes to be in them.
func (b *backend) check(ctx context.Context) error {
	if b.server == nil {
		return b.checkRemote(ctx)
	}
	before, err := b.stored()
	if err != nil {
		return err
	}
	info, err := b.events.Info(ctx)
	if err != nil {
		return fmt.Errorf("reach the stream %s: %w", eventsStream, err)
	}
	if b.working.Load() {
		_, err = b.work.Consumer(ctx, workers)
	} else {
		_, err = b.work.Info(ctx)
	}
	if err != nil {
		return fmt.Errorf("reach the stream %s: %w", workStream, err)
	}
	if uint64(before) >= info.State.Bytes {
		return diskFull(b.options)
	}
	// Events may have come between the two looks, and are written a moment later.
	for {
		now, err := b.stored()
		switch {
		case err != nil:
			return err
		case uint64(now) >= info.State.Bytes:
			return diskFull(b.options)
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("%w: %d bytes of %d are there", errDamaged, now, info.State.Bytes)
		}
	}
}

// stored is the size of the events' files.
func (b *backend) stored() (size int64, err error) {
	folder, err := os.Stat(b.eventsFolder())
	if err != nil || !os.SameFile(folder, b.folder) {
		return 0, fmt.Errorf("%w: the folder %s is gone", errDamaged, b.eventsFolder())
	}
	files, err := filepath.Glob(filepath.Join(b.eventsFolder(), "*.blk"))
	if err != nil {
		return 0, fmt.Errorf("list the files of the stream %s: %w", eventsStream, err)
	}
	for _, name := range files {
		if file, err := os.Stat(name); err == nil {
			size += file.Size()
		}
	}
	return size, nil
}

// close ends the subscriptions with why. A server that does not stop in time is
// left behind: it may hang on a disk that fails.
func (b *backend) close(why error) {
	b.cancel()
	if b.hub != nil {
		b.hub.close(why)
	}
	if b.conn != nil {
		b.conn.Close()
	}
	if b.server == nil {
		return
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		b.server.Shutdown()
		b.server.WaitForShutdown()
	}()
	select {
	case <-stopped:
	case <-time.After(closeTimeout):
		b.options.Logger.Warn("NATS did not stop in time and was abandoned", "after", closeTimeout)
	}
}
