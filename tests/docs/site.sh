#!/bin/sh
# The site is built without a warning, every link and anchor in it leads somewhere, and it asks no other server for anything. Skipped
# (77) where the package index cannot be reached.  site.sh SOURCE-FOLDER
cd "$1" || exit 1
scripts/docs || exit $?
[ -s build/docs/index.html ] && [ -s build/docs/search/search_index.js ] || { echo "no index.html, or no index for the search"; exit 1; }
outside=$(grep -rlE '<(script|link|img)[^>]*(src|href)="https?://' build/docs --include='*.html' --exclude-dir=api)
[ -z "$outside" ] || { echo "these pages load something from elsewhere:"; echo "$outside"; exit 1; }
