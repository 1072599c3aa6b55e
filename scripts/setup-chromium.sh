#!/usr/bin/env bash
# Installs the browser that the web app's end-to-end tests run in, and a font with
# Chinese characters for their screenshots. It does so only where it is root on a
# Debian system; elsewhere it says what is missing, and those tests fail.
set -euo pipefail

missing=()
[ -x "${CHROMIUM:-/usr/bin/chromium}" ] || missing+=(chromium)
[ -n "$(fc-list :lang=zh 2>/dev/null)" ] || missing+=(fontconfig fonts-wqy-microhei)

if [ "${#missing[@]}" -eq 0 ]; then
	exit 0
fi
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
	echo "setup-chromium: missing: ${missing[*]}. Without Chromium the end-to-end tests of the web app fail. Install them as root, for example: apt-get install ${missing[*]}" >&2
	exit 0
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -y -q --no-install-recommends "${missing[@]}" ||
	echo "setup-chromium: ${missing[*]} could not be installed. Without Chromium the end-to-end tests of the web app fail." >&2
