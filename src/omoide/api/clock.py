"""The one place that asks the machine for the time. Everything above can be given another clock."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo

Clock = Callable[[], datetime]
"""Gives the present moment, with a zone."""


def machine_clock() -> datetime:
    """Now, in the machine's zone."""
    return datetime.now().astimezone()


def machine_zone() -> tzinfo:
    """The machine's zone, with its rules where its name is known: else the offset of today would move days of last winter."""
    name = os.environ.get("TZ", "").removeprefix(":") or os.path.realpath("/etc/localtime").partition("/zoneinfo/")[2]
    with suppress(KeyError, ValueError, OSError):  # no name, or none that is known here
        return ZoneInfo(name)
    zone = machine_clock().tzinfo
    assert zone is not None
    return zone


def machine_ns() -> int:
    """Nanoseconds since 1970, to compare with the times of files."""
    return time.time_ns()
