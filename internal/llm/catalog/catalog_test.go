package catalog

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nanoclaw/internal/config"
	"nanoclaw/internal/llm"
)

// from is a set of sources without a network; calls to Ollama are answered by ask.
func from(env []config.Model, ask func() ([]config.Model, error)) sources {
	return sources{
		environment: func() []config.Model { return env },
		ollama:      func(context.Context, string, *http.Client) ([]config.Model, error) { return ask() },
		build:       build,
	}
}

func noOllama() ([]config.Model, error) { return nil, errors.New("connection refused") }

func sample() *config.Config {
	return &config.Config{
		DefaultModel: "chat",
		LLM:          config.LLM{DiscoverEnv: true, DiscoverOllama: true, OllamaURL: "http://127.0.0.1:11434"},
		Models: []config.Model{
			{ID: "chat", BaseURL: "http://127.0.0.1:1/v1", Supports: []string{"tools"}, ContextWindow: 1000},
			{ID: "keyless", Provider: "openai"},
			{ID: "unset", Provider: "anthropic", MissingEnv: "ANTHROPIC_API_KEY"},
			{ID: "demo", Provider: "demo"},
		},
	}
}

func ids(c *Catalog) string {
	var list []string
	for _, info := range c.List() {
		id := info.ID
		if info.Disabled {
			id = "(" + id + ")"
		}
		list = append(list, id+":"+info.Source)
	}
	return strings.Join(list, " ")
}

func TestModelsAreListedInOrderWithTheirSource(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		env := []config.Model{{ID: "gpt", Provider: "openai", APIKey: "k"}, {ID: "chat", Provider: "openai",
			APIKey: "k"}}
		c := start(sample(), llm.Options{}, from(env, func() ([]config.Model, error) {
			return []config.Model{{ID: "qwen3:8b", Provider: "openai", BaseURL: "http://127.0.0.1:11434/v1"}}, nil
		}))
		defer c.Close()
		synctest.Wait()
		if got, want := ids(c),
			"chat:config (keyless):config (unset):config demo:builtin gpt:environment qwen3:8b:ollama"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if info := c.List()[0]; info.Name != "chat" || info.Model != "chat" || info.Provider != "openai" ||
			info.ContextWindow != 1000 {
			t.Errorf("%+v", info)
		}
	})
}

// F2: lists say who answers, at which price, and what they leave out.
func TestAModelSaysWhoAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := &config.Config{LLM: config.LLM{Hidden: []string{"b"}}, Models: []config.Model{
			{ID: "a", Provider: "openai", APIKey: "k", Price: config.Price{Input: 2, Output: 8}},
			{ID: "b", Provider: "anthropic", APIKey: "k"},
			{ID: "c", Provider: "openai", BaseURL: "https://api.deepseek.com/v1/", APIKey: "k"},
			{ID: "d", Provider: "openai", BaseURL: "http://gpu.example.org:8000/v1", APIKey: "k"},
			{ID: "demo", Provider: "demo"},
		}}
		c := start(cfg, llm.Options{}, from(nil, func() ([]config.Model, error) { return nil, nil }))
		defer c.Close()
		var got []string
		for _, info := range c.List() {
			got = append(got, fmt.Sprint(info.ID, " ", info.Vendor, " ", info.Hidden, " ", info.Price.Output))
		}
		want := "a OpenAI false 8|b Anthropic true 0|c DeepSeek false 0|d gpu.example.org:8000 false 0|demo  false 0"
		if strings.Join(got, "|") != want {
			t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
		}
	})
}

