package store

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

func BenchmarkOpenExisting(b *testing.B) {
	f := filepath.Join(b.TempDir(), "a.db")
	for b.Loop() {
		s, err := Open(context.Background(), Options{SQLiteFile: f})
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}

func BenchmarkOpenNew(b *testing.B) {
	for b.Loop() {
		s, err := Open(context.Background(), Options{SQLiteFile: filepath.Join(b.TempDir(), "a.db")})
		if err != nil {
			b.Fatal(err)
		}
		s.Close()
	}
}

func BenchmarkSmallWrite(b *testing.B) {
	s, err := Open(context.Background(), Options{SQLiteFile: filepath.Join(b.TempDir(), "a.db")})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	c := models.Conversation{ID: NewID(), UserID: "u", CreatedAt: models.Now(), UpdatedAt: models.Now()}
	if err := s.db.Create(&c).Error; err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		err := s.tx(ctx, func(tx *gorm.DB) error {
			var got models.Conversation
			if err := tx.Take(&got, "id = ?", c.ID).Error; err != nil {
				return err
			}
			if err := tx.Model(&got).Updates(map[string]any{"version": got.Version + 1,
				"updated_at": models.Now()}).Error; err != nil {
				return err
			}
			return tx.Create(&models.Outbox{Subject: "x", MessageID: "y", Payload: []byte("hello"), CreatedAt: 1}).Error
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkIndexedMessage(b *testing.B) {
	s, err := Open(context.Background(), Options{SQLiteFile: filepath.Join(b.TempDir(), "a.db")})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	c := newCorpus()
	c.fill(b, s, "u", 200)
	conv := models.Conversation{UserID: "u"}
	if err := s.CreateConversation(context.Background(), &conv); err != nil {
		b.Fatal(err)
	}
	for _, size := range []int{20, 150} {
		b.Run(fmt.Sprint(size, " words"), func(b *testing.B) {
			for b.Loop() {
				err := s.tx(b.Context(), func(tx *gorm.DB) error {
					return s.insertMessage(tx, "u", &models.Message{ID: NewID(), ConversationID: conv.ID,
						Text: c.text(size)})
				})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
