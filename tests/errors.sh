#!/bin/sh
# `servecast-calibrate errors` on a few made-up servers.  errors.sh SERVECAST-CALIBRATE SOURCE-FOLDER
# An engine file whose errors are those of another version of the program, which this one cannot read, is fitted anew like any other.
calibrate=$1 source=$2
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
fail() { echo "FAILED: $1"; exit 1; }

mkdir "$scratch/library" "$scratch/measured" && cp -r "$source/scenarios/hw" "$source/scenarios/llms" "$scratch/library" || exit 1
file=$scratch/library/hw/engines/sglang-0.5.yaml
sed '/^errors:/,$d' "$file" >"$scratch/before"
{ cat "$scratch/before"; printf 'errors:\n  of_no_version: [1\n'; } >"$file"

# Eight servers of a system that the split sets aside for errors, far slower than any forecast.
{
  echo "system,model_path,backend,backend_version,precision,mode,isl,osl,concurrency,tp_size,pp_size,attention_dp_size,moe_ep_size,silicon_ttft_ms,silicon_tpot_ms,id"
  for prompt in 64 96 128 160 192 224 256 288; do
    echo "h100_sxm,Qwen/Qwen3-32B,sglang,0.5.6,,agg,$prompt,16,2,2,1,1,1,2000,400,made up $prompt"
  done
} >"$scratch/measured/closed_loop_h100.csv"

SERVECAST_LIBRARY=$scratch/library
export SERVECAST_LIBRARY
"$calibrate" errors sglang-0.5 --servers "$scratch/measured" --write "$scratch/library/hw/engines" || exit 1
sed '/^errors:/,$d' "$file" | cmp - "$scratch/before" || fail "what is before the errors has changed"
grep -q '    steps: {p05: 1, p50: 4, p95: 4}' "$file" || fail "steps are not four times as slow, the most that errors say: $(cat "$file")"
grep -q '1 systems, 8 figures of steps' "$file" || fail "not fitted on what was measured: $(cat "$file")"
"$calibrate" report --servers "$scratch/measured" --replicates 1 >"$scratch/page" || fail "the file that it wrote is refused"

! "$calibrate" errors trtllm-1.0 --servers "$scratch/measured" 2>"$scratch/complaint" || fail "errors of an engine without a measured server"
grep -q "no server that errors of 'trtllm-1.0' are fitted on" "$scratch/complaint" || fail "$(cat "$scratch/complaint")"
