"""Routers, admission rules and traces written in Python."""

import os
import pathlib
import tempfile
import unittest

import servecast
import speed

CHAT = servecast.Scenario.load("chat.yaml").set("first_requests", 300)


class LeastLoaded:
    """As models/policy/router/least_loaded.cpp."""

    def pick(self, request, views):
        return min(views, key=lambda v: v.waiting_tokens + 64 * v.running_requests)


class RoundRobin:
    reads_state = False

    def __init__(self):
        self.next = 0

    def pick(self, request, views):
        self.next += 1
        return views[(self.next - 1) % len(views)].id


class QueueLimit:
    """Takes a request on while fewer than `limit` wait and run."""

    def __init__(self, limit):
        self.limit = limit

    def admits(self, request, views):
        return sum(v.waiting_requests + v.running_requests for v in views) < self.limit


def without_settings(summary):
    return {key: value for key, value in summary.items() if key != "settings"}


class Policies(unittest.TestCase):
    def same(self, python, bundled):
        self.assertEqual(without_settings(python.summary), without_settings(bundled.summary))
        for table in ("requests.csv", "series.csv"):
            self.assertEqual((python.folder / table).read_bytes(), (bundled.folder / table).read_bytes())

    def test_a_router_in_python_routes_as_its_twin_in_cpp(self):
        for router, twin in ((LeastLoaded(), "least_loaded"), (RoundRobin(), "round_robin")):
            bundled = CHAT.set("pools[0].router", {"policy": twin}).run(progress=False)
            python = CHAT.run(router=router, progress=False)
            self.same(python, bundled)
            self.assertEqual(python.summary.settings.pools[0].router, {"policy": "python", "name": type(router).__name__})

    def test_the_array_says_what_the_views_say(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("NumPy is not installed")

        class ByArray:
            def pick(self, request, views):
                array = views.array
                assert len(views) == len(array)
                for view, row in zip(views, array):
                    for name in array.dtype.names:
                        assert getattr(view, name) == row[name]
                return array["id"][numpy.argmin(array["waiting_tokens"] + 64 * array["running_requests"])]

        self.same(CHAT.run(router=ByArray(), progress=False), CHAT.run(router=LeastLoaded(), progress=False))

    def test_an_admission_rule_sheds(self):
        report = CHAT.run(admission=QueueLimit(20), progress=False)
        self.assertGreater(report.summary.requests.shed, 0)
        self.assertEqual(report.summary.requests.shed + report.summary.requests.completed, 300)

    def test_a_router_may_turn_requests_away(self):
        class Half:
            def pick(self, request, views):
                return views[0] if request.id % 2 else None

        self.assertEqual(CHAT.run(router=Half(), progress=False).summary.requests.shed, 150)

    def test_a_policy_asks_the_pool(self):
        class Asks:
            def __init__(self):
                self.kept = []

            def pick(self, request, views):
                assert all(kept.id == id and kept.prompt_tokens > 0 for kept, id in self.kept[-2:])
                self.kept.append((request, request.id))
                assert views.cached_tokens(request, 0) >= 0 and views.prefill_s(1000) > views.prefill_s(1000, 900) > 0
                assert views.decode_step_s(8, 1000) > 0 and views.holds_adapter(request, -1)
                assert views.decoding is views
                return 0

        self.assertEqual(CHAT.run(router=Asks(), progress=False).summary.requests.completed, 300)

    def test_each_pool_can_have_its_own(self):
        pools = CHAT.settings.pools
        two = CHAT.set("pools", [{**pools[0], "name": "a", "replicas": 1}, {**pools[0], "name": "b", "replicas": 1}])
        report = two.run(router={"b": RoundRobin()}, progress=False)
        self.assertEqual(report.summary.settings.pools[1].router.policy, "python")
        self.assertNotEqual(report.summary.settings.pools[0].router.policy, "python")
        with self.assertRaisesRegex(servecast.ScenarioError, "no pool 'c'; the scenario has a, b"):
            two.run(router={"c": RoundRobin()})

    def test_replicates_ask_it_too(self):
        summary = CHAT.run(router=LeastLoaded(), replicates=2, progress=False).summary
        twin = CHAT.set("pools[0].router.policy", "least_loaded").run(replicates=2, progress=False).summary
        self.assertEqual(summary.p95.ttft_s, twin.p95.ttft_s)


class Traces(unittest.TestCase):
    def test_a_generator_is_a_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "trace.csv"
            rows = [(i * 0.05, 400 + i % 7, 30 + i % 5) for i in range(200)]
            file.write_text("arrival_s,prompt_tokens,output_tokens\n" + "".join("%r,%d,%d\n" % row for row in rows))
            told = CHAT.set("workload", {"trace": {"path": str(file)}}).run(progress=False)
        made = CHAT.run(trace=(servecast.Request(*row) if row[1] % 2 else row for row in rows), progress=False)
        self.assertEqual((made.folder / "requests.csv").read_bytes(), (told.folder / "requests.csv").read_bytes())
        self.assertEqual(made.summary.workload, "trace python:generator")

    def test_a_trace_without_end_is_read_as_far_as_asked(self):
        def forever():
            at_s = 0.0
            while True:
                yield at_s, 500, 20
                at_s += 0.1

        self.assertEqual(CHAT.run(trace=forever(), progress=False).summary.requests.arrived, 300)

    def test_labels_and_sessions(self):
        rows = [servecast.Request(i, 100, 10, request_class="slow" if i % 2 else "fast", client=f"c{i % 3}", session=f"s{i}",
                                  block_tokens=16, prefix_blocks=[1, 2, 3]) for i in range(20)]

        class Looks:
            def pick(self, request, views):
                assert request.client == 1 + request.id % 3 and request.session == request.id + 1
                assert len(request.prefix_blocks) == 3 and request.block_tokens == 16
                return 0

        report = CHAT.run(trace=rows, router=Looks(), progress=False)
        self.assertEqual({one.name: one.requests.completed for one in report.summary.classes}, {"fast": 10, "slow": 10})

    def test_follow_ups(self):
        class Conversation:
            """Four clients; each sends three more turns, half a second after the answer."""

            def __init__(self):
                self.turns = {}

            def __iter__(self):
                return iter([(0.1 * i, 200, 20) for i in range(4)])

            def follow_up(self, done, finish_s):
                turn = self.turns.get(done.session, 0)
                self.turns[done.session] = turn + 1
                return servecast.Request(finish_s + 0.5, 300, 20, session="x") if turn < 12 else None

        self.assertGreater(CHAT.run(trace=Conversation(), progress=False).summary.requests.completed, 12)


class Speed(unittest.TestCase):
    def test_a_million_requests_would_take_less_than_a_minute(self):
        count = 50_000
        chat = speed.scenario(count)
        _, spent_s, report = speed.measured(lambda: chat.run(
            router=speed.FewestTokens(), admission=speed.ShortPrompts(), trace=speed.requests(count), progress=False))
        self.assertEqual(report.summary.requests.completed, count)
        self.assertLess(spent_s * 1_000_000 / count, 60)


class Mistakes(unittest.TestCase):
    """One clear message, and nothing half-written."""

    def refused(self, pattern, **given):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(servecast.ScenarioError, pattern) as caught:
                CHAT.run(out=f"{folder}/out", progress=False, **given)
            self.assertEqual(os.listdir(folder), [])
        with self.assertRaises(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)
        return caught.exception

    def test_nonsense(self):
        class Answers:
            def __init__(self, answer):
                self.answer = answer

            def pick(self, request, views):
                return self.answer

            def admits(self, request, views):
                return self.answer

        for answer in (17, -1, 2**40, "0", 1.5, [0]):
            error = self.refused(r"router 'Answers': pick\(\) answered .* to request 0; it must be the id", router=Answers(answer))
            self.assertIsInstance(error, servecast.PolicyError)
        for answer in (None, "yes", []):
            self.refused(r"admission 'Answers': admits\(\) answered .*; it must be True or False", admission=Answers(answer))

    def test_exceptions(self):
        class Fails:
            def pick(self, request, views):
                raise KeyError("lost")

        error = self.refused(r"router 'Fails': pick\(\) raised KeyError: 'lost' \(.*test_policies.py:\d+\)", router=Fails())
        self.assertIsInstance(error, servecast.PolicyError)
        self.assertIsInstance(error.__cause__, KeyError)
        self.assertIn('raise KeyError("lost")', error.traceback_text)

        class Local(Exception):
            def __init__(self, a, b):
                super().__init__(a)

        class FailsOddly:
            def pick(self, request, views):
                raise Local("one", "two")

        self.assertIn("Local: one", self.refused("FailsOddly", router=FailsOddly()).traceback_text)

        class Exits:
            def pick(self, request, views):
                raise SystemExit(3)

        self.refused(r"router 'Exits': pick\(\) raised SystemExit: 3", router=Exits())

    def test_traces(self):
        self.refused("trace 'list': request 1 arrives at 0.5 s, before the one ahead", trace=[(1, 2, 3), (0.5, 2, 3)])
        self.refused("trace 'list': request 0 has prompt_tokens 0; it must be from 1", trace=[(1, 0, 3)])
        self.refused("trace 'list': request 0 has arrival_s nan", trace=[(float("nan"), 1, 3)])
        self.refused("trace 'list': request 0 is 'x'; it must be a servecast.Request", trace=["x"])
        self.refused("no iterable", trace=3)

        def fails():
            yield 1, 2, 3
            raise ZeroDivisionError("by hand")

        self.assertIsInstance(self.refused("trace 'generator' raised ZeroDivisionError: by hand", trace=fails()).__cause__,
                              ZeroDivisionError)

    def test_what_is_no_policy(self):
        self.refused("is no router: pass an object that has pick", router=LeastLoaded)
        self.refused("is no router", router=3)
        self.refused("is no admission", admission=LeastLoaded())
        self.refused("two objects of class RoundRobin", router={"chat": RoundRobin(), "b": RoundRobin()})

    def test_views_end_with_the_question(self):
        class Late:
            views = None

            def pick(self, request, views):
                if self.views is not None and request.id == 5:
                    views.prefill_s(10)
                self.views = views
                return 0

            def admits(self, request, views):
                if self.views is not None:
                    self.views.prefill_s(10)
                return True

        late = Late()
        self.refused("the pool answers while a policy is asked", router=late, admission=late)


if __name__ == "__main__":
    unittest.main()
