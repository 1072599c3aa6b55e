package sandbox

import (
	"encoding/json"
	"fmt"

	"golang.org/x/sys/unix"
)

// dockerProfile is the filter of seccomp_linux.go as Docker takes it. The engine's
// own filter lets io_uring, ptrace, Unix sockets and vsock through.
func dockerProfile() ([]byte, error) {
	type condition struct {
		Index    uint   `json:"index"`
		Value    uint64 `json:"value"`
		ValueTwo uint64 `json:"valueTwo"`
		Op       string `json:"op"`
	}
	type rule struct {
		Names  []string    `json:"names"`
		Action string      `json:"action"`
		Errno  uint        `json:"errnoRet"`
		Args   []condition `json:"args,omitempty"`
	}
	refuse := func(name string, errno unix.Errno, args ...condition) rule {
		return rule{Names: []string{name}, Action: "SCMP_ACT_ERRNO", Errno: uint(errno), Args: args}
	}
	var rules []rule
	for _, call := range allDeniedCalls() {
		rules = append(rules, refuse(call.name, unix.EPERM))
	}
	rules = append(rules, refuse("clone3", unix.ENOSYS))
	for flag := uint64(1); flag <= namespaceFlags; flag <<= 1 {
		if flag&namespaceFlags != 0 {
			rules = append(rules, refuse("clone", unix.EPERM, condition{Index: 0, Value: flag, ValueTwo: flag,
				Op: "SCMP_CMP_MASKED_EQ"}))
		}
	}
	for _, request := range deniedIoctls {
		rules = append(rules, refuse("ioctl", unix.EPERM, condition{Index: 1, Value: uint64(request),
			Op: "SCMP_CMP_EQ"}))
	}
	// The families that are not allowed: there is no "none of these" in a profile.
	rules = append(rules, refuse("socket", unix.EAFNOSUPPORT, condition{Index: 0, Value: unix.AF_INET6,
		Op: "SCMP_CMP_GT"}))
	for family := uint64(0); family < unix.AF_INET6; family++ {
		if family != unix.AF_INET {
			rules = append(rules, refuse("socket", unix.EAFNOSUPPORT, condition{Index: 0, Value: family,
				Op: "SCMP_CMP_EQ"}))
		}
	}
	data, err := json.Marshal(struct {
		Default       string   `json:"defaultAction"`
		Architectures []string `json:"architectures"`
		Rules         []rule   `json:"syscalls"`
	}{"SCMP_ACT_ALLOW", []string{dockerArch}, rules})
	if err != nil {
		return nil, fmt.Errorf("write the seccomp profile: %w", err)
	}
	return data, nil
}
