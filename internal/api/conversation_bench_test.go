package api

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// BenchmarkConversations reports the p95 of the list and of searches over HTTP,
// with 10,000 conversations and 100,000 messages (goal: 50 ms).
func BenchmarkConversations(b *testing.B) {
	h := newHouse(b)
	words := []string{"project", "file", "result", "weather", "agent", "model", "report", "table"}
	for i := range 10_000 {
		export := store.Export{Conversation: models.Conversation{Title: fmt.Sprintf("about %s %d", words[i%len(words)],
			i)}}
		for j := range 10 {
			message := models.Message{ID: fmt.Sprint(j), Role: models.RoleUser,
				Text: fmt.Sprintf("message %d of %d about the %s and 今天天气很好", j, i, words[(i+j)%len(words)])}
			if j > 0 {
				message.ParentID = fmt.Sprint(j - 1)
			}
			if i == 5000 && j == 3 {
				message.Text = "the needle in the haystack"
			}
			export.Messages = append(export.Messages, message)
		}
		if _, err := h.store.ImportConversation(b.Context(), models.LocalUserID, export); err != nil {
			b.Fatal(err)
		}
	}
	for name, query := range map[string]string{"list": "", "rare": "?q=needle", "common": "?q=report",
		"chinese": "?q=%E5%A4%A9%E6%B0%94"} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				begun := time.Now()
				h.do("GET", "/api/v1/conversations"+query, nil).is(200)
				took = append(took, time.Since(begun))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
}
