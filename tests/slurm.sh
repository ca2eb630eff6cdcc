#!/bin/sh
# A study of 200 designs, and one with months and options, as job arrays of a real Slurm.  slurm.sh SERVECAST STUDY MONTHS
#
# One node on loopback, with ports and folders of its own. A task is killed on its way; Slurm starts it again; from the joined
# results comes the plan of one process, byte for byte, and of all that the search asks for nothing is simulated again. The other
# array runs while the killed task waits for its turn. Skipped where Slurm is not installed (scripts/install-packages slurm).
servecast=$1 study=$2 months=$3
for program in slurmctld slurmd sbatch munged; do
  PATH=$PATH:/usr/sbin command -v $program >/dev/null || { echo "skipped: there is no $program"; exit 77; }
done
PATH=$PATH:/usr/sbin
scratch=$(mktemp -d) || exit 1
daemons=
finish() {
  # shellcheck disable=SC2086  # a list of ids
  [ -z "$daemons" ] || kill $daemons 2>/dev/null
  wait
  rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 1' INT TERM
fail() { echo "$1"; tail -n 5 "$scratch"/*.log 2>/dev/null; exit 1; }
await() {  # await SECONDS WHAT COMMAND...
  left=$(($1 * 5)) what=$2; shift 2
  until "$@" >/dev/null 2>&1; do
    left=$((left - 1)); [ $left -gt 0 ] || fail "$what"
    sleep 0.2
  done
}

me=$(id -un) node=$(uname -n | cut -d. -f1) port=$((20000 + $$ % 20000))
mkdir "$scratch/state" "$scratch/spool"
# With cred_expire a task that was killed starts again after as many seconds.
cat >"$scratch/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$node(127.0.0.1)
SlurmUser=$me
SlurmdUser=$me
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$scratch/munge.socket,cred_expire=5
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
RequeueExit=137
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
NodeName=$node NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
SLURM_CONF=$scratch/slurm.conf && export SLURM_CONF
dd if=/dev/urandom of="$scratch/munge.key" bs=1024 count=1 2>/dev/null && chmod 600 "$scratch/munge.key"
munged --foreground --force --key-file="$scratch/munge.key" --socket="$scratch/munge.socket" \
  --pid-file="$scratch/munged.pid" --log-file="$scratch/munged.log" --seed-file="$scratch/munge.seed" >"$scratch/munged.txt" 2>&1 &
daemons=$!
await 10 "munged does not start" test -S "$scratch/munge.socket"
slurmctld -D -f "$SLURM_CONF" >"$scratch/slurmctld.log" 2>&1 &
daemons="$! $daemons"
await 20 "slurmctld does not start" scontrol ping
slurmd -D -f "$SLURM_CONF" -N "$node" >"$scratch/slurmd.log" 2>&1 &
daemons="$! $daemons"
await 30 "the node does not come up" sh -c "sinfo -h -o %t | grep -qx idle"

plan() { "$servecast" plan "$study" "$@"; }
plan_months() { "$servecast" plan "$months" "$@"; }
results() { "$servecast" plan merge "$1" --out "$scratch/count-$2" | cut -d' ' -f1; }
plan --out "$scratch/one" >"$scratch/one.txt" || fail "the plan of one process failed"
grep -q 'Of 200 designs' "$scratch/one.txt" || fail "these are not 200 designs"
plan --out "$scratch/all" --emit slurm --shards 8 >"$scratch/array.sh" || fail "no job array"
job=$(sbatch --parsable --chdir="$scratch" --output="$scratch/task-%a.txt" "$scratch/array.sh") || fail "sbatch failed"

await 120 "share 3 does not begin" test -s "$scratch/all/shard-3/plan.sqlite"
victim=$(pgrep -f -- "--shard 3/8 --out $scratch/all" | head -n 1)
[ -n "$victim" ] && kill -KILL "$victim" || fail "share 3 was over before it could be killed"
plan_months --out "$scratch/months" --emit slurm --shards 2 >"$scratch/months.sh" || fail "no job array of the months"
sbatch --parsable --chdir="$scratch" --output="$scratch/months-%a.txt" "$scratch/months.sh" >/dev/null || fail "sbatch failed"
await 300 "the arrays do not end: $(squeue -h -r)" sh -c '[ -z "$(squeue -h)" ]'
restarts=$(scontrol show job "${job}_3" | grep -o 'Restarts=[0-9]*')
[ "$restarts" = Restarts=1 ] || fail "share 3 was not started again: $restarts"
for task in 1 2 3 4 5 6 7 8; do
  grep -q "^share $task/8 of 200 designs: " "$scratch/task-$task.txt" || fail "share $task: $(cat "$scratch/task-$task.txt")"
done

# joined FOLDER ONE COMMAND: shares in FOLDER give the plan that is in ONE; but head-room, sensitivities and what holds of the
# first month's design are asked for afterwards.
joined() {
  "$servecast" plan merge "$scratch/$1"/shard-* --out "$scratch/$1" >"$scratch/merged.txt" || fail "merge failed: $1"
  before=$(results "$scratch/$1" "$1-joined")
  $3 --out "$scratch/$1" >"$scratch/$1.txt" || fail "the plan from the joined results failed: $1"
  cmp "$scratch/$2/plan.json" "$scratch/$1/plan.json" || fail "plan.json differs: $1"
  cmp "$scratch/$2.txt" "$scratch/$1.txt" || fail "the answers differ: $1"
  more=$(($(results "$scratch/$1" "$1-finished") - before))
  [ "$more" -lt 40 ] || fail "$more runs were missing: more than head-room and sensitivities of the answer: $1"
}
joined all one plan
plan_months --out "$scratch/one-months" >"$scratch/one-months.txt" || fail "the plan of months of one process failed"
grep -q '^MONTHS' "$scratch/one-months.txt" && grep -q '^OPTIONS' "$scratch/one-months.txt" || fail "there are no months or no options"
for task in 1 2; do
  grep -q "^share $task/2 of 10 designs: " "$scratch/months-$task.txt" || fail "share $task of months: $(cat "$scratch/months-$task.txt")"
done
joined months one-months plan_months
