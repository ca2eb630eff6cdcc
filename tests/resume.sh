#!/bin/sh
# A sweep that is cut short goes on where it was.  resume.sh SERVECAST SCENARIO
#
# SIGINT: exit status 130, no child lives on, what was simulated is kept. SIGKILL, again and again: the same, and the next
# start goes on; in the end there are the bytes of an undisturbed sweep. A second one beside it is refused.
servecast=$1 scenario=$2
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
seeds=$(seq -s, 1 60)
failed=0
wrong() { echo "$1"; failed=1; }
sweep() { "$servecast" sweep "$scenario" --set first_requests=300 --over "seed=$seeds" --jobs 2 "$@"; }
# Starts one in the background, as a process that can be killed: sets $job, and comes back when a result is there.
begin() {
  : >"$scratch/progress"
  env --default-signal=INT "$servecast" sweep "$scenario" --set first_requests=300 --over "seed=$seeds" --jobs 2 \
    --out "$scratch/cut" --progress json >/dev/null 2>"$scratch/progress" &
  job=$!
  until grep -q '"done":[1-9]' "$scratch/progress" || ! kill -0 $job 2>/dev/null; do sleep 0.02; done
}
results() { "$servecast" plan merge "$scratch/cut" --out "$scratch/count" | cut -d' ' -f1; }
no_child_of() {
  for _ in $(seq 600); do
    pgrep -f -- "--out $scratch/cut" >/dev/null || return 0
    sleep 0.1
  done
  wrong "$1: a child lives on"
}

sweep --out "$scratch/whole" >"$scratch/whole.txt" || { echo "the undisturbed sweep failed"; exit 1; }

begin
"$servecast" sweep "$scenario" --over seed=1,2 --out "$scratch/cut" >"$scratch/second.txt" 2>&1
[ $? -eq 2 ] || wrong "a second writer: wanted exit status 2"
grep -q 'in use by another process' "$scratch/second.txt" || wrong "a second writer: $(cat "$scratch/second.txt")"
kill -INT $job 2>/dev/null || wrong "the sweep ended before it was interrupted"
wait $job
[ $? -eq 130 ] || wrong "SIGINT: wanted exit status 130: $(tail -n 3 "$scratch/progress")"
no_child_of SIGINT
kept=$(results)
[ "$kept" -gt 0 ] && [ "$kept" -lt 60 ] || wrong "SIGINT: $kept of 60 results are kept"

# As often as there is still enough to do: how much each leaves behind is the machine's business.
for i in 1 2 3 4; do
  [ "$kept" -lt 40 ] || break
  begin
  kill -KILL $job 2>/dev/null
  wait $job 2>/dev/null
  no_child_of "SIGKILL $i"
  now=$(results)
  [ "$now" -ge "$kept" ] || wrong "SIGKILL $i: $now results, there were $kept"
  kept=$now
done
sweep --out "$scratch/cut" >"$scratch/cut.txt" || wrong "the sweep after the kills failed"
for file in sweep.csv sweep.json; do
  cmp "$scratch/whole/$file" "$scratch/cut/$file" || wrong "$file differs"
done
cmp "$scratch/whole.txt" "$scratch/cut.txt" || wrong "the tables differ"
exit $failed
