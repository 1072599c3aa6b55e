package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

// corpus writes conversations in English, Chinese and both, with the few frequent
// and the many rare words of real text.
type corpus struct {
	rng   *rand.Rand
	words []string
	chars []rune
	word  *rand.Zipf
	char  *rand.Zipf
}

func newCorpus() *corpus {
	rng := rand.New(rand.NewPCG(1, 2))
	c := &corpus{rng: rng}
	syllables := strings.Fields("ba con de er fi ga ho in ju ki lo me no or pre qui re sta ti un ver wa ex yo zu")
	for i := range 20_000 {
		var w strings.Builder
		for n := i + 1; n > 0; n /= len(syllables) {
			w.WriteString(syllables[n%len(syllables)])
		}
		c.words = append(c.words, w.String())
	}
	for i := range rune(3_000) {
		c.chars = append(c.chars, '一'+i*6)
	}
	c.word = rand.NewZipf(rng, 1.1, 4, uint64(len(c.words)-1))
	c.char = rand.NewZipf(rng, 1.1, 20, uint64(len(c.chars)-1))
	return c
}

func (c *corpus) english(words int) string {
	var b strings.Builder
	for i := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(c.words[c.word.Uint64()])
	}
	return b.String()
}

func (c *corpus) chinese(chars int) string {
	var b strings.Builder
	for i := range chars {
		if i%15 == 14 {
			b.WriteRune('，')
		}
		b.WriteRune(c.chars[c.char.Uint64()])
	}
	return b.String()
}

func (c *corpus) text(size int) string {
	switch c.rng.IntN(3) {
	case 0:
		return c.english(size)
	case 1:
		return c.chinese(2 * size)
	default:
		return c.english(size/2) + " " + c.chinese(size)
	}
}

// fill writes conversations of ten messages each for the user, a third of them in
// a project. It returns the project's id.
func (c *corpus) fill(tb testing.TB, s *Store, userID string, conversations int) string {
	tb.Helper()
	ctx := context.Background()
	project := models.Project{UserID: userID, Name: "corpus"}
	if err := s.CreateProject(ctx, &project); err != nil {
		tb.Fatal(err)
	}
	for done := 0; done < conversations; {
		err := s.tx(ctx, func(tx *gorm.DB) error {
			for range min(100, conversations-done) {
				if err := c.conversation(s, tx, userID, project.ID, done); err != nil {
					return err
				}
				done++
			}
			return nil
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
	return project.ID
}

func (c *corpus) conversation(s *Store, tx *gorm.DB, userID, projectID string, n int) error {
	conv := models.Conversation{UserID: userID, Title: fmt.Sprintf("%s %d", c.text(4), n)}
	if n%3 == 0 {
		conv.ProjectID = projectID
	}
	if err := s.createConversation(tx, &conv); err != nil {
		return err
	}
	parent := ""
	for i := range 10 {
		message := models.Message{ID: NewID(), ConversationID: conv.ID, ParentID: parent, CreatedAt: s.now()}
		message.Role, message.Text = models.RoleUser, c.text(20)
		if i%2 == 1 {
			message.Role, message.Text = models.RoleAssistant, c.text(150)
		}
		if err := s.insertMessage(tx, conv.UserID, &message); err != nil {
			return err
		}
		parent = message.ID
	}
	return tx.Model(&conv).Update("active_leaf_id", parent).Error
}
