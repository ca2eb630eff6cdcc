"""What a scenario can say: its keys, and the names that it can use."""

from __future__ import annotations

import builtins
from typing import Optional

from ._program import call
from ._record import Record, parsed


def schema(of: str = "scenario") -> "builtins.list[Record]":
    """Every key of a scenario (`of="scenario"`), a study ("study"), a report ("figures"), or what a scenario cannot combine
    ("combinations"), as `servecast schema` tells it."""
    result: builtins.list[Record] = parsed(call(["schema", "--of", of, "--format", "json"]))
    return result


def list(kind: Optional[str] = None) -> "builtins.list[Record]":
    """What there is of a kind ("gpus", "llms", "routers", ...) with its figures or settings; without a kind, which kinds
    there are and how many."""
    words = ["list", *([kind] if kind else []), "--format", "json"]
    result: builtins.list[Record] = parsed(call(words))
    return result
