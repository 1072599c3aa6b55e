package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch  = unix.AUDIT_ARCH_X86_64
	dockerArch = "SCMP_ARCH_X86_64"
	foreignBit = 0x40000000 // of the x32 ABI's numbers
)

var archDeniedCalls = []systemCall{
	{"iopl", unix.SYS_IOPL}, {"ioperm", unix.SYS_IOPERM}, {"modify_ldt", unix.SYS_MODIFY_LDT},
	{"kexec_file_load", unix.SYS_KEXEC_FILE_LOAD}, {"uselib", unix.SYS_USELIB}, {"ustat", unix.SYS_USTAT},
	{"sysfs", unix.SYS_SYSFS}, {"_sysctl", unix.SYS__SYSCTL},
	{"create_module", unix.SYS_CREATE_MODULE}, {"get_kernel_syms", unix.SYS_GET_KERNEL_SYMS},
	{"query_module", unix.SYS_QUERY_MODULE},
}
