// Command raw is the yardstick: a loop without a framework.
package main

import (
	"context"

	"nanoclaw/bench/peers/peer"
)

func main() {
	peer.Serve(func(ctx context.Context) (string, error) { return peer.Loop(ctx, peer.Calculate) })
}
