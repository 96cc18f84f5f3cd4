#!/bin/bash
# selftest.sh: proves that the bench and the client work together here (about 40 s). Run install.sh first.
# Exit 0 = all good; the outputs are kept when something fails, or with CC_KEEP=1.
set -u
H="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
unset CC_OUT CC_HOME CC_CWD CC_ARGS CC_SETENV CC_STREAM CC_ANSWERS CC_LINT CC_BEFORE CC_AFTER CC_TEST_CMD CC_NOGIT CC_PERM
. "$H/lib.sh"; cc_build || exit 1
D=$(mktemp -d); fail=0
S="$H/scripts" ALL="$H/settings.all.json"
ran() { grep -q "\"event\":\"$1\"" "$O/hooks.jsonl"; } # did a hook of this event run?
t() { # t NAME CHECK -- COMMAND...: CHECK is evaluated with O = output directory, R = exit code
  local name=$1 chk=$2; shift 3
  O="$D/$(echo "$name" | tr -cd 'a-z0-9')"
  ( export CC_OUT="$O"; "$@" ) >"$O.log" 2>&1 </dev/null; R=$?
  if eval "$chk"; then echo "ok   $name"; else echo "FAIL $name (exit $R)"; sed 's/^/     | /' "$O.log" | tail -15; fail=1; fi
}
run() { "$H/run.sh" "$@"; }
with() { # with VAR=VALUE... -- COMMAND...
  while [ "$1" != -- ]; do export "$1"; shift; done; shift; "$@"
}
t "tools: Bash, Write, Read, Edit, a failing Bash" '[ $R = 0 ] && ran PostToolUseFailure && ran Stop && ran SessionEnd' -- \
  run "$S/basic.json" "$ALL" "please do the basic thing"
t "injected context of 4 events reaches the model, systemMessage does not" '[ $R = 0 ]' -- \
  with CC_ANSWERS="$H/answers/inject" -- run "$S/inject.json" "$ALL" "hello"
t "context over 10,000 characters is spilled to a file" '[ $R = 0 ] && grep -q persisted-output "$O/requests.jsonl"' -- \
  with CC_ANSWERS="$H/answers/longcontext" -- run "$S/basic.json" "$ALL" "hello"
t "subagent in the foreground" '[ $R = 0 ] && ran SubagentStart && ran SubagentStop' -- \
  run "$S/subagent.json" "$ALL" "use a subagent"
t "subagent in the background, task notification" '[ $R = 0 ] && ran SubagentStop && grep -q "\"prompt\":\"<task-notification>" "$O/hooks.jsonl"' -- \
  run "$S/subagent-background.json" "$ALL" "use a subagent"
t "/compact and /clear through stream-json" '[ $R = 0 ] && ran PostCompact && grep -q "\"source\":\"clear\"" "$O/hooks.jsonl"' -- \
  with CC_STREAM=1 -- run "$S/compact.json" "$ALL" "first" "/compact keep the names" "second" "/clear" "third"
t "auto-compaction" '[ $R = 0 ] && grep -q "\"trigger\":\"auto\"" "$O/hooks.jsonl"' -- \
  run "$S/autocompact.json" "$ALL" "work until the window is full"
t "resume with --continue" '[ $R = 0 ] && grep -q "\"source\":\"resume\"" "$O/hooks.jsonl"' -- \
  run "$S/basic.json" "$ALL" "first" "second"
t "API error: StopFailure" '[ $R != 0 ] && ran StopFailure' -- \
  run "$S/api-error.json" "$ALL" "hello"
t "plugin: hooks, MCP tool, skill" '[ $R = 0 ] && grep -q "PluginSessionStart" "$O/hooks.jsonl" && grep -q "tools/call" "$O/mcp.jsonl"' -- \
  run "$S/plugin-mcp.json" "$H/example-plugin" "hello"
t "a good command under test passes the lint" '[ $R = 0 ] && grep -q "\"mode\":\"wrap\"" "$O/hooks.jsonl"' -- \
  with CC_LINT=1 CC_TEST_CMD=true -- run "$S/basic.json" "$H/settings.under-test.json" "hello"
t "a chatty command under test is caught by the lint" '[ $R = 90 ] && grep -q LINT "$O.log"' -- \
  with CC_LINT=1 "CC_TEST_CMD=echo hello" -- run "$S/basic.json" "$H/settings.under-test.json" "hello"
if command -v tmux >/dev/null; then
  t "interactive client in tmux: permission, /compact, /clear, /exit" '[ $R = 0 ] && ran PermissionRequest && ran PostCompact && ran SessionEnd && [ -e "$O/permtest" ]' -- \
    "$H/tui.sh" "$S/tui.json" "$ALL" "$S/tui.keys"
else
  echo "FAIL interactive client in tmux: tmux is not installed"; fail=1
fi
if [ $fail = 0 ] && [ -z "${CC_KEEP:-}" ]; then rm -rf "$D"; else echo "outputs: $D"; fi
exit $fail
