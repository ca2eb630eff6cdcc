#!/bin/sh
# Every path that docs/decisions/where.md names is there.  where.sh SOURCE-FOLDER
cd "$1" || exit 1
page=docs/decisions/where.md
paths=$(grep -oE '`(models|sim|calibrate|kernels|gui|tests|docs|scripts|scenarios)/[^` ]+`' "$page" | tr -d '`' | sort -u)
[ -n "$paths" ] || { echo "no path found in $page: this test sees nothing"; exit 1; }
failed=0
for path in $paths; do
  [ -e "$path" ] || { echo "$page names $path, which is not there"; failed=1; }
done
questions=$(grep -c '^| .*? |' "$page")
[ "$questions" -ge 20 ] || { echo "$page answers $questions questions, not 20"; failed=1; }
exit $failed
