"""The module with nothing but Python: no NumPy, no pandas, no matplotlib."""

import importlib.util
import unittest

import servecast


@unittest.skipIf(importlib.util.find_spec("numpy"), "NumPy is installed")
class Bare(unittest.TestCase):
    def test_a_report_without_any_package(self):
        report = servecast.Scenario.load("chat.yaml").set("first_requests", 100).run(progress=False)
        self.assertEqual(len(report.requests["arrival_s"]), 100)
        self.assertEqual(set(report.requests["status"]), {"completed"})
        self.assertEqual(report.requests["prompt_tokens"][0], report.requests.row(0)["prompt_tokens"])

    def test_what_is_missing_is_one_message(self):
        report = servecast.Scenario.load("chat.yaml").set("first_requests", 10).run(progress=False)
        for what, package in ((report.plot, "matplotlib"), (report.requests.to_pandas, "pandas"),
                              (report.requests.to_arrow, "pyarrow")):
            with self.assertRaisesRegex(servecast.Error, f"needs {package}, which is not installed.*pip install {package}"):
                what()

        class Arrays:
            def pick(self, request, views):
                return views.array["id"][0]

        with self.assertRaisesRegex(servecast.PolicyError, "views.array needs NumPy; pip install numpy"):
            servecast.Scenario.load("chat.yaml").run(router=Arrays(), progress=False)


if __name__ == "__main__":
    unittest.main()
