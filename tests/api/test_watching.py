"""An index that follows its home."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from threading import Event

import pytest

from omoide import Omoide, Settings
from omoide.errors import MissingExtra

pytest.importorskip("watchfiles")
WORDS = Settings().with_values({"embedding.model": "none"})


def test_each_change_is_indexed(tmp_path: Path) -> None:
    """What is written while the watch goes on is in the index before anybody asks; the end is asked for by an event."""
    home, stop = tmp_path / "home", Event()
    home.mkdir()
    (home / "a.md").write_text("alpha\n")
    with Omoide(home, settings=WORDS, cache=tmp_path / "cache") as omoide:
        states = omoide.watch(stop=stop)
        assert next(states)["files"] == 1
        (home / "b.md").write_text("beta\n")
        assert next(states)["files"] == 2
        (home / "a.md").unlink()
        assert next(states)["files"] == 1
        stop.set()
        assert not list(states)


def test_a_failure_is_said_and_the_watch_goes_on(tmp_path: Path) -> None:
    """A home that goes away is an answer, not the end."""
    home = tmp_path / "home"
    home.mkdir()
    with Omoide(home, settings=WORDS, cache=tmp_path / "cache") as omoide:
        states = omoide.watch()
        next(states)
        (home / "a.md").write_text("alpha\n")
        home.rename(tmp_path / "moved")
        assert "failed" in next(states)
        states.close()


def test_from_the_command_line(tmp_path: Path) -> None:
    """`omoide index watch` prints a line for each build and ends with 130 when it is interrupted."""
    env = os.environ | {"OMOIDE_CACHE": str(tmp_path / "cache"), "PYTHONUNBUFFERED": "1"}
    (tmp_path / "home").mkdir()
    command = [sys.executable, "-m", "omoide.serve.cli.main", "index", "watch", "--home", str(tmp_path / "home"), "--set", "embedding.model=none"]
    heeding = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}  # ignored by all that a shell starts with &
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=env, **heeding) as watch:  # type: ignore[call-overload]
        assert watch.stdout is not None
        assert watch.stdout.readline() == "files 0, chunks 0, vectors 0\n"
        (tmp_path / "home" / "a.md").write_text("alpha\n")
        assert watch.stdout.readline() == "files 1, chunks 1, vectors 0\n"
        watch.send_signal(signal.SIGINT)
    assert watch.returncode == 130


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the package is missing, the error names the line that installs it."""
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    with Omoide(tmp_path, settings=WORDS) as omoide, pytest.raises(MissingExtra, match=r"pip install 'omoide\[watch\]'"):
        next(omoide.watch())
