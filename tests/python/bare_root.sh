#!/bin/bash
# The wheel in a bare Debian 12 that has nothing but Python: installed, and it forecasts.
#   bare_root.sh SOURCE-FOLDER BUILD-FOLDER
# Needs root, debootstrap and a Debian mirror, as scripts/clean-room does, whose bare system it takes.
source=$1 work=$2/python_tests
skip() { echo "skipped: $1"; exit 77; }
[ -d "$work/wheels" ] || skip "python.wheel made no wheel here"
[ "$(id -u)" -eq 0 ] || skip "needs root"
command -v debootstrap >/dev/null || skip "needs debootstrap"
"$source/scripts/clean-room" true >"$work/clean-room.log" 2>&1 || skip "no bare system: $(tail -n 1 "$work/clean-room.log")"

root=$work/root
rm -rf "$root"
trap 'rm -rf "$root"' EXIT
cp -a "$source/build/clean-room/bookworm" "$root" && cp /etc/resolv.conf /etc/hosts "$root/etc/" || exit 1
cp "$work"/wheels/servecast-*.whl "$root/root/" || exit 1
inside() {
  unshare --mount --pid --fork --mount-proc="$root/proc" chroot "$root" \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 "$@"
}
inside sh -c 'apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends python3-venv' \
  >"$work/bare_root.log" 2>&1 || skip "no Python for the bare system: $(tail -n 1 "$work/bare_root.log")"
inside sh -c 'python3 -m venv /root/venv && /root/venv/bin/pip install --quiet --no-index /root/servecast-*.whl' || exit 1
inside /root/venv/bin/python -c 'import servecast; print(servecast.Scenario.load("chat.yaml").run(router=type(
  "First", (), {"pick": lambda self, request, views: views[0]})()))' | grep '^LATENCY' || exit 1
inside /root/venv/bin/servecast run /root/venv/lib/python3.11/site-packages/servecast/program/share/servecast/scenarios/chat.yaml |
  grep '^LATENCY' || exit 1