func TestAModelIsFoundOrTheErrorSaysWhy(t *testing.T) {
	t.Parallel()
	c := start(sample(), llm.Options{}, from(nil, noOllama))
	defer c.Close()
	for _, id := range []string{"chat", "demo"} {
		if m, err := c.Get(id); err != nil || m.Info().ID != id {
			t.Errorf("%s: %v", id, err)
		}
	}
	for id, want := range map[string]*llm.Error{
		"nope":    {Code: llm.CodeNotFound, Message: `"nope"; there are chat, demo`},
		"":        {Code: llm.CodeNotFound, Message: "there are chat, demo"},
		"unset":   {Code: llm.CodeAuth, Message: "ANTHROPIC_API_KEY is not set"},
		"keyless": {Code: llm.CodeAuth, Message: "api_key"},
	} {
		_, err := c.Get(id)
		var typed *llm.Error
		if !errors.As(err, &typed) || typed.Code != want.Code || !strings.Contains(typed.Message, want.Message) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestEveryProviderOfTheConfigIsBuilt(t *testing.T) {
	t.Parallel()
	cfg := sample()
	cfg.Models = []config.Model{
		{ID: "a", Provider: "anthropic", APIKey: "k"}, {ID: "o", Provider: "openai", APIKey: "k"},
		{ID: "d", Provider: "demo"},
	}
	c := start(cfg, llm.Options{}, from(nil, noOllama))
	defer c.Close()
	for _, model := range cfg.Models {
		if m, err := c.Get(model.ID); err != nil || m.Info().Provider != model.Provider {
			t.Errorf("%s: %v", model.Provider, err)
		}
	}
}

func TestTheDefaultIsTheConfiguredOneElseTheFirstThatWorks(t *testing.T) {
	t.Parallel()
	for configured, want := range map[string]string{"demo": "demo", "unset": "unset", "": "chat", "gone": "chat"} {
		cfg := sample()
		cfg.DefaultModel = configured
		c := start(cfg, llm.Options{}, from(nil, noOllama))
		if got := c.Default(); got != want {
			t.Errorf("%q: %q, want %q", configured, got, want)
		}
		c.Close()
	}
}

func TestReloadKeepsModelsThatDidNotChange(t *testing.T) {
	t.Parallel()
	c := start(sample(), llm.Options{}, from(nil, noOllama))
	defer c.Close()
	chat, _ := c.Get("chat")
	demo, _ := c.Get("demo")
	next := sample()
	next.Models[0].BaseURL = "http://127.0.0.1:2/v1"
	next.Models[2] = config.Model{ID: "added", BaseURL: "http://127.0.0.1:3/v1"}
	c.Reload(next)
	if m, err := c.Get("chat"); err != nil || m == chat {
		t.Errorf("the changed model is the old one, %v", err)
	}
	if m, err := c.Get("demo"); err != nil || m != demo {
		t.Errorf("the unchanged model is another one, %v", err)
	}
	if _, err := c.Get("added"); err != nil {
		t.Error(err)
	}
	if _, err := c.Get("unset"); err == nil {
		t.Error("a model that is gone is still there")
	}
}

func TestOllamaNeverDelaysTheStartAndIsFoundLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked, begun := 0, time.Now()
		c := start(sample(), llm.Options{}, from(nil, func() ([]config.Model, error) {
			asked++
			switch asked {
			case 1:
				time.Sleep(2 * time.Second) // slow, and gone
				return nil, errors.New("refused")
			case 2:
				return []config.Model{{ID: "llama", BaseURL: "http://127.0.0.1:11434/v1"}}, nil
			case 4:
				panic("an answer from another world")
			}
			return nil, errors.New("refused")
		}))
		defer c.Close()
		if time.Since(begun) != 0 || strings.Contains(ids(c), "llama") {
			t.Error("the start waited for Ollama")
		}
		time.Sleep(ollamaInterval + time.Second)
		if _, err := c.Get("llama"); err != nil {
			t.Errorf("it was not found later: %v", err)
		}
		time.Sleep(2 * ollamaInterval)
		if _, err := c.Get("llama"); err != nil {
			t.Errorf("it was lost while it may only be busy: %v", err)
		}
		time.Sleep(ollamaInterval)
		if _, err := c.Get("llama"); err == nil {
			t.Error("a model of an Ollama that is gone is still there")
		}
	})
}

