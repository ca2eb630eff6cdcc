#!/bin/sh
# A plan that is killed goes on where it was and writes the same bytes.  plan.sh PROGRAM STUDY
program=$1 study=$2
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
fail() { echo "$1"; exit 1; }

"$program" plan "$study" --out "$scratch/whole" >"$scratch/whole.txt" 2>"$scratch/whole.err" || fail "$(cat "$scratch/whole.err")"
[ -s "$scratch/whole/plan.json" ] || fail "no plan.json"
grep -q CERTIFICATE "$scratch/whole.txt" || fail "the answer has no certificate"

kills=0
for seconds in 0.3 0.6 1 2; do
  timeout -s KILL $seconds "$program" plan "$study" --out "$scratch/killed" >/dev/null 2>&1 || kills=$((kills + 1))
done
[ "$kills" -gt 0 ] || fail "it was never killed: this test sees nothing"
"$program" plan "$study" --out "$scratch/killed" >"$scratch/killed.txt" 2>"$scratch/killed.err" ||
  fail "$(cat "$scratch/killed.err")"
cmp "$scratch/whole/plan.json" "$scratch/killed/plan.json" || fail "plan.json differs after kills"
cmp "$scratch/whole.txt" "$scratch/killed.txt" || fail "the answer differs after kills"

"$program" plan "$study" --out "$scratch/killed" >/dev/null 2>"$scratch/again.err" || fail "$(cat "$scratch/again.err")"
cmp "$scratch/whole/plan.json" "$scratch/killed/plan.json" || fail "plan.json differs when nothing is simulated"
