#!/bin/sh
# The laws that hold of every run, on one scenario.  laws.sh SERVECAST SUMMARY_LAWS SCENARIO
# It ends by itself, soon and with exit status 0; summary_laws finds nothing; and with every step an event of the engine
# the same bytes come out, in every file but steps.csv.
servecast=$1 summary_laws=$2 scenario=$3
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1

# run NAME FLAGS...: into scratch/NAME.
run() {
  name=$1
  shift
  timeout --kill-after=5 120 "$servecast" run "$scenario" --out "$scratch/$name" --format json \
    --detail replicas,links,flows "$@" >"$scratch/$name.stdout" 2>"$scratch/$name.stderr"
  status=$?
  [ $status -eq 0 ] || { echo "$name: exit status $status"; cat "$scratch/$name.stderr"; exit 1; }
}

run plain
"$summary_laws" "$scratch/plain/summary.json" || exit 1
run step_by_step --step-by-step
diff -r "$scratch/plain" "$scratch/step_by_step" >"$scratch/diff" && exit 0
echo "differs with --step-by-step:"
head -n 20 "$scratch/diff"
exit 1
