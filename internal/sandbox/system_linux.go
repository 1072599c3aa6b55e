package sandbox

import "os"

// systemArgs show the sandbox the system's programs, and of /etc only what they
// need: where the server is root, the sandbox may read what root may read.
func systemArgs() []string {
	args := []string{"--ro-bind", "/usr", "/usr"}
	for _, dir := range []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"} {
		info, err := os.Lstat(dir)
		switch {
		case err != nil:
		case info.Mode()&os.ModeSymlink != 0:
			if target, err := os.Readlink(dir); err == nil {
				args = append(args, "--symlink", target, dir)
			}
		case info.IsDir():
			args = append(args, "--ro-bind", dir, dir)
		}
	}
	for _, path := range []string{
		"/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/ssl/certs",
		"/etc/ssl/openssl.cnf",
		"/etc/ca-certificates", "/etc/pki/tls/certs", "/etc/localtime", "/etc/timezone", "/etc/mime.types",
		"/etc/protocols",
		"/etc/services", "/etc/nsswitch.conf", "/etc/terminfo", "/etc/fonts", "/etc/java-17-openjdk", "/etc/perl",
		"/etc/matplotlibrc",
	} {
		args = append(args, "--ro-bind-try", path, path)
	}
	return args
}

// kernelArgs mount /proc and /dev. The covered parts of /proc change the whole
// machine, and their owner, root, needs no capability for it.
func kernelArgs(tempSize string) []string {
	args := []string{"--proc", "/proc"}
	for _, path := range []string{"/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/fs",
		"/proc/scsi", "/proc/acpi", "/proc/pressure"} {
		if _, err := os.Lstat(path); err == nil {
			args = append(args, "--ro-bind", path, path)
		}
	}
	for _, path := range []string{"/proc/mtrr", "/proc/kcore", "/proc/kmsg", "/proc/kallsyms", "/proc/keys",
		"/proc/key-users", "/proc/timer_list", "/proc/latency_stats", "/proc/sched_debug", "/proc/slabinfo",
		"/proc/kpagecount", "/proc/kpageflags"} {
		if _, err := os.Lstat(path); err == nil {
			args = append(args, "--ro-bind", "/dev/null", path)
		}
	}
	return append(args, "--dev", "/dev", "--size", tempSize, "--perms", "1777", "--tmpfs", "/dev/shm", "--remount-ro",
		"/dev",
		"--size", tempSize, "--perms", "1777", "--tmpfs", "/tmp", "--dir", "/tmp/home", "--symlink", "../tmp",
		"/var/tmp")
}

// Files that programs expect, made up: the machine's own name its users and hosts.
const (
	passwdFile = "root:x:0:0:root:/root:/usr/sbin/nologin\nagent:x:1000:1000:agent:/tmp/home:/bin/bash\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
	groupFile  = "root:x:0:\nagent:x:1000:\nnogroup:x:65534:\n"
	hostsFile  = "127.0.0.1 localhost sandbox\n::1 localhost\n"
)
