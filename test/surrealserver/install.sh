#!/bin/bash
# install.sh: puts SurrealDB's engine, as its npm package has it, into SURREAL_ENGINE (default
# ${XDG_CACHE_HOME:-$HOME/.cache}/surreal-engine, 180 MB), with what server.mjs serves it with. No install script of theirs is run; nothing
# is written beside this script. The only step that needs the network. It prints the directory.
# Exit: 0; 3 = the package registry did not give us the packages; 1 = anything else is wrong.
set -eu
ENGINE=3.0.3 SDK=2.0.8 CBOR=2.0.0-alpha.4 WS=8.18.3
for t in node npm; do command -v $t >/dev/null || { echo "install.sh: $t is needed" >&2; exit 1; }; done
DIR="${SURREAL_ENGINE:-${XDG_CACHE_HOME:-$HOME/.cache}/surreal-engine}"
WANT="$ENGINE $SDK $CBOR $WS"
if [ "$(cat "$DIR/installed" 2>/dev/null)" != "$WANT" ]; then
  NEW="$DIR.$$" # put in place when it is whole: others may be at it too
  trap 'rm -rf "$NEW"' EXIT
  mkdir -p "$NEW"
  (cd "$NEW" && echo '{"private":true}' >package.json &&
    timeout 600 npm install --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error "@surrealdb/node@$ENGINE" \
      "surrealdb@$SDK" "@surrealdb/cbor@$CBOR" "ws@$WS" </dev/null >npm.log 2>&1) ||
    { cat "$NEW/npm.log" >&2; echo "install.sh: cannot get the engine from the package registry" >&2; exit 3; }
  echo "$WANT" >"$NEW/installed"
  [ "$(cat "$DIR/installed" 2>/dev/null)" = "$WANT" ] || { rm -rf "$DIR"; mv "$NEW" "$DIR"; }
fi
echo "$DIR"
