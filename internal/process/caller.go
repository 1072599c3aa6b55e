package process

// Caller is who is at the other end of a connection to this process.
type Caller int

// The callers. Only Outside may be taken for a person's program.
const (
	// Unknown: it cannot be told. This process itself is Unknown too: it also
	// connects on behalf of what it started.
	Unknown Caller = iota
	// Below: a process that this one started, or one that such a process left behind.
	Below
	// Outside: another program of this machine, or another machine.
	Outside
)
