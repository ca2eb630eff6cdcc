#!/bin/sh
# Our figures of published systems come out as docs/reproductions.json has them, and bands that held hold.  reproduced.sh SERVECAST SOURCE-FOLDER [--quick]
#
# Where the traces are not here, the figures on them are left out.
traces=${SERVECAST_DATA:-$2/../shared/data}/traces
if [ -d "$traces" ]; then set -- "$@" --traces "$traces"; fi
program=$1 source=$2
shift 2
"$program" reproduce --all --compare "$source/docs/reproductions.json" --progress none "$@" >/dev/null && exit 0
echo "where a change of the models is meant: servecast reproduce --all --traces DIR --record docs/reproductions.json, then"
echo "UPDATE_GOLDEN=1 ctest -R '^made'"
exit 1
