package agent

import "context"

// Wait says that the call that ctx belongs to waits for a person: the clock of its
// run stands still and its place among the sub-agents is free, until back is
// called. back waits for a place again, or returns the end of ctx.
func Wait(ctx context.Context) (back func(context.Context) error) {
	resume := clockOf(ctx).Pause()
	own := slotOf(ctx)
	own.release()
	return func(ctx context.Context) error {
		defer resume()
		return own.reacquire(ctx)
	}
}
