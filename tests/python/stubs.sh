#!/bin/sh
# python/servecast/_figures.pyi is what the table of figures says.  stubs.sh SERVECAST SOURCE-FOLDER
# UPDATE_GOLDEN=1 rewrites it.
stubs=$2/python/servecast/_figures.pyi
command -v python3 >/dev/null || { echo "skipped: no python3 here"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
"$1" schema --of figures --format json >"$scratch/figures" || exit 1
python3 "$2/python/make_stubs.py" <"$scratch/figures" >"$scratch/stubs" || exit 1
[ -z "$UPDATE_GOLDEN" ] || cp "$scratch/stubs" "$stubs"
diff "$stubs" "$scratch/stubs" || { echo "$stubs is old: UPDATE_GOLDEN=1 ctest --preset dev -R '^made' rewrites it"; exit 1; }
