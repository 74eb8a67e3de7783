"""How a process of the tests beside it does its one thing: says "ready", does it, and ends with 1 if anything was raised."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from typing import NoReturn


def act(work: Callable[[], object]) -> NoReturn:
    """Do it past all imports, so that whoever kills the process hits the work and not the start."""
    print("ready", flush=True)
    try:
        work()
    except Exception:  # the door of this process: the parent asserts that this never happens
        traceback.print_exc()
        sys.exit(1)
    sys.exit(0)
