#!/bin/bash
# Runs the browser tests, two files at a time. With RERUN, a directory, a file in
# which a test failed is run once more, and its name is left there.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

file() { # file NAME: runs the tests of one file and prints what they printed in one piece
  local out status=0
  out=$(node --test "$1" 2>&1) || status=$?
  if [ $status != 0 ] && [ -n "${RERUN:-}" ]; then
    echo "$1: once more" >"$RERUN/$1"
    out+=$'\n'$(node --test "$1" 2>&1) && status=0
  fi
  printf '== %s\n%s\n' "$1" "$out"
  return $status
}
export -f file

printf '%s\n' *.test.mjs | xargs -P 2 -I{} bash -c 'file {}'
