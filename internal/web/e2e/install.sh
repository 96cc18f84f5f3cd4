#!/bin/bash
# Installs the npm packages of the browser tests, once for each lock file. Exit
# status 3: the registry did not give them, and the tests cannot be tried; with
# CI=true that is a failure.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
[ node_modules/.package-lock.json -nt package-lock.json ] && exit 0
timeout 300 npm ci --no-fund --no-audit && touch node_modules/.package-lock.json && exit 0
echo "SKIPPED: the npm packages of the browser tests are not to be had here" >&2
[ "${CI:-}" = true ] && exit 1
exit 3
