#!/bin/sh
# Engine files state the errors that `servecast-calibrate errors` makes of all measured servers.  errors_stated.sh SERVECAST-CALIBRATE SOURCE-FOLDER
# Ten minutes of a core, so that it runs where SERVECAST_REFIT is set. Measured servers lie in SERVECAST_DATA (../shared/data). Exit 77: not asked for, or no data.
calibrate=$1 source=$2 folder=${SERVECAST_DATA:-$2/../shared/data}/measured
[ -n "$SERVECAST_REFIT" ] || { echo "SKIPPED: takes ten minutes; SERVECAST_REFIT=1 runs it"; exit 77; }
[ -d "$folder" ] || { echo "SKIPPED: no measured servers in $folder"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
# Those with `models:` in an entry were fitted; others are assumed.
engines=$(cd "$source/scenarios/hw/engines" && grep -l '^    models:' ./*.yaml | sed 's|^\./||; s|\.yaml$||')
[ -n "$engines" ] || { echo "FAILED: no engine file states fitted errors"; exit 1; }
for engine in $engines; do cp "$source/scenarios/hw/engines/$engine.yaml" "$scratch" || exit 1; done
# shellcheck disable=SC2086  # names of engines, one a word
"$calibrate" errors $engines --servers "$folder" --write "$scratch" || exit 1
for engine in $engines; do
  diff -u "$source/scenarios/hw/engines/$engine.yaml" "$scratch/$engine.yaml" || bad=1
done
[ -z "$bad" ] || { echo "FAILED: fit again: scripts/fit-errors DATA"; exit 1; }
