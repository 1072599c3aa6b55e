//go:build !linux

package doctor

import "context"

const linuxOnly = forTools + " in the sandbox: a Linux machine; shell.policy docker works here too"

func (v *visit) userNamespaces(context.Context) []Check {
	return warn("user_namespaces", "are a part of Linux", linuxOnly)
}

func (v *visit) seccomp(context.Context) []Check {
	return warn("seccomp", "is a part of Linux", linuxOnly)
}

func (v *visit) landlock(context.Context) []Check {
	return warn("landlock", "is a part of Linux", linuxOnly)
}

func (v *visit) cgroups(context.Context) []Check {
	return warn("cgroup_v2", "is a part of Linux", linuxOnly)
}
