// Package checks runs the checks of one official client against a server.
package checks

import (
	"fmt"
	"log"
)

// Check is one thing that a client can do.
type Check struct {
	What string
	Run  func() error
}

// Run runs checks in order, and ends the program at the first that fails.
func Run(client string, all ...Check) {
	log.SetFlags(0)
	for _, one := range all {
		if err := one.Run(); err != nil {
			log.Fatalf("%s: %s: %v", client, one.What, err)
		}
	}
	fmt.Printf("ok   %s (%d checks)\n", client, len(all))
}

// Equal returns an error where two values differ.
func Equal[T comparable](got, want T) error {
	if got != want {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	return nil
}
