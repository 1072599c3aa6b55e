package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/discover"
)

// tryTimeout is how long a trial of a model may take.
const tryTimeout = 45 * time.Second

// TryModels asks models for a word, to see whether they can be used; errors are *llm.Error.
type TryModels interface {
	Try(ctx context.Context, cfg config.Model) error
	TryID(ctx context.Context, id string) error
}

// ModelProvider is a vendor of models that the server knows.
type ModelProvider struct {
	Name     string       `json:"name"`
	Provider string       `json:"provider" enum:"openai,anthropic" doc:"For provider of a model in config.yml."`
	BaseURL  string       `json:"base_url"`
	KeyName  string       `json:"key_name" doc:"The environment variable that usually holds its key."`
	Key      string       `json:"key" doc:"What api_key of another model of this vendor may say, as ${NAME}: the variable that is set where the server runs, or the key that a model has already. Empty: no key is known."`
	Models   []KnownModel `json:"models"`
}

// KnownModel is a model that the server knows something of.
type KnownModel struct {
	ID            string   `json:"id"`
	Name          string   `json:"name"`
	Model         string   `json:"model" doc:"Its name on the wire."`
	ContextWindow int      `json:"context_window"`
	Supports      []string `json:"supports"`
}

type testModelInput struct {
	Body struct {
		ID       string `json:"id,omitempty" maxLength:"200" doc:"One of GET /models; then nothing else is needed."`
		Provider string `json:"provider,omitempty" enum:"openai,anthropic" doc:"openai where left out."`
		BaseURL  string `json:"base_url,omitempty" maxLength:"2000" format:"uri"`
		APIKey   string `json:"api_key,omitempty" maxLength:"4000" doc:"A key, or ${NAME} as config.yml may say it."`
		Model    string `json:"model,omitempty" maxLength:"500" doc:"Its name on the wire."`
	}
}

// ModelTest is what came of a trial.
type ModelTest struct {
	OK         bool   `json:"ok"`
	Code       string `json:"code" doc:"Why not; empty where ok."`
	Message    string `json:"message" doc:"Why not, and what to do; empty where ok."`
	DurationMS int64  `json:"duration_ms"`
}

type modelTestOutput struct{ Body ModelTest }

func (s *server) registerModelTest() {
	handle(s, op("GET", "/models/providers", "list-model-providers", "Catalog",
		"Vendors of models that a person can connect"), s.listModelProviders)
	handle(s, op("POST", "/models/test", "test-model", "Catalog", "Ask a model for one word, to see whether it works",
		describe("The model need not be in config.yml. Nothing is stored; the provider may charge a few tokens."),
		byPersons, needs(rightAdmin)), s.testModel)
}

func (s *server) listModelProviders(context.Context, *struct{}) (*listOutput[ModelProvider], error) {
	known := map[string]string{} // keys of connected models by base_url
	c := s.Live.Current()
	for i, m := range c.Models {
		if key := c.Reference(fmt.Sprintf("models[%d].api_key", i)); key != "" {
			known[m.BaseURL] = key
		}
	}
	var list []ModelProvider
	for _, v := range discover.Vendors() {
		view := ModelProvider{Name: v.Name, Provider: v.Provider, BaseURL: v.BaseURL, KeyName: v.KeyName,
			Key: known[v.BaseURL]}
		if view.Key == "" && os.Getenv(v.KeyName) != "" {
			view.Key = "${" + v.KeyName + "}"
		}
		for _, m := range v.Models {
			one := KnownModel{ID: m.ID, Name: m.Name, Model: m.Model, ContextWindow: m.ContextWindow,
				Supports: m.Supports}
			if one.Model == "" {
				one.Model = one.ID
			}
			view.Models = append(view.Models, one)
		}
		list = append(list, view)
	}
	return &listOutput[ModelProvider]{wholeList(list)}, nil
}

func (s *server) testModel(ctx context.Context, in *testModelInput) (*modelTestOutput, error) {
	if s.TryModels == nil {
		return nil, newProblem(http.StatusNotFound, codeNotFound, "this server cannot test models")
	}
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	started := time.Now()
	err := s.try(ctx, in)
	out := &modelTestOutput{Body: ModelTest{OK: err == nil, DurationMS: time.Since(started).Milliseconds()}}
	var failed *llm.Error
	switch {
	case errors.As(err, &failed):
		out.Body.Code, out.Body.Message = failed.Code, failed.Message
	case errors.Is(err, context.DeadlineExceeded):
		out.Body.Code, out.Body.Message = llm.CodeTimeout, "the model gave no answer within "+tryTimeout.String()
	case err != nil:
		return nil, err
	}
	return out, nil
}

func (s *server) try(ctx context.Context, in *testModelInput) error {
	if in.Body.ID != "" {
		return s.TryModels.TryID(ctx, in.Body.ID)
	}
	if in.Body.BaseURL == "" || in.Body.Model == "" {
		return invalidField("body", "send the id of a model, or base_url and model")
	}
	key, missing, err := s.Live.Expand(in.Body.APIKey)
	if err != nil {
		return invalidField("body.api_key", err.Error())
	}
	return s.TryModels.Try(ctx, config.Model{
		ID: in.Body.Model, Provider: in.Body.Provider, BaseURL: in.Body.BaseURL, APIKey: config.Secret(key),
		MissingEnv: missing, ContextWindow: 128_000,
	})
}
