#!/usr/bin/env bash
# Builds the images of docker-compose.yml from Debian's packages, where no registry can be reached.
# It needs root, Docker, debootstrap, Go and bin/nanoclaw (make build), and ends with what
# docker-compose.yml needs to use them.
#   ROOT=/a/directory keeps Debian's root file system there, for the next time.
set -euo pipefail
cd "$(dirname "$0")/.."
export DOCKER_BUILDKIT=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=${ROOT:-$work/root}

if [ ! -e "$root/usr/sbin/haproxy" ]; then
	debootstrap --variant=minbase --include=bash,bubblewrap,ca-certificates,curl,git,python3,postgresql,haproxy,wget \
		bookworm "$root"
fi
tar -C "$root" -c . | docker import - nanoclaw-debian

mkdir "$work/context"
cd "$work/context"
cp "$OLDPWD/bin/nanoclaw" .
cp -r "$OLDPWD/deploy" .
(cd "$OLDPWD" && CGO_ENABLED=0 go build -ldflags '-s -w' -o "$work/context/nats-server" \
	github.com/nats-io/nats-server/v2)
cat >postgres-entrypoint <<'SCRIPT'
#!/bin/bash
# As that of the image postgres: makes the database in an empty volume, and refuses an empty password.
set -euo pipefail
: "${POSTGRES_PASSWORD:?choose a password}"
data=/var/lib/postgresql/data
cd /
if [ ! -s "$data/PG_VERSION" ]; then
	chown postgres "$data"
	install -o postgres -m 600 /dev/null /tmp/password
	printf '%s' "$POSTGRES_PASSWORD" >/tmp/password
	runuser -u postgres -- initdb -D "$data" -U "$POSTGRES_USER" -A scram-sha-256 --pwfile=/tmp/password -E UTF8
	rm /tmp/password
	echo 'host all all all scram-sha-256' >>"$data/pg_hba.conf"
	echo "CREATE DATABASE $POSTGRES_DB" | runuser -u postgres -- postgres --single -D "$data" postgres
fi
exec runuser -u postgres -- postgres -D "$data" -c listen_addresses='*'
SCRIPT
chmod +x postgres-entrypoint

# The last stage of the Dockerfile, without the packages, which are there.
sed -n '/^FROM ${BASE_IMAGE}/,$p' "$OLDPWD/Dockerfile" | sed -e 's|^FROM.*|FROM nanoclaw-debian|' \
	-e '/^RUN apt-get update/,/lists\/\*$/d' -e 's|--from=binary /nanoclaw|nanoclaw|' >server
printf '%s\n' 'FROM nanoclaw-debian' 'COPY nats-server /usr/local/bin/' >nats
printf '%s\n' 'FROM nanoclaw-debian' 'CMD ["haproxy", "-W", "-db", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]' >proxy
postgres=$(cd "$root" && ls -d usr/lib/postgresql/*/bin)
printf '%s\n' 'FROM nanoclaw-debian' 'COPY postgres-entrypoint /' \
	"ENV PATH=/$postgres:/usr/sbin:/usr/bin:/sbin:/bin" 'ENTRYPOINT ["/postgres-entrypoint"]' >postgres
docker build -q -t nanoclaw -f server .
for image in nats proxy postgres; do docker build -q -t "nanoclaw-$image" -f "$image" .; done
echo "export NATS_IMAGE=nanoclaw-nats PROXY_IMAGE=nanoclaw-proxy POSTGRES_IMAGE=nanoclaw-postgres"
