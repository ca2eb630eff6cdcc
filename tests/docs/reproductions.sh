#!/bin/sh
# docs/reproductions.md has a section with the figures of each published system that the program knows.  reproductions.sh SERVECAST SOURCE-FOLDER
#
# That these tables are what the program prints is the test "made"; that the recorded figures come out, "reproduced".
page=$2/docs/reproductions.md
"$1" reproduce --all --recorded "$2/docs/reproductions.json" --format json |
  sed -nE 's/^    "(system|title)": "(.*)",$/\1 \2/p' |
  awk '$1 == "system" { id = $2 } $1 == "title" { sub(/^title ?/, ""); print id ($0 == "" ? "" : " " $0) "\t" id }' |
  {
    count=0 failed=0
    while IFS="$(printf '\t')" read -r heading id; do
      count=$((count + 1))
      awk -v heading="## $heading" -v block="<!-- made by: servecast reproduce $id --recorded docs/reproductions.json --format markdown -->" '
        /^## / { inside = $0 == heading } inside && $0 == block { found = 1 } END { exit !found }' "$page" ||
        { echo "docs/reproductions.md: no section '## $heading' with the figures of $id"; failed=1; }
    done
    [ "$count" -ge 22 ] || { echo "$count systems; there were 22"; failed=1; }
    exit $failed
  }
