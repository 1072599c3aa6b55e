package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// address says whether the server can listen, or listens already.
func (v *visit) address(ctx context.Context) []Check {
	if v.owner != nil && v.owner.URL != "" {
		if _, err := v.machine.get(ctx, v.owner.URL+"/healthz"); err != nil {
			return fail("listen", fmt.Sprintf("process %d says that it serves %s, but does not answer: %v", v.owner.PID,
				v.owner.URL, err), "look at its log, or start it anew")
		}
		return ok("listen", v.owner.URL+" answers")
	}
	err := v.machine.listen(v.config.Listen)
	switch {
	case err == nil:
		return ok("listen", v.config.Listen+" is free")
	case errors.Is(err, syscall.EADDRINUSE):
		return fail("listen", v.config.Listen+" is taken by another program",
			"stop it, or choose another address: nanoclaw serve --listen 127.0.0.1:8788, or listen in config.yml")
	case errors.Is(err, syscall.EACCES):
		return fail("listen", v.config.Listen+" may not be used by this user", "choose a port above 1023")
	}
	return fail("listen", fmt.Sprintf("%s: %v", v.config.Listen, err),
		"choose an address of this machine, such as 127.0.0.1:8787")
}

const ollamaHint = "needed for local models only: install it from https://ollama.com/download, then: ollama pull " +
	"qwen3; or set llm.discover_ollama to false"

func (v *visit) ollama(ctx context.Context) []Check {
	if !v.config.LLM.DiscoverOllama {
		return ok("ollama", "is not looked for (llm.discover_ollama is off)")
	}
	at := strings.TrimSuffix(v.config.LLM.OllamaURL, "/")
	body, err := v.machine.get(ctx, at+"/api/tags")
	if err != nil {
		return warn("ollama", "does not answer at "+at, ollamaHint)
	}
	var list struct{ Models []struct{ Name string } }
	if err := json.Unmarshal(body, &list); err != nil {
		return warn("ollama", "something else answers at "+at, ollamaHint)
	}
	if len(list.Models) == 0 {
		return warn("ollama", "answers at "+at+" and has no model", "ollama pull qwen3")
	}
	names := make([]string, len(list.Models))
	for i, m := range list.Models {
		names[i] = m.Name
	}
	return ok("ollama", fmt.Sprintf("answers at %s with %s", at, strings.Join(names, ", ")))
}
