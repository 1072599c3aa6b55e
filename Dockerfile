# The web app and the binary are built here; the image holds the binary and the programs
# that it runs. docs/deployment.md says how to use it.
ARG NODE_IMAGE=node:22-bookworm-slim
ARG GO_IMAGE=golang:1.26-bookworm
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${NODE_IMAGE} AS web
WORKDIR /src/web
COPY web/package.json web/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY web/ ./
RUN npm run build

FROM ${GO_IMAGE} AS binary
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=web /src/web/dist web/dist
ARG COMMIT=unknown
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$(cat VERSION)+${COMMIT}" -o /nanoclaw ./cmd/nanoclaw

FROM ${BASE_IMAGE}
# true adds Chromium and ffmpeg, for browser_use and view_video; it makes the image several times as large.
ARG CHROMIUM=false
RUN apt-get update \
	&& apt-get install -y --no-install-recommends bash bubblewrap ca-certificates curl git python3 \
	&& if [ "$CHROMIUM" = true ]; then apt-get install -y --no-install-recommends chromium ffmpeg; fi \
	&& rm -rf /var/lib/apt/lists/*
RUN useradd --uid 10001 --user-group --create-home --home-dir /var/lib/nanoclaw --shell /usr/sbin/nologin nanoclaw \
	# What a volume is mounted at belongs to the user before.
	&& install -d -o nanoclaw -g nanoclaw /var/lib/nanoclaw/data /var/lib/nanoclaw/workspaces
COPY --from=binary /nanoclaw /usr/local/bin/nanoclaw
COPY deploy/container.yml /etc/nanoclaw/config.yml
USER nanoclaw
WORKDIR /var/lib/nanoclaw
VOLUME /var/lib/nanoclaw
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
	CMD ["curl", "-fsS", "-o", "/dev/null", "http://127.0.0.1:8787/readyz"]
ENTRYPOINT ["nanoclaw"]
CMD ["serve", "--config", "/etc/nanoclaw/config.yml"]
