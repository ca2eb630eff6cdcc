"""JSON objects whose members are attributes, too."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, List


class Record(Dict[str, Any]):
    """A JSON object: `record["ttft_s"]` and `record.ttft_s` are the same. Members whose names are words
    of the language or methods of a dict have a trailing underscore as attributes (`class_`, `items_`)."""

    def __getattr__(self, name: str) -> Any:
        key = name[:-1] if name.endswith("_") and name not in self else name
        try:
            return self[key]
        except KeyError:
            raise AttributeError(f"there is no {name!r}; there are: {', '.join(self)}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a result stays as it is; copy it with dict()")

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self]

    def at(self, path: str) -> Any:
        """The member at a path as docs/figures.md writes it: "ttft_s.p99", "pools[0].busy_fraction"."""
        value: Any = self
        for step in path.replace("[", ".").replace("]", "").split("."):
            value = value[int(step)] if isinstance(value, list) else value[step]
        return value

    def flat(self) -> Dict[str, Any]:
        """Every number and text by its path."""
        return dict(_flat("", self))


def _flat(path: str, value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _flat(f"{path}.{key}" if path else key, member)
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from _flat(f"{path}[{i}]", item)
    else:
        yield path, value


def parsed(text: str) -> Any:
    """JSON, with objects as Records."""
    return json.loads(text, object_hook=Record)
