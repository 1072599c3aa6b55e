package doctor

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// userNamespaces starts a process in one.
func (v *visit) userNamespaces(ctx context.Context) []Check {
	program, err := v.machine.look("true")
	if err != nil {
		return warn("user_namespaces", "cannot be tried: the program true is missing",
			forTools+" in the sandbox: apt install coreutils")
	}
	cmd := exec.CommandContext(ctx, program)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	if err := cmd.Run(); err != nil {
		return warn("user_namespaces", "cannot be made: "+err.Error(),
			forTools+" in the sandbox: sysctl kernel.unprivileged_userns_clone=1 (Debian), "+
				"sysctl kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu), sysctl "+
				"user.max_user_namespaces=10000; inside a container its owner has to allow them")
	}
	return ok("user_namespaces", "can be made")
}

func (v *visit) seccomp(context.Context) []Check {
	actions, err := os.ReadFile("/proc/sys/kernel/seccomp/actions_avail")
	if err != nil || !strings.Contains(string(actions), "errno") {
		return warn("seccomp", "is not part of this kernel",
			forTools+" in the sandbox: a kernel with CONFIG_SECCOMP_FILTER")
	}
	return ok("seccomp", "is part of this kernel")
}

// landlock asks the kernel for the version of its interface, which makes nothing.
func (v *visit) landlock(context.Context) []Check {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return warn("landlock", "is not in force: "+errno.Error(),
			"a second wall for shell and Python tools: a kernel from 5.13 on, with landlock in its lsm= list")
	}
	return ok("landlock", fmt.Sprintf("version %d", abi))
}

// cgroups says whether limits on memory and processes can be set for a group.
func (v *visit) cgroups(context.Context) []Check {
	const hint = "limits for shell and Python tools as a whole: run the server as a systemd service with " +
		"Delegate=yes; without it each process has limits of its own"
	const root = "/sys/fs/cgroup"
	if _, err := os.Stat(filepath.Join(root, "cgroup.controllers")); err != nil {
		return warn("cgroup_v2", "is not mounted at "+root, hint)
	}
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return warn("cgroup_v2", err.Error(), hint)
	}
	_, path, _ := strings.Cut(strings.TrimSpace(string(own)), "0::")
	path, _, _ = strings.Cut(path, "\n")
	if err := unix.Access(filepath.Join(root, path), unix.W_OK); err != nil {
		return warn("cgroup_v2", "is mounted, but not delegated to this user", hint)
	}
	return ok("cgroup_v2", "is mounted and can be written")
}
