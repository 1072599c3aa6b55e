package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"nanoclaw/internal/config"
)

// Location says where a project's files lie.
type Location struct {
	// Path is a directory of the user's, as CheckPath returned it. Empty: the
	// project has a directory of its own below the workspace root.
	Path string
}

// Settings are the parts of the configuration that projects need.
type Settings struct {
	Root         string   // where projects without a path have their directories
	AllowedRoots []string // below these a project may have a path
	DataDir      string   // the server's own data: never part of a project
	Limits       Limits
	// Mode names the mode of a project for an agent; nil or "": local.
	Mode func(projectID, agentID string) string
}

// SettingsFrom reads the settings of a configuration.
func SettingsFrom(c *config.Config) Settings {
	return Settings{
		Root:         c.WorkspaceRoot,
		AllowedRoots: c.ProjectRoots,
		DataDir:      c.DataDir,
		Limits:       LimitsFrom(c.Workspace),
		Mode:         c.WorkspaceMode,
	}
}

// Projects knows where every project's files are, and opens them.
type Projects struct {
	lookup func(ctx context.Context, projectID string) (Location, error)

	mu       sync.Mutex
	settings Settings
	open     map[string]*Local // by project id: they hold the counts of their limits
	modes    map[string]Mode   // beside local and those that the program registered
	removed  []func(ctx context.Context, projectID string) error
}

var _ Opener = (*Projects)(nil)

// NewProjects returns the projects that lookup knows. Its errors come back from
// Open as they are.
func NewProjects(settings Settings, lookup func(ctx context.Context, projectID string) (Location,
	error)) (*Projects, error) {
	p := &Projects{lookup: lookup, open: make(map[string]*Local)}
	return p, p.Configure(settings)
}

// Configure puts new settings in force, for projects that are open too. After an
// error the old ones stay.
func (p *Projects) Configure(settings Settings) error {
	if err := settings.Limits.Validate(); err != nil {
		return err
	}
	var err error
	if settings.Root, err = filepath.Abs(settings.Root); err != nil {
		return fmt.Errorf("find the workspace root: %w", err)
	}
	if settings.DataDir, err = filepath.Abs(settings.DataDir); err != nil {
		return fmt.Errorf("find the data directory: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settings = settings
	return nil
}

// current is a copy of the settings.
func (p *Projects) current() Settings {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.settings
}

func (p *Projects) limits() Limits { return p.current().Limits }

// Open implements Opener. The directory of a project without a path is created
// when it is missing; a path of the user's must still be allowed and there.
func (p *Projects) Open(ctx context.Context, projectID string) (Filesystem, error) {
	location, err := p.lookup(ctx, projectID)
	if err != nil {
		return nil, err
	}
	dir := location.Path
	if dir == "" {
		dir, err = p.Create(projectID)
	} else if resolved, checkErr := p.CheckPath(dir); checkErr != nil {
		err = checkErr
	} else if resolved != dir {
		err = Errorf(CodeAccessDenied, dir, "the project's directory is a symbolic link by now")
	}
	if err != nil {
		return nil, err
	}
	return p.inMode(ctx, Opening{ProjectID: projectID, Access: AccessOf(ctx), InPlace: location.Path != "",
		Local: p.localIn(projectID, dir, location.Path != ""), Limits: p.limits})
}

// localMode is the mode of files that are on this machine alone.
const localMode = "local"

// AddMode makes a mode known by its name in the configuration. It is called before the
// first Open.
func (p *Projects) AddMode(name string, mode Mode) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.modes == nil {
		p.modes = map[string]Mode{}
	}
	p.modes[name] = mode
}

// OnRemove sets what else removes the files of a project. It is called before the first Open.
func (p *Projects) OnRemove(remove func(ctx context.Context, projectID string) error) {
	p.removed = append(p.removed, remove)
}

// inMode opens a project's files in the mode that is configured for them.
func (p *Projects) inMode(ctx context.Context, o Opening) (Filesystem, error) {
	name := localMode
	if mode := p.current().Mode; mode != nil {
		name = mode(o.ProjectID, o.Access.AgentID)
	}
	if name == localMode || name == "" {
		return o.Local, nil
	}
	if own, isCustom := strings.CutPrefix(name, CustomPrefix); isCustom {
		mode, err := customMode(own)
		if err != nil {
			return nil, err
		}
		return mode(ctx, o)
	}
	p.mu.Lock()
	mode := p.modes[name]
	p.mu.Unlock()
	if mode == nil {
		return nil, Errorf(CodeUnavailable, "", "this server has no workspace mode %s", name)
	}
	return mode(ctx, o)
}

// CheckQuota is quota_exceeded where a project is over its limits; see
// Local.CheckQuota. Without a project there is nothing to check.
func (p *Projects) CheckQuota(ctx context.Context, projectID string, fresh bool) error {
	local, err := p.local(ctx, projectID)
	if local == nil || err != nil {
		return err
	}
	return local.CheckQuota(ctx, fresh)
}

// Enter is called before a program of a tool runs in a project, and Leave of what it
// returns behind it. Without a project it returns nil.
func (p *Projects) Enter(ctx context.Context, projectID string) (*Visit, error) {
	local, err := p.local(ctx, projectID)
	if local == nil || err != nil {
		return nil, err
	}
	return local.Enter(ctx)
}

// Masked are the paths of a project that no program of a tool may see.
func (p *Projects) Masked(ctx context.Context, projectID string) ([]string, error) {
	local, err := p.local(ctx, projectID)
	if local == nil || err != nil {
		return nil, err
	}
	return local.Masked(ctx)
}

// local opens a project's files on this machine; nil: there are none.
func (p *Projects) local(ctx context.Context, projectID string) (*Local, error) {
	if projectID == "" {
		return nil, nil
	}
	files, err := p.Open(ctx, projectID)
	if err != nil {
		return nil, err
	}
	local, _ := LocalOf(files)
	return local, nil
}

func (p *Projects) localIn(projectID, dir string, inPlace bool) *Local {
	p.mu.Lock()
	defer p.mu.Unlock()
	local, ok := p.open[projectID]
	if !ok || local.Dir() != dir {
		local = NewLocal(dir, p.limits).WithTrash(filepath.Join(p.settings.Root, TrashDir,
			projectID)).WithOutputs(p.settings.outputsDir(projectID))
		if inPlace {
			local.InPlace()
		}
		p.open[projectID] = local
	}
	return local
}

// projectName is what a project's id must look like to be a directory's name.
var projectName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)

