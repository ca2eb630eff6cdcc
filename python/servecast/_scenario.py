"""A scenario: a file and changes to it. Everything it can do is a call of the program."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import Any, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from ._errors import Problem, ScenarioError, mistake
from ._policies import Admissions, Policies, Routers, Trace
from ._program import call, library
from ._progress import Progress
from ._record import Record, parsed
from ._report import Report
from ._results import Comparison, Plan, Sweep

PathLike = Union[str, "os.PathLike[str]"]


class Scenario:
    """A scenario with changes. It never changes itself: `set()` returns another one.

    >>> chat = servecast.Scenario.load("chat.yaml")
    >>> chat.set("pools[0].replicas", 2).run().summary.ttft_s.p99
    """

    def __init__(self, file: PathLike, settings: Sequence[Tuple[str, str]] = (), text: Optional[str] = None) -> None:
        self.file = os.fspath(file)
        self._settings = tuple(settings)
        self._text = text

    @classmethod
    def load(cls, file: PathLike) -> "Scenario":
        """The scenario of a file, or the bundled one of that name. Its mistakes are reported when it is checked or run."""
        path = Path(file)
        if path.exists():
            return cls(path)
        bundled = [library() / path, library() / f"{path}.yaml"]
        for candidate in bundled:
            if not path.is_absolute() and candidate.is_file():
                return cls(candidate)
        names = ", ".join(sorted(found.name for found in library().glob("*.yaml")))
        raise mistake(f"{file}: there is no such file, and no bundled scenario of that name; bundled are: {names}")

    @classmethod
    def from_text(cls, text: str, folder: PathLike = ".") -> "Scenario":
        """A scenario of this YAML text; files that it names count from `folder`."""
        return cls(Path(folder) / "text", text=text)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], folder: PathLike = ".") -> "Scenario":
        """A scenario of these settings, as a YAML file would nest them."""
        return cls.from_text(json.dumps(data), folder)

    def set(self, path: Union[str, Mapping[str, Any]], value: Any = None) -> "Scenario":
        """The same scenario with another setting, or with several: `set({"seed": 2, "pools[0].replicas": 4})`."""
        changes = path if isinstance(path, Mapping) else {path: value}
        return Scenario(self.file, [*self._settings, *((k, _yaml(k, v)) for k, v in changes.items())], self._text)

    def check(self) -> Record:
        """What would run: `pools` with their memory, `settings` with all defaults, `warnings`, `files` that are read.
        Raises ScenarioError with every mistake."""
        words = ["check", self.file, *self._text_words(), "--format", "json", *self._sets()]
        result: Record = parsed(call(words, text=self._text, fine=(0, 2)))
        if not result["ok"]:
            raise ScenarioError([Problem(problem) for problem in result["problems"]])
        return result

    @property
    def settings(self) -> Record:
        """Every setting as it is used, defaults included."""
        result: Record = self.check()["settings"]
        return result

    def run(self, *, out: Optional[PathLike] = None, detail: Union[str, Iterable[str]] = (), replicates: int = 0,
            router: Optional[Routers] = None, admission: Optional[Admissions] = None, trace: Optional[Trace] = None,
            progress: Progress = None) -> Report:
        """Simulates the scenario.

        out         keep the report in this folder, which is replaced as by `servecast run --out`
        detail      more files in the report: "replicas", "links", "flows", "gateway", "steps@10:20"
        replicates  repeat with other seeds and draws of the calibration's error: the summary then has p05 and p95
        router      an object with pick(request, views) -> id, or one for each pool by its name
        admission   an object with admits(request, views) -> bool, or one for each pool by its name
        trace       an iterable of servecast.Request or (arrival_s, prompt_tokens, output_tokens), in place of the workload
        progress    True: a bar; False: none; a function is called with each state
        """
        policies = Policies(router, admission, trace)
        words = [detail] if isinstance(detail, str) else list(detail)
        folder, keeper = _report_folder(out)
        options = ["--out", folder, "--progress", "json", "--format", "text"]
        if any(words):
            options += ["--detail", ",".join(words)]
        if replicates:
            options += ["--replicates", str(replicates)]
        text = self._run(options, policies, progress)
        return Report(folder, text=text, keeper=keeper)

    def sweep(self, over: Mapping[str, Iterable[Any]], *, replicates: int = 0, figures: Sequence[str] = (),
              jobs: Optional[int] = None, out: Optional[PathLike] = None, progress: Progress = None) -> Sweep:
        """Simulates a grid: every combination of these values of these settings, one row each. With `out`, results are
        kept in that folder, and a sweep that was stopped goes on from there."""
        options: List[str] = []
        for path, values in over.items():
            options += ["--over", f"{path}={','.join(_yaml(path, value) for value in values)}"]
        options += _many(replicates, figures, jobs, out)
        with self._file() as scenario:
            return Sweep(parsed(call(["sweep", scenario.file, *scenario._sets(), *options], progress)))

    def whatif(self, changes: Mapping[str, Any], *, replicates: int = 20, figures: Sequence[str] = (),
               jobs: Optional[int] = None, out: Optional[PathLike] = None, progress: Progress = None) -> Comparison:
        """Simulates the scenario and a changed one with the same seeds and draws: what differs, and how surely."""
        return compare(self, self.set(changes), replicates=replicates, figures=figures, jobs=jobs, out=out, progress=progress)

    def emit(self, engine: str) -> str:
        """The scenario in an engine's words: "vllm" or "kubernetes"."""
        with self._file() as scenario:
            return call(["plan", "--emit", engine, scenario.file, *scenario._sets()])

    def __repr__(self) -> str:
        changes = "".join(f".set({path!r}, {value})" for path, value in self._settings)
        return f"Scenario({self.file!r}){changes}"

    def _run(self, options: Sequence[str], policies: Policies, progress: Progress) -> str:
        if not policies.given():
            return call(["run", self.file, *self._text_words(), *options, *self._sets()], progress, self._text)
        with self._file() as scenario:  # a child of this process has its own standard input
            pools = [pool["name"] for pool in scenario.check()["pools"]]
            sets = [*policies.trace_settings(), *scenario._settings, *policies.pool_settings(pools)]
            return policies.call(["run", scenario.file, *options, *_set_words(sets)], progress)

    def _text_words(self) -> List[str]:
        return ["--text", "-"] if self._text is not None else []

    def _sets(self) -> List[str]:
        return _set_words(self._settings)

    @contextlib.contextmanager
    def _file(self) -> "Iterator[Scenario]":
        """The same scenario with its text in a file, for what reads files only."""
        if self._text is None:
            yield self
            return
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".yaml", prefix=".servecast_",
                                         dir=Path(self.file).parent) as file:
            file.write(self._text)
            file.flush()
            yield Scenario(file.name, self._settings)


