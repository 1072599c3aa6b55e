package api

import (
	"context"
	"fmt"
	"net/http"
	"sync"
)

// openStreams counts the event streams that each client has open. The zero value is
// ready for use.
type openStreams struct {
	mu      sync.Mutex
	clients map[string]int
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
