"""The index follows the files."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from omoide.index.index import Index
from omoide.index.sync import Content, Plan, apply, plan, problems
from parts.bm25 import row, scores

NOW = 10**18


@dataclass(frozen=True)
class Look:
    """A file as a look shows it."""

    path: str
    size: int = 1
    mtime_ns: int = 0
    ctime_ns: int = 0
    inode: int = 1


def content(text: str, digest: str = "") -> Content:
    """One chunk of a text."""
    return Content(digest or text, (row(f"{text}:1", text),))


def take(index: Index, contents: dict[str, Content], looks: list[Look], unknown: tuple[str, ...] = ()) -> tuple[Plan, int, list[str]]:
    """Plan and apply; gives the plan, how many were written, and which were read."""
    asked: list[str] = []

    def load(seen: Look) -> Content:
        asked.append(seen.path)
        found = contents[seen.path]
        return replace(found, chunks=tuple(chunk._replace(path=seen.path, id=f"{seen.path}:{i}") for i, chunk in enumerate(found.chunks)))

    todo = plan(index, looks, unknown)
    return todo, apply(index, todo, load, NOW), asked  # type: ignore[arg-type]


def test_only_what_changed_is_read(index: Index) -> None:
    """A second look reads nothing; a file with another size, time or inode is read; one that is gone is removed."""
    contents = {name: content(f"alpha {name}") for name in "abc"}
    looks = [Look(name) for name in "abc"]
    assert take(index, contents, looks)[1:] == (3, ["a", "b", "c"])
    assert not take(index, contents, looks)[0]
    for change in ({"size": 2}, {"mtime_ns": 1}, {"ctime_ns": 1}, {"inode": 9}):
        assert take(index, contents, [Look("a", **change), *looks[1:]])[2] == ["a"]
        take(index, contents, looks)
    assert take(index, contents, looks[1:])[0].removed == ("a",)
    assert set(scores(index, "alpha")) == {"b:0", "c:0"}


def test_the_same_content_is_not_written_again(index: Index) -> None:
    """A touched file is read, found equal and left as it was indexed."""
    contents = {"a": content("alpha")}
    take(index, contents, [Look("a")])
    before = index.count("SELECT max(id) FROM chunks")
    assert take(index, contents, [Look("a", mtime_ns=5)])[1:] == (0, ["a"])
    assert index.count("SELECT max(id) FROM chunks") == before


@pytest.mark.parametrize("field", ["mtime_ns", "ctime_ns"])
def test_a_file_changed_a_moment_ago_is_read_again(index: Index, field: str) -> None:
    """When the clock is too coarse to tell, a file is read at the next look too."""
    contents = {"a": content("alpha")}
    fresh = Look("a", **{field: NOW - 1000})
    assert take(index, contents, [fresh])[2] == ["a"]
    assert take(index, {"a": content("beta")}, [fresh])[1:] == (1, ["a"])
    assert set(scores(index, "beta")) == {"a:0"}


def test_c40_what_cannot_be_looked_at_is_not_removed(index: Index) -> None:
    """Notes below a folder that cannot be read stay; a neighbour with a longer name is no part of it."""
    contents = {name: content(f"alpha {name}") for name in ("dir/a", "dirt/b", "c")}
    take(index, contents, [Look(name) for name in contents])
    assert take(index, contents, [Look("c")], ("dir",))[0].removed == ("dirt/b",)
    assert set(scores(index, "alpha")) == {"dir/a:0", "c:0"}


def test_problems_are_kept_and_cleared(index: Index) -> None:
    """A file with a problem is listed with its reason until it is read without one; an unreadable one keeps its chunks."""
    take(index, {"a": content("alpha")}, [Look("a")])
    gone = Content("problem:unreadable", problem=("unreadable", "no right"), keep=True)
    take(index, {"a": gone}, [Look("a", size=2)])
    assert problems(index) == {"a": ("unreadable", "no right")}
    assert set(scores(index, "alpha")) == {"a:0"}
    take(index, {"a": Content("problem:binary", problem=("binary", "NUL"))}, [Look("a", size=3)])
    assert scores(index, "alpha") == {}
    take(index, {"a": content("alpha")}, [Look("a", size=4)])
    assert problems(index) == {}
    take(index, {"a": Content("x", problem=("binary", "NUL"))}, [Look("a", size=5)])
    take(index, {}, [])
    assert problems(index) == {}


def test_progress_is_told(index: Index) -> None:
    """Long work says how far it is, in batches."""
    told: list[tuple[int, int]] = []
    apply(index, plan(index, [Look(f"f{i}") for i in range(250)], ()), lambda seen: content(seen.path), NOW, lambda *at: told.append(at))
    assert told == [(100, 250), (200, 250), (250, 250)]
