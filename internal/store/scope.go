package store

import (
	"context"
	"errors"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// Level is how far a member of another's project gets. What a user owns is theirs at every
// level.
type Level int

// Levels. Without one, which is what the server's own work has, only the owner's user id
// reaches anything: a query that knows nothing of members refuses them.
const (
	OwnersOnly  Level = iota
	ViewersToo        // members of every role
	EditorsToo        // members who may change things
	OwnersAlone       // as OwnersOnly; a member who can look is told why not
)

type levelKey struct{}

// WithLevel lets members reach what the queries of ctx ask for.
func WithLevel(ctx context.Context, level Level) context.Context {
	return context.WithValue(ctx, levelKey{}, level)
}

func levelOf(ctx context.Context) Level {
	level, _ := ctx.Value(levelKey{}).(Level)
	return level
}

// carryLevel gives a transaction, which may serve several callers, the level of one.
func carryLevel(ctx context.Context, tx *gorm.DB) *gorm.DB {
	if level := levelOf(ctx); level != OwnersOnly {
		return tx.WithContext(WithLevel(tx.Statement.Context, level))
	}
	return tx
}

// shared selects the projects of others that a user may use at the query's level.
func shared(db *gorm.DB, userID string) *gorm.DB {
	roles := map[Level][]string{
		ViewersToo: {models.MemberViewer, models.MemberEditor}, EditorsToo: {models.MemberEditor},
	}[levelOf(db.Statement.Context)]
	return fresh(db).Model(&models.ProjectMember{}).Select("project_id").
		Where("user_id = ? AND role IN ?", userID, roles)
}

// fresh is the connection of a query without its conditions.
func fresh(db *gorm.DB) *gorm.DB { return db.Session(&gorm.Session{NewDB: true}) }

// ofProjects restricts a query on projects to what the user may reach.
func ofProjects(db *gorm.DB, userID string) *gorm.DB {
	if !membersReach(db) {
		return db.Where("user_id = ?", userID)
	}
	return db.Where("(user_id = ? OR "+oneOf(db, "id")+")", userID, shared(db, userID))
}

// ofConversations does so on conversations. Those in a project belong to its owner.
func ofConversations(db *gorm.DB, userID string) *gorm.DB {
	return ofConversationsAs(db, "conversations", userID)
}

// ofConversationsAs is ofConversations where the query has another name for the table.
func ofConversationsAs(db *gorm.DB, table, userID string) *gorm.DB {
	if !membersReach(db) {
		return db.Where(table+".user_id = ?", userID)
	}
	return db.Where("("+table+".user_id = ? OR "+oneOf(db, table+".project_id")+")", userID, shared(db, userID))
}

// oneOf says that a column is among what a subquery selects, so that beside OR, too, an index
// is used: PostgreSQL reads the whole table for a subquery there, but not for an array.
func oneOf(db *gorm.DB, column string) string {
	if db.Name() == "postgres" {
		return column + " = ANY (ARRAY(?))"
	}
	return column + " IN (?)"
}

// inConversations does so on rows of a conversation that have a user of their own.
func inConversations(db *gorm.DB, userID string) *gorm.DB {
	if !membersReach(db) {
		return db.Where("user_id = ?", userID)
	}
	return db.Where("(user_id = ? OR conversation_id IN (?))", userID, reachable(db, userID))
}

// reachable selects the ids of the conversations that a user may reach.
func reachable(db *gorm.DB, userID string) *gorm.DB {
	return ofConversations(fresh(db).Model(&models.Conversation{}).Select("conversations.id"), userID)
}

func membersReach(db *gorm.DB) bool {
	level := levelOf(db.Statement.Context)
	return level == ViewersToo || level == EditorsToo
}

// take reads one row that find has restricted to what a user may reach. Who may look at it
// but not do this is told so.
func take(db *gorm.DB, row any, what, id string, find func(db *gorm.DB) *gorm.DB) error {
	level := levelOf(db.Statement.Context)
	look := fresh(db).WithContext(WithLevel(db.Statement.Context, ViewersToo)) // before db has an error
	err := find(db).Take(row).Error
	if errors.Is(err, gorm.ErrRecordNotFound) && level > ViewersToo {
		if find(look).Take(row).Error == nil {
			return &Error{Code: CodeForbidden, Message: "you may look at this " + what + ", but not do this: ask its owner"}
		}
	}
	return found(err, what, id)
}
