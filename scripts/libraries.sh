# Sourced by portable and wheel: which libraries a program takes from this machine, and what their authors ask for.

# stubs_of FOLDER PROGRAM: fills FOLDER with stand-ins for what SimGrid names and no program of ours calls.
stubs_of() {
  "$(dirname "$0")/stub-libraries" "$1" "$(ldd "$2" | awk '/libsimgrid/ { print $3 }')" '^lib(ns3-|gfortran)'
}

# libraries_of STUBS FILE...: the libraries that these need, from the folder of stand-ins where it has them, but the C library's,
# which belong to the system that they run on.
libraries_of() {
  stubs=$1
  shift
  LD_LIBRARY_PATH=$stubs ldd "$@" | awk '$3 ~ /^\// { print $3 }' | sort -u |
    grep -vE '/(libc|libm|libdl|libpthread|librt|libresolv|libutil)\.so'
}

# copyrights_of FOLDER LIBRARY...: copies what Debian tells of each library's licence to FOLDER/<package>.txt.
copyrights_of() {
  into=$1
  shift
  mkdir -p "$into"
  command -v dpkg-query >/dev/null || return 0  # no Debian: the folder says nothing
  for library in "$@"; do
    dpkg-query --search "$(readlink -f "$library")" "/usr$(readlink -f "$library")" 2>/dev/null | sed -n '1s/:.*//p'
  done | sort -u | while read -r package; do
    [ ! -f "/usr/share/doc/$package/copyright" ] || cp "/usr/share/doc/$package/copyright" "$into/$package.txt"
  done
}
