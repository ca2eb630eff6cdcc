"""What docs/python.md shows works, block after block."""

import contextlib
import io
import os
import pathlib
import re
import shutil
import tempfile
import unittest

import servecast

SOURCE = pathlib.Path(__file__).parents[2]


class Docs(unittest.TestCase):
    def test_every_block_runs(self):
        page = (SOURCE / "docs" / "python.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
        self.assertGreaterEqual(len(blocks), 4)
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
            os.chdir(folder)
            try:
                servecast.Scenario.load("chat.yaml").set("seed", 3).run(out="report-of-yesterday", progress=False)
                shutil.copy(SOURCE / "tests" / "data" / "small_study.yaml", "study.yaml")
                names = {}
                for block in blocks:
                    exec(compile(block, "docs/python.md", "exec"), names)
            finally:
                os.chdir(before)
        self.assertIn("LATENCY", printed.getvalue())
        self.assertIn("unknown gpu 'h100'", printed.getvalue())
        self.assertIsNotNone(names["plan"].best)


if __name__ == "__main__":
    unittest.main()
