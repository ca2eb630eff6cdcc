#!/bin/sh
# Forecasts of what TensorRT-LLM publishes about its 1.0 (scenarios/measured), which nothing was fitted on.  published.sh SERVECAST-CALIBRATE SOURCE-FOLDER
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
"$1" report --servers "$2/scenarios/measured" --out "$scratch/page.md" || exit 1
sed -n '1,/^## Every row/p' "$scratch/page.md"

# "| TensorRT-LLM 1.0 offline, output tokens/s | 60 | 6.5 % | 13.7 % |": rows, median, p90.
awk -F ' *[|] *' '
  function fail(text) { print "FAILED: " text; bad = 1 }
  $2 ~ /^TensorRT-LLM 1.0 offline/ {
    seen = 1
    if ($3 != "60") fail("rows with a forecast: " $3 ", there are 60")
    if ($4 + 0 > 7) fail("median error " $4 ", asked: 7 %")
    if ($5 + 0 > 20) fail("p90 " $5 ", asked: 20 %")
  }
  END { if (!seen) fail("no row of medians"); exit bad }' "$scratch/page.md"
