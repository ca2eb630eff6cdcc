#!/bin/sh
# Same input, same bytes, in every file that a run can write.  determinism.sh SERVECAST SCENARIO
# Runs again: as it is; on a processor without AVX2 and FMA, as glibc's log and exp see it; elsewhere in the world; and
# with every step an event of the engine (then the rows of steps.csv come in another order).
servecast=$1 scenario=$2 flags=
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1

# again NAME ENVIRONMENT...: one more run, from a folder of its own, into scratch/NAME.
again() {
  name=$1
  shift
  mkdir -p "$scratch/$name/cwd" || exit 1
  (cd "$scratch/$name/cwd" && exec env "$@" "$servecast" run "$scenario" --out "../out" --format text \
     --detail replicas,links,flows,steps $flags) >"$scratch/$name/stdout" || { echo "$name: the run failed"; exit 1; }
  rmdir "$scratch/$name/cwd" || { echo "$name: files were left in the working folder"; exit 1; }
}

# A place that writes 0,5 and counts hours differently; where localedef is missing, at least the time zone is moved.
LOCPATH=$scratch/locale
mkdir "$LOCPATH"
localedef -i de_DE -f UTF-8 "$LOCPATH/de_DE.UTF-8" 2>"$scratch/localedef" || cat "$scratch/localedef"

again first LC_ALL=C TZ=UTC
[ -s "$scratch/first/out/summary.json" ] || { echo "the run wrote no summary.json"; exit 1; }
[ -s "$scratch/first/out/steps.csv" ] || { echo "the run wrote no steps.csv"; exit 1; }
again second LC_ALL=C TZ=UTC
# glibc up to 2.32 knew these as AVX2_Usable and so on; names it does not know are ignored.
again old_processor "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F,-AVX2_Usable,-FMA_Usable,-AVX512F_Usable"
again elsewhere "LOCPATH=$LOCPATH" LC_ALL=de_DE.UTF-8 TZ=Asia/Kathmandu
flags=--step-by-step
again step_by_step LC_ALL=C TZ=UTC
sort "$scratch/first/out/steps.csv" >"$scratch/steps"
sort "$scratch/step_by_step/out/steps.csv" | cmp - "$scratch/steps" || { echo "other steps with $flags"; exit 1; }
cp "$scratch/first/out/steps.csv" "$scratch/step_by_step/out/steps.csv"

failed=0
for name in second old_processor elsewhere step_by_step; do
  diff -r "$scratch/first" "$scratch/$name" >"$scratch/diff" && continue
  echo "differs from the first run: $name"
  head -n 20 "$scratch/diff"
  failed=1
done
exit $failed
