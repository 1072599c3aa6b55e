package discover

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"nanoclaw/internal/config"
)

const (
	tagsTimeout = 2 * time.Second // Ollama is on this machine, or not at all
	showTimeout = 2 * time.Second // for all models together
	maxAnswer   = 4 << 20         // bytes; a model's description holds its licence
	maxModels   = 60
	atOnce      = 4
)

// Ollama lists the models of an Ollama server as entries for its OpenAI-compatible
// endpoint. url is its address, for example http://127.0.0.1:11434. The error says
// why there is none; a model whose description cannot be had is listed with what
// can be assumed. Models that only make embeddings are left out.
func Ollama(ctx context.Context, address string, client *http.Client) ([]config.Model, error) {
	server, err := newOllama(address, client)
	if err != nil {
		return nil, err
	}
	tagged, cancel := context.WithTimeout(ctx, tagsTimeout)
	defer cancel()
	var tags tagList
	if err := server.call(tagged, http.MethodGet, "/api/tags", nil, &tags); err != nil {
		return nil, err
	}
	var loaded tagList
	if err := server.call(tagged, http.MethodGet, "/api/ps", nil, &loaded); err != nil {
		loaded = tagList{} // older servers have no such list
	}
	names := tags.names()
	described := server.describe(ctx, names)
	var found []config.Model
	for i, name := range names {
		if model, ok := described[i].entry(name, loaded.window(name)); ok {
			model.BaseURL = server.base + "/v1"
			found = append(found, model)
		}
	}
	return found, nil
}

type ollama struct {
	base   string
	client *http.Client
}

func newOllama(address string, client *http.Client) (*ollama, error) {
	if client == nil {
		client = http.DefaultClient
	}
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("ollama_url is not an http(s) address such as http://127.0.0.1:11434")
	}
	return &ollama{base: strings.TrimSuffix(strings.TrimRight(u.String(), "/"), "/v1"), client: client}, nil
}

// call makes one request and decodes its answer.
func (o *ollama) call(ctx context.Context, method, path string, body, answer any) error {
	payload, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("ask Ollama: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, method, o.base+path, bytes.NewReader(payload))
	if err != nil {
		return fmt.Errorf("ask Ollama: %w", err)
	}
	if method == http.MethodGet {
		req.Body, req.ContentLength = nil, 0
	}
	resp, err := o.client.Do(req)
	if err != nil {
		return fmt.Errorf("ask Ollama: %w", err)
	}
	defer func() { _ = resp.Body.Close() }() // it is only read
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("ask Ollama: %s answered %s", path, resp.Status)
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return fmt.Errorf("ask Ollama: read the answer of %s: %w", path, err)
	case len(data) > maxAnswer:
		return fmt.Errorf("ask Ollama: the answer of %s is larger than %d MiB", path, maxAnswer>>20)
	}
	if err := json.Unmarshal(data, answer); err != nil {
		return fmt.Errorf("ask Ollama: the answer of %s is not what Ollama answers: %w", path, err)
	}
	return nil
}

// describe asks for all models' descriptions, a few at a time; what does not come
// in time stays empty.
func (o *ollama) describe(ctx context.Context, names []string) []description {
	ctx, cancel := context.WithTimeout(ctx, showTimeout)
	defer cancel()
	described := make([]description, len(names))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, name := range names {
		group.Go(func() error {
			var d description
			if err := o.call(ctx, http.MethodPost, "/api/show", map[string]string{"model": name}, &d); err == nil {
				described[i] = d
			}
			return nil
		})
	}
	_ = group.Wait() // no function of it returns an error
	return described
}
