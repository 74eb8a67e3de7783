"""kill -9 of a process that prints a number for each thing it has acknowledged."""

from __future__ import annotations

import signal
import subprocess
import time


def kill_after(child: subprocess.Popen[str], count: int, seconds: float) -> list[int]:
    """Kill it so long after its `count`-th acknowledgement; the numbers of all that it acknowledged.

    Counted in acknowledgements and not in time alone: a slow machine must not turn every kill into one of the first write.
    All is read through the one buffered stream: `communicate` would lose lines that `readline` has already taken from the pipe.
    """
    assert child.stdout is not None
    assert child.stderr is not None
    said = [child.stdout.readline() for _ in range(count)]
    time.sleep(seconds)
    child.kill()
    said += child.stdout.read().split("\n")
    error = child.stderr.read()
    assert child.wait() == -signal.SIGKILL, error
    return [int(line) for line in said if line]
