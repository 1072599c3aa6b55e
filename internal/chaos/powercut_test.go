package chaos

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"nanoclaw/internal/llm/llmtest"
)

// EX1: the power fails at a random moment of a run, and any part of the database's
// log that the system had not flushed is gone. With synchronous: normal the log is
// flushed before a checkpoint copies it, and at no other time. The server starts
// again on an earlier state that is whole: the run goes on from there and ends, or
// all of it is gone. A call in the lost tail may be repeated, and nothing else.
func TestAPowerCutLosesOnlyTheNewestTransactions(t *testing.T) {
	t.Parallel()
	model := llmtest.NewServer(t)
	script(model)
	var frames, gone, repeated atomic.Int64
	t.Cleanup(func() {
		t.Logf("%d frames lost in all, %d runs gone, %d lines written twice", frames.Load(), gone.Load(),
			repeated.Load())
	})
	for i := range 12 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			in := install(t, model)
			p := in.start(fmt.Sprintf("NANOCLAW_FAULT_AT=%d", 20+rand.IntN(45)))
			project, started, err := in.begin(p)
			if err != nil {
				t.Fatal(err)
			}
			<-p.exited
			frames.Add(cutLog(t, filepath.Join(in.dir, "data", "nanoclaw.db")))
			if p = in.start(); p == nil {
				t.Fatal("the server did not start again")
			}
			in.ready(p, noticed)
			if err := p.call(t.Context(), "GET", "/runs/"+started.ID, nil, nil); err != nil {
				if !strings.Contains(err.Error(), "404") {
					t.Fatal(err)
				}
				gone.Add(1)
				in.turn(p)
				return
			}
			var ended run
			in.within(timeout, "the run goes on and ends", func(ctx context.Context) bool {
				if err := p.call(ctx, "GET", "/runs/"+started.ID, nil, &ended); err != nil {
					t.Fatal(err)
				}
				return !slices.Contains([]string{"queued", "running"}, ended.Status)
			})
			if ended.Status != "completed" {
				t.Fatalf("the run ended as %s: %v", ended.Status, ended.Error)
			}
			var text string
			in.must(p, "GET", "/projects/"+project+"/files/log.txt", nil, &text)
			count := map[string]int{}
			for line := range strings.Lines(text) {
				count[strings.TrimSpace(line)]++
			}
			for line, times := range count {
				if times > 2 {
					t.Errorf("%q was written %d times", line, times)
				}
				repeated.Add(int64(times - 1))
			}
			in.turn(p)
		})
	}
}

// cutLog does to a dead server's database what a power cut can: it drops the log
// behind a random frame that no checkpoint has copied, and sometimes half a frame
// more. It returns how many frames were lost. The layout is that of
// https://sqlite.org/walformat.html.
func cutLog(t *testing.T, database string) int64 {
	t.Helper()
	log, err := os.ReadFile(database + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(database + "-shm")
	if err != nil || len(index) < 136 {
		t.Fatalf("an index of %d bytes, %v", len(index), err)
	}
	if len(log) < 32 {
		return 0
	}
	size := 24 + int64(binary.BigEndian.Uint32(log[8:]))
	valid := int64(binary.NativeEndian.Uint32(index[16:]))  // mxFrame
	copied := int64(binary.NativeEndian.Uint32(index[96:])) // nBackfill
	if copied > valid || 32+valid*size > int64(len(log)) {
		t.Fatalf("%d frames of %d bytes, %d of them copied, in a log of %d bytes", valid, size, copied, len(log))
	}
	reach := valid - copied
	if rand.IntN(4) > 0 {
		reach = min(reach, 40) // the tables of a new database are most of the log
	}
	kept := valid - rand.Int64N(reach+1)
	end := 32 + kept*size
	if kept < valid && rand.IntN(2) == 0 {
		end += size / 2
	}
	if err := os.Truncate(database+"-wal", end); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(database + "-shm"); err != nil {
		t.Fatal(err)
	}
	return valid - kept
}
