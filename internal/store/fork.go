package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// ForkConversation stores the branch that ends at a message as a conversation of its own, with the
// settings of the first and copies of its attachments, and returns it. Runs do not come along.
func (s *Store) ForkConversation(ctx context.Context, userID, messageID string) (*models.Conversation, error) {
	message, err := s.GetMessage(ctx, userID, messageID)
	if err != nil {
		return nil, err
	}
	branch, err := s.Branch(ctx, message.ConversationID, messageID)
	if err != nil {
		return nil, err
	}
	export := Export{Messages: branch}
	err = s.snapshot(ctx, func(tx *gorm.DB) error {
		conv, err := getConversation(tx, userID, message.ConversationID)
		if err != nil {
			return err
		}
		export.Conversation = *conv
		export.Uploads, err = uploadsOf(tx, userID, branch)
		return err
	})
	if err != nil {
		return nil, err
	}
	// The walk up ends above a parent that was deleted: what is left is a root.
	export.Messages[0].ParentID = ""
	conv := &export.Conversation
	conv.Title = numbered(conv.Title)
	conv.Pinned, conv.Archived, conv.Unread, conv.Hidden = false, false, false, false
	conv.TaskOf, conv.TaskAnnounced, conv.ActiveLeafID = "", false, messageID
	return s.ImportConversation(ctx, userID, export)
}

const maxTitle = 500 // characters

// numbered is the title of the next copy: "Title (2)", "Title (3)".
func numbered(title string) string {
	if title == "" {
		return ""
	}
	n := 1
	if at := strings.LastIndex(title, " ("); at > 0 && strings.HasSuffix(title, ")") {
		if last, err := strconv.Atoi(title[at+2 : len(title)-1]); err == nil && last > 1 && last < 1000 {
			title, n = title[:at], last
		}
	}
	number := fmt.Sprintf(" (%d)", n+1)
	if letters := []rune(title); len(letters)+len(number) > maxTitle {
		title = string(letters[:maxTitle-len(number)])
	}
	return title + number
}
