"""Plots, and what a notebook shows."""

import unittest

import servecast

try:
    import matplotlib
    import numpy

    matplotlib.use("Agg")
except ImportError:
    raise unittest.SkipTest("matplotlib is not installed") from None

CHAT = servecast.Scenario.load("chat.yaml").set("first_requests", 300)


class Pictures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.report = CHAT.run(progress=False)

    def test_latencies_are_those_of_the_summary(self):
        from servecast._plot import latencies

        summary = self.report.summary
        for key, values in latencies(self.report).items():
            self.assertAlmostEqual(numpy.mean(values) / summary[key].mean, 1, places=6, msg=key)

    def test_cdfs_have_the_line_of_the_slo(self):
        axes = self.report.plot("latency").axes
        slo = self.report.summary.slo
        for ax, bound in zip(axes, (slo.ttft_s, slo.tpot_s, slo.e2e_s)):
            lines = [line for line in ax.get_lines() if list(line.get_xdata()) == [bound, bound]]
            self.assertEqual(len(lines), 0 if bound is None else 1)
            shares = ax.get_lines()[0].get_ydata()
            self.assertEqual(shares[-1], 1)
            self.assertTrue((numpy.diff(shares) > 0).all())

    def test_over_time(self):
        axes = self.report.plot("load").axes
        self.assertEqual(len(axes[0].get_lines()), 2)
        self.assertEqual(list(axes[0].get_lines()[0].get_ydata()), list(self.report.series["running"]))
        with self.assertRaisesRegex(servecast.ScenarioError, "no picture 'pie'"):
            self.report.plot("pie")

    def test_a_sweep(self):
        sweep = CHAT.sweep({"pools[0].replicas": [1, 2], "workload.trace.rate_scale": [4, 8]}, progress=False)
        axes = sweep.plot("ttft_p99_s").axes[0]
        self.assertEqual(len(axes.get_lines()), 2)
        self.assertEqual(list(axes.get_lines()[0].get_xdata()), [1, 2])
        with self.assertRaisesRegex(servecast.ScenarioError, "no point of the sweep has a figure 'x'"):
            sweep.plot("x")

    def test_a_notebook_shows_reports_and_tables(self):
        self.assertIn("LATENCY", self.report._repr_html_())
        self.assertIn("ttft_s", servecast.Report(self.report.folder)._repr_html_())
        self.assertIn("and 290 more rows", self.report.requests._repr_html_())

    def test_frames_share_memory(self):
        try:
            import pandas  # noqa: F401
            import pyarrow  # noqa: F401
        except ImportError:
            self.skipTest("pandas or pyarrow is not installed")
        table = self.report.requests
        numbers = table["arrival_s"]
        self.assertTrue(numpy.shares_memory(numbers, table.to_pandas()["arrival_s"].to_numpy()))
        self.assertTrue(numpy.shares_memory(numbers, table.to_arrow()["arrival_s"].chunk(0).to_numpy()))
        self.assertEqual(table.to_arrow().to_pandas()["status"].tolist(), table.to_pandas()["status"].tolist())


if __name__ == "__main__":
    unittest.main()
