#!/bin/sh
# The man pages are what the programs say now, and name every command and option.  man.sh SOURCE-FOLDER BUILD-FOLDER VERSION
source=$1 build=$2 version=$3
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
export QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR="$scratch"
failed=0
wrong() { echo "$1"; failed=1; }

# options_of PROGRAM COMMAND...: every option and command in its help and in that of what is below it, without roff's signs.
options_of() {
  "$@" --help >"$scratch/help.$#"
  grep -oE '^ +(-[A-Za-z],)? *--[a-z0-9-]+' "$scratch/help.$#" | grep -oE -e '--[a-z0-9-]+'
  for below in $(awk '/^Subcommands:$/ { inside = 1; next } /^[^ ]/ { inside = 0 } inside && /^  [^ ]/ { print $1 }' "$scratch/help.$#"); do
    echo "$below"
    options_of "$@" "$below"
  done
}

for name in servecast servecast-calibrate servecast-gui; do
  program=$build/bin/$name page=$build/man/$name.1
  [ -x "$program" ] || { [ "$name" = servecast-gui ] && continue; wrong "no program $program"; continue; }
  "$source/cmake/man-page" "$program" "$version" >"$scratch/now.1" || wrong "$name: no man page can be made"
  cmp -s "$page" "$scratch/now.1" || wrong "$page is not what $name says now"
  sed 's/\\-/-/g' "$scratch/now.1" >"$scratch/plain"
  options_of "$program" | sort -u >"$scratch/words"
  [ -s "$scratch/words" ] || wrong "$name: no option found: this test sees nothing"
  while IFS= read -r word; do
    grep -qE "(^|[ ,])$word([ ,]|\$)" "$scratch/plain" || wrong "$page does not name $word"
  done <"$scratch/words"
  for part in NAME SYNOPSIS OPTIONS 'SEE ALSO'; do grep -qx ".SH $part" "$scratch/now.1" || wrong "$page has no part $part"; done
done
if command -v groff >/dev/null; then
  for page in "$build"/man/*.1; do
    complaints=$(groff -man -Tutf8 -ww -z "$page" 2>&1 | grep -v 'cannot adjust line')
    [ -z "$complaints" ] || wrong "$page: $complaints"
  done
fi
exit $failed
