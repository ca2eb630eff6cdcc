"""How far a run has come: a bar on stderr, in a terminal and in a notebook, or a function of the caller's."""

from __future__ import annotations

import contextlib
import importlib
import sys
from typing import Any, Callable, Iterator, Union

from ._record import Record

#: True: a bar; False: nothing; None: a bar where a person watches; a function is called with each state.
Progress = Union[bool, None, Callable[[Record], Any]]

_bar_width = 30


@contextlib.contextmanager
def watching(progress: Progress) -> Iterator[Callable[[Record], None]]:
    """Gives what is to be called with each state; the bar is gone at the end."""
    if callable(progress):
        yield progress
        return
    if not (_somebody_watches() if progress is None else progress):
        yield lambda state: None
        return
    shown = _NotebookBar() if "ipykernel" in sys.modules else _TerminalBar()
    try:
        yield shown.draw
    finally:
        shown.erase()


class _TerminalBar:
    """One line, drawn over and over; where stderr is a file, a bar that was asked for is lines."""

    def __init__(self) -> None:
        self._before, self._behind = ("\r\x1b[K", "") if sys.stderr.isatty() else ("", "\n")
        self._drawn = False

    def draw(self, state: Record) -> None:
        self._drawn = True
        print(self._before + bar(state), end=self._behind, file=sys.stderr, flush=True)

    def erase(self) -> None:
        if self._drawn:
            print(self._before, end="", file=sys.stderr, flush=True)


class _NotebookBar:
    """An output of the cell, changed in place and empty at the end."""

    def __init__(self) -> None:
        self._output: Any = None

    def draw(self, state: Record) -> None:
        self._show(f"<progress value='{state['fraction']}'></progress> {words_of(state)}")

    def erase(self) -> None:
        if self._output is not None:
            self._show("")

    def _show(self, html: str) -> None:
        display = importlib.import_module("IPython.display")
        if self._output is None:
            self._output = display.display(display.HTML(""), display_id=True)
        self._output.update(display.HTML(html))


def bar(state: Record) -> str:
    """One line: "[#####.....]  50 %  12 of 24 simulations, 3 s left"."""
    full = int(state["fraction"] * _bar_width)
    return f"[{'#' * full}{'.' * (_bar_width - full)}] {state['fraction'] * 100:3.0f} %  {words_of(state)}"


def words_of(state: Record) -> str:
    """What has been done, and how long the rest takes."""
    if "of" in state:
        words = f"{state['done']} of {state['of']} simulations"
    else:
        words = f"{state.get('arrived', 0):,} requests"
    left = state.get("eta_s")
    return f"{words}, {left:.0f} s left" if left else words


def _somebody_watches() -> bool:
    return "ipykernel" in sys.modules or bool(getattr(sys.stderr, "isatty", lambda: False)())