func TestTheCatalogFindsAnOllamaOverItsAPI(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/tags":
			fmt.Fprint(w, `{"models":[{"name":"qwen3:8b"}]}`)
		case "/api/show":
			fmt.Fprint(w,
				`{"capabilities":["completion","tools","thinking"],"model_info":{"qwen3.context_length":40960}}`)
		default:
			http.NotFound(w, r)
		}
	}))
	defer srv.Close()
	cfg := sample()
	cfg.LLM.DiscoverEnv, cfg.LLM.OllamaURL = false, srv.URL
	c := New(cfg, llm.Options{})
	defer c.Close()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); runtime.Gosched() {
		if _, err := c.Get("ollama/qwen3:8b"); err == nil {
			return
		}
	}
	t.Errorf("not found: %s", ids(c))
}

func TestReloadLooksForOllamaAtOnceOrForgetsIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := start(sample(), llm.Options{}, from(nil, func() ([]config.Model, error) {
			return []config.Model{{ID: "llama", BaseURL: "http://127.0.0.1:11434/v1"}}, nil
		}))
		defer c.Close()
		synctest.Wait()
		without := sample()
		without.LLM.DiscoverOllama = false
		c.Reload(without)
		synctest.Wait()
		if strings.Contains(ids(c), "llama") {
			t.Error("it is still listed")
		}
		c.Reload(sample())
		synctest.Wait()
		if !strings.Contains(ids(c), "llama") {
			t.Error("it was not looked for")
		}
	})
}

func TestConfiguredLimitsReachTheProvider(t *testing.T) {
	t.Parallel()
	var got []llm.Options
	sources := from(nil, noOllama)
	sources.build = func(cfg config.Model, info llm.Info, opts llm.Options) llm.Model {
		got = append(got, opts)
		return build(cfg, info, opts)
	}
	cfg := sample()
	cfg.Models = cfg.Models[:1]
	cfg.LLM.IdleTimeout = config.Duration(7 * time.Second)
	c := start(cfg, llm.Options{}, sources)
	defer c.Close()
	next := *cfg
	next.LLM.MaxRetries = 4
	c.Reload(&next)
	if len(got) != 2 || got[0].MaxRetries != -1 || got[0].IdleTimeout != 7*time.Second || got[1].MaxRetries != 4 ||
		got[0].HTTPClient != got[1].HTTPClient {
		t.Errorf("%+v", got)
	}
}

func TestAnUnknownProviderIsDisabled(t *testing.T) {
	t.Parallel()
	cfg := sample()
	cfg.Models = []config.Model{{ID: "odd", Provider: "telepathy", APIKey: "k"}}
	c := start(cfg, llm.Options{}, from(nil, noOllama))
	defer c.Close()
	if list := c.List(); !list[0].Disabled || !strings.Contains(list[0].Reason, "telepathy") {
		t.Errorf("%+v", list)
	}
	if !slices.Equal(c.List()[0].Supports, []string{}) {
		t.Error("an absent list is nil")
	}
}

// F1: a model that is not in the catalog is asked once, with its own key, and its failure has a code.
func TestAModelIsTriedWithoutBeingInTheCatalog(t *testing.T) {
	t.Parallel()
	var keys []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	c := start(&config.Config{LLM: config.LLM{MaxRetries: 5}}, llm.Options{}, from(nil, noOllama))
	t.Cleanup(c.Close)
	var failed *llm.Error
	err := c.Try(t.Context(), config.Model{ID: "x", BaseURL: server.URL, APIKey: "k", ContextWindow: 8000})
	if !errors.As(err, &failed) || failed.Code != llm.CodeAuth || !slices.Equal(keys, []string{"Bearer k"}) {
		t.Errorf("error %v after requests with %q", err, keys)
	}
	if err := c.Try(t.Context(), config.Model{ID: "demo", Provider: "demo"}); err != nil {
		t.Error(err)
	}
	if err := c.TryID(t.Context(), "x"); !errors.As(err, &failed) || failed.Code != llm.CodeNotFound {
		t.Errorf("a model that was tried is in the catalog: %v", err)
	}
}
