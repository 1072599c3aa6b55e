package executor

import (
	"reflect"
	"slices"
	"testing"

	"nanoclaw/internal/guard"
	"nanoclaw/internal/tools"
)

// EX2
func TestDuplicatesInABatchRunOnceAndCarryTheFirstResult(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
		b := newBench(t)
		outcomes := process(b, calls(
			`append {"cell":"x","text":"1"}`,
			`add {"a":1,"b":2}`,
			`append {"text":"1","cell":"x","project_id":"other"}`,
			`add {"b":2.0,"a":1e0}`,
			`append {"cell":"x","text":"1",}`,
		))
		if got := b.world.get("p1", "x"); got != "1" {
			t.Errorf("the cell holds %q", got)
		}
		if b.world.ran("append") != 1 || b.world.ran("add") != 1 {
			t.Errorf("runs: %v", b.world.runs)
		}
		for i, first := range map[int]int{2: 0, 3: 1, 4: 0} {
			r := outcomes[i].Record
			if !r.Skipped || r.DuplicateOf != id(first) || r.Result != outcomes[first].Record.Result || !r.Success ||
				r.ExecutionTime != 0 {
				t.Errorf("record of %s: %+v", id(i), r)
			}
		}
		if outcomes[0].Record.Skipped || outcomes[0].Record.ExecutionTime <= 0 {
			t.Errorf("the first: %+v", outcomes[0].Record)
		}
		if len(b.journal.records) != 5 {
			t.Errorf("the journal has %d records", len(b.journal.records))
		}
	})
}

// EX2
func TestACallIsNoDuplicateWhenAnotherExclusiveCallStandsBetween(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
		b := newBench(t)
		outcomes := process(b, calls(
			`read {"cell":"x"}`,
			`append {"cell":"x","text":"1"}`,
			`read {"cell":"x"}`,
			`append {"cell":"x","text":"1"}`, // nothing but a read between: a duplicate
			`write {"cell":"y","text":"2"}`,
			`append {"cell":"x","text":"1"}`,
			`read {"cell":"x"}`,
			`add {"a":1,"b":1}`,
			`write {"cell":"z","text":""}`,
			`add {"a":1,"b":1}`, // depends on its arguments alone
		))
		want := []string{`""`, `"appended"`, `"1"`, `"appended"`, `"written"`, `"appended"`, `"11"`, `2`, `"written"`,
			`2`}
		for i, result := range results(outcomes) {
			if result != `{"success":true,"data":`+want[i]+`}` {
				t.Errorf("call %s: %s, want %s", id(i), result, want[i])
			}
		}
		var duplicates []string
		for _, o := range outcomes {
			if o.Record.Skipped {
				duplicates = append(duplicates, o.Invocation.ID+"="+o.Record.DuplicateOf)
			}
		}
		if !slices.Equal(duplicates, []string{"d=b", "j=h"}) {
			t.Errorf("duplicates: %v", duplicates)
		}
	})
}

// EX2
func TestADuplicateOfAFailedCallFailsWithIt(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
		b := newBench(t)
		outcomes := process(b, calls("fail {}", "fail", "fail null"))
		if b.world.ran("fail") != 1 {
			t.Errorf("ran %d times", b.world.ran("fail"))
		}
		for _, o := range outcomes[1:] {
			if r := o.Record; r.Success || !r.Skipped || r.DuplicateOf != "a" || resultOf(t, o).Code != "not_found" ||
				r.Function.Arguments != "{}" {
				t.Errorf("record: %+v", r)
			}
		}
	})
}

// EX2, CH5
func TestCallsThatFinishedEarlierStandAndCountForDuplicates(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
		b := newBench(t)
		batch := calls(
			`append {"cell":"x","text":"1"}`,
			`append {"cell":"x","text":"1"}`,
			`append {"cell":"x","text":"1"}`,
			`read {"cell":"x"}`,
		)
		done := tools.Record{ID: "a", Type: "function", Result: `{"success":true,"data":"earlier"}`, Success: true}
		batch.Done = map[string]tools.Record{
			"a": done,
			"b": {ID: "b", Type: "function", Result: done.Result, Success: true, Skipped: true, DuplicateOf: "a"},
		}
		outcomes := process(b, batch)
		if b.world.ran("append") != 0 || !reflect.DeepEqual(outcomes[0].Record, done) {
			t.Errorf("ran %d times; %+v", b.world.ran("append"), outcomes[0].Record)
		}
		if r := outcomes[2].Record; !r.Skipped || r.DuplicateOf != "a" || r.Result != done.Result {
			t.Errorf("the duplicate: %+v", r)
		}
		if len(b.journal.records) != 2 {
			t.Errorf("the journal was told of %d calls, want the two new ones", len(b.journal.records))
		}
	})
}

// EX2, TG4: an approval with edited arguments changes what a call is a duplicate of.
func TestEditedArgumentsDecideOnDuplicates(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, process func(*bench, Batch) []Outcome) {
		b := newBench(t)
		batch := calls(`write {"cell":"x","text":"1"}`, `write {"cell":"x","text":"2"}`)
		batch.Granted = map[string]guard.Grant{"a": {Approved: true, Arguments: `{"cell":"x","text":"2"}`, By: "u",
			Hash: hashOf(`{"cell":"x","project_id":"p1","text":"2"}`)}}
		outcomes := process(b, batch)
		if got := b.world.get("p1", "x"); got != "2" || b.world.ran("write") != 1 ||
			outcomes[1].Record.DuplicateOf != "a" {
			t.Errorf("cell %q, %d runs, %+v", got, b.world.ran("write"), outcomes[1].Record)
		}
		if outcomes[0].Record.Function.Arguments != `{"cell":"x","text":"2"}` {
			t.Errorf("the record shows %s", outcomes[0].Record.Function.Arguments)
		}
	})
}
