# For tests that need a bare Debian 12 (scripts/clean-room): they say that they are skipped where it cannot be had.

need_bare_root() {
  [ "$(id -u)" -eq 0 ] || { echo "skipped: a bare root needs root"; exit 77; }
  for program in debootstrap unshare; do
    command -v $program >/dev/null || { echo "skipped: $program is not here"; exit 77; }
  done
  unshare --mount --pid --fork true 2>/dev/null || { echo "skipped: no namespaces can be made here"; exit 77; }
  # shellcheck disable=SC2016  # apt-get fills it in
  [ -n "$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' 2>/dev/null)" ] ||
    { echo "skipped: apt knows no mirror of Debian 12"; exit 77; }
}

# bounded COMMAND...: ended after half an hour.
bounded() { timeout --kill-after=20 1800 "$@"; }
