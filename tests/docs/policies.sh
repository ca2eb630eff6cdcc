#!/bin/sh
# Every page of a kind of policy has the same four parts, and says of every policy that it lists what its rule is and when it is bad.
#   policies.sh SOURCE-FOLDER
cd "$1/docs/policies" || exit 1
# shellcheck disable=SC2046  # a list of pages
awk '
  function wrong(text) { print FILENAME ": " text; bad = 1 }
  function finish(   name) {
    if (page == "") return
    if (parts != " What it decides, The rules, Settings, When it is bad") { print page ": its parts are" parts; bad = 1 }
    for (name in listed) {
      policies++
      if (!index(rules, "`" name "`")) { print page ": The rules do not explain " name; bad = 1 }
      if (!index(when, "`" name "`")) { print page ": When it is bad does not mention " name; bad = 1 }
    }
  }
  FNR == 1 { finish(); page = FILENAME; parts = ""; rules = ""; when = ""; part = ""; made = 0; split("", listed) }
  /^```/ { fence = !fence }
  fence { next }
  /^## / { part = substr($0, 4); parts = parts (parts == "" ? " " : ", ") part; next }
  /^<!-- made by: / { made = 1; lists = / list /; next }
  /^<!-- end -->/ { made = 0; next }
  made { if (lists && match($0, /^\| `[a-z0-9_]+` \|/)) listed[substr($0, 4, RLENGTH - 6)] = 1; next }
  part == "The rules" { rules = rules $0 "\n" }
  part == "When it is bad" { when = when $0 "\n" }
  END {
    finish()
    if (policies < 80) { print policies " policies found: this test sees too little"; bad = 1 }
    exit bad
  }' $(ls ./*.md | grep -v README.md)
