package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/labstack/echo/v4"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

const idempotencyHeader = "Idempotency-Key"

func idempotencyParam() *huma.Param {
	return &huma.Param{Name: idempotencyHeader, In: "header", Schema: &huma.Schema{Type: "string"},
		Description: "A text of your own. The same key with the same request gets the stored answer of the first " +
			"success; with another request 422; " +
			"while the first is at work 409. A run that was started with it is found again, also where the answer is " +
			"its event stream. It has no effect on forms."}
}

// maxKey is the length of a key, in bytes.
const maxKey = 255

// repeat answers a POST whose Idempotency-Key was seen before with the stored
// answer. Only successes are stored: a request that failed has changed nothing
// and may be sent again with its key.
func (s *server) repeat(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		key := r.Header.Get(idempotencyHeader)
		if key == "" || r.Method != http.MethodPost || !strings.HasPrefix(r.URL.Path, "/api/") ||
			strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
			return next(c)
		}
		if len(key) > maxKey {
			return invalidField("header."+idempotencyHeader, "it is longer than 255 bytes")
		}
		hash, err := hashRequest(r)
		if err != nil {
			return err
		}
		ctx := r.Context()
		claim, stored, err := s.Store.BeginIdempotent(ctx, currentUser(ctx), key, hash,
			s.Live.Current().HTTP.IdempotencyTTL.Std())
		if err != nil {
			return err
		}
		if run, isRun := strings.CutPrefix(locationOf(stored), basePath+"/runs/"); isRun &&
			(wantsEvents(r.Header.Get("Accept")) || len(stored.Body) == 0) {
			return s.replayRun(c, run, stored)
		}
		if stored != nil {
			return replay(c, stored.Status, stored.ContentType, stored.Location, stored.Body)
		}
		return s.record(c, claim, next)
	}
}

// hashRequest reads the body and puts it back.
func hashRequest(r *http.Request) (string, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return "", err
	}
	if err := r.Body.Close(); err != nil {
		return "", err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	hash := sha256.New()
	for _, part := range []string{r.Method, r.URL.EscapedPath(), r.URL.RawQuery} {
		hash.Write([]byte(part))
		hash.Write([]byte{0})
	}
	hash.Write(body)
	return hex.EncodeToString(hash.Sum(nil)), nil
}

func replay(c echo.Context, status int, contentType, location string, body []byte) error {
	header := c.Response().Header()
	header.Set("Idempotent-Replayed", "true")
	if location != "" {
		header.Set("Location", location)
	}
	if contentType == "" {
		return c.NoContent(status)
	}
	return c.Blob(status, contentType, body)
}

func locationOf(stored *models.IdempotencyKey) string {
	if stored == nil {
		return ""
	}
	return stored.Location
}

// replayRun answers with the run that was started before: with its events where
// the client asks for them, else as it is now.
func (s *server) replayRun(c echo.Context, id string, stored *models.IdempotencyKey) error {
	c.Response().Header().Set("Idempotent-Replayed", "true")
	if wantsEvents(c.Request().Header.Get("Accept")) {
		return s.streamRun(c, id, "")
	}
	ctx := c.Request().Context()
	run, err := s.Runs.Run(ctx, currentUser(ctx), id)
	if err != nil {
		return err
	}
	c.Response().Header().Set("Location", stored.Location)
	return c.JSON(http.StatusAccepted, run)
}

// record lets the request happen and stores its answer under the key.
func (s *server) record(c echo.Context, claim store.KeyClaim, next echo.HandlerFunc) (err error) {
	ctx := context.WithoutCancel(c.Request().Context())
	c.SetRequest(c.Request().WithContext(context.WithValue(c.Request().Context(), claimKey{}, claim)))
	defer s.holdKey(ctx, claim)()
	finished := false
	if wantsEvents(c.Request().Header.Get("Accept")) {
		// The run is stored when its events begin: a client that is cut off finds it.
		c.Response().Before(func() {
			location := c.Response().Header().Get("Location")
			if c.Response().Status == http.StatusOK && location != "" {
				finished = s.finishKey(ctx, claim, store.Answer{Status: http.StatusAccepted, Location: location})
			}
		})
	}
	copied := &copiedAnswer{ResponseWriter: c.Response().Writer, skip: wantsEvents(c.Request().Header.Get("Accept"))}
	c.Response().Writer = copied
	defer func() {
		c.Response().Writer = copied.ResponseWriter
		if finished {
			return
		}
		if abandoned := s.Store.AbandonIdempotent(ctx, claim); abandoned != nil {
			s.Logger.Error("an idempotency key could not be given back", "error", abandoned)
		}
	}()
	if err = next(c); err != nil {
		return err
	}
	if status := c.Response().Status; finished || status < 200 || status > 299 {
		return nil
	}
	answer := store.Answer{
		Status: c.Response().Status, ContentType: c.Response().Header().Get("Content-Type"),
		Location: c.Response().Header().Get("Location"), Body: copied.body.Bytes(),
	}
	finished = s.finishKey(ctx, claim, answer)
	return nil
}

// claimKey is the context key of the store.KeyClaim of a request.
type claimKey struct{}

// keepRun stores, together with the run that a request starts, that the run is its answer: a
// request that is sent again because its server died starts no second one.
func keepRun(ctx context.Context) func(tx *store.Tx, run *models.Run) error {
	claim, has := ctx.Value(claimKey{}).(store.KeyClaim)
	if !has {
		return nil
	}
	return func(tx *store.Tx, run *models.Run) error {
		return tx.FinishIdempotent(claim, store.Answer{Status: http.StatusAccepted, Location: runLocation(run.ID)})
	}
}

func runLocation(id string) string { return basePath + "/runs/" + id }

// holdKey keeps the claim of a request that takes long, until it is stopped.
func (s *server) holdKey(ctx context.Context, claim store.KeyClaim) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(store.KeyLease / 3)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			if held, err := s.Store.RenewIdempotent(ctx, claim); err == nil && !held {
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}

// finishKey stores an answer and says whether it is stored. The request has had
// its effect: it must not be said to have failed.
func (s *server) finishKey(ctx context.Context, claim store.KeyClaim, answer store.Answer) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := s.Store.FinishIdempotent(ctx, claim, answer); err != nil {
		s.Logger.Error("the answer to an idempotency key could not be stored", "error", err)
		return false
	}
	return true
}

// copiedAnswer keeps a copy of what is written.
type copiedAnswer struct {
	http.ResponseWriter
	skip bool // an event stream is not kept
	body bytes.Buffer
}

func (a *copiedAnswer) Write(p []byte) (int, error) {
	n, err := a.ResponseWriter.Write(p)
	if !a.skip {
		a.body.Write(p[:n])
	}
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (a *copiedAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
