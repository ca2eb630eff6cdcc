"""Which machine this installation is for."""

from __future__ import annotations

import platform
import sysconfig


def not_for_this_machine(what: str, why: object) -> str:
    """One message where the bundled programs or the extension do not start."""
    return (f"{what} does not start ({why}): this installation of servecast may be for another machine; this one is "
            f"{platform.machine()} with Python {platform.python_version()} ({sysconfig.get_platform()}). Install the wheel of its "
            "architecture and Python, or build one there with 'pip install .'")