def compare(*what: "Union[Scenario, Report, PathLike]", replicates: int = 20, figures: Sequence[str] = (),
            jobs: Optional[int] = None, out: Optional[PathLike] = None, progress: Progress = None) -> Comparison:
    """Sets scenarios and reports against the first of them: what differs, and how surely. Scenarios are simulated with the
    same seeds and draws of the calibration's error."""
    options = _many(replicates, figures, jobs, out)
    names: List[str] = []
    with contextlib.ExitStack() as files:
        for number, one in enumerate(what, start=1):
            if isinstance(one, Scenario):
                one = files.enter_context(one._file())
                names.append(one.file)
                options += _set_words([(f"{number}:{path}", value) for path, value in one._settings])
            else:
                names.append(os.fspath(one.folder if isinstance(one, Report) else one))
        return Comparison(parsed(call(["compare", *names, *options], progress)))


def plan(study: PathLike, *, out: Optional[PathLike] = None, bounds_only: bool = False, jobs: Optional[int] = None,
         progress: Progress = None) -> Plan:
    """The best design of a study, and what rules out every better one. With `out`, results are kept in that folder, and a
    plan that was stopped goes on from there."""
    options = ["--bounds-only", "--format", "json"] if bounds_only else _many(0, (), jobs, out)
    return Plan(parsed(call(["plan", os.fspath(study), *options], progress)))


def _many(replicates: int, figures: Sequence[str], jobs: Optional[int], out: Optional[PathLike]) -> List[str]:
    """Options that commands of many runs share."""
    words = ["--format", "json", "--progress", "json"]
    if replicates:
        words += ["--replicates", str(replicates)]
    if figures:
        words += ["--figures", ",".join(figures)]
    if jobs is not None:
        words += ["--jobs", str(jobs)]
    if out is not None:
        words += ["--out", os.fspath(out)]
    return words


def _set_words(settings: Iterable[Tuple[str, str]]) -> List[str]:
    return [word for path, value in settings for word in ("--set", f"{path}={value}")]


def _yaml(path: str, value: Any) -> str:
    """JSON is YAML."""
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        raise mistake(f"{path}: {value!r} cannot be a setting; it must be a number, text, true or false, list or map") from None


def _report_folder(out: Optional[PathLike]) -> Tuple[str, Any]:
    """Where a report goes, and what keeps that folder as long as the report."""
    if out is not None:
        return os.fspath(out), None
    keeper = Keeper()
    return os.path.join(keeper.folder, "report"), keeper


class Keeper:
    """A temporary folder that goes with the object that holds this, or with the process."""

    def __init__(self) -> None:
        self.folder = tempfile.mkdtemp(prefix="servecast_")
        weakref.finalize(self, shutil.rmtree, self.folder, True)
