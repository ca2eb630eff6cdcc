#!/bin/sh
# Forecasts of what TensorRT-LLM publishes about its 1.0 (scenarios/measured), which nothing was fitted on.  published.sh SERVECAST-CALIBRATE SOURCE-FOLDER
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
"$1" report --servers "$2/scenarios/measured" --out "$scratch/page.md" || exit 1
cat "$scratch/page.md"

# "| [TensorRT-LLM, offline](...) | output tokens/s | 50 | 3.9 % / 10.2 % | 6.0 % / 15.0 % | ...": rows, median / p90.
awk -F ' *[|] *' '
  function fail(text) { print "FAILED: " text; bad = 1 }
  $3 == "output tokens/s" {
    seen = 1
    split($5, error, "/")
    if ($4 != "50") fail("rows with a forecast that nothing was fitted on: " $4 ", there are 50")
    if (error[1] + 0 > 6) fail("median error " error[1] ", asked: 6 %")
    if (error[2] + 0 > 15) fail("p90 " error[2] ", asked: 15 %")
  }
  END { if (!seen) fail("no row of medians"); exit bad }' "$scratch/page.md"
