// Package chaos proves that runs survive crashes: its tests build the real binary
// with fault points (see package fault), kill it with SIGKILL before, during and
// after every checkpoint and at random moments, start it again, and look at what
// is left. Others fill its disk, damage and delete its event log while runs are
// under way, and tear its database. It has no code of its own.
package chaos
