// Package heap tunes the garbage collector for a server that holds little, and gives
// memory back after work. With Go's own setting (GOGC=100) the collector runs whenever
// a few new megabytes have gathered, and whatever runs meanwhile takes several times
// as long. docs/decisions/0017 has the figures.
package heap

import (
	"os"
	"runtime"
)

// Room is what a server lets gather beside what it holds itself, in bytes.
const Room = 24 << 20

// KeepRoom lets room bytes more gather between two collections than Go does, until
// drop: they are allocated and never touched, so that they are no memory, and the
// collector counts them as part of what is live. Whoever sets GOGC or GOMEMLIMIT in
// the environment decides alone.
func KeepRoom(room int) (drop func()) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	ballast := make([]byte, room)
	return func() { runtime.KeepAlive(ballast) }
}
