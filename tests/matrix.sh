#!/bin/sh
# Drawn scenarios keep the laws of every run, or are refused as the table of combinations says.
#   matrix.sh SERVECAST SUMMARY_LAWS MATRIX_SCENARIO FIRST COUNT
#   matrix.sh ... FIRST COUNT --table    for scripts/soak: one line a seed, "seed<tab>law or row<tab>what"
# `matrix_scenario SEED >FILE` draws one of them again.
servecast=$1 summary_laws=$2 matrix_scenario=$3 first=$4 count=$5 table=$6
here=$(dirname "$0")
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
LAWS_TIMEOUT_S=${LAWS_TIMEOUT_S:-60}
export LAWS_TIMEOUT_S

# known SEED: the reason why it breaks a law today.
known() { sed -n "s/^$1: *//p" "$here/matrix/known_failures"; }

# Into scratch/what: the law or the rows; exit status 0: kept, 1: broken, 2: refused by rows of the table.
try() {
  "$matrix_scenario" "$1" >"$scratch/scenario.yaml" || { echo "drawing: failed" >"$scratch/what"; return 1; }
  if "$here/laws.sh" "$servecast" "$summary_laws" "$scratch/scenario.yaml" >"$scratch/what" 2>&1; then
    return 0
  fi
  [ "$(head -n 1 "$scratch/what")" = "plain: exit status 2" ] || return 1
  sed 1d "$scratch/what" | "$matrix_scenario" --rows >"$scratch/rows" || {
    sed -i '1s/.*/the draw is refused: exit status 2/' "$scratch/what"
    return 1
  }
  mv "$scratch/rows" "$scratch/what"
  return 2
}

# line SEED STATUS: for the table.
line() {
  case $2 in
  0) printf '%s\tkept\t\n' "$1" ;;
  1) printf '%s\tbroken\t%s\n' "$1" "$(head -n 2 "$scratch/what" | tr '\n\t' '  ')" ;;
  2) sed "s/^/$1	refused	/" "$scratch/what" ;;
  esac
}

# judge SEED STATUS: what a test says.
judge() {
  reason=$(known "$1")
  if [ "$2" -eq 1 ] && [ -z "$reason" ]; then
    echo "seed $1 breaks a law:"
    cat "$scratch/what"
    failed=1
  elif [ "$2" -ne 1 ] && [ -n "$reason" ]; then
    echo "seed $1 is in tests/matrix/known_failures ($reason) and keeps all laws: take it out"
    failed=1
  fi
}

failed=0
seed=$first
while [ "$seed" -lt $((first + count)) ]; do
  try "$seed"
  status=$?
  if [ -n "$table" ]; then line "$seed" $status; else judge "$seed" $status; fi
  seed=$((seed + 1))
done
exit $failed
