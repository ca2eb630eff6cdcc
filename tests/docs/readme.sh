#!/bin/sh
# The README's commands work and print what it shows.  readme.sh SERVECAST SOURCE-FOLDER
#
# In a ```console block, a line "$ command" is run; the lines after it, up to the next command or the block's end, are
# what it prints ("..." stands for any number of lines; none at all: only the exit status counts). scripts/demo stands
# for the `servecast run` that it ends with: the lines that time its phases, up to an empty one, are not compared.
# scripts/test and `sudo`, `cmake`, `git` lines are not run. UPDATE_GOLDEN=1 rewrites what scripts/demo prints, as far as
# the README shows it: up to the heading POOLS.
servecast=$1 source=$2
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
mkdir "$scratch/bin" "$scratch/cwd" "$scratch/blocks"
ln -s "$servecast" "$scratch/bin/servecast"
cp -R "$source/scenarios" "$scratch/cwd/"
export PATH="$scratch/bin:$PATH"

# Two files per command: 001.command, 001.want, 002.command, ...
awk -v to="$scratch/blocks" '
  /^```/           { inside = ($0 == "```console"); next }
  !inside          { next }
  sub(/^\$ /, "")  {
    block = sprintf("%s/%03d", to, ++n); demo = /^scripts\/demo/
    print > (block ".command"); printf "" > (block ".want"); next
  }
  demo && $0 == "" { demo = 0; next }
  !demo            { print > (block ".want") }' "$source/README.md"

# update GOT: puts it into the README in place of what scripts/demo printed, behind its phases and an empty line.
update() {
  awk '
    NR == FNR { if (/^POOLS/) done = 1; if (!done) got[++lines] = $0; next }
    inside && /^```/ { inside = 0; for (i = 1; i < lines; i++) print got[i]; print "..." }
    /^\$ scripts\/demo/ { phases = 1 }
    !inside { print }
    phases && $0 == "" { phases = 0; inside = 1 }' "$1" "$source/README.md" >"$scratch/readme" &&
    cp "$scratch/readme" "$source/README.md"
}

# as_shown WANT GOT: equal, where a line "..." in WANT stands for any lines.
as_shown() {
  awk '
    NR == FNR { got[NR] = $0; lines = NR; next }
    $0 == "..." { anywhere = 1; next }
    { at++; if (anywhere) while (at <= lines && got[at] != $0) at++; anywhere = 0
      if (at > lines || got[at] != $0) { bad = 1; exit } }
    END { exit bad || !(anywhere || at == lines) }' "$2" "$1"
}

failed=0 ran=0
for file in "$scratch"/blocks/*.command; do
  [ -e "$file" ] || continue
  command=$(cat "$file")
  want=${file%.command}.want
  case $command in
    scripts/demo*) run="servecast run scenarios/chat.yaml${command#scripts/demo}" ;;
    servecast*) run=$command ;;
    scripts/test* | sudo* | cmake* | git*) continue ;;
    *) echo "README: no rule to try this command: $command"; failed=1; continue ;;
  esac
  ran=$((ran + 1))
  if ! (cd "$scratch/cwd" && sh -c "$run") >"$scratch/got" 2>"$scratch/stderr"; then
    echo "README: failed: $command"; cat "$scratch/stderr"; failed=1
  elif [ -n "$UPDATE_GOLDEN" ] && [ "$command" = scripts/demo ]; then
    update "$scratch/got"
  elif [ -s "$want" ] && ! as_shown "$want" "$scratch/got"; then
    echo "README: prints something else (< README, > now): $command"; diff "$want" "$scratch/got"; failed=1
  fi
done
[ $ran -gt 0 ] || { echo "README: no command in a console block"; failed=1; }
exit $failed
