#!/usr/bin/env bash
# Installs the MCP servers that internal/mcp is tested against into build/mcp.
# Does nothing where they are installed already.
set -euo pipefail
cd "$(dirname "$0")/.."

version=2026.8.31
packages=("@modelcontextprotocol/server-everything@$version" "@modelcontextprotocol/server-filesystem@$version")
stamp=build/mcp/.installed

if [ "$(cat "$stamp" 2>/dev/null)" = "${packages[*]}" ]; then
	exit 0
fi
rm -rf build/mcp
mkdir -p build/mcp
npm install --prefix build/mcp --no-audit --no-fund --ignore-scripts "${packages[@]}"
echo "${packages[*]}" >"$stamp"
