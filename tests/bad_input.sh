#!/bin/sh
# One broken file, one message.  bad_input.sh SERVECAST FILE
#
# A scenario's first line is "# expect: <part of the message>"; it is run. A broken trace (any other suffix) has that part
# in the first line of FILE.expect beside it; it is looked at, converted, and replayed by data/replay.yaml. Each time,
# wanted: exit status 2; one line that begins with the place, in this file or in one beside it, or with the setting that
# names it; nothing on stdout; the folder of an earlier run as it was, and nothing left next to it.
servecast=$1 file=$2
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
failed=0
wrong() { echo "$1"; failed=1; }

out=$scratch/work/out
mkdir -p "$out"
echo '{"of": "an earlier run"}' >"$out/summary.json"
cp -R "$scratch/work" "$scratch/before"

# refused ARGUMENTS...: the program says what is wanted and does nothing.
refused() {
  "$servecast" "$@" >"$scratch/stdout" 2>"$scratch/stderr"
  status=$?
  got=$(cat "$scratch/stderr")
  [ $status -eq 2 ] || wrong "$1 $2: wanted: exit status 2
got:    $status"
  case $got in *"$want"*) ;; *) wrong "$1 $2: wanted: ...$want...
got:    $got" ;; esac
  case $got in "$(dirname "$file")"/*:* | "--set workload.trace.path=$file: $file "*) ;; *) wrong "$1 $2: wanted: a message that begins with ${file}:line:column
got:    $got" ;; esac
  [ "$(wc -l <"$scratch/stderr")" -eq 1 ] || wrong "$1 $2: wanted: one line
got:    $got"
  [ ! -s "$scratch/stdout" ] || wrong "$1 $2: wanted: nothing on stdout
got:    $(cat "$scratch/stdout")"
  diff -r "$scratch/before" "$scratch/work" || wrong "$1 $2: the earlier report, or what stands beside it, has changed"
}

case $file in
  *.yaml)
    want=$(sed -n '1s/^# expect: //p' "$file")
    refused run "$file" --out "$out" ;;
  *)
    want=$(head -n 1 "$file.expect")
    refused trace info "$file"
    refused trace convert "$file" "$scratch/work/converted.csv.gz"
    refused run "$(dirname "$0")/data/replay.yaml" --set "workload.trace.path=$file" --out "$out" ;;
esac
[ -n "$want" ] || wrong "no expected message is given with this file"
exit $failed
