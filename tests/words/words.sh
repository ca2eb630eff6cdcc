#!/bin/sh
# Comments, messages and pages keep the rules of tests/words/rules.txt (docs/style.md says why).  words.sh SOURCE-FOLDER
#
# The rules and docs/style.md show what is wrong, and are passed over. Of code, comments and texts in quotes are read; of everything else, whole lines. exceptions.txt: file, tab, words that are right there.
cd "$1" || exit 1
rules=tests/words/rules.txt exceptions=tests/words/exceptions.txt
folders=$(ls -d models sim calibrate kernels gui tests docs scripts scenarios cmake python packaging .ci 2>/dev/null)
# shellcheck disable=SC2046,SC2086  # lists of files and folders
LC_ALL=C awk -F '\t' -v rules=$rules -v exceptions=$exceptions '
  FILENAME == rules {
    if (/^#/ || NF < 2) next
    pattern[++n] = "[^a-z_]" $1 "[^a-z_]"; instead[n] = $2
    next
  }
  FILENAME == exceptions { if (!/^#/ && NF >= 2) { allowed[$1] = allowed[$1] SUBSEP tolower($2); entry[$1, tolower($2)] = FNR } next }
  FNR == 1 { code = FILENAME ~ /\.(h|cpp|cu|cuh)$/; m = split(allowed[FILENAME], fine, SUBSEP); files++ }
  {
    text = $0
    if (code) {
      rest = text; text = ""
      while (match(rest, /"([^"\\]|\\.)*"|\/\/.*/)) {
        text = text " " substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH)
      }
      if (text == "") next
    }
    text = " " tolower(text) " "
    for (i = 2; i <= m; i++) while (at = index(text, fine[i])) {
      text = substr(text, 1, at - 1) substr(text, at + length(fine[i])); used[FILENAME, fine[i]] = 1
    }
    gsub(/(users?|clients?|readers?|customers?|engineers?|owners?|people|persons?|authors?|publishers?) who/, "person that", text)
    for (i = 1; i <= n; i++) if (match(text, pattern[i])) {
      print FILENAME ":" FNR ": \"" substr(text, RSTART + 1, RLENGTH - 2) "\": " instead[i]; bad = 1
    }
  }
  END {
    for (e in entry) if (!(e in used)) { split(e, part, SUBSEP); print exceptions ":" entry[e] ": nothing in " part[1] " needs this"; bad = 1 }
    if (n < 15 || files < 1000) { print "only " n " rules and " files " files: this test sees too little"; bad = 1 }
    if (bad) print "What to write instead: docs/style.md. Right where it stands? Then a line of " exceptions "."
    exit bad
  }' $rules $exceptions $(find $folders ./*.md ./CMakeLists.txt -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \
    -o -name '*.md' -o -name '*.yaml' -o -name '*.sh' -o -name '*.py' -o -name '*.cmake' -o -name CMakeLists.txt \) |
    sed 's|^\./||' | grep -v -e '^tests/words/' -e '^docs/style.md' | LC_ALL=C sort)
