package undo

import (
	"context"

	"nanoclaw/internal/workspace"
)

// trackedOf is what changes of files are noted of: the files themselves where they are on
// this machine, else what every file system can say of itself.
func trackedOf(files workspace.Filesystem) tracked {
	if local, ok := files.(tracked); ok {
		return local
	}
	return anywhere{files}
}

// anywhere tracks files wherever they are. Those parts of them that are on this machine are
// asked directly: only they have links, permissions and a trash.
type anywhere struct{ workspace.Filesystem }

var _ tracked = anywhere{}

// local is this machine's directory that holds a path; nil: it is elsewhere.
func (a anywhere) local(ctx context.Context, name string) *workspace.Local {
	local, _ := workspace.HolderOf(ctx, a.Filesystem, name).(*workspace.Local)
	return local
}

func (a anywhere) Look(ctx context.Context, name string, follow bool, hash int64) (workspace.Version, error) {
	if local := a.local(ctx, name); local != nil {
		return local.Look(ctx, name, follow, hash)
	}
	cleaned, err := workspace.CleanPath(name)
	if err != nil {
		return workspace.Version{}, err
	}
	entry, err := a.Stat(ctx, name)
	if workspace.IsCode(err, workspace.CodeNotFound) || workspace.IsCode(err, workspace.CodeNotADirectory) {
		return workspace.Version{Path: cleaned}, nil
	}
	if err != nil {
		return workspace.Version{}, err
	}
	v := versionOf(entry)
	v.Path = cleaned
	if v.Kind != workspace.TypeFile {
		return v, nil
	}
	if v.Stamp, err = a.Stamp(ctx, name, false); err != nil || hash >= 0 && v.Size > hash {
		return v, err
	}
	content, entry, err := a.Download(ctx, name)
	if err != nil {
		return v, err
	}
	v.ETag, v.Size = entry.ETag, entry.Size
	return v, content.Close()
}

func versionOf(entry workspace.Entry) workspace.Version {
	v := workspace.Version{Path: entry.Path, Kind: entry.Type, Size: entry.Size, Mode: 0o644}
	if entry.Executable || entry.Type == workspace.TypeDirectory {
		v.Mode = 0o755
	}
	return v
}

func (a anywhere) Survey(ctx context.Context, dir string, limit int, all bool) (found []workspace.Version,
	complete bool, err error) {
	listing, err := a.List(ctx, dir, workspace.ListOptions{Recursive: true, All: all, Limit: max(limit, 1)})
	if err != nil {
		return nil, false, err
	}
	for _, entry := range listing.Entries {
		v := versionOf(entry)
		if v.Kind == workspace.TypeSymlink {
			if v, err = a.Look(ctx, entry.Path, false, 0); err != nil {
				return nil, false, err
			}
		}
		found = append(found, v)
	}
	return found, !listing.Truncated && len(found) <= limit, nil
}

func (a anywhere) KeepCopy(ctx context.Context, name string, actor workspace.Actor) (string, error) {
	if local := a.local(ctx, name); local != nil {
		return local.KeepCopy(ctx, name, actor)
	}
	return "", nil // no trash
}

func (a anywhere) PutLink(ctx context.Context, name, target string) error {
	if local := a.local(ctx, name); local != nil {
		return local.PutLink(ctx, name, target)
	}
	return workspace.Errorf(workspace.CodeInvalidArgument, name, "there can be no links here")
}

func (a anywhere) RemoveEmptyDir(ctx context.Context, name string) error {
	holder, ok := workspace.HolderOf(ctx, a.Filesystem, name).(interface {
		RemoveEmptyDir(ctx context.Context, path string) error
	})
	if !ok {
		return workspace.Errorf(workspace.CodeAlreadyExists, name, "these files keep empty directories")
	}
	return holder.RemoveEmptyDir(ctx, name)
}
