#!/bin/sh
# Names are made of known words: those of terms in docs/glossary.md, and plain English in tests/words/plain.txt. The names: types in
# headers, keys of scenarios and studies, figures of reports, columns of their files.  glossary.sh SERVECAST SOURCE-FOLDER
servecast=$1
cd "$2" || exit 1
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
plain=tests/words/plain.txt

# "name where" a line.
find models sim calibrate kernels gui -name '*.h' | LC_ALL=C sort | while IFS= read -r header; do
  sed -n 's|//.*||; s/^ *\(template <[^>]*> *\)\{0,1\}\(class\|struct\|enum class\|concept\) \([A-Z][A-Za-z0-9]*\)\( final\)\{0,1\} *[:{=].*/\3/p' "$header" |
    sed "s|\$| $header|"
done >"$scratch/names"
for of in scenario study; do
  "$servecast" schema --of $of --format json | sed -n 's/^ *"path": "\([^"]*\)".*/\1/p' | tr -s '.[]' '\n' | sed "s|\$| key of a $of|"
done | LC_ALL=C sort -u >>"$scratch/names"
"$servecast" schema --of figures --format json | sed -n 's/^ *"key": "\([^"]*\)".*/\1/p' | tr -s '.[]' '\n' |
  sed 's|$| figure of a report|' | LC_ALL=C sort -u >>"$scratch/names"
"$servecast" schema --of figures --format markdown | sed -n 's/^| `\([a-z_0-9]*\)` .*/\1 figure or column of a report/p' | LC_ALL=C sort -u >>"$scratch/names"
[ "$(wc -l <"$scratch/names")" -ge 1500 ] || { echo "only $(wc -l <"$scratch/names") names found: this test sees too little"; exit 1; }

LC_ALL=C awk -v plain=$plain '
  function words(name,   i, c, before, word, rest) {  # "LoRASpec" "max_num_seqs" -> "lo ra spec", "max num seqs"
    gsub(/_|-/, " ", name)
    rest = ""; before = ""
    for (i = 1; i <= length(name); i++) {
      c = substr(name, i, 1)
      if (c ~ /[A-Z]/ && (before ~ /[a-z0-9]/ || (before ~ /[A-Z]/ && substr(name, i + 1, 1) ~ /[a-z]/))) rest = rest " "
      rest = rest c; before = c
    }
    return tolower(rest)
  }
  function known(word) {
    return word in good || word ~ /^[0-9.]+$/ || length(word) == 1 ||
           (word ~ /s$/ && substr(word, 1, length(word) - 1) in good) || (word "s") in good
  }
  FILENAME == "docs/glossary.md" {
    if (!/^\| / || /^\| (term|word) \|/) next
    split($0, cell, "|")
    line = tolower(cell[2]); gsub(/[^a-z0-9]+/, " ", line)
    n = split(line, term, " ")
    for (i = 1; i <= n; i++) good[term[i]] = 1
    next
  }
  FILENAME == plain {
    if (/^#/) next
    if ($1 <= last) { print plain ":" FNR ": \"" $1 "\" stands behind \"" last "\": keep the list sorted"; bad = 1 }
    last = $1
    own[$1] = FNR; next
  }
  {
    if (/^</) next  # a name that the user gives
    if (!merged) { for (word in own) good[word] = 1; merged = 1 }
    name = $1; where = substr($0, length($1) + 2)
    n = split(words(name), part, " ")
    for (i = 1; i <= n; i++) {
      used[part[i]] = 1
      if (known(part[i]) || (part[i], "said") in said) continue
      said[part[i], "said"] = 1; bad = 1
      print "\"" part[i] "\" of " name " (" where ") is no known word. Is there a term in docs/glossary.md? Else add it: a term of the" \
            " field there, with its source; plain English to " plain
    }
  }
  END { exit bad }' docs/glossary.md $plain "$scratch/names"
