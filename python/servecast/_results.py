"""What many runs come to: sweeps, comparisons, plans."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence

from ._record import Record
from ._table import needed

if TYPE_CHECKING:
    import pandas


class _Rows:
    """A result with rows: a list of dicts, a pandas frame, a table in a notebook."""

    data: Record

    def rows(self) -> List[Dict[str, Any]]:
        raise NotImplementedError

    def to_pandas(self) -> "pandas.DataFrame":
        """The rows as a pandas frame."""
        frame: pandas.DataFrame = needed("pandas", "to_pandas()").DataFrame(self.rows())
        return frame

    def _repr_html_(self) -> str:
        rows = self.rows()
        names = list(dict.fromkeys(name for row in rows for name in row))
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "".join("<tr>" + "".join(f"<td>{_cell(row.get(name))}</td>" for name in names) + "</tr>" for row in rows)
        return f"<table><tr>{head}</tr>{body}</table>"

    def __str__(self) -> str:
        rows = self.rows()
        names = list(dict.fromkeys(name for row in rows for name in row))
        cells = [names, *([_plain(row.get(name)) for name in names] for row in rows)]
        widths = [max(len(line[i]) for line in cells) for i in range(len(names))]
        return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths)).rstrip() for line in cells)


class Sweep(_Rows):
    """A grid of runs. `points` has for each its settings (`set`), `figures` or, where it cannot be, why (`failure`)."""

    def __init__(self, data: Record) -> None:
        self.data = data
        self.over: List[str] = data["over"]
        self.points: List[Record] = data["points"]

    def rows(self) -> List[Dict[str, Any]]:
        """One row for each point: its settings, then its figures."""
        return [{**_settings(point["set"]), **_figures(point)} for point in self.points]

    def plot(self, figure: str = "ttft_p99_s", *, axes: Any = None) -> Any:
        """One figure over the values of the first setting; a line for each combination of the others."""
        from ._plot import draw_sweep

        return draw_sweep(self, figure, axes)

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Record]:
        return iter(self.points)

    def __repr__(self) -> str:
        return f"<Sweep over {', '.join(self.over)}: {len(self.points)} points>"


class Comparison(_Rows):
    """Scenarios and reports beside the first of them. `comparisons` has one for each of the others."""

    def __init__(self, data: Record) -> None:
        self.data = data
        self.comparisons: List[Record] = data["comparisons"]

    @property
    def figures(self) -> Record:
        """Figures of the first comparison by key: `base`, `other`, `difference`, `p05`, `p95`, `agreeing_fraction`."""
        figures: Record = self.comparisons[0]["figures"]
        return figures

    def rows(self) -> List[Dict[str, Any]]:
        """One row for each figure of each comparison."""
        several = len(self.comparisons) > 1
        return [{**({"other scenario": one["other"]} if several else {}), "figure": key, **values}
                for one in self.comparisons for key, values in one["figures"].items()]

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join([self.comparisons[0]['base'], *(one['other'] for one in self.comparisons)])}>"


class Plan(_Rows):
    """The answer of a study, with every design and what rules it out; docs/plan.md says what the members mean."""

    def __init__(self, data: Record) -> None:
        self.data = data

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["data"], name)

    @property
    def designs(self) -> List[Record]:
        """Every design of the space, with its verdict."""
        designs: List[Record] = self.data["designs"]
        return designs

    @property
    def best(self) -> Optional[Record]:
        """The first design that the answer names; None where no design keeps the promise."""
        for design in self.designs:
            if design["verdict"] in ("chosen", "front"):
                return design
        return None

    def rows(self) -> List[Dict[str, Any]]:
        """One row for each design."""
        return [{**_settings(design["settings"]), **{k: v for k, v in design.items() if not isinstance(v, (list, dict))}}
                for design in self.designs]

    def __repr__(self) -> str:
        return f"<Plan {self.data['name']!r}: {self.data['certificate']['text']}>"


def _settings(words: Sequence[str]) -> Dict[str, Any]:
    return dict(word.split("=", 1) for word in words)


def _figures(point: Record) -> Dict[str, Any]:
    figures = point.get("figures") or {}
    return {**figures, **{k: v for k, v in point.items() if k not in ("set", "figures") and not isinstance(v, (list, dict))}}


def _plain(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _cell(value: Any) -> str:
    return html.escape(_plain(value))
