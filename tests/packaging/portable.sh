#!/bin/sh
# The folder of scripts/portable needs no library of this machine but the C library's, and runs from wherever it lies.
#   portable.sh SOURCE-FOLDER BUILD-FOLDER
source=$1 build=$2
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
failed=0
wrong() { echo "$1"; failed=1; }
unset SERVECAST_LIBRARY LD_LIBRARY_PATH

"$source/scripts/portable" "$scratch/made" "$build" || exit 1
mv "$scratch/made" "$scratch/moved"
folder=$scratch/moved
elsewhere=$(LD_LIBRARY_PATH=$folder/lib ldd "$folder"/bin/* "$folder"/lib/* |
  awk -v own="$folder/lib/" '/=>/ && index($3, own) != 1 { print $1 }' | sort -u |
  grep -vE '^(linux-vdso|lib(c|m|dl|pthread|rt|resolv|util)|/lib64/ld-linux.*)\.so')
[ -z "$elsewhere" ] || wrong "taken from this machine: $elsewhere"

cd "$scratch" || exit 1
ln -s "$folder/servecast" linked
./linked run "$folder/share/servecast/scenarios/chat.yaml" --set first_requests=10 --out out \
  >/dev/null || wrong "the moved folder cannot run the flagship scenario"
ls "$folder/lib" | grep gsl && wrong "libraries of ns-3 travel along"
SERVECAST_SIMGRID_CFG=network/model:ns-3 ./linked run "$folder/share/servecast/scenarios/disaggregated.yaml" \
  --set first_requests=10 >/dev/null 2>message && wrong "SimGrid's ns-3 model ran without ns-3"
grep -q 'libns3-core.* is not part of this copy' message || wrong "no word about ns-3: $(cat message)"
"$folder/servecast-calibrate" report h100_sxm_80g.vllm >page.md
grep -q '^| gemm bf16 |' page.md || wrong "the moved folder does not find its kernel profiles"

"$source/scripts/portable" "$folder" "$build" 2>message && wrong "an existing folder was written over"
grep -q "exists" message || wrong "no word about the existing folder"
"$source/scripts/portable" "$scratch/other" "$scratch" 2>message && wrong "a folder without programs was taken"
grep -q "build first" message || wrong "no word about programs that are missing"
exit $failed
