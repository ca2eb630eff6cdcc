#!/bin/sh
# Each figure of the table in docs/reproductions.md stands in the section that its row links to.  reproductions.sh SOURCE-FOLDER
awk -F ' *\\| *' '
  NR == FNR { if (/^## /) { name = substr($0, 4) } else if (name != "") section[name] = section[name] " " $0; next }
  /^\| \[/ {
    name = $2; sub(/^\[/, "", name); sub(/\].*/, "", name); rows++
    if (!(name in section)) { print "no section " name; bad = 1; next }
    for (column = 3; column <= 6; column++) {
      text = $column
      while (match(text, /[0-9][0-9,.]*[0-9]|[0-9]/)) {
        figure = substr(text, RSTART, RLENGTH); text = substr(text, RSTART + RLENGTH); figures++
        if (!index(section[name], figure)) { print "section " name " does not say " figure; bad = 1 }
      }
    }
  }
  END { if (rows < 20 || figures < 100) { print rows " rows and " figures " figures found: this test sees too little"; bad = 1 } exit bad }
' "$1/docs/reproductions.md" "$1/docs/reproductions.md"
