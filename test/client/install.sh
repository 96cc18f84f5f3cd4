#!/bin/bash
# install.sh [VERSION]: puts the real client (npm package @anthropic-ai/claude-code, no install scripts run)
# and the built bench into CC_CACHE. Nothing is written beside this script. The only step that needs the network.
#   CC_CACHE    where to install (default ${XDG_CACHE_HOME:-$HOME/.cache}/claude-code-harness); about 380 MB per version
#   CC_FORCE=1  install again even if the version is there
# Exit: 0; 3 = the package registry did not give us the client; 1 = anything else is wrong.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
V=${1:-$CC_DEFAULT_VERSION}
for t in go npm git; do command -v $t >/dev/null || { echo "install.sh: $t is needed" >&2; exit 1; }; done
cc_build
DIR="$CC_CACHE/client/$V"
probe() { # does $1 start, and is it this version?
  env -i HOME="$DIR/home" PATH="$PATH" DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 "$1" --version 2>/dev/null | grep -qF "$V"
}
fetch() {
  cd "$DIR" && echo '{"private":true}' >package.json &&
    timeout 600 npm install --no-audit --no-fund --ignore-scripts --include=optional --loglevel=error "@anthropic-ai/claude-code@$V" </dev/null >npm.log 2>&1
}
if [ -n "${CC_FORCE:-}" ] || [ ! -x "$DIR/claude" ] || ! probe "$DIR/claude"; then
  rm -rf "$DIR"; mkdir -p "$DIR/home"
  (fetch) || { cat "$DIR/npm.log" >&2; echo "install.sh: cannot get client $V from the package registry" >&2; exit 3; }
  for b in "$DIR"/node_modules/@anthropic-ai/claude-code-*/claude; do # the native binary of this platform
    [ -f "$b" ] || continue
    chmod +x "$b"
    if probe "$b"; then ln -sfn "$b" "$DIR/claude"; break; fi
  done
  [ -x "$DIR/claude" ] || { echo "install.sh: client $V does not start here" >&2; exit 1; }
fi
echo "client: $DIR/claude ($V)"
echo "bench:  $CCH"

# Other agents, each in a folder of its own: NAME PACKAGE VERSION. One that cannot be had is a failure.
other() {
  local dir="$CC_CACHE/agents/$1-$3"
  [ -e "$dir/.complete" ] && return 0
  rm -rf "$dir"; mkdir -p "$dir"
  (cd "$dir" && echo '{"private":true}' >package.json &&
    timeout 600 npm install --no-audit --no-fund --ignore-scripts --include=optional --loglevel=error "$2@$3" </dev/null >npm.log 2>&1) ||
    { cat "$dir/npm.log" >&2; echo "install.sh: cannot get $2 $3 from the package registry" >&2; exit 1; }
  touch "$dir/.complete"
}
other codex @openai/codex 0.169.0
other opencode opencode-ai 1.18.33
other opencode-plugin @opencode-ai/plugin 1.18.33 # what OpenCode fetches for any plugin
other gemini @google/gemini-cli 0.61.0
other qwen @qwen-code/qwen-code 0.24.4
other copilot @github/copilot 1.0.102
if [ "$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)" -lt 22 ]; then # Gemini and Qwen need 22
  case $(uname -m) in aarch64 | arm64) a=arm64 ;; *) a=x64 ;; esac
  other node node-linux-$a 22.23.3
fi
chmod +x "$CC_CACHE"/agents/opencode-1.18.33/node_modules/opencode-*/bin/opencode
