"""The one place that asks the machine for the time. Everything above can be given another clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, tzinfo

Clock = Callable[[], datetime]
"""Gives the present moment, with a zone."""


def machine_clock() -> datetime:
    """Now, in the machine's zone."""
    return datetime.now().astimezone()


def machine_zone() -> tzinfo:
    """The machine's zone."""
    zone = machine_clock().tzinfo
    assert zone is not None
    return zone


def machine_ns() -> int:
    """Nanoseconds since 1970, to compare with the times of files."""
    return time.time_ns()
