package demo

import (
	"testing"
	"time"

	"nanoclaw/internal/llm"
	"nanoclaw/internal/llm/llmsuite"
)

func TestTheProviderConforms(t *testing.T) {
	t.Parallel()
	info := llm.Info{ID: "demo", Provider: "demo", Model: "demo"}
	help := llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Text: "help"}}}
	llmsuite.Run(t, llmsuite.Provider{
		Text: func(*testing.T) (llm.Model, llm.Request) { return New(info), help },
		Calls: func(*testing.T) (llm.Model, llm.Request, []llm.ToolCall) {
			req := llm.Request{
				Messages: []llm.Message{{Role: llm.RoleUser, Text: "列出文件，然后计算 6*7"}},
				Tools:    (&world{}).tools(),
			}
			return New(info), req, []llm.ToolCall{
				{Name: "file_list", Arguments: `{"path":"."}`}, {Name: "calculator", Arguments: `{"expression":"6*7"}`},
			}
		},
		Stuck: func(*testing.T) (llm.Model, llm.Request, func(*testing.T)) {
			return New(info, WithDelay(20*time.Millisecond)), help, func(*testing.T) {}
		},
	})
}
