// Command raw is the yardstick: the loop that a Go program would write by hand.
package main

import (
	"context"

	"golang.org/x/sync/errgroup"

	"nanoclaw/bench/peers/peer"
)

func main() { peer.Serve(run) }

func run(ctx context.Context) (string, error) {
	messages := []peer.Message{{Role: "user", Content: peer.Prompt}}
	for {
		answer, err := peer.Ask(ctx, messages)
		if err != nil || len(answer.ToolCalls) == 0 {
			return answer.Content, err
		}
		results := make([]peer.Message, len(answer.ToolCalls))
		var group errgroup.Group
		for i, call := range answer.ToolCalls {
			group.Go(func() error {
				text, err := peer.Calculate(call.Function.Arguments)
				results[i] = peer.Message{Role: "tool", Content: text, ToolCallID: call.ID}
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return "", err
		}
		messages = append(append(messages, answer), results...)
	}
}
