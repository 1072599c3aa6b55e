package tools

import (
	"context"
	"io"

	"nanoclaw/internal/services"
)

// SentFile is a file that a call hands to the person. Its bytes are an upload of the user: a
// copy, which later changes do not reach.
type SentFile struct {
	UploadID    string `json:"upload_id"`
	Name        string `json:"name"`
	ContentType string `json:"content_type"`
	Size        int64  `json:"size"` // bytes
}

// Delivery is a result with files for the person. Such a result is never cached.
type Delivery interface {
	Files() []SentFile
}

// FileStoreKey finds where files for the person are kept.
var FileStoreKey = services.NewKey[FileStore]("file_store")

// FileStore keeps copies of files for people.
type FileStore interface {
	// MaxFile is how many bytes a file may have.
	MaxFile() int64

	// KeepFile copies what content has. More than MaxFile bytes are an *Error.
	KeepFile(ctx context.Context, call Call, name string, content io.Reader) (SentFile, error)
}
