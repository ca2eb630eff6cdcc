"""The report of a run: its folder, read when it is asked for."""

from __future__ import annotations

import html
import os
import shutil
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Union

from ._errors import mistake
from ._record import parsed
from ._table import Table

if TYPE_CHECKING:
    from ._figures import Summary


class Report:
    """What `servecast run --out` writes: `summary`, `requests` and `series`, and what `detail` asked for."""

    def __init__(self, folder: "Union[str, os.PathLike[str]]", *, text: str = "", keeper: Any = None) -> None:
        self.folder = Path(folder)
        if not (self.folder / "summary.json").is_file():
            raise mistake(f"{self.folder}: there is no report here; `servecast run --out` and Scenario.run(out=...) write one")
        self.text = text
        self._keeper = keeper  # of a folder that goes with the report

    @cached_property
    def summary(self) -> "Summary":
        """All figures, as summary.json has them: `report.summary.ttft_s.p99`; docs/figures.md says what each is."""
        summary: Summary = parsed((self.folder / "summary.json").read_text(encoding="utf-8"))
        return summary

    @cached_property
    def requests(self) -> Table:
        """A row for each request."""
        return self.table("requests")

    @cached_property
    def series(self) -> Table:
        """A row for each second and pool."""
        return self.table("series")

    def table(self, name: str) -> Table:
        """Any table of the report, e.g. "steps" where `detail="steps"` asked for it."""
        file = self.folder / f"{name}.csv"
        if not file.is_file():
            there = ", ".join(sorted(found.stem for found in self.folder.glob("*.csv")))
            raise mistake(f"{file}: there is no such table; there are: {there}; Scenario.run(detail=...) asks for more")
        return Table.read(str(file))

    def save(self, folder: "Union[str, os.PathLike[str]]") -> "Report":
        """A copy in another folder, which must not exist."""
        if Path(folder).exists():
            raise mistake(f"{folder}: exists; name another folder, or pass it to run(out=...), which replaces a report")
        shutil.copytree(self.folder, folder)
        return Report(folder, text=self.text)

    def plot(self, what: str = "report", *, figure: Any = None) -> Any:
        """A matplotlib figure: "latency", the distributions of TTFT, TPOT and E2E with the line of the SLO; "load", queue,
        throughput and KV memory over time; "report", both."""
        from ._plot import draw

        return draw(self, what, figure)

    def __repr__(self) -> str:
        return f"<Report of {self.summary.name!r}: {self.summary.requests.completed} requests completed>"

    def __str__(self) -> str:
        return self.text or repr(self)

    def _repr_html_(self) -> str:
        return summary_html(self) if not self.text else f"<pre>{html.escape(self.text)}</pre>"


def summary_html(report: Report) -> str:
    """A table of the latencies."""
    summary = report.summary
    columns = ("mean", "p50", "p90", "p99")
    head = "<tr><th></th>" + "".join(f"<th>{column}</th>" for column in columns) + "</tr>"
    body = ""
    for key in ("ttft_s", "tpot_s", "e2e_s"):
        spread = summary[key]
        if spread:
            body += f"<tr><th>{key}</th>" + "".join(f"<td>{spread[column]:.4g}</td>" for column in columns) + "</tr>"
    return f"<p><b>{html.escape(summary.name)}</b></p><table>{head}{body}</table>"
