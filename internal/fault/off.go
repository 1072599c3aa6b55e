//go:build !chaos

package fault

// Point marks a moment at which a test may want the process to die.
func Point(string) {}
