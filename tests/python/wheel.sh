#!/bin/sh
# The wheel: made, small, for old enough systems, and in an empty virtual environment without the package index it forecasts
# within 15 seconds of processor time.
#   wheel.sh SOURCE-FOLDER BUILD-FOLDER      leaves BUILD-FOLDER/python_tests/wheels and the environment BUILD-FOLDER/python_tests/empty
source=$1 work=$2/python_tests
unset LD_LIBRARY_PATH
failed=0
wrong() { echo "$1"; failed=1; }
mkdir -p "$work" && rm -rf "$work/empty" "$work/wheels" || exit 1
export CMAKE_BUILD_PARALLEL_LEVEL=2 WERROR=1

"$source/scripts/wheel" "$work/wheels"
status=$?
[ $status -ne 77 ] || { echo "skipped: no wheel can be made here"; exit 77; }
[ $status -eq 0 ] || exit 1
wheel=$(ls "$work"/wheels/servecast-*.whl) || exit 1

python3 -m venv "$work/empty" || exit 1
cd "$work" || exit 1
( "$work/empty/bin/pip" install --quiet --no-index "$wheel" && "$work/empty/bin/python" -c '
import servecast
print(servecast.Scenario.load("chat.yaml").run(progress=False))' >forecast && times >spent ) || exit 1
grep -q '^LATENCY' forecast || wrong "no forecast: $(cat forecast)"
seconds=$(tail -n 1 spent | awk '{ split($1, own, "m"); split($2, kernel, "m"); print int(own[1] * 60 + own[2] + kernel[1] * 60 + kernel[2]) }')
[ "$seconds" -le 15 ] || wrong "from pip install to a forecast: $seconds s of processor time"

# Nothing of this machine but the C library and what manylinux says every system has.
package=$("$work/empty/bin/python" -c 'import servecast; print(servecast.__path__[0])')
elsewhere=$(ldd "$package"/program/bin/* "$package"/_core*.so "$package"/../servecast.libs/* |
  awk -v own="$(dirname "$package")" '/=>/ && index($3, own) != 1 { print $1 }' | sort -u |
  grep -vE '^(linux-vdso|lib(c|m|dl|pthread|rt|resolv|util|z|stdc\+\+|gcc_s)|/lib64/ld-linux.*)\.so')
[ -z "$elsewhere" ] || wrong "taken from this machine: $elsewhere"
find "$package/program/share/doc/libraries" -name '*simgrid*' | grep -q . || wrong "no licence of SimGrid in the wheel"
"$work/empty/bin/servecast-calibrate" report h100_sxm_80g.vllm | grep -q '^| gemm bf16 |' ||
  wrong "the installed servecast-calibrate finds no kernel profiles"

"$source/scripts/portable" "$work/portable" "$source/build/wheel" && "$work/portable/servecast" --version >/dev/null ||
  wrong "the wheel's build folder makes no portable folder"
rm -rf "$work/portable"
exit $failed
