#!/bin/sh
# The laws that hold of every run, on one scenario.  laws.sh SERVECAST SUMMARY_LAWS SCENARIO
# It ends by itself, soon and with exit status 0; summary_laws finds nothing; the same bytes come out again, and also with
# every step an event of the engine, in every file but steps.csv.
# A law that does not hold is named at the beginning of the first line: "law: what".
servecast=$1 summary_laws=$2 scenario=$3
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1

# run NAME FLAGS...: into scratch/NAME.
run() {
  name=$1
  shift
  timeout --kill-after=5 "${LAWS_TIMEOUT_S:-120}" "$servecast" run "$scenario" --out "$scratch/$name" --format json \
    --detail replicas,links,flows "$@" >"$scratch/$name.stdout" 2>"$scratch/$name.stderr"
  status=$?
  [ $status -eq 0 ] || { echo "$name: exit status $status"; cat "$scratch/$name.stderr"; exit 1; }
}

# same NAME LAW: as the first run wrote it.
same() {
  diff -r "$scratch/plain" "$scratch/$1" >"$scratch/diff" && return
  echo "$2, $(sed -nE 's/^diff -r .*\/|^Files .*\/([^ ]*) differ/\1/p' "$scratch/diff" | sort -u | paste -sd ' '): differs"
  head -n 20 "$scratch/diff"
  exit 1
}

run plain
"$summary_laws" "$scratch/plain" || exit 1
run again
same again "the same bytes again"
run step_by_step --step-by-step
same step_by_step "the same bytes with --step-by-step"
