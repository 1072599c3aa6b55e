package api

import (
	"context"

	"nanoclaw/internal/memory"
)

// ProjectMemory is what files of a project say to every run in it.
type ProjectMemory struct {
	Enabled      bool         `json:"enabled" doc:"Agents are told what MEMORY.md says and memory/ holds. Switched with memory_enabled of the project; memory.enabled of the configuration goes before it."`
	Instructions MemoryText   `json:"instructions" doc:"AGENTS.md, which people write."`
	Notes        MemoryText   `json:"notes" doc:"MEMORY.md, which agents write."`
	Files        []MemoryFile `json:"files" doc:"Below memory/; agents are told their names."`
	More         bool         `json:"more" doc:"There are more files than agents are told of."`
}

// MemoryText is a file as agents are told it, but for its secrets.
type MemoryText struct {
	Path string `json:"path" doc:"To change it, PUT /projects/{id}/files/{path}."`
	Text string `json:"text"`
	Size int64  `json:"size" doc:"Of the file, in bytes; 0: there is none."`
	Cut  bool   `json:"cut" doc:"The file is longer: the rest is not told."`
}

// MemoryFile is one of them.
type MemoryFile struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
}

func (s *server) registerMemory() {
	handle(s, op("GET", "/projects/{id}/memory", "get-project-memory", "Projects",
		"What files of a project say to every run in it",
		describe("The files are ordinary files of the project, read and changed as such.")), s.getMemory)
}

func (s *server) getMemory(ctx context.Context, in *PathID) (*struct{ Body *ProjectMemory }, error) {
	project, err := s.Store.GetProject(ctx, currentUser(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	files, err := s.openFiles(ctx, project)
	if err != nil {
		return nil, err
	}
	c := s.Live.Current().Memory
	limits := memory.Limits{Instructions: c.InstructionsMax.Bytes(), Notes: c.MaxSize.Bytes(), Files: c.MaxFiles}
	instructions, err := memory.Instructions(ctx, files, limits)
	if err != nil {
		return nil, err
	}
	notes, err := memory.ReadNotes(ctx, files, limits)
	if err != nil {
		return nil, err
	}
	view := &ProjectMemory{Enabled: c.Enabled && !project.MemoryOff, Instructions: MemoryText(instructions),
		Notes: MemoryText(notes.Text), Files: []MemoryFile{}, More: notes.More}
	for _, file := range notes.Files {
		view.Files = append(view.Files, MemoryFile{Path: file.Path, Size: file.Size})
	}
	return &struct{ Body *ProjectMemory }{view}, nil
}
