package workspace

import (
	"context"
	"io"
	"time"

	"nanoclaw/internal/services"
)

// Filesystem is one project's files. Paths are relative to the project's root,
// with slashes; "", "." and "/" are the root itself. Every method may be called
// by many goroutines at once, and fails with an *Error or the context's error.
// Symbolic links are followed while they stay inside the root.
type Filesystem interface {
	// List returns the entries of a directory, sorted.
	List(ctx context.Context, path string, opts ListOptions) (Listing, error)

	// Stat describes what a path leads to, without its ETag.
	Stat(ctx context.Context, path string) (Entry, error)

	// Exists says whether a path leads to something. A path that may not be
	// looked at is an error, not false.
	Exists(ctx context.Context, path string) (bool, error)

	// Read returns at most limit bytes of a file from offset on. A limit of 0 is
	// everything that is left; a file over the size limit is then too_large.
	Read(ctx context.Context, path string, offset, limit int64) (Content, error)

	// Download opens a file for streaming, of any size. The caller closes the
	// reader. The entry has the ETag of what the reader will deliver. The reader
	// of a local file is an io.ReadSeekCloser.
	Download(ctx context.Context, path string) (io.ReadCloser, Entry, error)

	// Write replaces or creates a file with its parents, atomically.
	Write(ctx context.Context, path string, data []byte, opts WriteOptions) (Written, error)

	// Upload is Write from a stream. When r fails nothing is changed, and its
	// error is returned as it is.
	Upload(ctx context.Context, path string, r io.Reader, opts WriteOptions) (Written, error)

	// Append adds data to the end of a file, or creates it. Appends and edits of
	// one file never lose each other.
	Append(ctx context.Context, path string, data []byte) (Written, error)

	// Edit replaces a file's content by what change makes of it, with no other
	// edit in between. change may be called more than once; its error is returned
	// as it is and leaves the file alone. With create, a missing file is edited
	// as a nil slice, else it is not_found.
	Edit(ctx context.Context, path string, create bool, change func(old []byte) ([]byte, error)) (Written, error)

	// Mkdir creates a directory and its parents, and says whether it was missing.
	Mkdir(ctx context.Context, path string) (created bool, err error)

	// Delete removes a file or a link (not what the link leads to), and with
	// Recursive a directory with everything in it; into the trash where there is
	// one (Trashed). The root is refused.
	Delete(ctx context.Context, path string, opts DeleteOptions) error

	// Move renames a file, a link or a directory and creates the parents of its
	// new place. Something that is at the new place already is already_exists.
	Move(ctx context.Context, from, to string) error

	// Grep searches the content of files, in the order of their paths.
	Grep(ctx context.Context, opts GrepOptions) (GrepResult, error)

	// Glob finds paths under opts.Path by a pattern with **, sorted.
	Glob(ctx context.Context, pattern string, opts GlobOptions) (Listing, error)

	// Stamp is a version of what a read of path would see. It differs whenever
	// the content does. For a directory it covers its entries, with recursive
	// everything below. A path that leads to nothing has a stamp too.
	Stamp(ctx context.Context, path string, recursive bool) (string, error)
}

// SandboxFilesystem is a Filesystem that can also run commands beside its files.
type SandboxFilesystem interface {
	Filesystem

	// ID names the sandbox; the same id is the same processes and files.
	ID() string

	// Execute runs a shell command. A non-zero exit status is no error.
	Execute(ctx context.Context, command Command) (Execution, error)
}

// Opener opens the files of a project. Tools get it through the Service Locator.
type Opener interface {
	Open(ctx context.Context, projectID string) (Filesystem, error)
}

// Key is where the Opener is registered in the Service Locator.
var Key = services.NewKey[Opener]("workspaces")

// EntryType says what an entry is.
type EntryType string

// The types of entries.
const (
	TypeFile      EntryType = "file"
	TypeDirectory EntryType = "directory"
	TypeSymlink   EntryType = "symlink"
	TypeOther     EntryType = "other" // FIFO, socket, device: can be listed and deleted, nothing else
)

