"""Charts of the entrance pages: sweeps of the scenarios that the pages show."""
import csv
import pathlib
import re
import subprocess
import tempfile

from pictures.plot import share_plot

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def sweep(program, page, name, over, sets):
    """Rows of a sweep of the scenario that a page shows under title="NAME"."""
    block = re.search(rf'```yaml title="{name}"\n(.*?)\n```', (ROOT / page).read_text(), re.DOTALL).group(1)
    with tempfile.TemporaryDirectory() as folder:
        scenario, table = pathlib.Path(folder, name), pathlib.Path(folder, "table.csv")
        scenario.write_text(block + "\n")
        command = [program, "sweep", str(scenario), "--csv", str(table), "--figures", "slo.attained_fraction", "--progress", "none"]
        for path, values in over.items():
            command += ["--over", f"{path}={','.join(map(str, values))}"]
        for path, value in sets.items():
            command += ["--set", f"{path}={value}"]
        subprocess.run(command, check=True, capture_output=True)
        return list(csv.DictReader(table.open()))


def share_of(row):
    return float(next(value for key, value in row.items() if "attained" in key))


def size(program):
    shapes = {"2 H100, fp8": ("fp8", 2, 1), "4 H100, bf16": ("bf16", 4, 1), "2 × 2 H100, fp8": ("fp8", 2, 2), "8 H100, bf16": ("bf16", 8, 1)}
    scales = [0.2, 0.4, 0.6, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.8, 3.0]
    lines = {}
    for label, (weights, tensor, replicas) in shapes.items():
        sets = {"pools[0].weights": weights, "pools[0].tensor_parallel": tensor, "pools[0].replicas": replicas}
        rows = sweep(program, "docs/start/size-a-cluster.md", "service.yaml", {"workload.generate.rate_scale": scales}, sets)
        lines[label] = [(6 * scale, share_of(row)) for scale, row in zip(scales, rows)]
    return share_plot("Llama-3.1-70B: requests that keep TTFT ≤ 1 s and TPOT ≤ 50 ms", "requests per second", lines, 2)


def policies(program):
    routers = ["round_robin", "least_loaded", "session", "prefix_cache_aware", "kv_cost"]
    rates = [0.5, 1.0, 1.2, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0, 2.1, 2.2, 2.3, 2.4, 2.6, 2.8, 3.0]
    over = {"pools[0].router.policy": routers, "workload.generate.arrivals.poisson.requests_per_s": rates}
    rows = sweep(program, "docs/start/compare-policies.md", "assistant.yaml", over, {})
    lines = {router: [(rate, share_of(rows[i * len(rates) + k])) for k, rate in enumerate(rates)] for i, router in enumerate(routers)}
    return share_plot("Coding assistant, four replicas: requests that keep TTFT ≤ 500 ms and TPOT ≤ 40 ms", "sessions per second", lines, 0.5, 190)


CHARTS = {"docs/start/size.svg": size, "docs/start/policies.svg": policies}
