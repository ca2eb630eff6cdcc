#!/bin/sh
# Hardware, models, engines, scenarios and plug-ins of one's own stand beside the bundled ones, by name.
#   own_library.sh SERVECAST SOURCE-FOLDER
servecast=$1 source=$2
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
failed=0
wrong() { echo "$1"; failed=1; }
unset SERVECAST_PATH
export SERVECAST_LIBRARY="$source/scenarios" XDG_CONFIG_HOME="$scratch/config"
bundled=$source/scenarios
mine=$scratch/config/servecast ours=$scratch/ours
cd "$scratch" || exit 1
mkdir -p "$mine/hw/gpus" "$mine/hw/engines" "$ours/llms" "$ours/hw/nodes" "$ours/hw/fabrics" "$ours/hw/profiles" || exit 1

sed 's/^usd_per_hour: .*/usd_per_hour: 1.25/' "$bundled/hw/gpus/h100_sxm_80g.yaml" >"$mine/hw/gpus/our_gpu.yaml"
cp "$bundled/hw/engines/vllm-0.15.yaml" "$mine/hw/engines/our_engine.yaml"
cp "$bundled/llms/llama-3.1-8b.json" "$ours/llms/our_model.json"
cp "$bundled/hw/nodes/dgx_h100.yaml" "$ours/hw/nodes/our_node.yaml"
cp "$bundled/chat.yaml" "$ours/our_chat.yaml"
sed -i "s|traces/chat.csv.gz|$bundled/traces/chat.csv.gz|" "$ours/our_chat.yaml"
export SERVECAST_PATH="$ours"

run="$servecast run our_chat --set first_requests=200 --set pools[0].gpu=our_gpu --set pools[0].llm=our_model --set cluster.node=our_node"
$run --out report >text 2>&1 || wrong "a run on files of one's own: $(cat text)"
for entry in "gpu 'our_gpu' comes from $mine/hw/gpus/our_gpu.yaml" "llm 'our_model' comes from $ours/llms/our_model.json" \
             "node 'our_node' comes from $ours/hw/nodes/our_node.yaml"; do
  tr -s ' \n' ' ' <text | grep -qF "$entry" || wrong "the report does not say: $entry"
done
grep -qF "\"brings\": \"scenario 'our_chat'\"" report/summary.json || wrong "summary.json does not name the scenario's file"
"$servecast" check our_chat --set 'pools[0].gpu=our_gpu' | grep -qF "added     gpu 'our_gpu' comes from $mine/hw/gpus/our_gpu.yaml" ||
  wrong "check does not name the file of our_gpu"

# listed KIND NAME ORIGIN
listed() {
  "$servecast" list "$1" | grep "^$2 " | grep -q "$3" || wrong "list $1 does not say that $2 is from $3: $("$servecast" list "$1" | grep "^$2 ")"
}
listed gpus our_gpu "$mine/hw/gpus/our_gpu.yaml"
listed gpus h100_sxm_80g bundled
listed engines our_engine "$mine/hw/engines/our_engine.yaml"
listed llms our_model "$ours/llms/our_model.json"
listed nodes our_node "$ours/hw/nodes/our_node.yaml"
listed scenarios our_chat "(from $ours/our_chat.yaml)"

# The same name twice is a mistake, told with both places: nothing is shadowed.
cp "$mine/hw/gpus/our_gpu.yaml" "$mine/hw/gpus/h100_sxm_80g.yaml"
$run --set 'pools[0].gpu=h100_sxm_80g' >out 2>&1
[ $? -eq 2 ] || wrong "a name in two libraries: exit status is not 2"
grep -qF "gpu 'h100_sxm_80g' is in two libraries, '$bundled/hw/gpus/h100_sxm_80g.yaml' and '$mine/hw/gpus/h100_sxm_80g.yaml'" out ||
  wrong "a name in two libraries: $(cat out)"
$run >/dev/null 2>&1 || wrong "a name that this scenario does not use keeps it from running"
rm "$mine/hw/gpus/h100_sxm_80g.yaml"

# What is kept of many runs rests on these files.
sweep="$servecast sweep our_chat --set first_requests=200 --set pools[0].gpu=our_gpu --over pools[0].replicas=2,4 --figures cost.usd_per_hour --out study"
$sweep >first || wrong "sweep on files of one's own"
sed -i 's/^usd_per_hour: .*/usd_per_hour: 2.50/' "$mine/hw/gpus/our_gpu.yaml"
$sweep >second || wrong "sweep goes on"
cmp -s first second && wrong "a sweep took results of a GPU that has changed since"

SERVECAST_PATH=$scratch/nowhere "$servecast" list gpus >out 2>&1
[ $? -eq 2 ] || wrong "a folder that is not there: exit status is not 2"
grep -q "SERVECAST_PATH lists '$scratch/nowhere', which is no folder" out || wrong "a folder that is not there: $(cat out)"
exit $failed
