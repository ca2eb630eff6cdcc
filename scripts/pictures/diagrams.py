"""Diagrams of the architecture's pages."""
import pathlib
import re

from pictures.diagram import Diagram

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def layers():
    d = Diagram("Layers: a folder may include what stands below it", 860, 424)
    d.box(20, 46, 250, 52, "sim/cli", "servecast", kind="edge")
    d.box(290, 46, 250, 52, "calibrate", "servecast-calibrate", kind="edge")
    d.box(560, 46, 280, 52, "gui", "servecast-gui: reads reports, starts servecast", kind="edge")
    d.box(20, 116, 250, 60, "sim/engine", "time, clusters, flows of requests", "the only place that sees SimGrid", kind="run")
    d.box(290, 116, 250, 60, "sim/plan", "many runs, search over designs", "child processes, SQLite", kind="run")
    d.box(560, 116, 280, 60, "kernels", "CUDA kernels to measure", "raw pointers, sizes, a stream", kind="run")
    d.box(20, 194, 250, 60, "sim/serving", "a replica: a state machine", "that knows no engine", kind="run")
    d.box(290, 194, 250, 60, "sim/input", "scenarios, hardware, traces", "the only place that sees YAML", kind="run")
    d.box(560, 194, 280, 60, "sim/report", "records into figures", "JSON, CSV, text", kind="run")
    d.box(20, 272, 820, 40, "models/policy", "every decision: one header per kind, one file per policy", kind="model")
    d.box(20, 322, 820, 40, "models/hw", "GPUs, nodes, models, step times, memory, power, cost: pure functions", kind="model")
    d.box(20, 372, 820, 40, "models/base", "ids, units, settings by name, registry, random streams; the standard library alone", kind="model")
    return d.svg()


def request():
    d = Diagram("A request's way", 860, 430)
    d.box(20, 60, 150, 62, "Workload", "trace or generator", "policy/workload.h", kind="edge")
    d.box(210, 60, 150, 62, "Gateway", "stages, if there are any", "engine/gateway", kind="run")
    d.box(400, 60, 200, 62, "PoolRouting", "admission, then router", "engine/cluster", kind="run")
    d.box(640, 60, 200, 62, "deliver", "after copies of its prefix", "engine/flow", kind="run")
    d.arrow((170, 91), (208, 91))
    d.arrow((360, 91), (398, 91))
    d.arrow((600, 91), (638, 91))
    d.arrow((740, 122), (740, 178), words="enqueue()")
    d.out.append('<rect x="20" y="160" width="600" height="182" rx="5" fill="none" stroke="#059669" stroke-dasharray="5 4"/>')
    d.words(30, 178, "a step of the replica (sim/serving), repeated until the last token", font_weight="bold")
    d.box(640, 180, 200, 62, "queue", "order of the waiting", "policy/queue.h", kind="model")
    d.box(450, 196, 150, 62, "Batcher", "what the step computes", "policy/batcher.h", kind="model")
    d.box(250, 196, 170, 62, "KvCache", "blocks for its tokens", "policy/kv_cache.h", kind="model")
    d.box(40, 196, 180, 62, "StepLatency", "how long it takes", "hw/latency", kind="model")
    d.box(40, 280, 560, 46, "BatchResults", "tokens, first token, finished; preempted: back to the queue", kind="run")
    d.arrow((640, 222), (602, 222))
    d.arrow((450, 227), (422, 227))
    d.arrow((250, 227), (222, 227))
    d.arrow((130, 258), (130, 278))
    d.arrow((525, 280), (525, 260), words="next step", dy=8)
    d.box(40, 366, 190, 50, "RequestRecord", "times, tokens, replica", kind="edge")
    d.box(280, 366, 190, 50, "summarise()", "percentiles, SLO, cost", kind="edge")
    d.box(520, 366, 200, 50, "summary.json, tables", "requests.csv, series.csv", kind="edge", mono=False)
    d.arrow((130, 326), (130, 364), words="request_done")
    d.arrow((230, 391), (278, 391))
    d.arrow((470, 391), (518, 391))
    return d.svg()


# What a row of the table is about; names and order are the code's.
WHY = {"steps": "what was computed is known", "flows": "KV, weights, experts that arrived", "failures": "parts break, and are repaired",
       "replicas that start and drain": "replicas come and go", "load that is collected": "what routers see",
       "gateway": "cached, retried, next passes", "arrivals": "requests reach their pools", "steps that start": "with all that has arrived",
       "flows that begin": "last: all that begins now shares links"}


def instant():
    source = (ROOT / "sim/engine/run/simulation_instant.cpp").read_text()
    table = re.search(r"moments_\[\] = \{\n(.*?)\n\};", source, re.DOTALL).group(1)
    rows = re.findall(r'\{"([^"]+)", (nullptr|due)', table)
    d = Diagram("One instant: parts act from top to bottom, each once", 860, 60 + 26 * len(rows) + 34)
    for i, (name, due) in enumerate(rows):
        y = 46 + 26 * i
        d.out.append(f'<rect x="60" y="{y}" width="330" height="22" rx="3" fill="{"#d1fae5" if due == "due" else "#f3f4f6"}" stroke="#059669"/>')
        d.words(72, y + 15, name, font_size=12.5)
        d.words(40, y + 15, i + 1, text_anchor="end")
        d.words(410, y + 15, WHY.get(name, ""))
    y = 46 + 26 * len(rows) + 16
    d.words(60, y, "green: says when it is due next; the run comes back at the first of these instants. grey: acts whenever the run is there.")
    d.arrow((18, 50), (18, 46 + 26 * len(rows) - 6))
    return d.svg()


DIAGRAMS = {"docs/architecture/layers.svg": layers, "docs/architecture/request.svg": request, "docs/architecture/instant.svg": instant}
