// Command dbos runs the loop as a DBOS workflow on SQLite: each call of the model
// and each tool is a step, the tools in parallel.
package main

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/dbos-inc/dbos-transact-golang/dbos"
	_ "github.com/dbos-inc/dbos-transact-golang/dbos/driver/sqlite"

	"nanoclaw/bench/peers/peer"
)

func main() {
	ctx, err := dbos.NewContext(context.Background(), dbos.Config{
		AppName:     "bench-peers",
		DatabaseURL: "sqlite:" + filepath.Join(os.Getenv("PEER_DATA"), "dbos.db"),
		Logger:      slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		peer.Exit(err)
	}
	dbos.RegisterWorkflow(ctx, run)
	if err := dbos.Launch(ctx); err != nil {
		peer.Exit(err)
	}
	peer.Serve(func(context.Context) (string, error) {
		handle, err := dbos.RunWorkflow(ctx, run, peer.Prompt)
		if err != nil {
			return "", err
		}
		return handle.GetResult()
	})
}

func run(ctx dbos.Context, prompt string) (string, error) {
	messages := []peer.Message{{Role: "user", Content: prompt}}
	for {
		answer, err := dbos.RunAsStep(ctx, func(ctx context.Context) (peer.Message, error) {
			return peer.Ask(ctx, messages)
		}, dbos.WithStepName("model"))
		if err != nil || len(answer.ToolCalls) == 0 {
			return answer.Content, err
		}
		messages = append(messages, answer)
		outcomes := make([]<-chan dbos.StepOutcome[string], len(answer.ToolCalls))
		for i, call := range answer.ToolCalls {
			outcomes[i], err = dbos.Go(ctx, func(context.Context) (string, error) {
				return peer.Calculate(call.Function.Arguments)
			}, dbos.WithStepName("tool"))
			if err != nil {
				return "", err
			}
		}
		for i, outcome := range outcomes {
			result := <-outcome
			if result.Err != nil {
				return "", result.Err
			}
			messages = append(messages,
				peer.Message{Role: "tool", Content: result.Result, ToolCallID: answer.ToolCalls[i].ID})
		}
	}
}
