#!/usr/bin/env bash
# Installs PostgreSQL's server programs, of which the tests start a private server. It
# does so only where it is root on a Debian system. It never fails: without them those
# tests skip and say so. With CI=true they fail instead.
set -uo pipefail

loud() { printf 'setup-postgres: NOT TESTED: %s\n' "$*" >&2; }

if command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null; then
	exit 0
fi
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
	loud "everything on PostgreSQL: it is missing and cannot be installed from here. As root on Debian or Ubuntu: apt-get install postgresql"
	exit 0
fi
export DEBIAN_FRONTEND=noninteractive
# No server of the system's own is made or started.
mkdir -p /etc/postgresql-common
[ -e /etc/postgresql-common/createcluster.conf ] || echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
apt-get update -q || loud "the list of packages cannot be read; the installation may fail"
apt-get install -y -q --no-install-recommends postgresql || loud "everything on PostgreSQL: apt-get could not install it"
exit 0
