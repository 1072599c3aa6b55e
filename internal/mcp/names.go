package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxName is the longest name that every provider takes.
const maxName = 64

// ToolName is the name under which a tool of a server is offered:
// mcp__<server>__<tool>, with everything but letters, digits, _ and - replaced by
// _. A name that is too long is shortened, first the server's part, then the
// tool's, with a hash of the whole name in the place of what is missing; so the
// tool keeps its own name wherever possible.
func ToolName(server, tool string) string {
	plainServer, plainTool := plain(server), plain(tool)
	if name := "mcp__" + plainServer + "__" + plainTool; len(name) <= maxName {
		return name
	}
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	mark := "_" + hex.EncodeToString(sum[:4])
	const least = 8 // characters of the server that always stay
	room := maxName - len("mcp__") - len("__") - len(mark)
	if left := room - len(plainTool); left >= min(least, len(plainServer)) {
		return "mcp__" + plainServer[:min(left, len(plainServer))] + mark + "__" + plainTool
	}
	kept := plainServer[:min(least, len(plainServer))]
	return "mcp__" + kept + "__" + plainTool[:min(room-len(kept), len(plainTool))] + mark
}

// plain replaces what a tool's name may not hold.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
}
