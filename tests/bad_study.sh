#!/bin/sh
# One bad study, one message: its first line is "# expect: <part of the message>". `check` says the same as `plan`; where
# that takes simulations, the second line is "# check: no mistakes".  bad_study.sh PROGRAM STUDY
program=$1 study=$2
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
failed=0
wrong() { echo "$1"; failed=1; }

want=$(sed -n '1s/^# expect: //p' "$study")
[ -n "$want" ] || wrong "no expected message is given with this file"
"$program" plan "$study" --out "$scratch/out" >"$scratch/stdout" 2>"$scratch/stderr"
status=$?
got=$(cat "$scratch/stderr")
[ $status -eq 2 ] || wrong "wanted: exit status 2
got:    $status"
case $got in *"$want"*) ;; *) wrong "wanted: ...$want...
got:    $got" ;; esac
[ "$(echo "$got" | wc -l)" -eq 1 ] || wrong "wanted: one line
got:    $got"
[ ! -s "$scratch/stdout" ] || wrong "wanted: nothing on stdout"

"$program" check "$study" >"$scratch/checked" 2>"$scratch/check.err"
status=$?
if [ "$(sed -n 2p "$study")" = "# check: no mistakes" ]; then
  [ $status -eq 0 ] && grep -q ": no mistakes" "$scratch/checked" || wrong "check finds a mistake: $(cat "$scratch/check.err")"
else
  [ $status -eq 2 ] || wrong "wanted of check: exit status 2
got:    $status"
  diff "$scratch/stderr" "$scratch/check.err" >"$scratch/diff" || wrong "check says something else than plan:
$(cat "$scratch/diff")"
fi
exit $failed
