#!/usr/bin/env bash
# Installs Xvfb, the display without a screen that desktop_screenshot is tested on. It
# does so only where it is root on a Debian system. It never fails: without it those
# tests skip and say so. With CI=true they fail instead.
set -uo pipefail

loud() { printf 'setup-display: NOT TESTED: %s\n' "$*" >&2; }

if command -v Xvfb >/dev/null; then
	exit 0
fi
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
	loud "desktop_screenshot on a display: Xvfb is missing and cannot be installed from here. As root on Debian or Ubuntu: apt-get install xvfb"
	exit 0
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -q || loud "the list of packages cannot be read; the installation may fail"
apt-get install -y -q --no-install-recommends xvfb || loud "desktop_screenshot on a display: apt-get could not install Xvfb"
exit 0
