package heap

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

// goal is the size of heap at which the collector runs.
func goal() uint64 {
	runtime.GC()
	samples := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64()
}

func TestKeepRoom(t *testing.T) {
	t.Setenv("GOGC", "") // whoever runs the tests may have set them
	t.Setenv("GOMEMLIMIT", "")
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(math.MaxInt64))
	before := goal()
	drop := KeepRoom(64 << 20)
	if with := goal(); with < before+120<<20 {
		t.Errorf("the goal is %d bytes with room, %d without", with, before)
	}
	drop()
	if after := goal(); after > before+32<<20 {
		t.Errorf("the goal is %d bytes after the end, %d before", after, before)
	}
}

func TestTheEnvironmentDecidesAlone(t *testing.T) {
	for _, name := range []string{"GOMEMLIMIT", "GOGC"} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(name, "1")
			before := goal()
			defer KeepRoom(64 << 20)()
			if with := goal(); with > before+32<<20 {
				t.Errorf("the goal is %d bytes, %d before", with, before)
			}
		})
	}
}
