package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"nanoclaw/internal/api"
	"nanoclaw/internal/config"
	"nanoclaw/internal/models"
	"nanoclaw/internal/store"
	"nanoclaw/internal/tools"
)

// sentFiles keeps files that tools hand to people as uploads of theirs.
type sentFiles struct {
	store *store.Store
	live  *config.Live
}

var _ tools.FileStore = sentFiles{}

// MaxFile implements tools.FileStore.
func (s sentFiles) MaxFile() int64 { return s.live.Current().ToolDefaults.FileLimit.Bytes() }

// KeepFile implements tools.FileStore.
func (s sentFiles) KeepFile(ctx context.Context, call tools.Call, name string, content io.Reader) (tools.SentFile, error) {
	buffered := bufio.NewReader(content)
	head, err := buffered.Peek(api.SniffLength)
	if err != nil && !errors.Is(err, io.EOF) {
		return tools.SentFile{}, fmt.Errorf("read the beginning of %q: %w", name, err)
	}
	upload := &models.Upload{UserID: call.UserID, ConversationID: call.ConversationID, Name: name,
		ContentType: api.AttachmentType(name, head)}
	if err := s.store.ReceiveUpload(ctx, upload, &bounded{from: buffered, left: s.MaxFile()}); err != nil {
		return tools.SentFile{}, err
	}
	return tools.SentFile{UploadID: upload.ID, Name: name, ContentType: upload.ContentType, Size: upload.Size}, nil
}

// bounded fails where a file has more bytes than it is allowed: it may grow while it is read.
type bounded struct {
	from io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, tools.Errorf("too_large", "the file is larger than tool_defaults.file_limit: it grows while it is read")
	}
	return n, err
}
