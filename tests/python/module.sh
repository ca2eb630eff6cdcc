#!/bin/sh
# The module's tests in an environment.
#   module.sh SOURCE-FOLDER BUILD-FOLDER empty TEST...      nothing but Python
#   module.sh SOURCE-FOLDER BUILD-FOLDER full TEST...       with the optional packages, which come from the package index
# TEST: test_*.py, a notebook or "types" (mypy).
source=$1 work=$2/python_tests kind=$3
shift 3
[ -x "$work/empty/bin/servecast" ] || { echo "skipped: python.wheel made no wheel here"; exit 77; }
python=$work/$kind/bin/python

if [ "$kind" = full ]; then
  [ -x "$python" ] || python3 -m venv "$work/full" || exit 1
  wanted="numpy pandas pyarrow matplotlib mypy pandas-stubs nbclient ipykernel"
  "$python" -m pip show --quiet $wanted 2>/dev/null ||
    "$python" -m pip install --quiet --retries 1 $wanted >"$work/pip.log" 2>&1 ||
    { echo "skipped: the package index is not to be reached: $(tail -n 1 "$work/pip.log")"; exit 77; }
  "$python" -m pip install --quiet --no-index --force-reinstall --no-deps "$work"/wheels/servecast-*.whl || exit 1
fi

cd "$work" || exit 1
failed=0
for test in "$@"; do
  case $test in
    *.py) "$python" -W error::ResourceWarning "$source/tests/python/$test" || failed=1 ;;
    types)
      "$python" -m mypy --config-file "$source/pyproject.toml" "$source/tests/python/typed.py" || failed=1
      MYPYPATH=$source/python "$python" -m mypy --config-file "$source/pyproject.toml" "$source/python/servecast" || failed=1 ;;
    *.ipynb)
      PATH=$work/full/bin:$PATH "$python" - "$source/$test" <<'END' || failed=1
import sys

import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], 4)
assert not any(cell.get("outputs") for cell in notebook.cells), "keep the notebook without outputs"
NotebookClient(notebook, timeout=200).execute()
pictures = sum("image/png" in output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", []))
assert pictures == 3, f"{pictures} pictures"
END
      ;;
  esac
done
exit $failed
