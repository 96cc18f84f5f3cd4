#!/bin/bash
# run.sh SCRIPT.json SETTINGS_OR_PLUGIN_DIR PROMPT...
# Print mode. Each PROMPT is one `claude -p`, the 2nd and later ones with --continue; CC_STREAM=1 sends all of
# them to ONE process (--input-format stream-json). Variables and output: README.md.
# Exit: the client's code; 90 when the client was content but an expectation of the script or a lint rule failed.
set -u
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
[ $# -ge 3 ] || { echo "usage: run.sh SCRIPT.json SETTINGS_OR_PLUGIN_DIR PROMPT..." >&2; exit 2; }
SCRIPT=$1 SET=$2; shift 2
cc_prepare "$SCRIPT" "$SET"
PERM=${CC_PERM---dangerously-skip-permissions}
i=0 rc=0
run1() { # arguments: client arguments; stdin as given
  (cd "$CC_CWD" && exec timeout -k 5 "${CC_TIMEOUT:-60}" "${CC_ENV[@]}" "$CC_BIN" -p --output-format stream-json --verbose \
    --debug-file "$CC_OUT/debug.$i.log" $PERM ${CC_EXTRA[@]+"${CC_EXTRA[@]}"} ${CC_ARGS:-} "$@") >"$CC_OUT/stream.$i.jsonl" 2>"$CC_OUT/stderr.$i"
  rc=$?; echo $rc >"$CC_OUT/exit.$i"
}
if [ -n "${CC_STREAM:-}" ]; then
  i=1; F="$CC_OUT/in.fifo"; rm -f "$F"; mkfifo "$F"; : >"$CC_OUT/stream.1.jsonl"
  ( exec 3>"$F"; k=0 # one user message per prompt; wait for its result line before sending the next
    for p in "$@"; do
      k=$((k+1))
      [ -z "${CC_BEFORE:-}" ] || (cd "$CC_CWD" && "${CC_ENV[@]}" bash -c "$CC_BEFORE" before $k) >>"$CC_OUT/before.out" 2>&1
      "$CCH" say "$p" >&3 || exit
      for _ in $(seq 3000); do
        n=$(grep -c '"type":"result"' "$CC_OUT/stream.1.jsonl"); [ "${n:-0}" -ge $k ] && break; sleep 0.1
      done
      sleep "${CC_GAP:-0.2}"
    done ) &
  feeder=$!
  run1 --input-format stream-json <"$F"
  kill $feeder 2>/dev/null; wait $feeder 2>/dev/null; rm -f "$F"
else
  for p in "$@"; do
    i=$((i+1)); if [ $i = 1 ]; then run1 "$p" </dev/null; else run1 --continue "$p" </dev/null; fi
  done
fi
cc_finish
echo "out: $CC_OUT  exit: $rc"
[ $rc != 0 ] || rc=$CC_CHECK
exit $rc
