package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"

	"nanoclaw/internal/terminal"
)

// turn is one message and the run that answers it.
type turn struct {
	project      string // absolute directory without links; empty: none
	model        string
	conversation string // empty: a new one
	prompt       string
}

// begin starts the turn's run.
func (t *turn) begin(ctx context.Context, api *client) (*terminal.Run, string, error) {
	projectID, err := t.findProject(ctx, api)
	if err != nil {
		return nil, "", err
	}
	conversation, made := t.conversation, false
	settings := t.settings(projectID)
	if conversation == "" {
		var opened struct{ ID string }
		if err := api.call(ctx, http.MethodPost, "/conversations", settings, &opened); err != nil {
			return nil, "", t.told(err)
		}
		conversation, made = opened.ID, true
	}
	body := maps.Clone(settings)
	body["text"] = t.prompt
	var run terminal.Run
	// Ctrl-C must not leave a run behind that nobody knows of: it is stopped once
	// its id is known.
	err = api.call(context.WithoutCancel(ctx), http.MethodPost, "/conversations/"+url.PathEscape(conversation)+"/runs",
		body, &run)
	if err == nil {
		return &run, conversation, nil
	}
	err = t.told(err)
	if made { // with nothing in it
		err = errors.Join(err, api.call(context.WithoutCancel(ctx), http.MethodDelete, "/conversations/"+conversation,
			nil, nil))
	}
	return nil, "", err
}

// settings are what the conversation and its run are asked for alike.
func (t *turn) settings(projectID string) map[string]any {
	settings := map[string]any{}
	if t.model != "" {
		settings["model"] = t.model
	}
	if projectID != "" {
		settings["project_id"] = projectID
	}
	return settings
}

// told makes what the server says of a flag's value a wrong command line.
func (t *turn) told(err error) error {
	var refusal *apiError
	if !errors.As(err, &refusal) {
		return err
	}
	switch {
	case refusal.Code == "unknown_model" || refusal.Code == "model_not_found":
		return usagef("--model %s: %s", t.model, refusal.first())
	case refusal.Status == http.StatusNotFound && t.conversation != "":
		return usagef("--conversation %s: %s", t.conversation, refusal.Error())
	case refusal.Code == "run_active":
		return fmt.Errorf("%w; nanoclaw run starts when it has ended", err)
	}
	return err
}

// findProject is the id of the project with the turn's directory; it is made where
// there is none. Empty where the turn has no directory.
func (t *turn) findProject(ctx context.Context, api *client) (string, error) {
	if t.project == "" {
		return "", nil
	}
	type project struct{ ID, Path string }
	query := url.Values{"limit": {"100"}}
	for {
		var page struct {
			Items []project
			Next  string `json:"next_cursor"`
		}
		if err := api.call(ctx, http.MethodGet, "/projects?"+query.Encode(), nil, &page); err != nil {
			return "", fmt.Errorf("look for the project: %w", err)
		}
		for _, p := range page.Items {
			if p.Path == t.project {
				return p.ID, nil
			}
		}
		if page.Next == "" {
			break
		}
		query.Set("cursor", page.Next)
	}
	var made project
	err := api.call(ctx, http.MethodPost, "/projects", map[string]any{"name": filepath.Base(t.project),
		"path": t.project}, &made)
	var refusal *apiError
	if errors.As(err, &refusal) && refusal.Code == "access_denied" {
		return "", fmt.Errorf("--project %s: %w; the server at %s takes directories below project_roots of "+
			"its configuration", t.project, err, api.address())
	}
	if err != nil {
		return "", fmt.Errorf("--project %s: %w", t.project, err)
	}
	return made.ID, nil
}
