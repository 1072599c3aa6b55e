package workspace

import (
	"io/fs"
	"syscall"
	"time"
)

// inode is what the system knows of a file beyond fs.FileInfo.
type inode struct {
	dev, ino, links uint64
	uid, gid        uint32
	changed         time.Time // of content or metadata; no caller can set it
}

func inodeOf(info fs.FileInfo) inode {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return inode{links: 2} // unknown is refused like a second link
	}
	return inode{
		dev: uint64(stat.Dev), ino: stat.Ino, links: uint64(stat.Nlink),
		uid: stat.Uid, gid: stat.Gid,
		changed: time.Unix(stat.Ctimespec.Unix()),
	}
}
