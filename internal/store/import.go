package store

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"nanoclaw/internal/models"
)

// ImportConversation stores an export as a new conversation of the user, and
// returns it. All ids are new, the conversation's that of NewID. Runs do not come along; a project that is not the
// user's is left away, as are the bytes of attachments that are not in Uploads.
// Messages that do not form a tree are invalid_arguments.
func (s *Store) ImportConversation(ctx context.Context, userID string, export Export) (*models.Conversation, error) {
	messages, err := inTreeOrder(export.Messages)
	if err != nil {
		return nil, err
	}
	conv := export.Conversation
	err = s.tx(ctx, func(tx *gorm.DB) error {
		conv = export.Conversation
		conv.ID, conv.UserID, conv.ActiveLeafID = export.NewID, userID, ""
		if conv.ProjectID != "" {
			project, err := getProject(tx.Clauses(clause.Locking{Strength: "SHARE"}), userID, conv.ProjectID)
			if IsCode(err, CodeNotFound) {
				conv.ProjectID = ""
			} else if err == nil {
				conv.UserID = project.UserID
			} else if err != nil {
				return err
			}
		}
		if err := s.createConversation(tx, &conv); err != nil {
			return err
		}
		uploads, err := s.importUploads(tx, userID, export.Uploads)
		if err != nil {
			return err
		}
		leaf, err := s.importMessages(tx, userID, &conv, messages, uploads, export.Conversation.ActiveLeafID)
		if err != nil {
			return err
		}
		conv.ActiveLeafID = leaf
		conv.CreatedAt = pastOr(export.Conversation.CreatedAt, conv.CreatedAt)
		conv.UpdatedAt = max(pastOr(export.Conversation.UpdatedAt, conv.UpdatedAt), conv.CreatedAt)
		return tx.Model(&conv).Select("active_leaf_id", "created_at", "updated_at").Updates(&conv).Error
	})
	if err != nil {
		return nil, err
	}
	return &conv, nil
}

// pastOr is a time that an export gives, unless it gives none or one to come.
func pastOr(given, now models.Time) models.Time {
	if given == 0 || given > now {
		return now
	}
	return given
}

// importUploads stores the files under new ids, and returns those by the old ones.
func (s *Store) importUploads(tx *gorm.DB, userID string, uploads []models.Upload) (map[string]string, error) {
	ids := make(map[string]string, len(uploads))
	for _, upload := range uploads {
		old := upload.ID
		upload.ID, upload.UserID = NewID(), userID
		upload.CreatedAt = s.now()
		if err := createUpload(tx, &upload); err != nil {
			return nil, err
		}
		ids[old] = upload.ID
	}
	return ids, nil
}

// importMessages stores messages, parents first, and returns the new id of the
// active leaf, or of the last message where there is no such leaf.
func (s *Store) importMessages(tx *gorm.DB, userID string, conv *models.Conversation, messages []models.Message,
	uploads map[string]string, activeLeaf string) (string, error) {
	at := conv.UpdatedAt // a later message would look as if it had moved the end of the conversation
	ids := make(map[string]string, len(messages))
	last := ""
	for _, message := range messages {
		old := message.ID
		message.ID, message.ConversationID, message.RunID = NewID(), conv.ID, ""
		message.ParentID = ids[message.ParentID]
		message.CreatedAt = cmp.Or(message.CreatedAt, at)
		message.Attachments = slices.Clone(message.Attachments)
		for i := range message.Attachments {
			old := message.Attachments[i].UploadID
			message.Attachments[i].UploadID = uploads[old]
			if uploads[old] == "" || strings.ContainsAny(old, `"\\`) {
				continue
			}
			message.ToolCalls = bytes.ReplaceAll(message.ToolCalls, uploadReference(old), uploadReference(uploads[old]))
		}
		if err := s.insertMessage(tx, userID, &message); err != nil {
			return "", err
		}
		ids[old], last = message.ID, message.ID
	}
	return cmp.Or(ids[activeLeaf], last), nil
}

// uploadReference is how the images of tool calls name an upload.
func uploadReference(id string) []byte { return []byte(`"upload_id":"` + id + `"`) }

// inTreeOrder checks that messages form a tree, and sorts each below its parent
// and otherwise by time; those of the same time stay in their order.
func inTreeOrder(messages []models.Message) ([]models.Message, error) {
	known := make(map[string]bool, len(messages))
	for i, message := range messages {
		switch {
		case message.ID == "" || known[message.ID]:
			return nil, invalid("messages[%d] has the id %q, but each needs one of its own", i, message.ID)
		case message.Role != models.RoleUser && message.Role != models.RoleAssistant:
			return nil, invalid("messages[%d] has the role %q, but must be of %s or %s", i, message.Role,
				models.RoleUser, models.RoleAssistant)
		}
		known[message.ID] = true
	}
	below := make(map[string][]models.Message, len(messages))
	for i, message := range messages {
		if message.ParentID != "" && !known[message.ParentID] {
			return nil, invalid("messages[%d] has the parent %q, which is not among the messages", i, message.ParentID)
		}
		below[message.ParentID] = append(below[message.ParentID], message)
	}
	byTime := func(a, b models.Message) int { return cmp.Compare(a.CreatedAt, b.CreatedAt) }
	var ordered []models.Message
	for level := below[""]; len(level) > 0; {
		slices.SortStableFunc(level, byTime)
		ordered = append(ordered, level...)
		var next []models.Message
		for _, message := range level {
			next = append(next, below[message.ID]...)
		}
		level = next
	}
	if len(ordered) < len(messages) {
		return nil, invalid("%d messages are their own ancestors", len(messages)-len(ordered))
	}
	return ordered, nil
}
