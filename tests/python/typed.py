"""Checked with mypy, not run: what an editor knows of the module."""

import servecast

report = servecast.Scenario.load("chat.yaml").set("pools[0].replicas", 2).run()
p99: float = report.summary.ttft_s.p99
name: str = report.summary.pools[0].name
completed: float = report.summary.classes[0].requests.completed
item: str = report.summary.account.items_[0].item
report.summary.ttft  # type: ignore[attr-defined]  # there is no such figure
report.run()  # type: ignore[attr-defined]


class MyRouter:
    def pick(self, request: servecast.RequestView, views: servecast.ReplicaViews) -> int:
        return min(views, key=lambda view: view.waiting_tokens).id


servecast.Scenario.load("chat.yaml").run(router=MyRouter(), trace=[(0.0, 100, 10)])
servecast.Scenario.load("chat.yaml").run(router=3)  # type: ignore[arg-type]
