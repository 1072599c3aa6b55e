#!/usr/bin/env bash
# Installs what the policies of package sandbox need to be tested: bubblewrap,
# Python, git, ffmpeg, and a Docker engine. It does so only where it is root on a Debian
# system. It never fails: what cannot run is named here, loudly, and the tests
# that need it skip with the reason. With CI=true those tests fail instead.
set -uo pipefail

loud() { printf 'setup-sandbox: NOT TESTED: %s\n' "$*" >&2; }

missing=()
command -v bwrap >/dev/null || missing+=(bubblewrap)
[ -x /usr/bin/python3 ] || missing+=(python3)
command -v git >/dev/null || missing+=(git)
command -v ffmpeg >/dev/null || missing+=(ffmpeg)
command -v dockerd >/dev/null || missing+=(docker.io iptables)

if [ "${#missing[@]}" -gt 0 ]; then
	if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
		loud "what needs ${missing[*]}: it is missing and cannot be installed from here. As root on Debian or Ubuntu: apt-get install ${missing[*]}"
	else
		export DEBIAN_FRONTEND=noninteractive
		apt-get update -q || loud "the list of packages cannot be read; the installation may fail"
		apt-get install -y -q --no-install-recommends "${missing[@]}" || loud "what needs ${missing[*]}: apt-get could not install it"
	fi
fi

if command -v bwrap >/dev/null && ! bwrap --unshare-all --unshare-user --ro-bind / / /bin/true; then
	loud "policy sandbox: bubblewrap is installed, but this machine does not let it make user namespaces"
fi

if command -v dockerd >/dev/null && [ "$(id -u)" -eq 0 ] && ! docker version >/dev/null 2>&1; then
	log=$(mktemp /tmp/dockerd.XXXXXX.log)
	setsid nohup dockerd >"$log" 2>&1 </dev/null &
	for _ in $(seq 100); do
		docker version >/dev/null 2>&1 && break
		sleep 0.2
	done
	docker version >/dev/null 2>&1 || loud "policy docker: dockerd does not start here (see $log)"
elif command -v docker >/dev/null && ! docker version >/dev/null 2>&1; then
	loud "policy docker: its engine does not answer this user"
fi
exit 0
