"""What can go wrong, as exceptions. A message names the place, the cause and what would be right."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence


class Problem:
    """One mistake: where it stands, and what would be right. What has no place has None there."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.file: Optional[str] = data.get("file") or None
        self.line: Optional[int] = data.get("line")
        self.column: Optional[int] = data.get("column")
        self.path: Optional[str] = data.get("path") or None
        self.message: str = data["message"]

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        return f"{place}: {self.message}" if place else self.message

    def __repr__(self) -> str:
        return f"Problem({str(self)!r})"


class Error(Exception):
    """Anything that this module says is wrong."""


class Fault(Error):
    """A fault of the program, not of its input."""


class ScenarioError(Error):
    """Mistakes in a scenario, a study, a trace or an argument. `problems` has each; `file`, `line`, `column`, `path`
    and `message` are the first one's."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = tuple(problems)

    @property
    def file(self) -> Optional[str]:
        return self.problems[0].file

    @property
    def line(self) -> Optional[int]:
        return self.problems[0].line

    @property
    def column(self) -> Optional[int]:
        return self.problems[0].column

    @property
    def path(self) -> Optional[str]:
        return self.problems[0].path

    @property
    def message(self) -> str:
        return self.problems[0].message

    def __reduce__(self) -> Any:
        return type(self), (self.problems,)


class PolicyError(ScenarioError):
    """A router, admission rule or trace written in Python raised, or answered what is no answer. `__cause__` is what it
    raised; `traceback_text` says where."""

    traceback_text: str = ""


def mistake(message: str) -> ScenarioError:
    """A mistake that has no place in a file."""
    return ScenarioError([Problem({"message": message})])
