#!/bin/sh
# Every link and anchor of every Markdown page leads somewhere, and every path that a page names is there.  links.sh SOURCE-FOLDER
#
# A link is "[...](TARGET)" outside of code; https: links are not followed. A path is `models/...` or another folder of the
# repository, in backticks; what holds *, <, { or $ is a pattern, and is passed over. CHANGELOG.md names what was there once.
cd "$1" || exit 1
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
folders=$(ls -d models sim calibrate kernels gui tests docs scripts scenarios cmake python packaging .ci 2>/dev/null)
# shellcheck disable=SC2086  # a list of folders
find $folders ./*.md ./*.yml ./*.yaml ./*.txt ./*.json ./*.cff ./LICENSE ./.clang-format ./.clang-tidy 2>/dev/null | sed 's|^\./||' >"$scratch/there"
grep '\.md$' "$scratch/there" >"$scratch/pages"
# shellcheck disable=SC2046  # a list of pages
awk -v there="$scratch/there" '
  function slug(text) {
    gsub(/\[|\]\([^)]*\)/, "", text); gsub(/`/, "", text)
    text = tolower(text); gsub(/[^a-z0-9_ \200-\377-]/, "", text); gsub(/ /, "-", text)
    return text
  }
  function folder(path) { return match(path, /.*\//) ? substr(path, 1, RLENGTH) : "" }
  function plain(path,   n, part, i, out, k) {  # without "." and ".."
    n = split(path, part, "/"); k = 0
    for (i = 1; i <= n; i++) {
      if (part[i] == "." || part[i] == "") continue
      if (part[i] == ".." && k > 0) k--; else out[++k] = part[i]
    }
    path = out[1]; for (i = 2; i <= k; i++) path = path "/" out[i]
    return path
  }
  function wrong(text) { print FILENAME ":" FNR ": " text; bad = 1 }
  BEGIN { while ((getline line < there) > 0) exists[line] = 1 }
  FNR == 1 { fence = ""; round += FILENAME == first || first == ""; if (first == "") first = FILENAME }
  match($0, /^ *(```+|~~~+)/) {
    sign = substr($0, RSTART, RLENGTH); sub(/^ */, "", sign)
    if (fence == "") fence = sign; else if (index(sign, fence) == 1) fence = ""
    next
  }
  fence != "" { next }
  round == 1 {
    if (/^#+ /) {
      text = $0; sub(/^#+ */, "", text); name = slug(text)
      anchor[FILENAME, count[FILENAME, name] ? name "-" count[FILENAME, name] : name] = 1
      count[FILENAME, name]++
    }
    next
  }
  {
    if (FILENAME != "CHANGELOG.md") {
      text = $0
      while (match(text, /`(models|sim|calibrate|kernels|gui|tests|docs|scripts|scenarios|cmake)\/[^` ]*`/)) {
        path = substr(text, RSTART + 1, RLENGTH - 2); text = substr(text, RSTART + RLENGTH)
        if (path ~ /[*<>{}$,;]/) continue
        sub(/:.*/, "", path); sub(/\/$/, "", path); paths++
        if (!(path in exists)) wrong("names " path ", which is not there")
      }
    }
    text = $0; gsub(/`[^`]*`/, "`", text)
    while (match(text, /\]\([^)]*\)/)) {
      target = substr(text, RSTART + 2, RLENGTH - 3); text = substr(text, RSTART + RLENGTH)
      if (target ~ /^(https?|mailto):/) continue
      links++
      file = target; sub(/#.*/, "", file); sub(/ .*/, "", file)
      file = file == "" ? FILENAME : plain(folder(FILENAME) file)
      if (!(file in exists)) { wrong("link to " target ", which is not there"); continue }
      if (target !~ /#/) continue
      name = target; sub(/[^#]*#/, "", name)
      if (!((file, name) in anchor)) wrong("link to " target ": " file " has no such heading")
    }
  }
  END {
    if (links < 100 || paths < 100) { print links " links and " paths " paths found: this test sees too little"; bad = 1 }
    exit bad
  }' $(cat "$scratch/pages" "$scratch/pages")
