"""The file of the log of calls: it grows by whole lines, by many hands, and never beyond what is allowed."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.index import calls


def lines(cache: Path) -> list[bytes]:
    return [line for path in calls.paths(cache) for line in path.read_bytes().splitlines()]


@given(sizes=st.lists(st.integers(min_value=1, max_value=400), max_size=80))
def test_it_never_holds_more_than_is_allowed(tmp_path_factory: pytest.TempPathFactory, sizes: list[int]) -> None:
    """Whatever the lines, both files together stay below the limit, and what is there is the newest, whole, in order."""
    cache = tmp_path_factory.mktemp("calls")
    written = [str(number).encode() + b"x" * size for number, size in enumerate(sizes)]
    for line in written:
        calls.add(cache, line, 2000)
        assert sum(path.stat().st_size for path in calls.paths(cache)) <= 2000
    kept = lines(cache)
    assert kept == written[len(written) - len(kept) :]
    assert len(kept) == len(written) or sum(map(len, kept)) > 500


def test_only_its_owner_reads_it(tmp_path: Path) -> None:
    """The folder and the file are closed to others, for questions are personal."""
    calls.add(tmp_path / "new" / "cache", b"{}", 1000)
    assert stat.S_IMODE((tmp_path / "new/cache/calls.jsonl").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "new/cache").stat().st_mode) == 0o700


def test_half_a_line_stays_alone(tmp_path: Path) -> None:
    """What a dying process left at the end does not swallow the next line."""
    (tmp_path / "calls.jsonl").write_bytes(b'{"t":"20')
    calls.add(tmp_path, b"{}", 1000)
    assert lines(tmp_path) == [b'{"t":"20', b"{}"]


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """A link in its place is refused: what it points to is somebody else's file."""
    (tmp_path / "other").write_bytes(b"")
    os.symlink(tmp_path / "other", tmp_path / "calls.jsonl")
    with pytest.raises(OSError, match="symbolic"):
        calls.add(tmp_path, b"{}", 1000)
    assert (tmp_path / "other").read_bytes() == b""


def test_many_processes_at_once(tmp_path: Path) -> None:
    """Lines of several processes lie beside one another, none torn, while files are put aside between them."""
    code = (
        "import sys; from pathlib import Path; from omoide.index import calls\n"
        "for i in range(300): calls.add(Path(sys.argv[1]), (sys.argv[2] * 50 + f' {i}').encode(), 20_000)"
    )
    started = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), letter]) for letter in "abcd"]
    assert [process.wait() for process in started] == [0] * 4
    kept = lines(tmp_path)
    assert all(line.partition(b" ")[0] in (b"a" * 50, b"b" * 50, b"c" * 50, b"d" * 50) for line in kept)
    for letter in b"abcd":
        numbers = [int(line.partition(b" ")[2]) for line in kept if line[0] == letter]
        assert numbers == list(range(300 - len(numbers), 300))
    assert sum(path.stat().st_size for path in calls.paths(tmp_path)) <= 20_000


def test_clear(tmp_path: Path) -> None:
    """Nothing of it stays, and what is not there is no error."""
    calls.add(tmp_path, json.dumps({"t": 1}).encode() * 30, 100)
    calls.add(tmp_path, b"{}", 100)
    assert len(calls.paths(tmp_path)) == 2
    calls.clear(tmp_path)
    calls.clear(tmp_path)
    assert calls.paths(tmp_path) == []
