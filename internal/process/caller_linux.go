package process

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// CallerOf says who connected from remote to local, the two ends of a TCP
// connection that this process accepted. It looks the socket up in /proc: which
// process holds it, and whether that one descends from this process. Without
// Adopt a descendant can lose its ancestors, so that the answer is Unknown.
//
// A socket that no visible process holds is Unknown as well: its owner belongs to
// another user, is gone, or keeps it on the way between two processes.
func CallerOf(local, remote netip.AddrPort) Caller {
	if !adopts.Load() {
		return Unknown
	}
	inode, found := socketOf(remote, local)
	switch {
	case !found && !ownAddress(remote.Addr().Unmap()):
		return Outside
	case !found || inode == "0":
		return Unknown
	}
	return holderOf("socket:[" + inode + "]")
}

// ownAddress says whether an address is one of this machine. When that is not
// known it is.
func ownAddress(address netip.Addr) bool {
	if address.IsLoopback() {
		return true
	}
	all, err := net.InterfaceAddrs()
	return err != nil || slices.ContainsFunc(all, func(a net.Addr) bool {
		prefix, err := netip.ParsePrefix(a.String())
		return err != nil || prefix.Addr().Unmap() == address.WithZone("")
	})
}

// socketOf is the inode of the socket whose own end is local. It is "0" when no
// process has it any more.
func socketOf(local, remote netip.AddrPort) (inode string, found bool) {
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		if inode, found = socketIn(table, local, remote); found {
			return inode, true
		}
	}
	return "", false
}

func socketIn(table string, local, remote netip.AddrPort) (inode string, found bool) {
	file, err := os.Open(table)
	if err != nil {
		return "", false
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 10 || tableAddress(fields[1]) != plain(local) || tableAddress(fields[2]) != plain(remote) {
			continue
		}
		if fields[9] != "0" {
			return fields[9], true
		}
		inode, found = "0", true // a former connection of the same name, perhaps
	}
	return inode, found
}

// plain is an address without a zone, and as IPv4 where it is one.
func plain(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
}

// tableAddress reads an address of /proc/net/tcp: words of 32 bits in the byte
// order of the machine, and a port, all in hexadecimal.
func tableAddress(text string) netip.AddrPort {
	host, port, _ := strings.Cut(text, ":")
	raw, err := hex.DecodeString(host)
	if err != nil || len(raw)%4 != 0 {
		return netip.AddrPort{}
	}
	for word := range slices.Chunk(raw, 4) {
		binary.BigEndian.PutUint32(word, binary.NativeEndian.Uint32(word))
	}
	address, ok := netip.AddrFromSlice(raw)
	number, err := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil {
		return netip.AddrPort{}
	}
	return netip.AddrPortFrom(address.Unmap(), uint16(number))
}

// holderOf says who holds a socket. The descendants of this process are asked
// first: one of them among several holders decides.
func holderOf(socket string) Caller {
	parents := parentsOfAll()
	var others []int
	for id := range parents {
		switch {
		case !descends(id, parents):
			others = append(others, id)
		case holds(id, socket):
			return Below
		}
	}
	own := os.Getpid()
	if holds(own, socket) {
		return Unknown
	}
	for _, id := range others {
		// The table is as old as the search: only a process that is still the same
		// one, with the same ancestors now, counts.
		if id != own && holds(id, socket) && leadsOutside(id) {
			return Outside
		}
	}
	return Unknown
}

// parentsOfAll maps every visible process to its parent.
func parentsOfAll() map[int]int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	parents := make(map[int]int, len(entries))
	for _, entry := range entries {
		if id, err := strconv.Atoi(entry.Name()); err == nil {
			if parent, ok := parentOf(id); ok {
				parents[id] = parent
			}
		}
	}
	return parents
}

func descends(id int, parents map[int]int) bool {
	own := os.Getpid()
	for steps := 0; steps <= len(parents); steps++ {
		parent, known := parents[id]
		if !known {
			return false
		}
		if parent == own {
			return true
		}
		id = parent
	}
	return false
}

// leadsOutside says whether the ancestors of a process end at the machine's or
// the container's first one without passing this process.
func leadsOutside(id int) bool {
	own := os.Getpid()
	for id > 1 {
		parent, ok := parentOf(id)
		if !ok || parent == own {
			return false
		}
		id = parent
	}
	return true
}

func parentOf(id int) (parent int, ok bool) {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(id), "stat"))
	if err != nil {
		return 0, false
	}
	// The name stands in parentheses and may hold anything.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0, false
	}
	parent, err = strconv.Atoi(string(fields[1]))
	return parent, err == nil
}

// holds says whether a process has a socket among its descriptors, as far as
// they can be seen.
func holds(id int, socket string) bool {
	dir := filepath.Join("/proc", strconv.Itoa(id), "fd")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool {
		target, err := os.Readlink(filepath.Join(dir, e.Name()))
		return err == nil && target == socket
	})
}
