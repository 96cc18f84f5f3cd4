# Shared by install.sh, run.sh, tui.sh and selftest.sh; source it, do not run it.
# Writes only under CC_CACHE and CC_OUT; starts and ends only its own processes.
CC_DEFAULT_VERSION=2.1.329
BENCH_DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
CC_CACHE="${CC_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/claude-code-harness}"
CC_SUM="$(cat "$BENCH_DIR"/*.go "$BENCH_DIR/go.mod" | cksum | cut -d' ' -f1)"
CCH="${CCH:-$CC_CACHE/bench/$CC_SUM/cch}" # one folder per state of the sources: checkouts side by side do not disturb each other
CC_BIN="${CC_BIN:-$CC_CACHE/client/${CC_VERSION:-$CC_DEFAULT_VERSION}/claude}"

cc_build() { # builds cch into CC_CACHE unless it is there
  [ ! -x "$CCH" ] || return 0
  mkdir -p "$(dirname "$CCH")"
  (cd "$BENCH_DIR" && CGO_ENABLED=0 GOWORK=off GOFLAGS= go build -buildvcs=false -trimpath -o "$CCH.$$" .) || return 1
  mv "$CCH.$$" "$CCH"
}

cc_expand() { # $1 = file with @TOKENS@ -> stdout
  "$CCH" expand "$1" "@CCH@=$CCH" "@OUT@=$CC_OUT" "@CWD@=$CC_CWD" "@CMD@=${CC_TEST_CMD:-}"
}

