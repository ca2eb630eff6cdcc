"""Writes servecast/_figures.pyi, the types of Report.summary, from the table of figures:

    servecast schema --of figures --format json | python3 python/make_stubs.py > python/servecast/_figures.pyi
"""

import json
import keyword
import sys

HEAD = '''# Written by python/make_stubs.py from `servecast schema --of figures`; do not edit.
from typing import Any

class Figures(dict[str, Any]):
    def at(self, path: str) -> Any: ...
    def flat(self) -> dict[str, Any]: ...

class Spread(Figures):
    mean: float
    p50: float
    p90: float
    p95: float
    p99: float
    max: float
'''
TAIL = '''    settings: dict[str, Any]  # every setting as it was used
    replicates: int  # with `replicates`: how many there were
    p05: "Summary"  # with `replicates`: lower ends of the 90 % intervals
    p95: "Summary"  # with `replicates`: upper ends
'''
TYPES = {"number": "float", "text": "str", "yes or no": "bool", "spread": "Spread"}


def class_of(path):
    """summary.pools[].kv_tiers[] -> PoolsKvTiers"""
    return "".join(word.capitalize() for word in path.replace("[]", "").replace(".", "_").split("_")) or "Summary"


def main():
    classes = {"": []}
    for figure in json.load(sys.stdin):
        key, kind = figure["key"], figure["kind"]
        if kind == "worked out":  # no file holds it
            continue
        above, _, name = key.rpartition(".")
        if kind in ("map", "list"):
            inside = key + ("[]" if kind == "list" else "")
            classes.setdefault(inside, [])
            type_ = class_of(inside) if kind == "map" else f"list[{class_of(inside)}]"
        else:
            type_ = TYPES[kind]
        unit = f" [{figure['unit']}]" if figure["unit"] else ""
        classes[above].append((name + "_" * (keyword.iskeyword(name) or hasattr(dict, name)), type_, figure["help"] + unit))
    print(HEAD, end="")
    for path in sorted(classes, key=lambda path: (path == "", path)):
        print(f"\nclass {class_of(path)}(Figures):")
        for name, type_, help_ in classes[path] or [("...", "", "")]:
            print(f"    {name}: {type_}  # {help_}" if type_ else "    ...")
    print(TAIL, end="")


main()
