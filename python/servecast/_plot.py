"""Pictures of a report, with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Tuple

from ._errors import mistake
from ._table import needed

if TYPE_CHECKING:
    from ._report import Report
    from ._results import Sweep

_latencies = (("ttft_s", "time to first token [s]"), ("tpot_s", "time per output token [s]"), ("e2e_s", "end to end [s]"))
_loads = ((("running", "waiting"), "requests"), (("output_tokens_per_s",), "output tokens/s"),
          (("kv_used_fraction",), "share of KV blocks in use"))


def draw(report: "Report", what: str, figure: Any) -> Any:
    """See Report.plot()."""
    parts = {"latency": [_draw_latency], "load": [_draw_load], "report": [_draw_latency, _draw_load]}
    if what not in parts:
        raise mistake(f"there is no picture {what!r}; there are: {', '.join(parts)}")
    pyplot = needed("matplotlib.pyplot", "plot()")
    needed("numpy", "plot()")
    rows = parts[what]
    if figure is None:
        figure = pyplot.figure(figsize=(12, 3.4 * len(rows)), layout="constrained")
    axes = figure.subplots(len(rows), 3, squeeze=False)
    for row, part in zip(axes, rows):
        part(report, row)
    figure.suptitle(report.summary["name"])
    pyplot.close(figure)  # a notebook shows the figure that is returned, and not a second one
    return figure


def _draw_latency(report: "Report", axes: Any) -> None:
    numpy = needed("numpy", "plot()")
    slo = report.summary["slo"] or {}
    samples = latencies(report)
    for ax, (key, title) in zip(axes, _latencies):
        values = numpy.sort(samples[key])
        ax.step(values, numpy.arange(1, len(values) + 1) / max(len(values), 1), where="post")
        bound = slo.get(key)
        if bound is not None:
            ax.axvline(bound, color="tab:red", linestyle="--", label=f"SLO {bound:g} s")
            ax.axhline(slo["target_fraction"], color="tab:red", linewidth=0.5, alpha=0.5)
            ax.legend(loc="lower right")
        ax.set(xlabel=title, ylabel="share of requests", ylim=(0, 1.02), xlim=(0, None))
        ax.grid(alpha=0.3)


def latencies(report: "Report") -> Dict[str, Any]:
    """TTFT, TPOT and E2E of every request that has one, as docs/figures.md defines them."""
    numpy = needed("numpy", "plot()")
    requests = report.requests
    first, finish, tokens = (numpy.asarray(requests[k], dtype=float) for k in ("first_token_s", "finish_s", "output_tokens"))
    arrival = numpy.asarray(requests["arrival_s"], dtype=float)
    completed = numpy.asarray([status == "completed" for status in requests["status"]], dtype=bool)
    ttft, e2e = first - arrival, finish - arrival
    several = completed & (tokens > 1)
    return {"ttft_s": ttft[~numpy.isnan(ttft)], "e2e_s": e2e[completed],
            "tpot_s": (finish - first)[several] / (tokens - 1)[several]}


def _draw_load(report: "Report", axes: Any) -> None:
    for ax, (columns, title) in zip(axes, _loads):
        for pool, rows in _by_pool(report):
            for column in columns:
                label = column if len(columns) > 1 else ""
                ax.plot(report.series["time_s"][rows], report.series[column][rows],
                        label=" ".join(word for word in (pool, label) if word))
        ax.set(xlabel="simulated time [s]", ylabel=title, ylim=(0, None))
        ax.legend(loc="upper right")
        ax.grid(alpha=0.3)


def _by_pool(report: "Report") -> List[Tuple[str, Any]]:
    names = report.series["pool"] if "pool" in report.series else []
    return [(pool, names == pool) for pool in dict.fromkeys(names)]


def draw_sweep(sweep: "Sweep", figure: str, axes: Any) -> Any:
    """See Sweep.plot()."""
    pyplot = needed("matplotlib.pyplot", "plot()")
    rows = [row for row in sweep.rows() if row.get(figure) is not None]
    if not rows:
        there = dict.fromkeys(key for row in sweep.rows() for key in row if key not in sweep.over)
        raise mistake(f"no point of the sweep has a figure {figure!r}; there are: {', '.join(there)}")
    ax = axes
    if ax is None:
        drawing, ax = pyplot.subplots(figsize=(7, 4), layout="constrained")
        pyplot.close(drawing)
    first, *others = sweep.over
    lines: Dict[Tuple[str, ...], List[Dict[str, Any]]] = {}
    for row in rows:
        lines.setdefault(tuple(f"{key}={row[key]}" for key in others), []).append(row)
    for label, points in lines.items():
        ax.plot([_number(point[first]) for point in points], [point[figure] for point in points], marker="o",
                label=", ".join(label) or None)
    ax.set(xlabel=first, ylabel=figure, ylim=(0, None))
    ax.grid(alpha=0.3)
    if others:
        ax.legend()
    return ax.figure


def _number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text
