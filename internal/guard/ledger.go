package guard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"nanoclaw/internal/tools"
)

// Ledger knows what was approved and called before. It is safe for concurrent use.
type Ledger interface {
	// Standing are the standing approvals of a tool for the call's user and conversation:
	// those of the arguments with this hash, and all that cover more than one call.
	Standing(ctx context.Context, call tools.Call, tool, hash string) ([]Permission, error)

	// Calls is how many calls of the tool ("*": of any tool) the run at the root of
	// the call's tree, with its sub-agents, and the conversation have made. The call
	// that is judged does not count.
	Calls(ctx context.Context, call tools.Call, tool string) (inRun, inConversation int, err error)
}

// ArgumentsHash is what an approval is bound to: the SHA-256, in hex, over the
// tool's name, a NUL and the canonical arguments.
func ArgumentsHash(tool string, canonical []byte) string {
	hash := sha256.New()
	hash.Write([]byte(tool))
	hash.Write([]byte{0})
	hash.Write(canonical)
	return hex.EncodeToString(hash.Sum(nil))
}
