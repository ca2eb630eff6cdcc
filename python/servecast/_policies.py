"""Policies and traces written in Python: they are asked in a child of this process, which runs the same program."""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
import tempfile
import traceback
import warnings
from typing import Any, Dict, Iterable, List, Mapping, NoReturn, Optional, Protocol, Sequence, Tuple, Union

from . import _core
from ._errors import PolicyError, ScenarioError, mistake
from ._progress import Progress, watching
from ._words import Words, end, refuse, take_lines


class Router(Protocol):
    """Chooses the replica that serves a request. `pick` may answer with the id of a replica, with one of the views, or with
    None: the client is asked to come back later (HTTP 429). Optional attributes: `reads_state = False` where it never looks
    at the views' numbers, which is faster; `only_picks = True` where it never answers None, which pools that hand KV over
    ask for."""

    def pick(self, request: _core.RequestView, views: _core.ReplicaViews) -> "Union[int, _core.ReplicaView, None]": ...


class Admission(Protocol):
    """Decides at a pool's gate whether a request is taken on. It may have `admits_decode(request, views)`, too, which is asked
    before KV is handed over to another pool."""

    def admits(self, request: _core.RequestView, views: _core.ReplicaViews) -> bool: ...


Routers = Union[Router, Mapping[str, Router]]
Admissions = Union[Admission, Mapping[str, Admission]]
#: In order of arrival. An object that also has `follow_up(done, finish_s)` is asked whenever a request has finished.
Trace = Iterable[Union[_core.Request, Tuple[float, int, int]]]


class Policies:
    """What one run was given."""

    def __init__(self, router: Optional[Routers] = None, admission: Optional[Admissions] = None,
                 trace: Optional[Trace] = None) -> None:
        self._routers = _by_pool(router, "router", "pick")
        self._admissions = _by_pool(admission, "admission", "admits")
        if trace is not None and not hasattr(trace, "__iter__"):
            raise mistake(f"trace={trace!r} is no iterable of requests")
        self._trace = trace
        self._trace_name = f"python:{type(trace).__name__}"

    def given(self) -> bool:
        return bool(self._routers or self._admissions or self._trace is not None)

    def trace_settings(self) -> List[Tuple[str, str]]:
        """What names the trace in a scenario."""
        return [("workload", json.dumps({"trace": {"path": self._trace_name}}))] if self._trace is not None else []

    def pool_settings(self, pools: Sequence[str]) -> List[Tuple[str, str]]:
        """What names the policies in a scenario with these pools."""
        words: List[Tuple[str, str]] = []
        for kind, objects in (("router", self._routers), ("admission", self._admissions)):
            for pool in objects:
                if pool is not None and pool not in pools:
                    raise mistake(f"{kind}: there is no pool {pool!r}; the scenario has {', '.join(pools)}")
            for i, pool in enumerate(pools):
                policy = objects.get(pool, objects.get(None))
                if policy is not None:
                    words.append((f"pools[{i}].{kind}", json.dumps({"policy": "python", "name": type(policy).__name__})))
        return words

    def call(self, words: Sequence[str], progress: Progress) -> str:
        """Runs the program with these words and policies in a child of this process; returns what it prints."""
        said = Words()
        with tempfile.TemporaryFile("w+", encoding="utf-8") as out, tempfile.TemporaryFile() as raised:
            reading, writing = os.pipe()
            child = _fork()
            if child == 0:
                os.close(reading)
                self._be_the_child(words, out.fileno(), writing, raised)
            os.close(writing)
            status = None
            try:
                with open(reading, encoding="utf-8", errors="replace") as lines, watching(progress) as shown:
                    take_lines(lines, said, shown)
                status = os.waitpid(child, 0)[1]
            finally:
                if status is None:
                    end(child, lambda: os.waitpid(child, os.WNOHANG)[0] != 0)
            if status != 0:
                self._refuse(status, said, raised)
            out.seek(0)
            return out.read()

    def _be_the_child(self, words: Sequence[str], out: int, err: int, raised: Any) -> NoReturn:
        status = 1
        try:
            _core.end_with_parent()
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            _core_environment()
            routers = {type(policy).__name__: policy for policy in self._routers.values()}
            admissions = {type(policy).__name__: policy for policy in self._admissions.values()}
            status, exception = _core.run(["--problems", "json", *words], out, err, routers, admissions, self._trace_name,
                                          self._trace)
            if exception is not None:
                raised.write(_carried(exception))
                raised.flush()
            sys.stdout.flush()
            sys.stderr.flush()
        except BaseException:
            os.write(err, traceback.format_exc().encode())
        finally:
            os._exit(status)

    def _refuse(self, status: int, said: Words, raised: Any) -> NoReturn:
        ended_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
        try:
            refuse(ended_by, os.WEXITSTATUS(status), said)
        except ScenarioError as error:
            raised.seek(0)
            carried = raised.read()
            if not any(_speaks_of_policy(problem.message) for problem in error.problems):
                raise
            policy_error = PolicyError(error.problems)
            cause = None
            if carried:
                cause, policy_error.traceback_text = pickle.loads(carried)
            raise policy_error from cause


def _by_pool(given: Any, kind: str, method: str) -> Dict[Optional[str], Any]:
    """Policies by the pools that they are for; None is every pool."""
    if given is None:
        return {}
    objects: Dict[Optional[str], Any] = dict(given) if isinstance(given, Mapping) else {None: given}
    by_name: Dict[str, Any] = {}
    for policy in objects.values():
        if isinstance(policy, type) or not callable(getattr(policy, method, None)):
            example = f"{policy.__name__}()" if isinstance(policy, type) else f"a class with {method}(request, views)"
            raise mistake(f"{kind}={policy!r} is no {kind}: pass an object that has {method}(request, views), e.g. {example}")
        if by_name.setdefault(type(policy).__name__, policy) is not policy:
            raise mistake(f"{kind}: two objects of class {type(policy).__name__}; pools that shall differ need classes of two "
                          "names, since the report tells them by these")
    return objects


def _fork() -> int:
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():  # other threads of this process are not there in the child, and nothing there needs them
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _core_environment() -> None:
    """What the program learns from where it lies, a child of Python gets from here."""
    from ._program import library

    os.environ["SERVECAST_LIBRARY"] = str(library())
    if sys.version_info >= (3, 14):  # which looks at the stack's bounds: actors need stacks that the system knows
        os.environ.setdefault("SERVECAST_SIMGRID_CFG", "contexts/factory:thread")


def _carried(exception: BaseException) -> bytes:
    """The exception and its traceback for another process; the text alone where it cannot be pickled."""
    text = "".join(traceback.format_exception(type(exception), exception, exception.__traceback__))
    try:
        bytes_ = pickle.dumps((exception, text))
        pickle.loads(bytes_)
        return bytes_
    except Exception:
        return pickle.dumps((None, text))


def _speaks_of_policy(message: str) -> bool:
    return message.startswith(("router '", "admission '", "trace '"))
