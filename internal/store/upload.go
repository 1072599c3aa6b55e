package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"gorm.io/gorm"

	"nanoclaw/internal/models"
)

const (
	// uploadPart is how many bytes of an upload are written at once.
	uploadPart = 256 << 10
	// uploadIncomplete is the size of an upload whose bytes are still arriving.
	uploadIncomplete = -1
)

// CreateUpload stores a small file of upload.UserID with its Data. An empty ID gets
// one; Size becomes the length of Data.
func (s *Store) CreateUpload(ctx context.Context, upload *models.Upload) error {
	return s.ReceiveUpload(ctx, upload, bytes.NewReader(upload.Data))
}

// ReceiveUpload stores a file of upload.UserID with the bytes that content has, part
// by part. Until all are there nobody sees it. An empty ID gets one; Size becomes the
// number of bytes.
func (s *Store) ReceiveUpload(ctx context.Context, upload *models.Upload, content io.Reader) error {
	return s.ReceiveUploadWithin(ctx, 0, upload, content)
}

// ReceiveUploadWithin is ReceiveUpload that fails with CodeStorageQuota where the user's uploads
// would take more than quota bytes together; 0: no limit.
func (s *Store) ReceiveUploadWithin(ctx context.Context, quota int64, upload *models.Upload,
	content io.Reader) (err error) {
	if upload.ID == "" {
		upload.ID = NewID()
	}
	upload.Size, upload.CreatedAt = uploadIncomplete, s.now()
	if err := s.tx(ctx, func(tx *gorm.DB) error { return tx.Create(upload).Error }); err != nil {
		return fmt.Errorf("store upload %q: %w", upload.Name, err)
	}
	defer func() {
		if err != nil { // what a crash leaves behind is purged with the unused uploads
			err = errors.Join(err, s.DeleteUpload(context.WithoutCancel(ctx), upload.UserID, upload.ID))
		}
	}()
	buffer := make([]byte, uploadPart)
	size := int64(0)
	for {
		n, err := io.ReadFull(content, buffer)
		if err != nil && !errors.Is(err, io.EOF) && err != io.ErrUnexpectedEOF {
			return err
		}
		last := err != nil
		err = s.tx(ctx, func(tx *gorm.DB) error {
			if err := createUploadPart(tx, upload.ID, size, buffer[:n]); err != nil || !last {
				return err
			}
			if err := s.roomForUpload(tx, upload.UserID, size+int64(n), quota); err != nil {
				return err
			}
			return tx.Model(upload).Update("size", size+int64(n)).Error
		})
		if err != nil {
			return fmt.Errorf("store upload %q: %w", upload.Name, err)
		}
		if size += int64(n); last {
			return nil
		}
	}
}

// createUpload stores a file with its Data in a transaction of the caller's.
func createUpload(tx *gorm.DB, upload *models.Upload) error {
	upload.Size = int64(len(upload.Data))
	err := tx.Create(upload).Error
	for start := 0; err == nil && start < len(upload.Data); start += uploadPart {
		err = createUploadPart(tx, upload.ID, int64(start), upload.Data[start:min(start+uploadPart, len(upload.Data))])
	}
	if err != nil {
		return fmt.Errorf("store upload %q: %w", upload.Name, err)
	}
	return nil
}

func createUploadPart(tx *gorm.DB, id string, position int64, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	return tx.Create(&models.UploadPart{UploadID: id, Position: position, Data: data}).Error
}

// GetUpload returns the user's file with its bytes, or not_found. For files that may
// be large there is OpenUpload.
func (s *Store) GetUpload(ctx context.Context, userID, id string) (*models.Upload, error) {
	upload, content, err := s.OpenUpload(ctx, userID, id)
	if err != nil {
		return nil, err
	}
	upload.Data = make([]byte, upload.Size)
	if _, err := io.ReadFull(content, upload.Data); err != nil {
		return nil, err
	}
	return upload, nil
}

// OpenUpload returns a file of the user, or of a conversation that they may reach, and a
// reader of its bytes, or not_found; an empty user means any. The reader holds one part at
// a time and lives as long as ctx.
func (s *Store) OpenUpload(ctx context.Context, userID, id string) (*models.Upload, io.ReadSeeker, error) {
	upload, err := completeUpload(s.read(ctx), userID, id)
	if err != nil {
		return nil, nil, err
	}
	return upload, io.NewSectionReader(&uploadReader{db: s.read(ctx), id: id}, 0, upload.Size), nil
}

func completeUpload(db *gorm.DB, userID, id string) (*models.Upload, error) {
	var upload models.Upload
	db = db.Where("id = ? AND size >= 0", id)
	if userID != "" {
		db = inConversations(db, userID)
	}
	if err := db.Take(&upload).Error; err != nil {
		return nil, found(err, "upload", id)
	}
	return &upload, nil
}

// uploadReader reads an upload's parts. It is not safe for concurrent use.
type uploadReader struct {
	db   *gorm.DB
	id   string
	part models.UploadPart // the one that was read last
}

// ReadAt fills p from a place in the file.
func (r *uploadReader) ReadAt(p []byte, at int64) (n int, err error) {
	for n < len(p) {
		inside := at + int64(n) - r.part.Position
		if inside < 0 || inside >= int64(len(r.part.Data)) {
			var part models.UploadPart
			err := r.db.Where("upload_id = ? AND position <= ?", r.id,
				at+int64(n)).Order("position DESC").Take(&part).Error
			if err != nil {
				return n, fmt.Errorf("read upload %s: %w", r.id, err)
			}
			if r.part, inside = part, at+int64(n)-part.Position; inside >= int64(len(part.Data)) {
				return n, io.EOF
			}
		}
		n += copy(p[n:], r.part.Data[inside:])
	}
	return n, nil
}

// UploadInfo returns what is known of the user's files but their bytes, in the
// order of the ids; one that is not the user's is not_found.
func (s *Store) UploadInfo(ctx context.Context, userID string, ids []string) ([]models.Upload, error) {
	var rows []models.Upload
	err := s.read(ctx).Where("user_id = ? AND id IN ? AND size >= 0", userID, ids).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read uploads: %w", err)
	}
	known := make(map[string]models.Upload, len(rows))
	for _, row := range rows {
		known[row.ID] = row
	}
	ordered := make([]models.Upload, len(ids))
	for i, id := range ids {
		upload, ok := known[id]
		if !ok {
			return nil, notFound("upload", id)
		}
		ordered[i] = upload
	}
	return ordered, nil
}

// DeleteUpload deletes the user's file; not_found where there is none. Messages
// that show it keep its name.
func (s *Store) DeleteUpload(ctx context.Context, userID, id string) error {
	return s.tx(ctx, func(tx *gorm.DB) error {
		done := tx.Where("id = ? AND user_id = ?", id, userID).Delete(&models.Upload{})
		if done.Error != nil {
			return fmt.Errorf("delete upload %s: %w", id, done.Error)
		}
		if done.RowsAffected == 0 {
			return notFound("upload", id)
		}
		return nil
	})
}
