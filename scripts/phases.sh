# Shared by the scripts beside it, which source it from the top of the repository after setting `logs`.
. scripts/libraries.sh

# On a terminal, how far a phase is: the last "[12/97]" that ninja wrote. Ends with the script, however that ends.
watch_log() {
  while sleep 0.5 && kill -0 $$ 2>/dev/null; do
    printf '\r%-24s%s' "$title" "$(tail -n 1 "$log" | grep -o '^\[[0-9]*/[0-9]*\]')" >&2
  done
}

# phase TITLE COMMAND...: one line on stderr with the time taken; the whole log where the command fails.
phase() {
  title=$1
  shift
  mkdir -p "${logs:?}"
  log="$logs/$(echo "$title" | tr -c 'a-z0-9\n' '_').txt"
  begin=$(date +%s.%N)
  printf '%-24s' "$title" >&2
  : >"$log"
  if [ -t 2 ]; then watch_log & watcher=$!; else watcher=; fi
  status=0
  "$@" </dev/null >"$log" 2>&1 || status=$?
  if [ -n "$watcher" ]; then kill "$watcher" 2>/dev/null; printf '\r%-24s' "$title" >&2; fi
  took=$(echo "$begin $(date +%s.%N)" | LC_ALL=C awk '{ printf "%.1f s", $2 - $1 }')
  if [ "$status" -ne 0 ]; then
    printf 'failed after %s:\n\n' "$took" >&2
    cat "$log" >&2
    exit "$status"
  fi
  printf '%8s\n' "$took" >&2
}

jobs=$(nproc)

# configure FOLDER CMAKE-ARGUMENTS...: only the first time; after that the build itself sees what changed.
configure() {
  folder=$1
  shift
  [ -f "$folder/build.ninja" ] || phase configure cmake -B "$folder" "$@"
}

# build_and_test PRESET [LABEL]: the way from a bare machine to ctest's summary.
build_and_test() {
  preset=$1
  logs=build/$preset/log
  phase packages scripts/install-packages test
  scripts/install-packages gui </dev/null >"$logs/gui_packages.txt" 2>&1 || echo "no Qt 6 to be had here" >&2
  phase configure cmake --preset "$preset"
  grep -E '^-- (CUDA|Qt 6):' "$log" >&2 || true
  phase build cmake --build --preset "$preset" -j "$jobs"
  # The tests start a program some 6,000 times; without ns-3 each start is 15 ms shorter (docs/decisions/without-ns-3.md).
  if stubs_of "$PWD/build/$preset/stubs" "build/$preset/bin/servecast" 2>/dev/null; then
    export LD_LIBRARY_PATH="$PWD/build/$preset/stubs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  fi
  if [ -n "${2:-}" ]; then set -- --preset "$preset" --label-regex "$2"; else set -- --preset "$preset" --label-exclude part; fi
  set -- "$@" -j "$jobs"
  if [ -t 1 ]; then set -- "$@" --progress; fi
  ctest "$@"
}
