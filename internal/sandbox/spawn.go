package sandbox

import (
	"os/exec"
	"runtime"
	"sync"
)

// A child that is to die with the server dies in truth with the thread that
// started it. So one thread, which never ends, starts them all.
var spawner = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for start := range work {
			start()
		}
	}()
	return work
})

// spawn is cmd.Start on the thread that lives as long as the server.
func spawn(cmd *exec.Cmd) error {
	failed := make(chan error)
	spawner() <- func() { failed <- cmd.Start() }
	return <-failed
}
