"""Daily logs with several writers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

WRITER = """
import sys
from datetime import UTC, datetime
from omoide import Omoide
at = datetime(2026, 11, 30, 9, tzinfo=UTC)
with Omoide(sys.argv[1]) as omoide:
    sys.stdin.readline()
    for number in range(int(sys.argv[3])):
        omoide.log(f"{sys.argv[2]} {number}. " + "x" * (number % 90) + "\\n\\nline two", at=at)
        omoide.log("One summary.", session=f"s-{number}", at=at)
"""


def test_two_writers_lose_nothing(tmp_path: Path) -> None:
    """Processes that log at the same time: every entry is there, whole and once, below what was written by hand; of a summary that all tell there is one."""
    home, times = tmp_path / "home", 200 if os.environ.get("OMOIDE_FULL") else 20
    (home / "memory").mkdir(parents=True)
    (home / "memory/2026-11-30.md").write_text("by hand\n", "utf-8")
    (home / "omoide.toml").write_text('[home]\nzone = "UTC"\n', "utf-8")
    command = [sys.executable, "-c", WRITER, str(home)]
    children = [
        subprocess.Popen([*command, name, str(times)], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": "src"})
        for name in ("ann", "bob")
    ]  # fmt: skip
    for child in children:
        _, err = child.communicate("\n", timeout=300)
        assert child.returncode == 0, err
    text = (home / "memory/2026-11-30.md").read_text("utf-8")
    first, *sections = text.split("\n## 09:00 ")
    assert first == "by hand\n"
    want = {f"{name} {number}. {'x' * (number % 90)}\n\nline two" for name in ("ann", "bob") for number in range(times)}
    bodies = [section.partition(")\n\n")[2].strip("\n") for section in sections]
    assert sorted(body for body in bodies if body != "One summary.") == sorted(want)
    assert bodies.count("One summary.") == times
