#!/bin/sh
# Which folder may include which, between layers and between the rooms of a folder, how long a file may be, how many a folder holds, what clang 14 refuses, and that types have names of their own.  layers.sh SOURCE-FOLDER
cd "$1" || exit 1
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1

# Folder: what it and everything below it may include of ours. The first line that fits counts.
cat >"$scratch/ours" <<'TABLE'
models/base:        models/base
models/hw:          models/base models/hw
models/policy:      models/base models/hw models/policy
sim/input:          models sim/input servecast_version.h servecast_headers.h
sim/serving:        models sim/serving
sim/report:         models/base sim/report
sim/engine:         models sim/input sim/serving sim/report sim/engine
sim/plan/report:    models/base sim/report sim/plan/report
sim/plan:           models sim/input sim/report sim/plan
sim/contract:       models sim/contract
sim/reproduce:      models sim/input sim/report sim/engine sim/plan/runs sim/reproduce
sim/claims:         models sim/input sim/report sim/claims
sim/cli:            models sim servecast_version.h
calibrate/samples:  models sim/input calibrate/samples
calibrate/import:   models sim/input calibrate/samples calibrate/import
calibrate/fit:      models sim/input calibrate/samples calibrate/fit
calibrate/plan:     models calibrate/fit calibrate/plan
calibrate/step:     models calibrate/step
calibrate/serve:    models calibrate/step calibrate/serve
calibrate/decoder:  models calibrate/step calibrate/serve calibrate/decoder kernels
calibrate/measure/cuda: models calibrate/step calibrate/decoder calibrate/samples calibrate/plan calibrate/measure kernels
calibrate/measure:  models sim/serving calibrate/step calibrate/serve calibrate/samples calibrate/fit calibrate/plan calibrate/measure
calibrate/servers:  models sim/input sim/report sim/plan/runs calibrate/servers
calibrate/cli:      models sim/input sim/report sim/plan/runs sim/cli calibrate/step calibrate/serve calibrate/samples calibrate/import calibrate/fit calibrate/plan calibrate/measure calibrate/servers calibrate/cli servecast_version.h
kernels:            kernels
gui/data:           models/base sim/report sim/plan/report gui/data
gui/view:           models/base sim/report sim/plan/report gui/data gui/view
gui/app:            models/base sim/report sim/plan/report gui servecast_version.h
python/extension:   models sim/input sim/cli python/extension servecast_version.h
tests:              models sim calibrate kernels gui tests servecast_version.h
TABLE

# Library header, from its first letter on (a regular expression): the only folders that may include it.
cat >"$scratch/theirs" <<'TABLE'
simgrid/|xbt/:      sim/engine tests/unit/engine
yaml-cpp/:          sim/input tests/unit/input
nlohmann/:          sim/input sim/report sim/plan sim/claims sim/reproduce sim/cli calibrate gui/data tests
zlib:               sim/input calibrate/samples tests/unit/input
sqlite3:            sim/plan tests/unit/plan tests/unit/cli
CLI/:               sim/cli calibrate/cli
Eigen/:             calibrate tests
Q[A-Z]:             gui tests/unit/gui tests/bench
cu(da|pti|blas)|nv: kernels calibrate/measure tests/unit/kernels_on_gpu
nanobind/|Python.h: python/extension
random$:            models/base
ctime$:             tests/bench
chrono$|time.h$:    sim/cli sim/engine calibrate/measure calibrate/cli gui tests
TABLE

# Rooms of a folder, from the ground up: each may include itself and what stands left of it. Rooms joined by | do not include
# each other; "." is the files of the folder itself, "*" is every room that is not named.
cat >"$scratch/rooms" <<'TABLE'
models/hw:              llm machine latency additions|memory|power_cost|roofline engine profile parallel
models/policy:          graph|support . caches|shared|stages prefix|experts *
sim/input:              files|specs yaml library|trace plugins scenario rules resolve
sim/input/trace:        generate|rows formats read workload cache
sim/serving:            sequences resources step state replica
sim/report:             fields|files|statistics layout|record csv|summary figures text
sim/reproduce:          probes . systems
sim/engine:             time links cluster|gateway facts|failures|transfers scaling flow run
sim/plan:               emit|report|runs|study compare|judge search answer horizon
sim/cli:                completion|listing|program .|output runs commands
kernels:                device testing attention|gemm|moe elementwise
calibrate/measure:      . cuda|none
calibrate/measure/cuda: libraries device calls .
calibrate/cli:          measuring|tables commands .
gui/data:               report|runs|words scenario|tables
gui/view:               parts plots|scenario cluster|pages
tests/matrix:           draw .
TABLE

# Folders with more than 25 files, and why.
cat >"$scratch/large" <<'TABLE'
tests/data/bad        one broken scenario each, all of a kind
tests/data/bad/traces one broken trace each, all of a kind
scenarios/llms        one model each; the file's name is the model's
TABLE

