package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
)

// openStreams counts the event streams that each client has open. The zero value is
// ready for use.
type openStreams struct {
	mu      sync.Mutex
	clients map[string]int
	last    int
	ends    map[int]userStream
}

type userStream struct {
	user string
	end  context.CancelCauseFunc
}

var errSharingChanged = errors.New("what is shared with the user has changed: the client connects again")

// of returns a context that endOf ends for the user; the caller calls stop.
func (o *openStreams) of(ctx context.Context, user string) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ends == nil {
		o.ends = map[int]userStream{}
	}
	o.last++
	id := o.last
	o.ends[id] = userStream{user, cancel}
	return ctx, func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.ends, id)
		cancel(nil)
	}
}

// endOf ends the streams that a user has open in this process.
func (o *openStreams) endOf(user string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, one := range o.ends {
		if one.user == user {
			one.end(errSharingChanged)
		}
	}
}

// open counts one more stream, unless the client has as many as the limit allows; 0 is
// no limit. The caller calls close when the stream ends.
func (o *openStreams) open(client string, limit int) (done func(), err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if limit > 0 && o.clients[client] >= limit {
		return nil, tooManyStreams(limit)
	}
	if o.clients == nil {
		o.clients = map[string]int{}
	}
	o.clients[client]++
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.clients[client]--; o.clients[client] == 0 {
			delete(o.clients, client)
		}
	}, nil
}

// checkStreams refuses what would end in one stream too many, before it has an effect.
func (s *server) checkStreams(ctx context.Context, accept string) error {
	if !wantsEvents(accept) {
		return nil
	}
	done, err := s.streams.open(requestOf(ctx).client, s.Live.Current().HTTP.MaxStreams)
	if err == nil {
		done()
	}
	return err
}

func tooManyStreams(limit int) *Problem {
	return newProblem(http.StatusTooManyRequests, codeOfStatus[http.StatusTooManyRequests], fmt.Sprintf(
		"this client has %d event streams open: close one, follow all conversations in one stream (GET "+
			"/api/v1/events), "+
			"or raise http.max_streams_per_client in config.yml", limit))
}
