"""The commands `servecast` and `servecast-calibrate` of an installed wheel: the bundled programs take over the process."""

from __future__ import annotations

import os
import sys

from ._program import path_of, start_failed


def _become(name: str) -> None:
    try:
        os.execv(path_of(name), [name, *sys.argv[1:]])
    except OSError as error:
        sys.exit(str(start_failed(name, error)))


def servecast() -> None:
    """Becomes `servecast`."""
    _become("servecast")


def servecast_calibrate() -> None:
    """Becomes `servecast-calibrate`."""
    _become("servecast-calibrate")
