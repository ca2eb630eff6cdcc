#!/bin/sh
# A router in a folder of one's own: docs/example-policy is built outside the source tree against what `cmake --install` gives,
# keeps the contract, and runs in a scenario, in many runs and in a study. Libraries that are wrong are refused in one message.
#   plugins.sh SOURCE-FOLDER BUILD-FOLDER
source=$1 build=$2
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
failed=0
wrong() { echo "$1"; failed=1; }
unset SERVECAST_LIBRARY SERVECAST_PATH
export XDG_CONFIG_HOME="$scratch/config" LC_ALL=C

export CMAKE_GENERATOR=Ninja  # which the build needs anyway; make may be missing
cmake --install "$build" --prefix "$scratch/prefix" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
servecast=$scratch/prefix/bin/servecast
cp -r "$source/docs/example-policy" "$scratch/mine" && cd "$scratch/mine" || exit 1

# Libraries that are wrong, each in its way.
mkdir bad
head='#include "models/policy/router.h"
namespace servecast {
struct Mine final : Router {
  struct Settings { void fields(Fields&) {} };
  explicit Mine(const Settings&) {}
  std::optional<Route> pick(const Request&, const ReplicaViews& all, Rng&) override;
};'
body='std::optional<Route> Mine::pick(const Request&, const ReplicaViews& all, Rng&) { return all[0].id; }'
{ echo "$head"; echo '[[maybe_unused]] const bool added = Registry<Router>::add<Mine>("undefined", ""); }'; } >bad/undefined.cpp
{ echo "$head $body"; echo '[[maybe_unused]] const bool added = Registry<Router>::add<Mine>("least_loaded", ""); }'; } >bad/taken.cpp
{ echo "$head $body"; echo 'const bool added = [] { throw std::runtime_error("not today"); return true; }(); }'; } >bad/throws_loading.cpp
{ echo "$head $body"; echo '}'; } >bad/empty.cpp
{ echo "$head"
  echo 'std::optional<Route> Mine::pick(const Request& r, const ReplicaViews& all, Rng&) {'
  echo '  if (r.arrival_s > 2) throw std::runtime_error("the router is lost");'
  echo '  return all[0].id; }'
  echo '[[maybe_unused]] const bool added = Registry<Router>::add<Mine>("lost", "throws"); }'; } >bad/throws.cpp
sed -i '1i #include <stdexcept>' bad/throws.cpp bad/throws_loading.cpp
for name in undefined taken throws_loading empty throws; do
  echo "servecast_add_policies($name bad/$name.cpp)" >>CMakeLists.txt
done

cmake -B build -D CMAKE_PREFIX_PATH="$scratch/prefix" -D CMAKE_CXX_FLAGS="-Wall -Wextra -Werror" >"$scratch/log" 2>&1 &&
  cmake --build build -j 2 >>"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
library=$scratch/mine/build/libexample_policy.so
ctest --test-dir build --output-on-failure >"$scratch/log" || { cat "$scratch/log"; wrong "the example does not keep the contract"; }
grep -q '100% tests passed.* out of 1' "$scratch/log" || wrong "the example's contract was not checked"

# A scenario that names it, and what its report says.
"$servecast" run scenario.yaml --out report >text || wrong "the scenario with the plug-in does not run"
sha=$(sha256sum "$library" | cut -d ' ' -f 1)
grep -q "\"sha256\": \"$sha\"" report/summary.json || wrong "summary.json does not name the library's digest $sha"
grep -q "router 'emptiest' comes from $library" text || wrong "the report does not say where the router comes from"
"$servecast" check scenario.yaml | grep -q "added *router 'emptiest' comes from $library" || wrong "check does not name the library"
"$servecast" list routers --plugin "$library" | grep -q "^emptiest .*(from $library)" || wrong "list does not say where it comes from"
"$servecast" schema 'pools[].router' --plugin "$library" | grep -q waiting_request_blocks || wrong "the schema lacks its settings"

if [ -x "$scratch/prefix/bin/servecast-gui" ]; then  # where Qt was found
  "$scratch/prefix/bin/servecast-gui" --shot scenario scenario.yaml shot.png || wrong "the window cannot show the scenario"
fi

# Given on the command line: the same forecast. The echo names it, so the report can be run again.
sed '/^plugins:/d' scenario.yaml >plain.yaml
"$servecast" run plain.yaml --plugin build/libexample_policy.so --out given >/dev/null || wrong "--plugin does not run"
for file in requests.csv series.csv; do cmp report/$file given/$file || wrong "--plugin gives another $file"; done
grep -q '"plugins"' given/summary.json || wrong "the echoed settings do not name the plug-in"
"$servecast" run plain.yaml >out 2>&1 && wrong "without the plug-in the router is known"
grep -q "unknown router 'emptiest'" out || wrong "without the plug-in: $(cat out)"

# Many runs, in processes of their own; what is kept rests on the library.
"$servecast" sweep scenario.yaml --over 'pools[0].replicas=1,2' --out study >first || wrong "sweep does not run with the plug-in"
"$servecast" whatif plain.yaml --set 'pools[0].replicas=3' --replicates 1 --plugin "$library" >/dev/null ||
  wrong "whatif does not run with the plug-in"
sed -i 's/replica.used_blocks - replica.total_blocks/replica.total_blocks - replica.used_blocks/' emptiest.cpp
cmake --build build -j 2 >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
"$servecast" sweep scenario.yaml --over 'pools[0].replicas=1,2' --out study >second || wrong "sweep does not go on"
cmp -s first second && wrong "a sweep took results of the library before it was built again"
{ echo 'name: mine'
  echo 'base:'; sed 's/^/  /' scenario.yaml
  echo 'objectives: [{metric: ttft_s, percentile: 95, at_most: 2}]'
  echo 'space: [{name: replicas, path: "pools[0].replicas", from: 1, to: 3}]'
  echo 'goal: least_cost'; } >study.yaml
"$servecast" plan study.yaml --bounds-only >"$scratch/log" 2>&1 || wrong "plan cannot size the scenario: $(cat "$scratch/log")"

# refused WANTED COMMAND...: exit status 2, and one message that says so.
refused() {
  wanted=$1; shift
  "$@" >out 2>&1 </dev/null
  status=$?
  [ $status -eq 2 ] || wrong "$*: exit status $status, not 2: $(cat out)"
  grep -q -- "$wanted" out || wrong "wanted: $wanted
got:    $(cat out)"
  [ "$(wc -l <out)" -eq 1 ] || wrong "more than one line: $(cat out)"
}
run="$servecast run scenario.yaml --out bad_report --plugin"
refused "there is no plug-in 'nowhere.so'" $run nowhere.so
refused "unknown plug-in 'nowhere'" $run nowhere
printf 'not a library' >text.so
refused "is no plug-in: it holds no card" $run ./text.so
refused "cannot be loaded: .*undefined symbol: .*Mine" $run build/libundefined.so
refused "router 'least_loaded', a name that is taken (bundled)" $run build/libtaken.so
refused "throws while it is loaded: not today" $run build/libthrows_loading.so
refused "registers no policy" $run build/libempty.so
at=$(grep -abo 'servecast: card of a plug-in' "$library" | cut -d : -f 1)
cp "$library" abi.so && printf '\007' | dd of=abi.so bs=1 seek=$((at + 32)) conv=notrunc 2>/dev/null
refused "its plug-in interface is number 7, that of this program number 1; build it again" $run ./abi.so
digest=$(sed -n 's/.*"\([0-9a-f]*\)".*/\1/p' "$scratch/prefix/include/servecast/servecast_headers.h")
sed "s/$digest/$(echo "$digest" | tr 0-9a-f 1-9a-f0)/" "$library" >headers.so
refused "it was built with the headers of another servecast" $run ./headers.so
sed 's/x86_64, libstdc++/x86_64, nonesuch+/; s/aarch64, libstdc++/aarch64, nonesuch+/' "$library" >toolchain.so
refused "it was built for .*nonesuch+, this program for" $run ./toolchain.so
sed -i 's/build.libexample_policy.so/nowhere.so/' scenario.yaml
refused "^scenario.yaml:3:.*there is no plug-in" "$servecast" check scenario.yaml

# A policy that throws: a fault, told with the plug-in's name, and no report.
"$servecast" run plain.yaml --plugin build/libthrows.so --set 'pools[0].router={policy: lost}' --out bad_report >out 2>&1
[ $? -eq 1 ] || wrong "a router that throws: exit status is not 1"
grep -q "at .* s of simulated time: the router is lost" out || wrong "a router that throws: $(cat out)"
grep -q "libthrows.so (router 'lost')" out || wrong "the message does not name the plug-in: $(cat out)"
[ ! -e bad_report ] || wrong "a run that was refused left a report"
"$servecast" contract --plugin build/libthrows.so >out 2>&1
[ $? -eq 2 ] || wrong "contract: a router that throws passes"
grep -q 'BROKEN .*router .lost' out || wrong "contract names nothing broken: $(cat out)"
exit $failed
