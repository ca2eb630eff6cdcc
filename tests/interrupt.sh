#!/bin/sh
# A run that is cut short leaves the earlier DIR whole.  interrupt.sh SERVECAST SCENARIO LONG-SCENARIO
#
# SIGINT while a long run simulates: exit status 130, DIR as it was, nothing left beside it. SIGKILL at 20 moments of a
# short run, its writing included: DIR is the earlier report or the new one, never a mixture, and a next run works.
servecast=$1 scenario=$2 long=$3
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
out=$scratch/work/out
failed=0
wrong() { echo "$1"; failed=1; }
run() { "$servecast" run "$@" --detail replicas,links,flows,steps >/dev/null; }
same() { diff -rq "$1" "$2" >/dev/null 2>&1; }

run "$scenario" --out "$out" || { echo "the first run failed"; exit 1; }
cp -R "$out" "$scratch/old"
begin=$(date +%s%N)
run "$scenario" --set seed=2 --out "$scratch/new" || { echo "the second run failed"; exit 1; }
took_ms=$((($(date +%s%N) - begin) / 1000000))
if same "$scratch/old" "$scratch/new"; then echo "seeds 1 and 2 give the same report: this test sees nothing"; exit 1; fi

# SIGINT once the run reports progress. POSIX shells start background jobs with SIGINT ignored; env gives it back.
env --default-signal=INT "$servecast" run "$long" --out "$out" --progress json >/dev/null 2>"$scratch/progress" &
job=$!
while [ ! -s "$scratch/progress" ] && kill -0 $job 2>/dev/null; do sleep 0.02; done
kill -INT $job || wrong "the long run ended before it was interrupted"
wait $job
status=$?
[ $status -eq 130 ] || wrong "SIGINT: wanted exit status 130, got $status: $(tail -n 3 "$scratch/progress")"
same "$scratch/old" "$out" || wrong "SIGINT: the earlier folder has changed"
[ "$(ls -A "$scratch/work")" = out ] || wrong "SIGINT: left behind: $(ls -A "$scratch/work")"

for i in $(seq 0 19); do
  # Not through run(): the process to kill would then be a shell, and the program would live on.
  "$servecast" run "$scenario" --set seed=2 --out "$out" --detail replicas,links,flows,steps \
    --trace "$scratch/work/trace.json" >/dev/null 2>&1 &
  job=$!
  sleep "$(awk -v i="$i" -v ms="$took_ms" 'BEGIN { print i * ms / 19000 }')"
  kill -KILL $job 2>/dev/null
  wait $job 2>/dev/null
  same "$scratch/old" "$out" || same "$scratch/new" "$out" || wrong "SIGKILL $i of 19: the folder is neither old nor new"
done
run "$scenario" --set seed=2 --out "$out" --trace "$scratch/work/trace.json" || wrong "a run after the kills failed"
same "$scratch/new" "$out" || wrong "a run after the kills gave another report"
rm "$scratch/work/trace.json" || wrong "the run after the kills wrote no trace"
[ "$(ls -A "$scratch/work")" = out ] || wrong "the run after the kills did not clear away: $(ls -A "$scratch/work")"
exit $failed
