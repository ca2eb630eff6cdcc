#!/bin/sh
# What a page has from a command is what the command prints now.  made.sh SERVECAST SOURCE-FOLDER
#
# In docs/, "<!-- made by: COMMAND -->" stands over what COMMAND prints, which ends at "<!-- end -->". Commands run in the source
# folder. UPDATE_GOLDEN=1 rewrites the pages.
servecast=$1 source=$2
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
mkdir "$scratch/bin"
ln -s "$servecast" "$scratch/bin/servecast"
export PATH="$scratch/bin:$PATH"
cd "$source" || exit 1

failed=0 blocks=0
grep -rlF '<!-- made by: ' docs --include='*.md' | sort >"$scratch/pages"
while IFS= read -r page; do
  inside=
  while IFS= read -r line; do
    case $line in
      '<!-- made by: '*' -->')
        command=${line#<!-- made by: }
        printf '%s\n\n' "$line"
        sh -c "${command% -->}" </dev/null || echo "failed: ${command% -->}"
        echo
        inside=yes; continue ;;
      '<!-- end -->') inside= ;;
    esac
    [ "$inside" ] || printf '%s\n' "$line"
  done <"$page" >"$scratch/new" 2>&1
  blocks=$((blocks + $(grep -cF '<!-- made by: ' "$page")))
  cat -s "$scratch/new" >"$scratch/page"
  [ -z "$UPDATE_GOLDEN" ] || cp "$scratch/page" "$page"
  diff "$page" "$scratch/page" || { echo "$page shows something else (<) than what is printed (>); UPDATE_GOLDEN=1 rewrites it"; failed=1; }
done <"$scratch/pages"
[ "$blocks" -ge 30 ] || { echo "$blocks blocks found; there were 30 and more"; failed=1; }
exit $failed
