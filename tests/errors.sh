#!/bin/sh
# Engine files state the errors that `servecast-calibrate errors` makes.  errors.sh SERVECAST-CALIBRATE SOURCE-FOLDER
# Measured servers lie in SERVECAST_DATA (../shared/data). Exit 77: no data here.
calibrate=$1 source=$2 folder=${SERVECAST_DATA:-$2/../shared/data}/measured
[ -d "$folder" ] || { echo "no measured servers in $folder"; exit 77; }
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
[ -z "$bad" ] || { echo "FAILED: fit again: servecast-calibrate errors $engines --servers DIR --write scenarios/hw/engines"; exit 1; }
