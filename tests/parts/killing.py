"""kill -9 of a process that prints a number for each thing it has acknowledged."""

from __future__ import annotations

import os
import signal
import subprocess
import time


def next_line(child: subprocess.Popen[str]) -> str:
    """The next line it prints, and not a byte more: what `readline` reads ahead of a slow parent, `communicate` never sees."""
    assert child.stdout is not None
    said = b""
    while not said.endswith(b"\n") and (byte := os.read(child.stdout.fileno(), 1)):
        said += byte
    return said.decode()


def kill_after(child: subprocess.Popen[str], count: int, seconds: float) -> list[int]:
    """Kill it so long after its `count`-th acknowledgement; the numbers of all that it acknowledged.

    Counted in acknowledgements and not in time alone: a slow machine must not turn every kill into one of the first write.
    """
    assert child.stdout is not None
    assert child.stderr is not None
    said = [next_line(child) for _ in range(count)]
    time.sleep(seconds)
    child.kill()
    said += child.stdout.read().split("\n")
    error = child.stderr.read()
    assert child.wait() == -signal.SIGKILL, error
    return [int(line) for line in said if line]
