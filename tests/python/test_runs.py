"""Scenarios, reports and many runs, as the program itself gives them."""

import importlib.machinery
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import servecast

CHAT = servecast.Scenario.load("chat.yaml").set("first_requests", 200)


def program(*words):
    """What the bundled program prints."""
    from servecast._program import path_of

    return subprocess.run([path_of("servecast"), *words], check=True, capture_output=True, text=True).stdout


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.report = CHAT.run(progress=False)

    def test_a_run_gives_what_the_program_gives(self):
        told = json.loads(program("run", CHAT.file, "--set", "first_requests=200", "--format", "json"))
        self.assertEqual(self.report.summary, told)
        self.assertEqual(self.report.summary.ttft_s.p99, told["ttft_s"]["p99"])
        self.assertEqual(self.report.summary.at("pools[0].busy_fraction"), told["pools"][0]["busy_fraction"])
        self.assertIn("LATENCY", str(self.report))

    def test_set_leaves_the_scenario_as_it_is(self):
        other = CHAT.set({"seed": 7, "pools[0].replicas": 2})
        self.assertEqual((other.settings.seed, CHAT.settings.seed), (7, 1))
        self.assertEqual(other.settings.pools[0].replicas, 2)

    def test_a_text_is_a_scenario(self):
        text = pathlib.Path(CHAT.file).read_text()
        folder = pathlib.Path(CHAT.file).parent
        same = servecast.Scenario.from_text(text, folder).set("first_requests", 200).run(progress=False)
        self.assertEqual(same.summary, self.report.summary)

    def test_a_figure_that_is_not_there_is_an_error(self):
        with self.assertRaisesRegex(AttributeError, "no 'ttft'"):
            self.report.summary.ttft

    def test_out_keeps_the_report_and_a_temporary_one_goes(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = CHAT.run(out=f"{folder}/kept", progress=False)
            self.assertEqual(servecast.Report(f"{folder}/kept").summary, kept.summary)
            self.report.save(f"{folder}/copy")
            self.assertEqual(servecast.Report(f"{folder}/copy").requests.rows, 200)
        temporary = CHAT.run(progress=False)
        folder = temporary.folder
        self.assertTrue(folder.exists())
        del temporary
        self.assertFalse(folder.exists())

    def test_tables_are_what_the_files_hold(self):
        lines = (self.report.folder / "requests.csv").read_text().splitlines()
        self.assertEqual(",".join(self.report.requests.columns), lines[0])
        self.assertEqual(self.report.requests.rows, len(lines) - 1)
        last = dict(zip(lines[0].split(","), lines[-1].split(",")))
        for name, value in self.report.requests.row(199).items():
            self.assertEqual(type(value)(last[name]), value, name)
        self.assertEqual(set(self.report.series), {*self.report.series.columns})

    def test_detail_gives_more_tables(self):
        report = CHAT.run(detail="steps@0:1", progress=False)
        self.assertGreater(report.table("steps").rows, 0)
        with self.assertRaisesRegex(servecast.ScenarioError, "there are: .*steps"):
            report.table("links")

    def test_replicates_give_intervals(self):
        summary = CHAT.run(replicates=2, progress=False).summary
        self.assertLessEqual(summary.p05.ttft_s.mean, summary.p95.ttft_s.mean)

    def test_mistakes_have_a_place(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "bad.yaml"
            file.write_text("name: bad\nseeed: 3\npools: [{name: a, llm: nope}]\n")
            with self.assertRaises(servecast.ScenarioError) as caught:
                servecast.Scenario.load(file).run()
            error = caught.exception
            self.assertEqual((error.file, error.message), (str(file), error.problems[0].message))
            unknown = next(problem for problem in error.problems if "seeed" in problem.message)
            self.assertEqual((unknown.file, unknown.line, unknown.column), (str(file), 2, 1))
            self.assertGreater(len(error.problems), 1)
            with self.assertRaises(servecast.ScenarioError) as checked:
                servecast.Scenario.load(file).check()
            self.assertEqual(str(checked.exception), str(error))

    def test_progress_is_told(self):
        states = []
        CHAT.set("first_requests", 2000).run(progress=states.append)
        self.assertEqual(states[-1].fraction, 1)
        self.assertEqual(states[-1].finished, 2000)


class ManyRuns(unittest.TestCase):
    def test_sweep(self):
        states = []
        sweep = CHAT.sweep({"pools[0].replicas": [1, 2], "pools[0].router.policy": ["random", "least_loaded"]},
                           progress=states.append)
        self.assertEqual(len(sweep), 4)
        alone = CHAT.set({"pools[0].replicas": 2, "pools[0].router.policy": "random"}).run(progress=False)
        row = next(r for r in sweep.rows() if r["pools[0].replicas"] == "2" and "random" in r["pools[0].router.policy"])
        self.assertEqual(row["ttft_p99_s"], alone.summary.ttft_s.p99)
        self.assertEqual((states[-1].done, states[-1].total), (4, 4))
        self.assertIn("<table>", sweep._repr_html_())

    def test_whatif_and_compare(self):
        change = {"pools[0].replicas": 2}
        what = CHAT.whatif(change, replicates=2, figures=["ttft_s.p90"])
        figure = what.figures["ttft_s.p90"]
        self.assertEqual(figure.base, CHAT.run(progress=False).summary.ttft_s.p90)
        self.assertEqual(figure.other, CHAT.set(change).run(progress=False).summary.ttft_s.p90)
        told = json.loads(program("whatif", CHAT.file, "--set", "pools[0].replicas=2", "--replicates", "2", "--figures",
                                  "ttft_s.p90", "--format", "json"))
        plain = servecast.Scenario.load("chat.yaml").whatif(change, replicates=2, figures=["ttft_s.p90"])
        self.assertEqual(plain.figures, told["comparisons"][0]["figures"])
        reports = servecast.compare(CHAT.run(progress=False), CHAT.set(change).run(progress=False), figures=["ttft_s.p90"],
                                    replicates=0)
        self.assertEqual(reports.figures["ttft_s.p90"].difference, figure.difference)

    def test_plan(self):
        study = pathlib.Path(__file__).parents[1] / "data" / "small_study.yaml"
        plan = servecast.plan(study, bounds_only=True)
        self.assertEqual(len(plan.designs), plan.certificate.designs)
        with tempfile.TemporaryDirectory() as folder:
            answer = servecast.plan(study, out=folder, progress=False)
            self.assertIn(answer.best.verdict, ("chosen", "front"))
            self.assertEqual(json.loads(pathlib.Path(folder, "plan.json").read_text()), answer.data)
        with self.assertRaises(servecast.ScenarioError):
            servecast.plan("nowhere.yaml")

    def test_listing(self):
        self.assertIn("least_loaded", [router.name for router in servecast.list("routers")])
        self.assertIn("pools[].replicas", [key.path for key in servecast.schema()])
        with self.assertRaises(servecast.ScenarioError):
            servecast.list("nonsense")


class Interrupts(unittest.TestCase):
    def long_run(self, **more):
        threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaises(KeyboardInterrupt):
                servecast.Scenario.load("chat.yaml").set("workload", {"generate": {
                    "requests": 10_000_000, "arrivals": {"poisson": {"requests_per_s": 20}}, "prompt_tokens": {"fixed": 300},
                    "output_tokens": {"fixed": 100}}}).run(out=f"{folder}/out", progress=False, **more)
            self.assertEqual(os.listdir(folder), [])
        self.assertLess(time.monotonic() - start, 30)
        with self.assertRaises(ChildProcessError):  # there is none
            os.waitpid(-1, os.WNOHANG)

    def test_the_program_is_ended(self):
        self.long_run()

    def test_a_child_with_a_policy_is_ended(self):
        class First:
            def pick(self, request, views):
                return views[0]

        self.long_run(router=First())


class Commands(unittest.TestCase):
    def test_installed_commands_are_the_programs(self):
        for name in ("servecast", "servecast-calibrate"):
            said = subprocess.run([os.path.join(os.path.dirname(sys.executable), name), "--version"], check=True,
                                  capture_output=True, text=True).stdout
            self.assertEqual(said.split(), [name, servecast.__version__])

    def test_a_program_of_another_machine_is_one_message(self):
        from servecast import _program

        with tempfile.TemporaryDirectory() as folder:
            home = pathlib.Path(folder)
            (home / "bin").mkdir()
            (home / "bin" / "servecast").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\xb7\x00" + bytes(44))
            (home / "bin" / "servecast").chmod(0o755)
            before, _program._home = _program._home, home
            try:
                with self.assertRaisesRegex(servecast.Error, "does not start .* this one is .* Install the wheel of its architecture"):
                    servecast.list()
            finally:
                _program._home = before

    def test_an_extension_of_another_machine_is_one_message(self):
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder) / "servecast"
            shutil.copytree(servecast.__path__[0], package, ignore=shutil.ignore_patterns("program", "_core*.so"))
            suffix = importlib.machinery.EXTENSION_SUFFIXES[0]
            (package / f"_core{suffix}").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\x00\xb7\x00" + bytes(44))
            ended = subprocess.run([sys.executable, "-c", "import servecast"], env={**os.environ, "PYTHONPATH": folder},
                                   capture_output=True, text=True)
            self.assertEqual(ended.returncode, 1)
            self.assertRegex(ended.stderr, r"ImportError: servecast's extension does not start .* this one is")


if __name__ == "__main__":
    unittest.main()
