#!/bin/sh
# `cmake --install` gives a program that needs neither the source tree nor the build folder.
#   install.sh BUILD-FOLDER VERSION
build=$1 version=$2
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
failed=0
wrong() { echo "$1"; failed=1; }
unset SERVECAST_LIBRARY

cmake --install "$build" --prefix "$scratch/built_for" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
mv "$scratch/built_for" "$scratch/prefix"  # it may be moved as a whole
servecast=$scratch/prefix/bin/servecast
share=$scratch/prefix/share
mkdir "$scratch/cwd" && cd "$scratch/cwd" || exit 1

got=$("$servecast" --version)
case $got in *"$version"*) ;; *) wrong "wanted: version $version
got:    $got" ;; esac

# A GPU that only the installed library has: found there, then, and not in the source tree.
gpu=$(ls "$share"/servecast/scenarios/hw/gpus/h100_sxm_80g.yaml) || exit 1
cp "$gpu" "$(dirname "$gpu")/only_installed.yaml"
"$servecast" run "$share/servecast/scenarios/chat.yaml" --set 'pools[0].gpu=only_installed' --out out >stdout ||
  wrong "the installed program cannot run the installed scenario"
[ -s out/summary.json ] || wrong "the run wrote no summary.json"
if [ -x "$scratch/prefix/bin/servecast-gui" ]; then  # where Qt was found
  "$scratch/prefix/bin/servecast-gui" --shot scenario "$share/servecast/scenarios/chat.yaml" shot.png ||
    wrong "the installed window cannot show the installed scenario"
  [ -s shot.png ] || wrong "the window drew no picture"
fi

for file in bash-completion/completions/servecast zsh/site-functions/_servecast \
            fish/vendor_completions.d/servecast.fish doc/servecast/LICENSE man/man1/servecast.1 man/man1/servecast-calibrate.1; do
  [ -s "$share/$file" ] || wrong "not installed: share/$file"
done
grep -qx "version: $version" "$share/doc/servecast/CITATION.cff" || wrong "CITATION.cff has another version than $version"
bash -n "$share/bash-completion/completions/servecast" || wrong "bash cannot read its completion file"
exit $failed
