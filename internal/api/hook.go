package api

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"io"
	"net/http"

	"github.com/labstack/echo/v4"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/triggers"
)

// Hook starts a run for each request of another program.
type Hook struct {
	ID        string      `json:"id"`
	Name      string      `json:"name"`
	URL       string      `json:"url" doc:"Path that requests are sent to, by POST."`
	Auth      string      `json:"auth" enum:"hmac,token"`
	Secret    string      `json:"secret,omitempty" doc:"Shown once, when it was made."`
	Template  string      `json:"template"`
	Agent     string      `json:"agent"`
	Model     string      `json:"model"`
	ProjectID string      `json:"project_id"`
	Enabled   bool        `json:"enabled"`
	CreatedAt models.Time `json:"created_at"`
	UpdatedAt models.Time `json:"updated_at"`
}

// HookSettings are what can be set of a hook. In a change, what is left out stays.
type HookSettings struct {
	Name      *string `json:"name,omitempty" minLength:"1" maxLength:"200"`
	Auth      *string `json:"auth,omitempty" enum:"hmac,token" doc:"hmac (the default): the request is signed (X-Hub-Signature-256 as GitHub does, or Standard Webhooks). token: it has the secret as Authorization: Bearer."`
	Secret    *string `json:"secret,omitempty" minLength:"16" maxLength:"500" doc:"Left out: one is made."`
	Template  *string `json:"template,omitempty" maxLength:"100000" doc:"The message of the run, with {{body}}, {{body.name}}, {{body.list.0}} and {{headers.x-name}}. Values are written as JSON. Empty: the whole body."`
	Agent     *string `json:"agent,omitempty"`
	Model     *string `json:"model,omitempty"`
	ProjectID *string `json:"project_id,omitempty"`
	Enabled   *bool   `json:"enabled,omitempty" doc:"false: it is paused, and requests are refused."`
}

type hookOutput struct{ Body Hook }

func viewHook(m *models.Hook) Hook {
	return Hook{ID: m.ID, Name: m.Name, URL: "/hooks/" + m.ID, Auth: m.Auth, Template: m.Text, Agent: m.Agent,
		Model: m.Model, ProjectID: m.ProjectID, Enabled: m.Enabled, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt}
}

func (s *server) registerHooks() {
	const tag = "Triggers"
	handle(s, op("GET", "/hooks", "list-hooks", tag, "Hooks, last changed first"), s.listHooks)
	handle(s, op("POST", "/hooks", "create-hook", tag, "Let another program start runs", status(http.StatusCreated),
		byPersons), s.createHook)
	handle(s, op("GET", "/hooks/{id}", "get-hook", tag, "A hook"), s.getHook)
	handle(s, op("PATCH", "/hooks/{id}", "change-hook", tag, "Change, pause or resume a hook", byPersons), s.changeHook)
	handle(s, op("DELETE", "/hooks/{id}", "delete-hook", tag, "Delete a hook with its history",
		describe("The conversations that it has started stay."), status(204), byPersons), s.deleteHook)
	handle(s, op("GET", "/hooks/{id}/firings", "list-hook-firings", tag, "What came of a hook, newest first"),
		s.listHookFirings)
	s.mounts = append(s.mounts, mounted{prefix: "/hooks"})
	s.echo.POST("/hooks/:id", s.callHook)
	s.rights["POST /hooks/:id"] = rightPublic // its signature says who may
}

func (s *server) hook(ctx context.Context, id string) (*models.Hook, error) {
	return store.GetTrigger[models.Hook](ctx, s.Store, currentUser(ctx), id)
}

func (s *server) listHooks(ctx context.Context, in *PageInput) (*listOutput[Hook], error) {
	part, err := store.ListTriggers(ctx, s.Store, currentUser(ctx), in.page(),
		func(m models.Hook) (models.Time, string) { return m.UpdatedAt, m.ID })
	if err != nil {
		return nil, err
	}
	return &listOutput[Hook]{newList(part, viewHook)}, nil
}

func (s *server) getHook(ctx context.Context, in *PathID) (*hookOutput, error) {
	found, err := s.hook(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return &hookOutput{viewHook(found)}, nil
}

func (s *server) createHook(ctx context.Context, in *struct{ Body HookSettings }) (*hookOutput, error) {
	if in.Body.Name == nil {
		return nil, invalidField("body.name", "it is missing")
	}
	made := &models.Hook{ID: store.NewID(), UserID: currentUser(ctx), Auth: models.HookHMAC, Enabled: true,
		CreatedAt: models.Now()}
	if in.Body.Secret == nil {
		key := make([]byte, 32)
		rand.Read(key)
		secret := "whsec_" + base64.StdEncoding.EncodeToString(key)
		in.Body.Secret = &secret
	}
	return s.saveHook(ctx, made, in.Body)
}

func (s *server) changeHook(ctx context.Context, in *struct {
	PathID
	Body HookSettings
}) (*hookOutput, error) {
	found, err := s.hook(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	return s.saveHook(ctx, found, in.Body)
}

func (s *server) saveHook(ctx context.Context, made *models.Hook, settings HookSettings) (*hookOutput, error) {
	for _, one := range []struct {
		value *string
		into  *string
	}{{settings.Name, &made.Name}, {settings.Auth, &made.Auth}, {settings.Secret, &made.Secret}} {
		if one.value != nil {
			*one.into = *one.value
		}
	}
	if settings.Enabled != nil {
		made.Enabled = *settings.Enabled
	}
	if settings.Template != nil {
		if err := triggers.CheckTemplate(*settings.Template); err != nil {
			return nil, invalidField("body.template", err.Error())
		}
	}
	err := s.setTarget(ctx, &made.Target, settings.Template, settings.Agent, settings.Model, settings.ProjectID)
	if err != nil {
		return nil, err
	}
	made.UpdatedAt = models.Now()
	if err := store.SaveTrigger(ctx, s.Store, made); err != nil {
		return nil, err
	}
	view := viewHook(made)
	if settings.Secret != nil {
		view.Secret = made.Secret
	}
	return &hookOutput{view}, nil
}

func (s *server) deleteHook(ctx context.Context, in *PathID) (*struct{}, error) {
	return nil, store.DeleteTrigger[models.Hook](ctx, s.Store, currentUser(ctx), in.ID)
}

func (s *server) listHookFirings(ctx context.Context, in *firingsInput) (*listOutput[Firing], error) {
	if _, err := s.hook(ctx, in.ID); err != nil {
		return nil, err
	}
	return s.firings(ctx, in)
}

// callHook fires a hook. Who knows no id learns no more than who has the wrong secret.
func (s *server) callHook(c echo.Context) error {
	ctx := c.Request().Context()
	body, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return err
	}
	hook, err := store.GetTrigger[models.Hook](ctx, s.Store, "", c.Param("id"))
	if store.IsCode(err, store.CodeNotFound) {
		hook, err = &models.Hook{}, nil
	}
	if err != nil {
		return err
	}
	firing, again, err := s.Triggers.Call(ctx, hook, body, c.Request().Header)
	if err != nil {
		return err
	}
	view := viewFiring(firing)
	view.Repeated = again
	if again {
		return c.JSON(http.StatusOK, view)
	}
	return c.JSON(http.StatusAccepted, view)
}
