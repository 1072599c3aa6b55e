package executor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nanoclaw/internal/tools"
)

type noArgs struct{}

// with registers a tool without arguments.
func (b *bench) with(name string, effect tools.EffectKind, run func(context.Context,
	tools.Call) (any, error), options ...tools.Option) {
	b.registry.Register(tools.Define(name, "doc", func(ctx context.Context, call tools.Call, _ noArgs) (any, error) {
		return run(ctx, call)
	}, append(options, tools.Effect(effect))...))
}

// EX5
func TestAToolThatGoesWrongIsAFailedCall(t *testing.T) {
	t.Parallel()
	type loop struct{ Next *loop }
	endless := &loop{}
	endless.Next = endless
	cases := map[string]struct {
		run  func(context.Context, tools.Call) (any, error)
		code string
		say  string
	}{
		"a panic": {func(context.Context, tools.Call) (any, error) { panic("the secret text") }, "internal",
			"a defect of its own"},
		"a nil pointer": {func(context.Context, tools.Call) (any, error) { var l *loop; return l.Next, nil },
			"internal", "a defect of its own"},
		"a goroutine's end": {func(context.Context, tools.Call) (any, error) { runtime.Goexit(); return nil, nil },
			"internal", "a defect of its own"},
		"NaN": {func(context.Context, tools.Call) (any, error) { return math.NaN(), nil }, "internal",
			"cannot be written as JSON"},
		"infinity": {func(context.Context, tools.Call) (any, error) { return []float64{math.Inf(1)}, nil },
			"internal", "cannot be written as JSON"},
		"a channel": {func(context.Context, tools.Call) (any, error) { return make(chan int), nil },
			"internal", "cannot be written as JSON"},
		"a cycle": {func(context.Context, tools.Call) (any, error) { return endless, nil }, "internal",
			"cannot be written as JSON"},
		"a panicking encoder": {func(context.Context, tools.Call) (any, error) { return panickingJSON{}, nil },
			"internal", "a defect of its own"},
		"a plain error": {func(context.Context, tools.Call) (any, error) {
			return nil,
				errors.New("disk is full")
		}, "internal", "disk is full"},
		"a wrapped own error": {func(context.Context, tools.Call) (any, error) {
			return nil, fmt.Errorf("read: %w", tools.Errorf("not_found", "no file"))
		}, "not_found", "read: no file"},
		"data that does not encode": {func(context.Context, tools.Call) (any, error) {
			return nil, &tools.Error{Code: "x", Message: "failed", Data: math.NaN()}
		}, "x", "failed (its data cannot be written"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
				b := newBench(t)
				b.with("odd", tools.Pure, c.run)
				outcomes := process(b, calls("odd", `add {"a":1,"b":1}`))
				if r := resultOf(t, outcomes[0]); r.Success || r.Code != c.code || !strings.Contains(r.Error, c.say) ||
					strings.Contains(r.Error, "secret") {
					t.Errorf("result: %+v", r)
				}
				if !outcomes[1].Record.Success {
					t.Error("the next call failed too")
				}
			})
		})
	}
}

type panickingJSON struct{}

func (panickingJSON) MarshalJSON() ([]byte, error) { panic("encoder") }

