#!/bin/bash
# install.sh: puts the clients of the Model Context Protocol that the server is tried with into MCP_CLIENTS (default
# ${XDG_CACHE_HOME:-$HOME/.cache}/mcp-clients, 450 MB): the official conformance suite, inspector and TypeScript SDK, and bun, which
# runs the suite. No install script of theirs is run; nothing is written beside this script. The only step that needs the network.
# Exit: 0; 3 = the package registry did not give us the packages; 1 = anything else is wrong.
set -eu
CONFORMANCE=0.1.16 INSPECTOR=2.12.0 SDK=1.32.2 BUN=1.4.5
for t in node npm; do command -v $t >/dev/null || { echo "install.sh: $t is needed" >&2; exit 1; }; done
DIR="${MCP_CLIENTS:-${XDG_CACHE_HOME:-$HOME/.cache}/mcp-clients}"
WANT="$CONFORMANCE $INSPECTOR $SDK $BUN"
if [ "$(cat "$DIR/installed" 2>/dev/null)" != "$WANT" ]; then
  NEW="$DIR.$$" # put in place when it is whole: others may be at it too
  trap 'rm -rf "$NEW"' EXIT
  mkdir -p "$NEW"
  (cd "$NEW" && echo '{"private":true}' >package.json &&
    timeout 600 npm install --no-package-lock --no-audit --no-fund --ignore-scripts --include=optional --loglevel=error \
      "@modelcontextprotocol/conformance@$CONFORMANCE" "@modelcontextprotocol/inspector@$INSPECTOR" "@modelcontextprotocol/sdk@$SDK" "bun@$BUN" \
      </dev/null >npm.log 2>&1) || { cat "$NEW/npm.log" >&2; echo "install.sh: cannot get the clients from the package registry" >&2; exit 3; }
  ls "$NEW"/node_modules/@oven/bun-*/bin/bun >/dev/null || { echo "install.sh: there is no bun for this machine" >&2; exit 1; }
  echo "$WANT" >"$NEW/installed"
  [ "$(cat "$DIR/installed" 2>/dev/null)" = "$WANT" ] || { rm -rf "$DIR"; mv "$NEW" "$DIR"; }
fi
echo "clients: $DIR ($WANT)"
