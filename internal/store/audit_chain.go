package store

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"nanoclaw/internal/models"
)

// auditHash is the hash of a row, 64 hexadecimal digits: SHA-256 over the text
// "nanoclaw-audit-1" and then every field of the row but Hash itself, in the order
// of the list below, PreviousHash last. A field is written as its length in bytes
// (decimal), a colon, its bytes, and a comma (a netstring), so that no two rows
// have the same encoding; numbers are decimal, the time in microseconds since 1970.
// Fields are never added to the list: a new one needs a new text at its beginning.
func auditHash(a *models.Audit) string {
	buf := make([]byte, 0, 512+len(a.Arguments)+len(a.Detail))
	buf = append(buf, "nanoclaw-audit-1"...)
	for _, field := range [...]string{
		strconv.FormatInt(a.ID, 10),
		strconv.FormatInt(int64(a.Time), 10),
		a.Kind,
		a.UserID,
		a.ProjectID,
		a.ConversationID,
		a.RunID,
		a.RootRunID,
		a.CallID,
		a.AgentPath,
		a.Tool,
		a.Arguments,
		a.ResolvedPath,
		a.Outcome,
		a.Severity,
		a.Detail,
		strconv.FormatInt(a.DurationMicros, 10),
		a.PreviousHash,
	} {
		buf = strconv.AppendInt(buf, int64(len(field)), 10)
		buf = append(buf, ':')
		buf = append(buf, field...)
		buf = append(buf, ',')
	}
	sum := sha256.Sum256(buf)
	return hex.EncodeToString(sum[:])
}

// storable makes the texts of a row such that every database gives them back as
// they are: valid UTF-8 without NUL.
func storable(a *models.Audit) {
	for _, text := range []*string{
		&a.Kind, &a.UserID, &a.ProjectID, &a.ConversationID, &a.RunID, &a.RootRunID, &a.CallID, &a.AgentPath, &a.Tool,
		&a.Arguments, &a.ResolvedPath, &a.Outcome, &a.Severity, &a.Detail,
	} {
		if strings.IndexByte(*text, 0) >= 0 {
			*text = strings.ReplaceAll(*text, "\x00", "\uFFFD")
		}
		*text = strings.ToValidUTF8(*text, "\uFFFD")
	}
}
