#!/bin/sh
# Commands in the heads of shipped scenarios and in pages do what they say.  scenario_commands.sh SERVECAST SOURCE-FOLDER
#
# A comment line "#   servecast run FILE ..." (or sweep, plan, trace) is a command, and so is a line "servecast run scenarios/..." of
# a page, in a block or indented by four; it goes on where it ends with "\". Those of heads are run, in the scenario's folder or, where
# FILE begins with scenarios/, in the source folder: five seconds of them, once. Studies and those of pages are given to `check`. Files
# to fetch are one row long here; commands on data that is not shipped ("DATA/") are passed over.
servecast=$1 source=$2
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
mkdir "$scratch/bin"
ln -s "$servecast" "$scratch/bin/servecast"
cp -R "$source/scenarios" "$scratch/"
export PATH="$scratch/bin:$PATH"
cd "$scratch" || exit 1

row='{"timestamp": 0, "input_length": 600, "output_length": 10, "hash_ids": [1, 2]}'
for folder in . scenarios scenarios/papers; do
  for name in conversation_trace synthetic_trace; do echo "$row" >"$folder/$name.jsonl"; done
  printf 'TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n' \
    >"$folder/AzureLLMInferenceTrace_conv.csv"
done

find scenarios -name '*.yaml' | sort >files
while IFS= read -r file; do
  awk -v file="$file" '
    function flush() { if (command != "") print file "\t" command; command = ""; more = 0 }
    /^#   servecast (run|sweep|plan|trace) / { flush(); command = substr($0, 5); more = sub(/ *\\$/, "", command); next }
    more { sub(/^# */, ""); more = sub(/ *\\$/, ""); command = command " " $0; next }
    { flush() }
    END { flush() }' "$file"
done <files >commands
find "$source/docs" -name '*.md' | sort >pages
while IFS= read -r file; do
  awk -v file="${file#"$source"/}" '
    function flush() { if (command != "") print file "\t" command; command = ""; more = 0 }
    /^(    |\$ )?servecast run scenarios\// { flush(); command = $0; sub(/^(    |\$ )/, "", command); sub(/ *[|>#].*/, "", command)
      more = sub(/ *\\$/, "", command); next }
    more { sub(/^ */, ""); more = sub(/ *\\$/, ""); command = command " " $0; next }
    { flush() }
    END { flush() }' "$file"
done <pages >>commands

# shortened COMMAND: what the test runs in its place.
shortened() {
  checked=$(echo "${1#servecast * }" | sed -E 's/ --(replicates|out|detail|trace|format) [^ ]+//g')  # what only a run takes
  case $2:$1 in
  *.md:* | *:'servecast plan '*) echo "servecast check $checked" ;;
  *:'servecast trace '*) echo "$1" ;;
  *) echo "$1 --set until_s=5" | sed -E 's/ --replicates [0-9]+/ --replicates 1/' ;;
  esac
}

count=0 failed=0
tab=$(printf '\t')
while IFS=$tab read -r file command; do
  case $command in *DATA/*) continue ;; esac
  case $command in *' scenarios/'*) folder=. ;; *) folder=$(dirname "$file") ;; esac
  count=$((count + 1))
  (cd "$folder" && eval "$(shortened "$command" "$file")") >out 2>&1 </dev/null && continue
  failed=1
  echo "$file: $command"
  tail -n 20 out
done <commands
if grep -rnE '^# +servecast ' scenarios --include='*.yaml' | grep -vE ':#   servecast (run|sweep|plan|trace) '; then
  echo "these lines in heads are not run: write '#   servecast' and one of run, sweep, plan, trace" && failed=1
fi
[ "$count" -ge 80 ] || { echo "$count commands found; there were 80 and more"; failed=1; }
exit $failed