# Every include as "file:line folder included", with the leading " or < kept.
folders=$(ls -d models sim calibrate kernels gui python tests 2>/dev/null)  # git keeps no empty ones
# shellcheck disable=SC2086  # a list of folders
sources=$(find $folders -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh')
# shellcheck disable=SC2086  # a list of files
grep -nE '^ *# *include' $sources /dev/null |
  sed -nE 's|^(([^:]*)/[^/:]*:[0-9]+): *# *include *(["<][^">]*).*|\1 \2 \3|p' >"$scratch/includes"
[ -s "$scratch/includes" ] || { echo "no include found: this test sees nothing"; exit 1; }

awk '
  function under(path, top) { return index(path "/", top "/") == 1 }
  function any_of(path, tops,   n, top, i) {
    n = split(tops, top, " ")
    for (i = 1; i <= n; i++) if (under(path, top[i])) return 1
    return 0
  }
  FNR == 1 { table++ }
  table < 3 {
    split($0, part, / *: +/)
    rules[table]++; left[table, rules[table]] = part[1]; right[table, rules[table]] = part[2]; next
  }
  { place = $1; folder = $2; kind = substr($3, 1, 1); file = substr($3, 2) }
  file ~ /\.(cpp|cu)$/ { print place ": includes a source file: " file; bad = 1 }
  kind == "\"" {
    for (r = 1; r <= rules[1] && !under(folder, left[1, r]); r++) continue
    if (r > rules[1]) { print place ": no rule for this folder in tests/layers.sh"; bad = 1 }
    else if (!any_of(file, right[1, r])) { print place ": " left[1, r] " may not include " file; bad = 1 }
  }
  kind == "<" {
    for (r = 1; r <= rules[2]; r++)
      if (file ~ "^(" left[2, r] ")" && !any_of(folder, right[2, r])) {
        print place ": <" file "> belongs in " right[2, r]; bad = 1
      }
  }
  END { exit bad }' "$scratch/ours" "$scratch/theirs" "$scratch/includes"
failed=$?

# Rooms: no arrow up, or across between rooms that do not know each other.
awk '
  FNR == 1 { file++ }
  file == 1 {
    split($0, part, / *: */); folder[++folders] = part[1]; n = split(part[2], levels, " ")
    for (i = 1; i <= n; i++) { m = split(levels[i], beside, "|"); for (k = 1; k <= m; k++) level[part[1], beside[k]] = i }
    next
  }
  function rank(top, room) { return (top, room) in level ? level[top, room] : level[top, "*"] }  # "": no place
  function room(path, top,   rest) {  # of a file in a folder of the table
    rest = substr(path, length(top) + 2)
    return rest ~ /\// ? substr(rest, 1, index(rest, "/") - 1) : "."
  }
  substr($3, 1, 1) == "\"" {
    target = substr($3, 2)
    for (f = 1; f <= folders; f++) {
      top = folder[f]
      if (index($2 "/", top "/") != 1) continue
      from = room($2 "/x", top)
      if (!rank(top, from)) { if (!told[top, from]++) print $1 ": no place for room " from " of " top " in tests/layers.sh"; bad = 1; continue }
      if (index(target, top "/") != 1) continue
      to = room(target, top)
      if (to == from) continue
      if (!rank(top, to) || rank(top, to) >= rank(top, from)) {
        print $1 ": room " from " of " top " may not include room " to ": " target; bad = 1
      }
    }
  }
  END { exit bad }' "$scratch/rooms" "$scratch/includes" || failed=1

# Folders: not too large, and each that holds code, or rooms with code, says what it is.
large=$(find $folders docs scripts cmake scenarios -type f ! -name README.md 2>/dev/null | sed 's|/[^/]*$||' | sort | uniq -c |
  awk -v table="$scratch/large" 'BEGIN { while ((getline line < table) > 0) { split(line, part, " "); allowed[part[1]] = 1 } }
                                 $1 > 25 && !($2 in allowed) { print $2 ": " $1 " files" }')
if [ -n "$large" ]; then echo "over 25 files; which rooms are in there?"; echo "$large"; failed=1; fi
# shellcheck disable=SC2086
nameless=$(echo $sources | tr ' ' '\n' | awk -F/ '$1 != "tests" { for (i = 2; i <= NF; i++) { path = $1; for (k = 2; k < i; k++) path = path "/" $k; print path } }' |
  sort -u | while read -r folder; do [ -f "$folder/README.md" ] || echo "$folder"; done)
if [ -n "$nameless" ]; then echo "no README.md in:" $nameless; failed=1; fi

# shellcheck disable=SC2086
long=$(wc -l $sources $(find scripts cmake tests/*.sh tests/docs -type f) | awk '$1 > 350 && $2 != "total"')
if [ -n "$long" ]; then echo "over 350 lines; is it still one idea?"; echo "$long"; failed=1; fi
# Clang 14, Debian 12's, refuses whatever makes a std::ranges::subrange or another view of libstdc++ 12.
# shellcheck disable=SC2086
views=$(grep -nE 'std::views|ranges::(subrange|unique|remove|remove_if|partition|stable_partition|equal_range|search|find_end|rotate)\b' $sources)
if [ -n "$views" ]; then echo "does not compile with clang 14; use the algorithm of namespace std"; echo "$views"; failed=1; fi
# Two types of one name in one namespace would be merged by the linker without a word; gui has a namespace of its own.
twice=$(find models sim calibrate -name '*.h' -exec sed -nE 's/^(struct|class|enum class) ([A-Za-z]+)( final)?( :.*)? \{.*/\2/p' {} + |
  sort | uniq -d)
if [ -n "$twice" ]; then echo "defined in two headers: $twice"; failed=1; fi
exit $failed
