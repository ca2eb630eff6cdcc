"""Forecasts LLM serving before you buy a GPU.

>>> import servecast
>>> report = servecast.Scenario.load("chat.yaml").set("pools[0].replicas", 2).run()
>>> report.summary.ttft_s.p99

docs/python.md has a tour; every function here starts the program ``servecast`` that comes with the module, or, where a
policy is written in Python, the same code in a child of this process.
"""

from ._machine import not_for_this_machine

try:
    from . import _core as _core
except ImportError as error:
    raise ImportError(not_for_this_machine("servecast's extension", error)) from None

from ._core import ReplicaView, ReplicaViews, Request, RequestView
from ._errors import Error, Fault, PolicyError, Problem, ScenarioError
from ._listing import list, schema
from ._program import version as __version__
from ._report import Report
from ._results import Comparison, Plan, Sweep
from ._scenario import Scenario, compare, plan
from ._table import Table

__all__ = [
    "Comparison", "Error", "Fault", "Plan", "PolicyError", "Problem", "ReplicaView", "ReplicaViews", "Report", "Request",
    "RequestView", "Scenario", "ScenarioError", "Sweep", "Table", "compare", "list", "plan", "schema",
]
