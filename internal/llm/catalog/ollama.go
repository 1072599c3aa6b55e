package catalog

import (
	"context"
	"fmt"
	"reflect"
	"runtime/debug"
	"time"

	"nanoclaw/internal/config"
)

const (
	ollamaTimeout  = 5 * time.Second
	ollamaInterval = time.Minute
	ollamaMisses   = 3 // looks in a row that may fail: a busy Ollama is slow to answer
)

// watchOllama looks for Ollama's models now and again, since it may be started,
// or a model pulled, at any time.
func (c *Catalog) watchOllama(ctx context.Context) {
	defer close(c.done)
	ticker := time.NewTicker(ollamaInterval)
	defer ticker.Stop()
	for {
		c.lookForOllama(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case <-c.refresh:
		}
	}
}

func (c *Catalog) lookForOllama(ctx context.Context) {
	c.mu.Lock()
	wanted, url := c.cfg.LLM.DiscoverOllama, c.cfg.LLM.OllamaURL
	c.mu.Unlock()
	if !wanted || url == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, ollamaTimeout)
	defer cancel()
	found, err := c.askOllama(ctx, url)
	if err != nil {
		c.opts.Logger.Debug("no Ollama was found", "url", url, "error", err)
	}
	if c.foundOllama(url, found, err == nil) {
		c.opts.Logger.Info("the models of Ollama changed", "url", url, "models", len(found))
		c.rebuild()
	}
}

// foundOllama takes what a look has found, and reports whether it changed anything.
func (c *Catalog) foundOllama(url string, found []config.Model, ok bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if url != c.cfg.LLM.OllamaURL || !c.cfg.LLM.DiscoverOllama {
		return false // reloaded meanwhile
	}
	if ok {
		c.misses = 0
	} else if c.misses++; c.misses < ollamaMisses {
		return false
	}
	if reflect.DeepEqual(found, c.ollama) {
		return false
	}
	c.ollama = found
	return true
}

// askOllama turns a panic over what an unknown server answered into an error.
func (c *Catalog) askOllama(ctx context.Context, url string) (found []config.Model, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("look for Ollama: panic: %v\n%s", r, debug.Stack())
		}
	}()
	return c.sources.ollama(ctx, url, c.opts.HTTPClient)
}
