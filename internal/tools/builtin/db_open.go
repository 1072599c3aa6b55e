package builtin

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"nanoclaw/internal/services"
	"nanoclaw/internal/tools"
	"nanoclaw/internal/workspace"
)

const (
	sqliteKind   = "sqlite"
	postgresKind = "postgres"
)

// databasePlace makes the project, where there is one, part of the arguments of the
// database tools: a configured database needs none.
type databasePlace struct {
	ProjectID string `json:"project_id,omitempty" inject:"project_id"`
}

func (p databasePlace) project() fileProject { return fileProject(p) }

// hasDatabases says whether there can be a database at all: a file, or a configured one.
func hasDatabases(_ context.Context, call tools.Call, _ *tools.Shape) bool {
	if call.ProjectID != "" {
		return true
	}
	_, names := configuredDatabase(call, "")
	return len(names) > 0
}

// dbSource is where a database is. It is opened in the helper process.
type dbSource struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`    // as the caller names it
	Address string `json:"address"` // path of a file, or URL; it may hold a password

	remove func() error // gives up a copy that was made; nil: there is none
}

// close gives up what was made. The copy's loss is nobody's, so its error is none.
func (s *dbSource) close() {
	if s.remove != nil {
		_ = s.remove()
	}
}

// findDatabase finds a configured database by its name, else a file of the project.
func (p databasePlace) findDatabase(ctx context.Context, call tools.Call, name string) (*dbSource, error) {
	address, names := configuredDatabase(call, name)
	if address != "" {
		return configuredSource(name, address)
	}
	source, err := p.project().copyProjectDatabase(ctx, call, name)
	if err != nil && len(names) > 0 && (hasFileCode(err, workspace.CodeNotFound) || call.ProjectID == "") {
		return nil, tools.Errorf("not_found",
			"there is no database %q: it is neither a file of the project nor one of the configured databases (%s)",
			shortened(name), strings.Join(names, ", "))
	}
	return source, err
}

// configuredDatabase is the URL of a configured name, or "" and the names there are.
func configuredDatabase(call tools.Call, name string) (address string, names []string) {
	databases, err := services.Get(call.Services, tools.DatabasesKey)
	if err != nil {
		return "", nil // a program without configured databases has files
	}
	if address, known := databases.Database(name); known {
		return address, nil
	}
	return "", databases.DatabaseNames()
}

func configuredSource(name, address string) (*dbSource, error) {
	u, err := url.Parse(address)
	if err != nil {
		// and may hold a password
		return nil, tools.Errorf(tools.CodeUnavailable, "the configured url of the database %q is not valid", name)
	}
	switch u.Scheme {
	case "postgres", "postgresql":
		return &dbSource{Kind: postgresKind, Name: name, Address: address}, nil
	case "sqlite":
		path, err := filepath.Abs(strings.TrimPrefix(address, "sqlite://"))
		if err != nil {
			return nil, fmt.Errorf("find the database %q: %w", name, err)
		}
		return &dbSource{Kind: sqliteKind, Name: name, Address: path}, nil
	}
	return nil, tools.Errorf(tools.CodeUnavailable,
		"the database %q has an unknown kind: its url must begin with postgres:// or sqlite://", name)
}

// stampDatabase is the version of a project's file, with what was written and
// not yet moved into it. A configured database has none: it is not cached.
func (p databasePlace) stampDatabase(ctx context.Context, call tools.Call, name string) (string, error) {
	if address, _ := configuredDatabase(call, name); address != "" {
		return "", nil
	}
	files, err := p.project().open(ctx, call)
	if err != nil {
		return "", err
	}
	return databaseStamp(ctx, files, name)
}

func databaseStamp(ctx context.Context, files workspace.Filesystem, path string) (string, error) {
	var stamp strings.Builder
	for _, suffix := range []string{"", "-wal", "-journal"} {
		one, err := files.Stamp(ctx, path+suffix, false)
		if err != nil {
			return "", err
		}
		stamp.WriteString(one)
		stamp.WriteByte('\n')
	}
	return stamp.String(), nil
}
