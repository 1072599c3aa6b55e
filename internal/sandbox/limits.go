package sandbox

import (
	"strconv"
	"strings"
	"time"
)

// limited is the command line that sets resource limits on itself and then
// becomes argv. Every limit is a hard one: it cannot be raised again.
func limited(argv []string, l Limits, wholeTree bool) []string {
	var script strings.Builder
	set := func(option string, value int64) {
		if value > 0 {
			script.WriteString("ulimit -" + option + " " + strconv.FormatInt(value, 10) + " || exit 126; ")
		}
	}
	script.WriteString("ulimit -c 0; ")
	set("t", int64((l.CPUTime+time.Second-1)/time.Second))
	set("f", l.FileSize/1024)
	set("n", int64(l.OpenFiles))
	set("v", l.AddressSpace/1024)
	if !wholeTree {
		set("d", l.Memory/1024)
		set("u", int64(l.Processes))
	}
	script.WriteString(`exec "$@"`)
	return append([]string{"/bin/bash", "--noprofile", "--norc", "-c", script.String(), "limits"}, argv...)
}

// enginesOwn is how many processes of a group are bubblewrap's or the engine's.
const enginesOwn = 2
