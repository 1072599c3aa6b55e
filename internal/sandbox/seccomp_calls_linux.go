package sandbox

import (
	"slices"

	"golang.org/x/sys/unix"
)

// systemCall is a system call by its name and its number on this architecture.
type systemCall struct {
	name   string
	number uint32
}

// deniedCalls have no use for what a sandbox is for, and each has been a way out
// of one, or is a way to look at other processes. archDeniedCalls are those that
// not every architecture has.
var deniedCalls = []systemCall{
	// io_uring does what the filter forbids without a system call.
	{"io_uring_setup", unix.SYS_IO_URING_SETUP}, {"io_uring_enter", unix.SYS_IO_URING_ENTER}, {"io_uring_register",
		unix.SYS_IO_URING_REGISTER},
	// Other processes.
	{"ptrace", unix.SYS_PTRACE}, {"process_vm_readv", unix.SYS_PROCESS_VM_READV}, {"process_vm_writev",
		unix.SYS_PROCESS_VM_WRITEV}, {"kcmp", unix.SYS_KCMP}, {"pidfd_getfd", unix.SYS_PIDFD_GETFD},
	{"process_madvise", unix.SYS_PROCESS_MADVISE},
	// Mounts and namespaces.
	{"mount", unix.SYS_MOUNT}, {"umount2", unix.SYS_UMOUNT2}, {"pivot_root", unix.SYS_PIVOT_ROOT},
	{"chroot", unix.SYS_CHROOT}, {"move_mount", unix.SYS_MOVE_MOUNT}, {"open_tree", unix.SYS_OPEN_TREE},
	{"fsopen", unix.SYS_FSOPEN},
	{"fsconfig", unix.SYS_FSCONFIG}, {"fsmount", unix.SYS_FSMOUNT}, {"fspick", unix.SYS_FSPICK},
	{"mount_setattr", unix.SYS_MOUNT_SETATTR}, {"unshare", unix.SYS_UNSHARE}, {"setns", unix.SYS_SETNS},
	// Kernel interfaces with a long record of holes.
	{"bpf", unix.SYS_BPF}, {"perf_event_open", unix.SYS_PERF_EVENT_OPEN}, {"userfaultfd", unix.SYS_USERFAULTFD},
	{"keyctl", unix.SYS_KEYCTL}, {"add_key", unix.SYS_ADD_KEY}, {"request_key", unix.SYS_REQUEST_KEY},
	{"fanotify_init", unix.SYS_FANOTIFY_INIT}, {"open_by_handle_at", unix.SYS_OPEN_BY_HANDLE_AT}, {"name_to_handle_at",
		unix.SYS_NAME_TO_HANDLE_AT}, {"lookup_dcookie", unix.SYS_LOOKUP_DCOOKIE},
	{"move_pages", unix.SYS_MOVE_PAGES}, {"migrate_pages", unix.SYS_MIGRATE_PAGES}, {"mbind", unix.SYS_MBIND},
	{"set_mempolicy", unix.SYS_SET_MEMPOLICY},
	// The machine.
	{"init_module", unix.SYS_INIT_MODULE}, {"finit_module", unix.SYS_FINIT_MODULE},
	{"delete_module", unix.SYS_DELETE_MODULE}, {"kexec_load", unix.SYS_KEXEC_LOAD}, {"reboot", unix.SYS_REBOOT},
	{"swapon", unix.SYS_SWAPON},
	{"swapoff", unix.SYS_SWAPOFF}, {"acct", unix.SYS_ACCT}, {"quotactl", unix.SYS_QUOTACTL},
	{"syslog", unix.SYS_SYSLOG}, {"settimeofday", unix.SYS_SETTIMEOFDAY}, {"clock_settime", unix.SYS_CLOCK_SETTIME},
	{"clock_adjtime", unix.SYS_CLOCK_ADJTIME}, {"adjtimex", unix.SYS_ADJTIMEX}, {"vhangup", unix.SYS_VHANGUP},
	{"nfsservctl", unix.SYS_NFSSERVCTL}, {"sethostname", unix.SYS_SETHOSTNAME},
	{"setdomainname", unix.SYS_SETDOMAINNAME},
}

func allDeniedCalls() []systemCall { return slices.Concat(deniedCalls, archDeniedCalls) }
