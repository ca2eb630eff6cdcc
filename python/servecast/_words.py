"""What a child says while it works: progress, mistakes, remarks; and how one is ended."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import Any, Callable, Iterable, List, NoReturn, Optional

from ._errors import Fault, Problem, ScenarioError
from ._record import Record

_grace_s = 5.0  # for a child that was asked to stop


class Words:
    """What a child has said so far."""

    def __init__(self) -> None:
        self.problems: List[Problem] = []
        self.remarks: List[str] = []


def take_lines(lines: Iterable[str], said: Words, progress: Callable[[Record], None]) -> None:
    """Takes what a child says until it has ended."""
    for line in lines:
        told = _object(line)
        if told is not None and "fraction" in told:
            progress(Record(told))
        elif told is not None and "message" in told:
            said.problems.append(Problem(told))
        elif line.strip():
            said.remarks.append(line.rstrip())


def _object(line: str) -> Optional[Any]:
    if not line.startswith("{"):
        return None
    try:
        return json.loads(line)
    except ValueError:
        return None


def refuse(ended_by: Optional[int], status: int, said: Words) -> NoReturn:
    """Raises what a child that ended so has earned."""
    if ended_by == signal.SIGINT:
        raise KeyboardInterrupt
    if status == 2 and said.problems:
        raise ScenarioError(said.problems)
    told = [str(problem) for problem in said.problems] + said.remarks
    how = f"was ended by {signal.Signals(ended_by).name}" if ended_by else f"ended with status {status}"
    raise Fault("\n".join([f"the simulation {how}", *told]))


def end(pid: int, over: Callable[[], bool]) -> None:
    """Asks a child to stop, waits a little, and ends it; at once where the caller is interrupted again."""
    gone = False
    try:
        os.kill(pid, signal.SIGINT)
        until = time.monotonic() + _grace_s
        while time.monotonic() < until and not gone:
            gone = over()
            time.sleep(0 if gone else 0.02)
    finally:
        if not gone:
            os.kill(pid, signal.SIGKILL)
            while not over():
                time.sleep(0.02)
