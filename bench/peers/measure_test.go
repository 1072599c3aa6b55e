package main

import (
	"context"
	"os"
	"os/exec"
	"testing"

	"nanoclaw/bench/peers/peer"
)

func TestARunCountsOnlyWhereTheModelSawItsResults(t *testing.T) {
	m, err := startModel(0)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("MODEL_URL", m.url)
	loop := func(ctx context.Context) (string, error) { return peer.Loop(ctx, peer.Calculate) }
	for name, c := range map[string]struct {
		run   func(context.Context) (string, error)
		calls int
		valid bool
	}{
		"done": {loop, 3, true},
		"a wrong result": {func(ctx context.Context) (string, error) {
			return peer.Loop(ctx, func(string) (string, error) { return "1", nil })
		}, 3, false},
		"no call of the model": {func(context.Context) (string, error) { return "The results are 1", nil }, 3, false},
		"a tool call too few":  {loop, 2, false},
		"half of the run": {func(ctx context.Context) (string, error) {
			answer, err := peer.Ask(ctx, []peer.Message{{Role: "user", Content: peer.Prompt}})
			return answer.Content, err
		}, 3, false},
		"another text than the model's": {func(ctx context.Context) (string, error) {
			text, err := loop(ctx)
			return text + "!", err
		}, 3, false},
	} {
		e := &entry{process: &process{
			cmd: &exec.Cmd{Process: &os.Process{Pid: os.Getpid()}},
			work: func(_ context.Context, job peer.Job) (peer.Report, error) {
				texts, err := peer.Do(job, c.run)
				return peer.Report{Texts: texts, ToolCalls: c.calls * job.Runs}, err
			},
		}}
		if _, err := e.tryMeasure(t.Context(), m, peer.Job{Runs: 4, AtOnce: 2}); (err == nil) != c.valid {
			t.Errorf("%s: %v", name, err)
		}
		m.take()
	}
}
