package sandboxtest

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
)

// imageName is the image that tests use. Image makes it where it is missing.
const imageName = "nanoclaw-test:1"

var image = sync.OnceValues(func() (string, error) {
	if exec.Command("docker", "version").Run() != nil {
		return imageName, nil // the policy says what is missing
	}
	if exec.Command("docker", "image", "inspect", imageName).Run() == nil {
		return imageName, nil
	}
	// No registry is needed: the system's own programs are packed. They are what
	// Debian packages put under /usr.
	script := `set -o pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir"/{etc,tmp,workspace,run/nanoclaw,proc,sys,dev,var/tmp,root,usr/bin,usr/lib,usr/lib64,usr/sbin}
for link in bin sbin lib lib64; do [ -L /$link ] && cp -a /$link "$dir"/; done
copy() { for path in "$@"; do [ -e "$path" ] && cp -a --parents "$path" "$dir" 2>/dev/null; done; }
for package in bash coreutils dash findutils grep sed gawk mawk procps util-linux mount hostname libc6 libc-bin libtinfo6 libselinux1 libpcre2-8-0 libacl1 libattr1 libgmp10 libgcc-s1 zlib1g libbz2-1.0 liblzma5 libexpat1 libsqlite3-0 libffi8 libuuid1 libcrypt1 libssl3 libssl3t64 libmount1 libblkid1 libsmartcols1 libcap2 libcap-ng0 libsystemd0 libzstd1 liblz4-1 libproc2-0 libgcrypt20 libgpg-error0 libreadline8 libmpfr6 libsigsegv2 libncursesw6 libdb5.3 \
  python3 python3-minimal libpython3-stdlib $(dpkg-query -W -f '${Package} ' 'python3.*-minimal' 'libpython3.*-minimal' 'libpython3.*-stdlib' 'python3.1?'); do
  dpkg -L "$package" 2>/dev/null | grep -v -e /share/doc -e /share/man -e /share/locale | while read -r path; do [ -f "$path" ] || [ -L "$path" ] && echo "$path"; done
done | sed -E "s,^/(bin|sbin|lib|lib64)/,/usr/\1/," | sort -u | while read -r path; do copy "$path"; done
copy /etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d /etc/alternatives
tar -C "$dir" -c . | docker import - ` + imageName + ` >/dev/null`
	out, err := exec.Command("bash", "-c", script).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("make the image %s: %w: %s", imageName, err, out)
	}
	return imageName, nil
})

// Image is the name of a Docker image with bash, the usual programs and Python,
// made from the packages of this machine where it is missing.
func Image(t testing.TB) string {
	t.Helper()
	name, err := image()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Logf("NOT TESTED under docker: %v", err)
		return ""
	}
	return name
}
