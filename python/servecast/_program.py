"""The program that comes with the module: where it is, and one call of it."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path
from typing import IO, List, Optional, Sequence

from . import _core
from ._errors import Error
from ._machine import not_for_this_machine
from ._progress import Progress, watching
from ._words import Words, end, refuse, take_lines

_home = Path(__file__).parent / "program"
version: str = _core.version


def path_of(name: str) -> str:
    """The bundled program of this name."""
    return str(_home / "bin" / name)


def library() -> Path:
    """The folder of bundled scenarios and hardware."""
    return Path(os.environ.get("SERVECAST_LIBRARY") or _home / "share" / "servecast" / "scenarios")


def start_failed(name: str, error: OSError) -> Error:
    """Why a bundled program does not start, for a person."""
    return Error(not_for_this_machine(path_of(name), error.strerror))


def call(words: Sequence[str], progress: Progress = False, text: Optional[str] = None,
         fine: Sequence[int] = (0,)) -> str:
    """Runs `servecast` with these words and returns what it prints. Raises ScenarioError for mistakes in the input; `fine` are
    exit statuses that say nothing is wrong."""
    command: List[str] = [path_of("servecast"), "--problems", "json", *words]
    said = Words()
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as out:
        try:
            child = subprocess.Popen(command, stdin=subprocess.PIPE if text is not None else subprocess.DEVNULL, stdout=out,
                                     stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
        except OSError as error:
            raise start_failed("servecast", error) from None
        assert child.stderr is not None
        try:
            if child.stdin is not None:
                _tell(child.stdin, text or "")
            with child.stderr, watching(progress) as shown:
                take_lines(child.stderr, said, shown)
            status = child.wait()
        except BaseException:
            end(child.pid, lambda: child.poll() is not None)
            raise
        if status not in fine:
            refuse(-status if status < 0 else None, status, said)
        out.seek(0)
        return out.read()


def _tell(stream: IO[str], text: str) -> None:
    """A child that ended early says why itself."""
    try:
        with stream:
            stream.write(text)
    except BrokenPipeError:
        pass