// EX5
func TestTheTimeLimitEndsACall(t *testing.T) {
	t.Parallel()
	obedient := func(ctx context.Context, _ tools.Call) (any, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	withPart := func(ctx context.Context, _ tools.Call) (any, error) {
		<-ctx.Done()
		return nil, &tools.Error{Code: tools.CodeTimeout, Message: "killed", Data: "part"}
	}
	cases := map[string]struct {
		run     func(context.Context, tools.Call) (any, error)
		options []tools.Option
		took    time.Duration
		want    string
	}{
		"the default": {obedient, nil, 60 * time.Second,
			`{"success":false,"error":"slow did not finish within its time limit of 1m0s; try a smaller piece of work","code":"timeout"}`},
		"the tool's own": {obedient, []tools.Option{tools.Timeout(5 * time.Second)}, 5 * time.Second,
			`{"success":false,"error":"slow did not finish within its time limit of 5s; try a smaller piece of work","code":"timeout"}`},
		"partial output": {withPart, nil, 60 * time.Second,
			`{"success":false,"error":"slow did not finish within its time limit of 1m0s; try a smaller piece of work: killed","code":"timeout","data":"part"}`},
		"an answer after all": {func(ctx context.Context, _ tools.Call) (any, error) {
			<-ctx.Done()
			return "done",
				nil
		}, nil, 60 * time.Second, `{"success":true,"data":"done"}`},
		"an own code after all": {func(ctx context.Context, _ tools.Call) (any, error) {
			<-ctx.Done()
			return nil, tools.Errorf("full", "no")
		}, nil, 60 * time.Second, `{"success":false,"error":"no","code":"full"}`},
		"a tool without any limit": {func(context.Context, tools.Call) (any, error) {
			time.Sleep(time.Hour)
			return 1,
				nil
		}, []tools.Option{tools.Timeout(-1)}, time.Hour, `{"success":true,"data":1}`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				b.with("slow", tools.Writes, c.run, c.options...)
				start := time.Now()
				outcomes, err := b.Process(t.Context(), b.env, calls("slow"))
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took != c.took || outcomes[0].Record.ExecutionTime != c.took.Seconds() {
					t.Errorf("took %s, recorded %v s", took, outcomes[0].Record.ExecutionTime)
				}
				if got := outcomes[0].Record.Result; got != c.want {
					t.Errorf("\n got %s\nwant %s", got, c.want)
				}
			})
		})
	}
}

// EX5, CF2
func TestTheConfigurationsTimeLimitBeatsTheTools(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, func(o *Options) {
			o.Limits = func() Limits { return Limits{Timeouts: map[string]time.Duration{"slow": time.Second}} }
		})
		b.with("slow", tools.Pure, func(ctx context.Context, _ tools.Call) (any, error) {
			<-ctx.Done()
			return nil,
				ctx.Err()
		}, tools.Timeout(time.Hour))
		start := time.Now()
		if _, err := b.Process(t.Context(), b.env, calls("slow")); err != nil || time.Since(start) != time.Second {
			t.Errorf("took %s, %v", time.Since(start), err)
		}
	})
}

// EX5
func TestAToolThatIgnoresItsContextIsLeftBehind(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		release := make(chan struct{})
		b.with("deaf", tools.Writes, func(_ context.Context, call tools.Call) (any, error) {
			<-release
			call.Progress("too late", 1)
			call.Pause()()
			return "too late", nil
		})
		start := time.Now()
		outcomes, err := b.ProcessParallel(t.Context(), b.env, calls("deaf", `write {"cell":"x","text":"1"}`))
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 62*time.Second || resultOf(t, outcomes[0]).Code != "timeout" ||
			!outcomes[1].Record.Success || b.Abandoned() != 1 {
			t.Errorf("took %s, %s, %d left behind", took, outcomes[0].Record.Result, b.Abandoned())
		}
		close(release)
		synctest.Wait()
		if b.Abandoned() != 0 || slices.ContainsFunc(b.journal.all(), func(e string) bool {
			return strings.Contains(e,
				"too late")
		}) {
			t.Errorf("%d left behind; journal %v", b.Abandoned(), b.journal.all())
		}
	})
}

// EX5
func TestWaitingForAPersonDoesNotCountAgainstTheTimeLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.with("patient", tools.Resumes, func(ctx context.Context, call tools.Call) (any, error) {
			time.Sleep(50 * time.Second)
			outer, inner := call.Pause(), call.Pause()
			time.Sleep(time.Hour)
			inner()
			inner()
			time.Sleep(time.Hour)
			outer()
			start := time.Now()
			<-ctx.Done()
			return time.Since(start).String(), nil
		})
		outcomes, err := b.Process(t.Context(), b.env, calls("patient"))
		if err != nil || resultOf(t, outcomes[0]).Data != "10s" {
			t.Errorf("the rest of the limit was %v, %v", resultOf(t, outcomes[0]).Data, err)
		}
	})
}