cc_plugin() { # $1 = plugin directory -> CC_EXTRA; a copy is made when it holds tokens or wants bin/cch
  local src; src="$(cd "$1" && pwd)"
  if grep -rqE '@(CCH|OUT|CWD|CMD)@|bin/cch' "$src/hooks" "$src/.mcp.json" 2>/dev/null; then
    local dst="$CC_OUT/plugin/$(basename "$src")" f
    mkdir -p "$dst" && cp -R "$src/." "$dst/" && chmod -R u+w "$dst"
    for f in "$dst"/hooks/*.json "$dst/.mcp.json"; do
      [ -f "$f" ] && cc_expand "$f" >"$f.x" && mv "$f.x" "$f"
    done
    [ -e "$dst/bin/cch" ] || { mkdir -p "$dst/bin" && ln -s "$CCH" "$dst/bin/cch"; }
    src=$dst
  fi
  CC_EXTRA+=(--plugin-dir "$src")
}

cc_prepare() { # $1 = script, $2 = settings file, plugin directory or ""
  cc_build || { echo "bench: cannot build cch" >&2; exit 1; }
  [ -x "$CC_BIN" ] || { echo "bench: no client at $CC_BIN (run install.sh)" >&2; exit 1; }
  [ -f "$1" ] || { echo "bench: no script $1" >&2; exit 1; }
  [ -z "${2:-}" ] || [ -e "$2" ] || { echo "bench: no settings or plugin $2" >&2; exit 1; }
  CC_OUT="${CC_OUT:-$(mkdir -p "$CC_CACHE/runs" && mktemp -d "$CC_CACHE/runs/run.XXXXXX")}"
  mkdir -p "$CC_OUT/answers"
  CC_OUT="$(cd "$CC_OUT" && pwd)"
  CC_HOME="${CC_HOME:-$CC_OUT/home}"
  CC_CWD="${CC_CWD:-$CC_OUT/project}"
  mkdir -p "$CC_HOME/.claude" "$CC_CWD"
  [ -z "${CC_ANSWERS:-}" ] || cp "$CC_ANSWERS"/*.json "$CC_OUT/answers/"
  if [ ! -e "$CC_CWD/.git" ] && [ -z "${CC_NOGIT:-}" ]; then
    (cd "$CC_CWD" && git init -q . && git -c user.email=dev@example.org -c user.name=dev commit -q --allow-empty -m init) >/dev/null 2>&1
  fi
  # onboarding, trust and the "use this API key?" question are answered beforehand
  if [ ! -e "$CC_HOME/.claude.json" ]; then
    cat >"$CC_HOME/.claude.json" <<J
{"hasCompletedOnboarding":true,"lastOnboardingVersion":"99.0.0","theme":"dark","numStartups":10,"messageIdleNotifThresholdMs":3000,
 "hasSeenTasksHint":true,"bypassPermissionsModeAccepted":true,"autoUpdates":false,
 "customApiKeyResponses":{"approved":["fake-key-not-a-secret","ake-key-not-a-secret"],"rejected":[]},
 "projects":{"$CC_CWD":{"hasTrustDialogAccepted":true,"hasCompletedProjectOnboarding":true,"projectOnboardingSeenCount":5,"allowedTools":[]}}}
J
  fi
  CC_EXTRA=()
  if [ -n "${2:-}" ] && [ -d "$2" ]; then
    cc_plugin "$2"
  elif [ -n "${2:-}" ]; then
    cc_expand "$2" >"$CC_HOME/.claude/settings.json"
  fi
  rm -f "$CC_OUT/port"
  cc_expand "$1" >"$CC_OUT/script.json"
  "$CCH" serve -script "$CC_OUT/script.json" -out "$CC_OUT" 2>"$CC_OUT/server.log" &
  CC_SRV=$!
  trap 'kill "$CC_SRV" 2>/dev/null' EXIT
  for _ in $(seq 1200); do [ -s "$CC_OUT/port" ] && break; sleep 0.05; done
  [ -s "$CC_OUT/port" ] || { echo "bench: the fake API did not start" >&2; cat "$CC_OUT/server.log" >&2; exit 1; }
  CC_ENV=(env -i HOME="$CC_HOME" PATH="${CC_PATH:+$CC_PATH:}$(dirname "$CCH"):/usr/local/bin:/usr/bin:/bin" LANG=C.UTF-8 SHELL=/bin/bash
    TERM="${CC_TERM:-xterm-256color}" IS_SANDBOX=1 CCH_DIR="$CC_OUT"
    ANTHROPIC_API_KEY=fake-key-not-a-secret ANTHROPIC_BASE_URL="http://127.0.0.1:$(cat "$CC_OUT/port")"
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_TELEMETRY=1 DISABLE_AUTOUPDATER=1 DISABLE_ERROR_REPORTING=1
    DISABLE_BUG_COMMAND=1 DISABLE_INSTALLATION_CHECKS=1 CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL=1
    NO_PROXY=127.0.0.1,localhost HTTPS_PROXY=http://127.0.0.1:9 GIT_SSH_COMMAND=/bin/false GIT_TERMINAL_PROMPT=0) # whatever else it tries stays here
  for kv in ${CC_SETENV:-}; do CC_ENV+=("$kv"); done
}

cc_finish() { # runs CC_AFTER, stops the fake API, collects transcripts, prints the summary; result in CC_CHECK
  if [ -n "${CC_AFTER:-}" ]; then
    (cd "$CC_CWD" && "${CC_ENV[@]}" CC_OUT="$CC_OUT" bash -c "$CC_AFTER") >"$CC_OUT/after.out" 2>&1 || echo "bench: CC_AFTER failed, see $CC_OUT/after.out"
  fi
  kill "$CC_SRV" 2>/dev/null; wait "$CC_SRV" 2>/dev/null
  mkdir -p "$CC_OUT/transcripts"
  (cd "$CC_HOME/.claude/projects" 2>/dev/null && find . -type f \( -name '*.jsonl' -o -name '*.json' -o -name '*.txt' \) -exec cp --parents {} "$CC_OUT/transcripts/" \;) 2>/dev/null
  CC_CHECK=0; "$CCH" check -out "$CC_OUT" ${CC_LINT:+-lint} || CC_CHECK=90
}
