#!/bin/sh
# The Debian packages that tests/packages.sh has made are installed, run and removed in a bare Debian 12, and leave nothing.
#   packages_installed.sh SOURCE-FOLDER BUILD-FOLDER
source=$1 build=$2
cd "$source" || exit 1
. tests/packaging/bare_root.sh
need_bare_root
set -- "$build"/packages/servecast_*.deb "$build"/packages/libservecast-dev_*.deb
[ -e "$1" ] || { echo "skipped: there are no packages; the test 'packages' makes them"; exit 77; }
for gui in "$build"/packages/servecast-gui_*.deb; do [ ! -e "$gui" ] || set -- "$@" "$gui"; done
steps=$(mktemp) && trap 'rm -f "$steps"' EXIT || exit 1
cat >"$steps" <<'EOS'
set -eu
export DEBIAN_FRONTEND=noninteractive XDG_CONFIG_HOME=/none
files() { find /usr /etc -xdev \( -path /usr/share/doc -o -path /usr/share/icons/hicolor/icon-theme.cache \) -prune -o -type f -print | grep -E 'servecast|Servecast' || true; }
apt-get update -q >/tmp/log 2>&1 || { cat /tmp/log; exit 1; }
apt-get install -q -y --no-install-recommends /added/*.deb >/tmp/log 2>&1 || { cat /tmp/log; exit 1; }
cd /tmp
servecast run chat --set first_requests=100 | grep -q 'SLO met'
servecast-calibrate --version
cp -r /usr/share/doc/libservecast-dev/example-policy /tmp/mine
cmake -S /tmp/mine -B /tmp/mine/build >/tmp/log 2>&1 && cmake --build /tmp/mine/build >>/tmp/log 2>&1 || { cat /tmp/log; exit 1; }
servecast contract --plugin /tmp/mine/build/libexample_policy.so | tail -n 1
servecast run /tmp/mine/scenario.yaml >/dev/null
if command -v servecast-gui >/dev/null; then QT_QPA_PLATFORM=offscreen servecast-gui --shot scenario /tmp/mine/scenario.yaml /tmp/shot.png; [ -s /tmp/shot.png ]; fi
for package in servecast-gui libservecast-dev servecast; do
  ! dpkg -s $package >/dev/null 2>&1 || apt-get purge -q -y $package >/tmp/log 2>&1 || { cat /tmp/log; exit 1; }
done
[ -z "$(files)" ] || { echo "left behind:"; files; exit 1; }
! dpkg -l 'servecast*' 'libservecast*' 2>/dev/null | grep -E '^(ii|rc)'
echo "installed, run and removed"
EOS
CLEAN_ROOM_ADD="$* $steps" bounded scripts/clean-room sh "/added/$(basename "$steps")"
