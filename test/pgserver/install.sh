#!/bin/bash
# install.sh: builds pgvector for the newest PostgreSQL server of this machine, into PGVECTOR (default
# ${XDG_CACHE_HOME:-$HOME/.cache}/pgvector, 1 MB), where pgserver.WithVector looks for it. Nothing is installed, and root is not needed. The
# source is that of Debian's package, from the mirror that apt uses. The only step that needs the network. It prints the directory.
# Exit: 0; 3 = the mirror did not give us the source or the headers of the server; 1 = anything else is wrong.
set -eu
VERSION=0.8.0
SHA256=867a2c328d4928a5a9d6f052cd3bc78c7d60228a9b914ad32aa3db88e9de27b0 # as pgvector_0.8.0-1.dsc has it
HELPER=/usr/lib/apt/apt-helper
SERVER=$(compgen -G '/usr/lib/postgresql/*/bin/postgres' | sort -V | tail -1) || true
[ -n "$SERVER" ] || { echo "install.sh: no PostgreSQL server of Debian is installed" >&2; exit 3; }
for t in gcc tar sha256sum; do command -v $t >/dev/null || { echo "install.sh: $t is needed" >&2; exit 1; }; done
MAJOR=$(basename "$(dirname "$(dirname "$SERVER")")")
DIR="${PGVECTOR:-${XDG_CACHE_HOME:-$HOME/.cache}/pgvector}"
WANT="$VERSION for PostgreSQL $MAJOR"
if [ "$(cat "$DIR/installed" 2>/dev/null)" != "$WANT" ]; then
  NEW="$DIR.$$" # put in place when it is whole: others may be at it too
  trap 'rm -rf "$NEW"' EXIT
  mkdir -p "$NEW/work" "$NEW/lib" "$NEW/extension"
  cannot() { cat "$NEW/log" >&2; echo "install.sh: cannot get $1 from the mirror of apt" >&2; exit 3; }
  [ -x $HELPER ] || { echo "install.sh: there is no apt here" >&2; exit 3; }
  mirror() { apt-get indextargets --format '$(SITE)' | grep -v -- -security | head -1; }
  headers() { (cd "$NEW/work" && timeout 300 apt-get download "postgresql-server-dev-$MAJOR") >"$NEW/log" 2>&1; }
  { [ -n "$(mirror)" ] && headers; } || { timeout 300 apt-get update -qq >"$NEW/log" 2>&1 && headers; } || cannot "the headers of the server"
  dpkg-deb -x "$NEW"/work/postgresql-server-dev-*.deb "$NEW/work/dev"
  # Debian 12 has no package of it for its server. Later releases have, and every mirror has the sources of all.
  timeout 300 $HELPER download-file "$(mirror)/pool/main/p/pgvector/pgvector_$VERSION.orig.tar.gz" "$NEW/work/source.tar.gz" \
    >"$NEW/log" 2>&1 || cannot "the source of pgvector"
  echo "$SHA256  $NEW/work/source.tar.gz" | sha256sum --check --quiet
  tar -xzf "$NEW/work/source.tar.gz" -C "$NEW/work"
  cd "$NEW/work/pgvector-$VERSION"
  # What its Makefile does, without the compiler for just-in-time code that the server's own makefiles want.
  gcc -O2 -ftree-vectorize -fassociative-math -fno-signed-zeros -fno-trapping-math -fPIC -shared \
    -I"$NEW/work/dev/usr/include/postgresql/$MAJOR/server" -I"$NEW/work/dev/usr/include/postgresql" -o "$NEW/lib/vector.so" src/*.c -lm
  cp vector.control "$NEW/extension/"
  cp sql/vector.sql "$NEW/extension/vector--$VERSION.sql"
  cd "$OLDPWD"
  rm -rf "$NEW/work" "$NEW/log"
  echo "$WANT" >"$NEW/installed"
  [ "$(cat "$DIR/installed" 2>/dev/null)" = "$WANT" ] || { rm -rf "$DIR"; mv "$NEW" "$DIR"; }
fi
echo "$DIR"
