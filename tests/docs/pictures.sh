#!/bin/sh
# The diagrams are what the script draws now, from the code's own names. Skipped (77) without Python.  pictures.sh SOURCE-FOLDER
command -v python3 >/dev/null || { echo "no python3 here"; exit 77; }
PYTHONDONTWRITEBYTECODE=1 exec python3 "$1/scripts/doc-pictures" --check