// Entry is a file, a directory or a link. Name and Path may hold bytes that are
// no valid UTF-8: encoding/json writes U+FFFD for them.
type Entry struct {
	Name       string    `json:"name"`
	Path       string    `json:"path"` // from the root, with slashes; "." is the root
	Type       EntryType `json:"type"`
	Size       int64     `json:"size"` // bytes; 0 for directories
	Modified   time.Time `json:"modified"`
	Executable bool      `json:"executable,omitempty"`
	ETag       string    `json:"etag,omitempty"` // a file's content hash, without quotes; only where it was asked for
}

// Listing is a sorted list of entries. Truncated: there are more than the limit, or
// directories that are nested too deep to be looked into.
type Listing struct {
	Entries   []Entry `json:"entries"`
	Truncated bool    `json:"truncated"`
}

// ListOptions narrows a listing.
type ListOptions struct {
	Pattern   string // glob on the entry's name; directories that do not match are still walked
	Recursive bool   // the content of folders that are ignored is left out, unless the listing starts in one
	All       bool   // the content of those as well
	DirsFirst bool   // directories before files, each by name; else by path
	Limit     int    // 0: DefaultLimit; negative: none
}

// GlobOptions narrows a glob.
type GlobOptions struct {
	Path  string // directory to start from; the pattern is relative to it
	Limit int    // 0: DefaultLimit; negative: none
}

// DefaultLimit is how many entries a listing has where the caller says nothing.
const DefaultLimit = 1000

// Content is a piece of a file.
type Content struct {
	Data   []byte
	Offset int64 // of Data in the file
	Size   int64 // of the whole file
}

// WriteOptions says what must be true for a write to happen.
type WriteOptions struct {
	IfMatch     string // the ETag that the file must have ("*": any, but it must exist); else precondition_failed
	IfNoneMatch bool   // nothing may be there; else already_exists
	Mode        uint32 // permissions; 0: those of the file that is replaced, or the usual ones
	Keep        *Actor // whom the trash names for the content that is replaced; nil: it is not kept
}

// Written is what a write left behind.
type Written struct {
	Path    string `json:"path"`
	Created bool   `json:"created"` // the file was not there before
	Size    int64  `json:"size"`    // of the whole file, bytes
	ETag    string `json:"etag"`
}

// DeleteOptions says what a delete may take.
type DeleteOptions struct {
	Recursive bool   // a directory with everything in it
	IfMatch   string // as in WriteOptions; for files
	Permanent bool   // not into the trash
	Actor     Actor  // whom the trash names
}

// GrepOptions is a search in files' content, line by line.
type GrepOptions struct {
	Pattern       string
	Literal       bool   // Pattern is plain text; else RE2 syntax
	CaseSensitive bool   // else upper and lower case are the same
	Path          string // file or directory to search; empty: everything
	Glob          string // only files whose name (or path, where the glob has a slash) matches
	Context       int    // lines before and after a match, at most MaxGrepContext
	MaxResults    int    // 0: DefaultGrepResults
}

// Limits of a search.
const (
	DefaultGrepResults = 100
	MaxGrepResults     = 1000
	MaxGrepContext     = 10
	MaxGrepLine        = 500 // bytes of a line that are shown
)

// GrepResult is the matches, by path and line.
type GrepResult struct {
	Matches       []Match `json:"matches"`
	FilesSearched int     `json:"files_searched"`
	FilesSkipped  int     `json:"files_skipped"` // binary, over the size limit, or not readable
	Truncated     bool    `json:"truncated"`     // there are more matches
}

// Match is one line that matches. Lines longer than MaxGrepLine are cut around the match.
type Match struct {
	Path   string   `json:"path"`
	Line   int      `json:"line"`   // 1-based
	Column int      `json:"column"` // 1-based, in characters
	Text   string   `json:"text"`
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
}

// Command is a shell command for a SandboxFilesystem.
type Command struct {
	Line    string            // what bash runs
	Dir     string            // relative to the root
	Env     map[string]string // beside the sandbox's own
	Timeout time.Duration     // 0: the sandbox's default
}

// Execution is how a command ended.
type Execution struct {
	ExitCode  int
	Stdout    string
	Stderr    string
	Duration  time.Duration
	TimedOut  bool
	Truncated bool // output was cut
}
