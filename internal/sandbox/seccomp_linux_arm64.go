package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch  = unix.AUDIT_ARCH_AARCH64
	dockerArch = "SCMP_ARCH_AARCH64"
	foreignBit = 0 // there is no second ABI behind the same architecture
)

var archDeniedCalls = []systemCall{{"kexec_file_load", unix.SYS_KEXEC_FILE_LOAD}}
