// Package fault kills the process at a chosen moment, so that tests can prove
// what survives a crash. It does so only in a binary that was built with the tag
// chaos; in every other one Point is empty and costs nothing.
//
// In a chaos binary NANOCLAW_FAULT_AT=n dies with SIGKILL at the n-th point that
// is reached, and NANOCLAW_FAULT_LOG=file appends the name of every point.
package fault
