#!/bin/sh
# `cpack` makes Debian packages of the build folder, each with what belongs into it; unpacked, the program runs.
#   packages.sh SOURCE-FOLDER BUILD-FOLDER VERSION
source=$1 build=$2 version=$3
command -v dpkg-shlibdeps >/dev/null || { echo "skipped: dpkg-shlibdeps (package dpkg-dev) is not here"; exit 77; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 1
failed=0
wrong() { echo "$1"; failed=1; }
unset SERVECAST_LIBRARY SERVECAST_PATH LD_LIBRARY_PATH
export XDG_CONFIG_HOME="$scratch/config"

rm -rf "$build/packages"
# xz would take twice as long and make them smaller by a third.
cpack --config "$build/CPackConfig.cmake" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip -B "$build/packages" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
rm -rf "$build/packages/_CPack_Packages"
cd "$build/packages" || exit 1

# holds PACKAGE PATH...: each a file of the package.
holds() {
  package=$1; shift
  dpkg-deb --contents "$package"_*.deb >"$scratch/contents" || wrong "no package $package"
  for path in "$@"; do
    grep -qE " \./$path( |$)" "$scratch/contents" || wrong "$package lacks $path"
  done
  grep -vE ' \./(usr/(bin|include|lib|share)(/|$)|usr/$|$)' "$scratch/contents" && wrong "$package has files in places of others"
  dpkg-deb --field "$package"_*.deb Version | grep -qxF "$version" || wrong "$package has another version"
  dpkg-deb --extract "$package"_*.deb "$scratch/root"
}
doc=usr/share/doc
holds servecast usr/bin/servecast usr/bin/servecast-calibrate usr/share/servecast/scenarios/chat.yaml $doc/servecast/copyright \
  $doc/servecast/changelog.gz usr/share/man/man1/servecast.1 usr/share/bash-completion/completions/servecast
holds libservecast-dev usr/include/servecast/models/policy/router.h usr/include/servecast/servecast_headers.h \
  "usr/lib/[^ ]*cmake/Servecast/ServecastConfig.cmake" $doc/libservecast-dev/copyright
dpkg-deb --field servecast_*.deb Depends | grep -q 'libsimgrid' || wrong "servecast does not depend on SimGrid"
dpkg-deb --field libservecast-dev_*.deb Depends | grep -qF "servecast (= $version)" || wrong "the headers go with any program"
dpkg-deb --contents servecast_*.deb | grep -q usr/include && wrong "headers are in the program's package"
if [ -x "$build/bin/servecast-gui" ]; then
  holds servecast-gui usr/bin/servecast-gui usr/share/applications/servecast-gui.desktop $doc/servecast-gui/copyright \
    usr/share/icons/hicolor/scalable/apps/servecast.svg usr/share/man/man1/servecast-gui.1
  dpkg-deb --field servecast-gui_*.deb Depends | grep -q 'libqt6widgets6' || wrong "the window does not depend on Qt"
  dpkg-deb --field servecast_*.deb Depends | grep -q 'libqt6' && wrong "the program depends on Qt"
fi

cd "$scratch/root" || exit 1
usr/bin/servecast run chat --set first_requests=100 >"$scratch/out" 2>&1 || wrong "unpacked, it does not run: $(cat "$scratch/out")"
if command -v desktop-file-validate >/dev/null; then
  desktop-file-validate "$source/packaging/servecast-gui.desktop" || wrong "the menu entry is wrong"
fi
if command -v lintian >/dev/null; then
  lintian --fail-on error "$build"/packages/*.deb >"$scratch/lintian" 2>&1 || wrong "lintian: $(cat "$scratch/lintian")"
fi
exit $failed
