#!/bin/sh
# Leaves out of a drawn scenario that breaks a law whatever can be left out while it breaks the same one, and writes what
# stays.  shrink.sh SERVECAST SUMMARY_LAWS MATRIX_SCENARIO SEED
# Said on stderr: the edits that `matrix_scenario SEED` makes the same scenario with.
servecast=$1 summary_laws=$2 matrix_scenario=$3 seed=$4
here=$(dirname "$0")
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1

# law EDIT...: the one that breaks, and of a run that fails its message without numbers; nothing: none does.
law() {
  "$matrix_scenario" "$seed" "$@" >"$scratch/scenario.yaml" 2>/dev/null || return
  LAWS_TIMEOUT_S=20 "$here/../laws.sh" "$servecast" "$summary_laws" "$scratch/scenario.yaml" >"$scratch/found" 2>&1 && return
  case $(head -n 1 "$scratch/found") in
  *': exit status'*) head -n 2 "$scratch/found" | tr -d '0-9' | cut -c 1-150 ;;
  *) head -n 1 "$scratch/found" | cut -d : -f 1 ;;
  esac
}

set --
wanted=$(law)
[ -n "$wanted" ] || { echo "seed $seed keeps all laws" >&2; exit 1; }

# Whole features first; a part that is gone with a larger one is not tried.
"$matrix_scenario" --parts "$seed" >"$scratch/parts"
while read -r part; do
  gone=
  for edit in "$@"; do
    case $part in "$edit"/*) gone=1 ;; esac
  done
  [ -z "$gone" ] && [ "$(law "$@" "$part")" = "$wanted" ] && set -- "$@" "$part"
done <"$scratch/parts"

# Fewer requests.
for requests in $("$matrix_scenario" --parts "$seed" "$@" | grep '/generate/requests$'); do
  for count in 1 2 3 5 10 20 40 70 100; do
    [ "$(law "$@" "$requests=$count")" = "$wanted" ] && { set -- "$@" "$requests=$count"; break; }
  done
done
"$matrix_scenario" "$seed" "$@"
echo "matrix_scenario $seed $*" >&2
