#!/bin/sh
# The steps of the Containerfile, in bare roots: what RUN says, with COPY as it would be. Takes a build from nothing, so only where
# SERVECAST_CONTAINER_TEST is set.  container.sh SOURCE-FOLDER
cd "$1" || exit 1
. tests/packaging/bare_root.sh
[ -n "$SERVECAST_CONTAINER_TEST" ] || { echo "skipped: it builds everything anew; SERVECAST_CONTAINER_TEST=1 runs it"; exit 77; }
need_bare_root
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1

# stage N: the RUN lines of the N-th stage.
stage() { awk -v wanted="$1" '/^FROM /{ n++ } n == wanted && sub(/^RUN /, "")' Containerfile; }

mkdir "$scratch/steps"
{ echo 'set -eux'; echo 'cd /servecast'; stage 1; echo 'tar --create --file /result.tar -C / usr/local'; } >"$scratch/steps/build"
CLEAN_ROOM_ADD="$scratch/steps" bounded scripts/clean-room sh /added/steps/build >"$scratch/log" 2>&1 ||
  { tail -n 40 "$scratch/log"; echo "the build stage fails"; exit 1; }
mv build/clean-room/root/result.tar "$scratch/steps/"
{ echo 'set -eux'; stage 2; echo 'tar --extract --file /added/steps/result.tar -C /'
  echo 'rm -rf /servecast'; echo 'mkdir /work; cd /work'
  echo 'servecast run chat --set first_requests=100'; } >"$scratch/steps/result"
CLEAN_ROOM_ADD="$scratch/steps" bounded scripts/clean-room sh /added/steps/result >"$scratch/log" 2>&1 ||
  { tail -n 40 "$scratch/log"; echo "the result stage fails"; exit 1; }
grep -q 'SLO met' "$scratch/log" || { tail -n 40 "$scratch/log"; echo "the container's program gives no forecast"; exit 1; }
