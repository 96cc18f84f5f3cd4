#!/bin/bash
# install.sh: puts the parser of Ruby (npm package @ruby/prism) that the Homebrew formula is checked with into RUBY_PARSER
# (default ${XDG_CACHE_HOME:-$HOME/.cache}/ruby-parser). The only step that needs the network.
# Exit: 0; 3 = the package registry did not give us the package; 1 = anything else is wrong.
set -eu
PRISM=1.9.0
for t in node npm dpkg-deb; do command -v $t >/dev/null || { echo "install.sh: $t is needed" >&2; exit 1; }; done
DIR="${RUBY_PARSER:-${XDG_CACHE_HOME:-$HOME/.cache}/ruby-parser}/$PRISM"
[ ! -f "$DIR/installed" ] || exit 0
mkdir -p "$DIR"
(cd "$DIR" && echo '{"private":true}' >package.json &&
  timeout 300 npm install --no-package-lock --no-audit --no-fund --ignore-scripts --loglevel=error "@ruby/prism@$PRISM" </dev/null) ||
  { echo "install.sh: cannot get the parser from the package registry" >&2; exit 3; }
touch "$DIR/installed"