var errElsewhere = fmt.Errorf("the worker stops: %w", tools.ErrUnfinished)

// CH3, CH5, GR4
func TestAnEndedRunStopsItsCallsWithinHalfASecondAndKeepsWhatMayNotBeRepeated(t *testing.T) {
	t.Parallel()
	stubborn := func(context.Context, tools.Call) (any, error) { time.Sleep(time.Hour); return nil, nil }
	obedient := func(ctx context.Context, _ tools.Call) (any, error) { <-ctx.Done(); return nil, ctx.Err() }
	cases := map[string]struct {
		effect     tools.EffectKind
		run        func(context.Context, tools.Call) (any, error)
		unrecorded bool
		success    bool
		cause      error
	}{
		"a read may be run again":      {tools.Reads, obedient, true, false, nil},
		"a read that does not obey":    {tools.Reads, stubborn, true, false, nil},
		"sub-agents are entered again": {tools.Resumes, obedient, true, false, nil},
		"sub-agents that do not obey":  {tools.Resumes, stubborn, true, false, nil},
		"a write is answered":          {tools.Writes, obedient, false, false, nil},
		"a write that does not obey":   {tools.Writes, stubborn, false, false, nil},
		"a read that came through all the way": {tools.Reads, func(ctx context.Context, _ tools.Call) (any,
			error) {
			<-ctx.Done()
			return 1, nil
		}, false, true, nil},
		"a write of a run that goes on elsewhere":                      {tools.Writes, obedient, true, false, errElsewhere},
		"a write of a run that goes on elsewhere, which does not obey": {tools.Writes, stubborn, true, false, errElsewhere},
		"a write of a run that goes on elsewhere, which came through": {tools.Writes, func(ctx context.Context,
			_ tools.Call) (any, error) {
			<-ctx.Done()
			return 1, nil
		}, false, true, errElsewhere},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t)
				b.with("long", c.effect, c.run)
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(10*time.Second, func() { cancel(c.cause) })
				start := time.Now()
				outcomes, err := b.ProcessParallel(ctx, b.env, calls("long", `write {"cell":"x","text":"1"}`))
				if took := time.Since(start) - 10*time.Second; took > 500*time.Millisecond {
					t.Errorf("stopped after %s", took)
				}
				if !errors.Is(err, context.Cause(ctx)) {
					t.Errorf("error: %v", err)
				}
				o := outcomes[0]
				_, journaled := b.journal.records["a"]
				if o.Unrecorded != c.unrecorded || journaled == c.unrecorded || o.Record.Success != c.success {
					t.Errorf("outcome %+v, in the journal %v", o, journaled)
				}
				if !c.success && resultOf(t, o).Code != "cancelled" {
					t.Errorf("result %s", o.Record.Result)
				}
				if !outcomes[1].Unrecorded || b.world.ran("write") != 0 || len(b.journal.records) > 1 {
					t.Errorf("the next call: %+v", outcomes[1])
				}
				time.Sleep(2 * time.Hour) // for the stubborn
				synctest.Wait()
			})
		})
	}
}

// MA6
func TestProgressReachesTheJournalRedacted(t *testing.T) {
	t.Parallel()
	b := newBench(t, func(o *Options) {
		o.Redact = func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }
	})
	b.with("steps", tools.Pure, func(_ context.Context, call tools.Call) (any, error) {
		call.Progress("with hunter2", 0.5)
		return nil, nil
	})
	if _, err := b.Process(t.Context(), b.env, calls("steps")); err != nil {
		t.Fatal(err)
	}
	if got := b.journal.all(); !slices.Equal(got, []string{"started a", "progress a with *** 0.5", "finished a"}) {
		t.Errorf("journal: %v", got)
	}
}