// Create makes the directory of a project without a path, where it is missing,
// and returns it.
func (p *Projects) Create(projectID string) (dir string, err error) {
	if !projectName.MatchString(projectID) {
		return "", Errorf(CodeInvalidArgument, projectID, "it is not a valid project id")
	}
	root := p.current().Root
	if err := os.MkdirAll(root, dirMode); err != nil {
		return "", fmt.Errorf("create the workspace root: %w", err)
	}
	dir = filepath.Join(root, projectID)
	if err := os.Mkdir(dir, dirMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("create the project's directory: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return "", fmt.Errorf("look at the project's directory: %w", err)
	}
	if !info.IsDir() {
		return "", Errorf(CodeAccessDenied, projectID, "something else is where the project's directory should be")
	}
	return dir, nil
}

// Remove deletes the directory of a project without a path, with everything in
// it, and the project's trash. A directory of the user's is left alone.
func (p *Projects) Remove(projectID string, location Location) error {
	p.mu.Lock()
	delete(p.open, projectID)
	p.mu.Unlock()
	if !projectName.MatchString(projectID) {
		return Errorf(CodeInvalidArgument, projectID, "it is not a valid project id")
	}
	for _, remove := range p.removed {
		if err := remove(context.Background(), projectID); err != nil {
			return fmt.Errorf("remove the project's shared files: %w", err)
		}
	}
	if err := removeOutputs(p.current().outputsDir("")+"/.", projectID); err != nil {
		return fmt.Errorf("remove the outputs of the project's tools: %w", err)
	}
	root, err := os.OpenRoot(p.current().Root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open the workspace root: %w", err)
	}
	defer root.Close()
	if err := removeBelow(root, TrashDir, projectID); err != nil {
		return fmt.Errorf("remove the project's trash: %w", err)
	}
	if location.Path != "" {
		return nil
	}
	if err := removeTree(context.Background(), root, projectID); err != nil {
		return fmt.Errorf("remove the project's directory: %w", err)
	}
	return nil
}

// removeOutputs removes the outputs of a project.
func removeOutputs(dir, projectID string) error {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.Close()
	return removeTree(context.Background(), root, projectID)
}

// removeBelow removes a tree in a directory that may be missing.
func removeBelow(root *os.Root, dir, name string) error {
	in, err := root.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer in.Close()
	return removeTree(context.Background(), in, name)
}
