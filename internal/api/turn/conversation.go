package turn

import (
	"context"
	"crypto/sha256"

	"github.com/google/uuid"

	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
)

// Find looks up the conversation that a client means by an id: one of this server, or one
// of the client's own making. nil: there is none yet, and a new one gets newID.
func Find(ctx context.Context, s *store.Store, userID, protocol, given string) (conv *models.Conversation,
	newID string, err error) {
	newID = derivedID(userID, protocol, given)
	for _, id := range []string{given, newID} {
		conv, err = s.GetConversation(ctx, userID, id)
		if err == nil || !store.IsCode(err, store.CodeNotFound) {
			return conv, newID, err
		}
	}
	return nil, newID, nil
}

// derivedID makes a conversation's id of one that a client made: the same for the same
// user, protocol and id, and another for everybody else. It is a UUID of version 8.
func derivedID(userID, protocol, given string) string {
	sum := sha256.Sum256([]byte(userID + "\x00" + protocol + "\x00" + given))
	id := uuid.UUID(sum[:16])
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}
