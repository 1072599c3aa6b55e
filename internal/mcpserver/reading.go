package mcpserver

import (
	"context"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"nanoclaw/internal/runs"
	"nanoclaw/internal/store"
	"nanoclaw/internal/workspace"
)

// maxRead is how much of a file, and of a conversation, one answer has, in bytes.
const maxRead = 256 << 10

type none struct{}

type named struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

type agentList struct {
	Agents []named `json:"agents"`
}

func (t *tools) listAgents(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, agentList, error) {
	profile, _ := t.Runs.Profile("")
	list := agentList{Agents: []named{{runs.DefaultAgent, profile.Name, profile.Description}}}
	for _, agent := range t.Live.Current().Agents {
		if agent.ID != runs.DefaultAgent {
			list.Agents = append(list.Agents, named{agent.ID, agent.Name, agent.Description})
		}
	}
	return nil, list, nil
}

type searchInput struct {
	Query     string `json:"query"`
	ProjectID string `json:"project_id,omitempty" jsonschema:"only in this project"`
	Limit     int    `json:"limit,omitempty" jsonschema:"at most so many; 0: 50"`
}

type searchResult struct {
	Hits []hit `json:"hits"`
}

type hit struct {
	ConversationID string `json:"conversation_id"`
	Title          string `json:"title"`
	Role           string `json:"role,omitempty"`
	Snippet        string `json:"snippet"`
}

func (t *tools) search(ctx context.Context, _ *mcp.CallToolRequest, in searchInput) (*mcp.CallToolResult, searchResult,
	error) {
	found, err := t.Store.Search(ctx, t.user, store.SearchQuery{Text: in.Query, ProjectID: in.ProjectID,
		Page: store.Page{Limit: in.Limit}})
	result := searchResult{Hits: []hit{}}
	for _, one := range found.Items {
		result.Hits = append(result.Hits, hit{one.ConversationID, one.Title, one.Role, one.Snippet})
	}
	return nil, result, err
}

type conversationInput struct {
	ConversationID string `json:"conversation_id"`
}

type conversationResult struct {
	Title     string    `json:"title"`
	Messages  []message `json:"messages"`
	Truncated bool      `json:"truncated,omitempty" jsonschema:"older messages were left out"`
}

type message struct {
	Role string `json:"role"`
	Text string `json:"text"`
}

func (t *tools) readConversation(ctx context.Context, _ *mcp.CallToolRequest,
	in conversationInput) (*mcp.CallToolResult, conversationResult, error) {
	conv, err := t.Store.GetConversation(ctx, t.user, in.ConversationID)
	if err != nil {
		return nil, conversationResult{}, err
	}
	result := conversationResult{Title: conv.Title, Messages: []message{}}
	branch, err := t.Store.Branch(ctx, conv.ID, conv.ActiveLeafID)
	if err != nil {
		return nil, result, err
	}
	size, from := 0, len(branch)
	for from > 0 && size+len(branch[from-1].Text) <= maxRead {
		from--
		size += len(branch[from].Text)
	}
	result.Truncated = from > 0
	for _, one := range branch[from:] {
		result.Messages = append(result.Messages, message{one.Role, one.Text})
	}
	return nil, result, nil
}

type projectList struct {
	Projects []named `json:"projects"`
}

func (t *tools) listProjects(ctx context.Context, _ *mcp.CallToolRequest, _ none) (*mcp.CallToolResult, projectList,
	error) {
	list := projectList{Projects: []named{}}
	for page := (store.Page{Limit: store.MaxLimit}); ; {
		part, err := t.Store.ListProjects(ctx, t.user, store.ProjectQuery{Page: page})
		if err != nil {
			return nil, list, err
		}
		for _, one := range part.Items {
			list.Projects = append(list.Projects, named{one.ID, one.Name, one.Description})
		}
		if page.Cursor = part.Next; page.Cursor == "" {
			return nil, list, nil
		}
	}
}

type filesInput struct {
	ProjectID string `json:"project_id"`
	Path      string `json:"path,omitempty" jsonschema:"a directory; empty: the project's root"`
	Pattern   string `json:"pattern,omitempty" jsonschema:"glob on names"`
	Recursive bool   `json:"recursive,omitempty"`
}

type filesResult struct {
	Files     []file `json:"files"`
	Truncated bool   `json:"truncated,omitempty"`
}

type file struct {
	Path string `json:"path"`
	Type string `json:"type"`
	Size int64  `json:"size"`
}

// files opens a project of the user.
func (t *tools) files(ctx context.Context, projectID string) (workspace.Filesystem, error) {
	if _, err := t.Store.GetProject(ctx, t.user, projectID); err != nil {
		return nil, err
	}
	return t.Projects.Open(ctx, projectID)
}

func (t *tools) listFiles(ctx context.Context, _ *mcp.CallToolRequest, in filesInput) (*mcp.CallToolResult, filesResult,
	error) {
	result := filesResult{Files: []file{}}
	files, err := t.files(ctx, in.ProjectID)
	if err != nil {
		return nil, result, err
	}
	listing, err := files.List(ctx, in.Path, workspace.ListOptions{Pattern: in.Pattern, Recursive: in.Recursive})
	for _, entry := range listing.Entries {
		result.Files = append(result.Files, file{entry.Path, string(entry.Type), entry.Size})
	}
	result.Truncated = listing.Truncated
	return nil, result, err
}

type readInput struct {
	ProjectID string `json:"project_id"`
	Path      string `json:"path"`
	Offset    int64  `json:"offset,omitempty" jsonschema:"bytes to leave out from the beginning"`
}

type readResult struct {
	Text       string `json:"text"`
	Size       int64  `json:"size" jsonschema:"bytes of the whole file"`
	NextOffset int64  `json:"next_offset,omitempty" jsonschema:"where the rest begins; absent: this was all"`
}

func (t *tools) readFile(ctx context.Context, _ *mcp.CallToolRequest, in readInput) (*mcp.CallToolResult, readResult,
	error) {
	files, err := t.files(ctx, in.ProjectID)
	if err != nil {
		return nil, readResult{}, err
	}
	content, entry, err := files.Download(ctx, in.Path)
	if err != nil {
		return nil, readResult{}, err
	}
	defer content.Close()
	if _, err := io.CopyN(io.Discard, content, max(in.Offset, 0)); err != nil && !errors.Is(err, io.EOF) {
		return nil, readResult{}, err
	}
	data, err := io.ReadAll(io.LimitReader(content, maxRead))
	if err != nil {
		return nil, readResult{}, err
	}
	for cut := 0; cut < utf8.UTFMax && len(data) == maxRead-cut && !utf8.Valid(data); cut++ {
		data = data[:len(data)-1] // between two characters
	}
	if !utf8.Valid(data) {
		return nil, readResult{}, errors.New("the file is not text")
	}
	result := readResult{Text: string(data), Size: entry.Size}
	if end := max(in.Offset, 0) + int64(len(data)); end < entry.Size {
		result.NextOffset = end
	}
	return nil, result, nil
}
