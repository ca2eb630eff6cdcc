#!/bin/sh
# A page's commands print what it shows, in a folder where nothing else is.  doc.sh SERVECAST SOURCE-FOLDER PAGE
#
# A block that says title="NAME" behind its ``` is that file, and so is a ```yaml block that begins with "# NAME.yaml". In a
# ```console block, each line "$ command" is run and all that follows it, up to the next command or the end of the block, is
# what it prints; "(exit status N)" if it fails.
# UPDATE_GOLDEN=1 rewrites the page.
servecast=$1 source=$2 page=$2/$3
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
mkdir "$scratch/bin" "$scratch/cwd"
ln -s "$servecast" "$scratch/bin/servecast"
ln -s "$(dirname "$servecast")/servecast-calibrate" "$scratch/bin/servecast-calibrate"
cp -R "$source/scenarios" "$scratch/cwd/"
export PATH="$scratch/bin:$PATH"
cd "$scratch/cwd" || exit 1

run() {
  sh -c "$1" 2>&1 </dev/null
  status=$?
  [ $status -eq 0 ] || echo "(exit status $status)"
}

block= file=
while IFS= read -r line; do
  case $block:$line in
    :'```console'*) block=console ;;
    :'```'*' title="'*'"') block=file file=${line#*title=\"}; file=${file%\"}; mkdir -p "$(dirname "$file")"; : >"$file"
      printf '%s\n' "$line"; continue ;;
    :'```yaml') block=yaml file= ;;
    yaml:'# '*.yaml) [ -n "$file" ] || { file=${line#\# }; : >"$file"; } ;;
    yaml:'```' | file:'```' | console:'```') block= ;;
    console:'$ '*) printf '%s\n' "$line"; run "${line#\$ }"; continue ;;
    console:*) continue ;;
  esac
  case $block in yaml | file) [ -z "$file" ] || printf '%s\n' "$line" >>"$file" ;; esac
  printf '%s\n' "$line"
done <"$page" >"$scratch/new"
grep -q '^\$ ' "$scratch/new" || { echo "$page: no command in a console block"; exit 1; }
[ -z "$UPDATE_GOLDEN" ] || cp "$scratch/new" "$page"
diff "$page" "$scratch/new" || { echo "$page shows something else (<) than what is printed (>)"; exit 1; }
