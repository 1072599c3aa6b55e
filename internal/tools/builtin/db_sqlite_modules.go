package builtin

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"modernc.org/sqlite/vtab"
)

// hiddenModules are the virtual tables of the engine that show more than a
// database's content: pages, the program's own statements, files' sizes. Those
// that the engine makes of its pragmas, pragma_…, are hidden too.
var hiddenModules = []string{"dbstat", "sqlite_dbpage", "sqlite_stmt", "bytecode", "tables_used"}

const pragmaTables = "pragma_"

func isHiddenModule(name string) bool {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, pragmaTables) {
		return true
	}
	for _, hidden := range hiddenModules {
		if name == hidden {
			return true
		}
	}
	return false
}

// hideSQLiteModules takes the hidden tables out of every SQLite connection that
// this process opens from now on: it registers a module under each of their names
// that makes no table. A view or a trigger of the database does not reach them
// either. It is for a process that does nothing else.
func hideSQLiteModules(ctx context.Context) (err error) {
	memory, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return fmt.Errorf("open a database: %w", err)
	}
	defer func() { err = errors.Join(err, memory.Close()) }()
	names, err := memory.QueryContext(ctx,
		"SELECT 'pragma_' || name FROM pragma_pragma_list UNION SELECT name FROM pragma_module_list")
	if err != nil {
		return fmt.Errorf("list the engine's tables: %w", err)
	}
	defer names.Close()
	hidden := map[string]bool{}
	for _, name := range hiddenModules {
		hidden[name] = true
	}
	for names.Next() {
		var name string
		if err := names.Scan(&name); err != nil {
			return fmt.Errorf("list the engine's tables: %w", err)
		}
		if isHiddenModule(name) {
			hidden[strings.ToLower(name)] = true
		}
	}
	if err := names.Err(); err != nil {
		return fmt.Errorf("list the engine's tables: %w", err)
	}
	for name := range hidden {
		if err := vtab.RegisterModule(nil, name, hiddenModule{}); err != nil {
			return fmt.Errorf("hide the table %s: %w", name, err)
		}
	}
	return nil
}

// hiddenModule makes no table. It creates, which keeps the engine from offering
// its name as a table that is always there.
type hiddenModule struct{}

func (hiddenModule) Create(vtab.Context, []string) (vtab.Table, error)  { return hidden() }
func (hiddenModule) Connect(vtab.Context, []string) (vtab.Table, error) { return hidden() }

func hidden() (vtab.Table, error) { return nil, errors.New("this table is not available here") }
