#!/bin/sh
# One broken file, one message.  bad_input.sh SERVECAST FILE
#
# A scenario's first line is "# expect: <part of the message>". A broken trace (any other suffix) has that part in
# FILE.expect beside it. Wanted: exit status 2; a message that begins with the place, in this file or in one beside
# it; nothing on stdout; the folder of an earlier run as it was, and nothing left next to it.
servecast=$1 file=$2
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
failed=0
wrong() { echo "$1"; failed=1; }

out=$scratch/work/out
mkdir -p "$out"
echo '{"of": "an earlier run"}' >"$out/summary.json"
cp -R "$scratch/work" "$scratch/before"

case $file in
  *.yaml)
    want=$(sed -n '1s/^# expect: //p' "$file")
    "$servecast" run "$file" --out "$out" >"$scratch/stdout" 2>"$scratch/stderr" ;;
  *)
    want=$(head -n 1 "$file.expect")
    "$servecast" trace info "$file" >"$scratch/stdout" 2>"$scratch/stderr" ;;
esac
status=$?
got=$(cat "$scratch/stderr")

[ -n "$want" ] || wrong "no expected message is given with this file"
[ $status -eq 2 ] || wrong "wanted: exit status 2
got:    $status"
case $got in *"$want"*) ;; *) wrong "wanted: ...$want...
got:    $got" ;; esac
case $got in "$(dirname "$file")"/*:*) ;; *) wrong "wanted: a message that begins with ${file}:line:column
got:    $got" ;; esac
[ ! -s "$scratch/stdout" ] || wrong "wanted: nothing on stdout
got:    $(cat "$scratch/stdout")"
diff -r "$scratch/before" "$scratch/work" || wrong "the folder of the earlier run, or what stands beside it, has changed"
exit $failed
