package sandbox

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// What the filter answers with (linux/seccomp.h).
const (
	seccompAllow = 0x7fff0000
	seccompErrno = 0x00050000
	seccompKill  = 0x80000000 // the whole process
)

// Offsets in struct seccomp_data. Arguments are 64 bits, little endian.
const (
	dataNumber = 0
	dataArch   = 4
	dataArg0   = 16
	dataArg1   = 24
)

// lastKnownCall is the highest number of a system call that was looked at for the
// list of those that are denied: mseal, of Linux 6.10. Since Linux 5.1 the numbers
// are the same on every architecture.
const lastKnownCall = 462

// namespaceFlags are the flags of clone(2) that make new namespaces.
const namespaceFlags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWTIME

// deniedIoctls put characters into a terminal that the sandbox shares.
var deniedIoctls = []uint32{unix.TIOCSTI, unix.TIOCLINUX}

// allowedFamilies are the sockets that can be made. There is no network behind
// them but the sandbox's own loopback. A Unix socket is not among them: one that
// lies in the project leads out. socketpair(2) is not concerned.
var allowedFamilies = []uint32{unix.AF_INET, unix.AF_INET6}

// seccompProgram is the filter as bubblewrap takes it: an array of struct sock_filter.
// More are families of sockets beside the allowed ones.
func seccompProgram(more ...uint32) ([]byte, error) {
	return assemble(seccompFilter(more...))
}

func seccompFilter(more ...uint32) []bpf.Instruction {
	errno := func(e unix.Errno) bpf.Instruction { return bpf.RetConstant{Val: seccompErrno | uint32(e)} }
	allow := bpf.RetConstant{Val: seccompAllow}
	filter := []bpf.Instruction{
		bpf.LoadAbsolute{Off: dataArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1},
		bpf.RetConstant{Val: seccompKill}, // the other ABI's numbers mean other calls
		bpf.LoadAbsolute{Off: dataNumber, Size: 4},
	}
	if foreignBit != 0 {
		filter = append(filter,
			bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: foreignBit, SkipTrue: 1},
			bpf.RetConstant{Val: seccompKill})
	}
	// Of what a newer kernel can do nothing is known here; programs fall back.
	filter = append(filter, bpf.JumpIf{Cond: bpf.JumpLessOrEqual, Val: lastKnownCall, SkipTrue: 1}, errno(unix.ENOSYS))
	for _, call := range allDeniedCalls() {
		filter = append(filter,
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: call.number, SkipTrue: 1},
			errno(unix.EPERM))
	}
	// The flags of clone3 lie in memory, where a filter cannot look. With ENOSYS
	// the C library falls back to clone.
	filter = append(filter, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_CLONE3, SkipTrue: 1}, errno(unix.ENOSYS))

	filter = append(filter, onCall(unix.SYS_CLONE,
		bpf.LoadAbsolute{Off: dataArg0, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: namespaceFlags, SkipTrue: 1},
		errno(unix.EPERM),
		allow)...)

	ioctl := []bpf.Instruction{bpf.LoadAbsolute{Off: dataArg1, Size: 4}}
	for _, request := range deniedIoctls {
		ioctl = append(ioctl, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: request, SkipTrue: 1}, errno(unix.EPERM))
	}
	filter = append(filter, onCall(unix.SYS_IOCTL, append(ioctl, allow)...)...)

	socket := []bpf.Instruction{bpf.LoadAbsolute{Off: dataArg0, Size: 4}}
	for _, family := range slices.Concat(allowedFamilies, more) {
		socket = append(socket, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: family, SkipTrue: 1}, allow)
	}
	filter = append(filter, onCall(unix.SYS_SOCKET, append(socket, errno(unix.EAFNOSUPPORT))...)...)
	return append(filter, allow)
}

// onCall runs instructions, which have to end with a return, for one system call.
func onCall(number uint32, then ...bpf.Instruction) []bpf.Instruction {
	return append([]bpf.Instruction{bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: number, SkipTrue: uint8(len(then))}},
		then...)
}

func assemble(filter []bpf.Instruction) ([]byte, error) {
	raw, err := bpf.Assemble(filter)
	if err != nil {
		return nil, fmt.Errorf("assemble the seccomp program: %w", err)
	}
	var program bytes.Buffer
	for _, one := range raw {
		// The fields of struct sock_filter stand in the machine's byte order.
		if err := binary.Write(&program, binary.NativeEndian, struct {
			Op     uint16
			Jt, Jf uint8
			K      uint32
		}{one.Op, one.Jt, one.Jf, one.K}); err != nil {
			return nil, fmt.Errorf("write the seccomp program: %w", err)
		}
	}
	return program.Bytes(), nil
}
