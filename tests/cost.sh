#!/bin/sh
# What runs cost, held against bars.  cost.sh SERVECAST SOURCE-FOLDER BUILD-TYPE [BENCH-REPLAY]
#
# Instructions as valgrind counts them: the same on a busy machine, and within a percent from one run to the next. Bars
# are what was measured and a tenth more, for other versions of the libraries. Memory and the ratio of the simulation
# loop to its engine-free twin as bench_replay tells them. Skipped without valgrind, and where nothing is optimised.
servecast=$1 source=$2 build_type=$3 bench=$4
case $build_type in Rel*) ;; *) echo "skipped: a $build_type build is not optimised"; exit 77 ;; esac
command -v valgrind >/dev/null || { echo "skipped: there is no valgrind"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
failed=0

# at_most MILLIONS WHAT ARGUMENTS...
at_most() {
  bar=$1 what=$2
  shift 2
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$servecast" "$@" >"$scratch/out" 2>"$scratch/told" ||
    { cat "$scratch/told"; failed=1; return; }
  count=$(sed -n 's/.*refs: *//p' "$scratch/told" | tr -d ,)
  millions=$((${count:-0} / 1000000))
  echo "$what: $millions million instructions, at most $bar"
  [ $millions -gt 0 ] && [ $millions -le "$bar" ] || failed=1
}

at_most 95 "starting the program" --version
at_most 228 "1,000 requests of chat.yaml" run "$source/scenarios/chat.yaml" --set first_requests=1000
at_most 1850 "10,000 requests on 1,024 replicas" run "$source/tests/data/thousand_replicas.yaml"

if [ -x "$bench" ]; then
  "$bench" --benchmark_filter='100k/roofline' --benchmark_format=json >"$scratch/bench" 2>/dev/null ||
    { echo "bench_replay fails"; exit 1; }
  value() {
    awk -v key="\"$1\":" '/"aggregate_name": "median"/ { here = 1 }
                           here && $1 == key { sub(",", "", $2); print $2 + 0; exit }' "$scratch/bench"
  }
  peak=$(value peak_MB) engine=$(value engine)
  echo "100,000 requests on 1,024 replicas: $peak MB, at most 62; $engine times the engine-free twin, at most 3"
  awk "BEGIN { exit !($peak > 0 && $peak <= 62 && $engine > 0 && $engine <= 3) }" || failed=1
fi
exit $failed
