// Package chaos proves that runs survive crashes: its tests build the real binary
// with fault points (see package fault), kill it with SIGKILL before, during and
// after every checkpoint and at random moments, start it again, and look at what
// is left. Others fill its disk, damage and delete its event log while runs are
// under way, and tear its database. Others run three replicas on PostgreSQL and a cluster of
// NATS servers, all of which die now and then. It has no code of its own.
package chaos
