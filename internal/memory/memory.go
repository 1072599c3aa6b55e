// Package memory reads what the files of a project say to every run in it: AGENTS.md,
// which people write, and the agents' own notes in MEMORY.md and memory/.
//
// It promises that no file takes up more of a prompt than the limits allow, and that
// nothing is read but through workspace.Filesystem. It must not know how a prompt is put
// together, nor who may see it: secrets are not redacted here.
package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"nanoclaw/internal/workspace"
)

// The files, from the project's root.
const (
	InstructionsFile = "AGENTS.md"
	NotesFile        = "MEMORY.md"
	NotesFolder      = "memory"
)

// Limits bound what is read.
type Limits struct {
	Instructions int64 // bytes of AGENTS.md
	Notes        int64 // bytes of MEMORY.md
	Files        int   // of memory/ that are listed
}

// Text is a file as a prompt has it.
type Text struct {
	Path string
	Text string // whole lines from the beginning, valid UTF-8; empty: there is none
	Size int64  // of the file; 0 where there is none
	Cut  bool   // the file is longer
}

// Notes is what agents noted in earlier conversations.
type Notes struct {
	Text
	Files []workspace.Entry // below memory/, by path
	More  bool              // than are listed
}

// Instructions reads AGENTS.md.
func Instructions(ctx context.Context, files workspace.Filesystem, limits Limits) (Text, error) {
	return read(ctx, files, InstructionsFile, limits.Instructions)
}

// ReadNotes reads MEMORY.md and lists memory/.
func ReadNotes(ctx context.Context, files workspace.Filesystem, limits Limits) (*Notes, error) {
	text, err := read(ctx, files, NotesFile, limits.Notes)
	if err != nil {
		return nil, err
	}
	notes := &Notes{Text: text, Files: []workspace.Entry{}}
	// directories count in the listing and are left out of it
	listing, err := files.List(ctx, NotesFolder, workspace.ListOptions{Recursive: true, Limit: 2*limits.Files + 1})
	if absent(err) {
		return notes, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", NotesFolder, err)
	}
	notes.More = listing.Truncated
	for _, entry := range listing.Entries {
		if entry.Type != workspace.TypeFile {
			continue
		}
		if len(notes.Files) == limits.Files {
			notes.More = true
			break
		}
		notes.Files = append(notes.Files, entry)
	}
	return notes, nil
}

func read(ctx context.Context, files workspace.Filesystem, name string, limit int64) (Text, error) {
	text := Text{Path: name}
	if limit == 0 {
		return text, nil
	}
	content, err := files.Read(ctx, name, 0, limit)
	if absent(err) {
		return text, nil
	}
	if err != nil {
		return text, fmt.Errorf("read %s: %w", name, err)
	}
	data := string(content.Data)
	text.Size = content.Size
	if text.Cut = int64(len(data)) < content.Size; text.Cut {
		// a secret that is cut in two could not be recognised
		data = data[:strings.LastIndexByte(data, '\n')+1]
	}
	text.Text = strings.ToValidUTF8(strings.TrimPrefix(data, "\ufeff"), "�")
	return text, nil
}

// absent says whether there is nothing, or nothing that agents may see.
func absent(err error) bool {
	var own *workspace.Error
	if !errors.As(err, &own) {
		return false
	}
	switch own.Code {
	case workspace.CodeNotFound, workspace.CodeNotADirectory, workspace.CodeNotAFile, workspace.CodeAccessDenied:
		return true
	}
	return false
}
