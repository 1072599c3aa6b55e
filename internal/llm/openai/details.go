package openai

import (
	"bytes"
	"encoding/json"
)

// reasoningDetails are the blocks of reasoning that OpenRouter and others send
// beside its text: signed, summarised or encrypted. They are replayed as they came.
// (https://openrouter.ai/docs/use-cases/reasoning-tokens)
type reasoningDetails []fields

// add takes the blocks of a chunk. A block may come in pieces: consecutive ones of
// one type and index are one block, whose texts belong together. What is malformed
// is left out.
func (d *reasoningDetails) add(array []byte) {
	if len(array) == 0 {
		return
	}
	var pieces []fields
	if json.Unmarshal(bytes.Clone(array), &pieces) != nil { // the chunk's bytes are not kept
		return
	}
	for _, piece := range pieces {
		if piece == nil {
			continue
		}
		if last := len(*d) - 1; last < 0 || !(*d)[last].continues(piece) {
			*d = append(*d, piece)
		} else {
			(*d)[last].extend(piece)
		}
	}
}

// continues says whether a piece belongs to the block.
func (f fields) continues(piece fields) bool {
	if !bytes.Equal(f["type"], piece["type"]) || !bytes.Equal(f["index"], piece["index"]) {
		return false
	}
	for _, text := range []string{"text", "summary"} {
		if isText(f[text]) && isText(piece[text]) {
			return true
		}
	}
	return isText(f["text"]) && isText(piece["signature"]) // the signature comes last, by itself
}

// extend appends a piece's texts to those of the block; of its other fields those
// that say something count.
func (f fields) extend(piece fields) {
	for name, value := range piece {
		var before, more string
		switch {
		case (name == "text" || name == "summary") && json.Unmarshal(f[name], &before) == nil && json.Unmarshal(value,
			&more) == nil:
			f.set(name, before+more)
		case !bytes.Equal(value, []byte("null")):
			f[name] = value
		}
	}
}

func isText(value json.RawMessage) bool { return len(value) > 0 && value[0] == '"' }
