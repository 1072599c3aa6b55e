package sandboxtest

import (
	"slices"
	"testing"
	"time"
)

// ReportMedian runs what a benchmark measures and reports the median of its
// times beside the mean: a machine that does something else for a moment changes
// only the mean. between is called outside of the measured time; nil: nothing is.
func ReportMedian(b *testing.B, measured, between func()) {
	b.Helper()
	var times []time.Duration
	for b.Loop() {
		if between != nil {
			b.StopTimer()
			between()
			b.StartTimer()
		}
		began := time.Now()
		measured()
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2])/float64(time.Millisecond), "p50-ms")
}
