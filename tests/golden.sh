#!/bin/sh
# Compares a run with its golden report.  golden.sh SERVECAST SCENARIO GOLDEN
# UPDATE_GOLDEN=1 rewrites it; the commit and CHANGELOG.md then say why a number moved.
servecast=$1 scenario=$2 golden=$3
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1

# From the scenario's own folder, so that no path of this machine gets into the report. The version is no result.
cd "$(dirname "$scenario")" || exit 1
"$servecast" run "$(basename "$scenario")" --format json >"$scratch/all" || exit 1
grep -v '^ *"version": ' "$scratch/all" >"$scratch/report"

if [ -n "$UPDATE_GOLDEN" ]; then
  cp "$scratch/report" "$golden"
elif ! diff "$golden" "$scratch/report"; then
  echo "A number moved (< golden, > now). If it should: UPDATE_GOLDEN=1 ctest --preset dev -R golden"
  exit 1
fi
