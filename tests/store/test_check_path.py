"""The rules for the path of a note."""

from __future__ import annotations

import json
import os
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.errors import BadInput
from omoide.store.check_path import checked, shown
from omoide.store.store import Store

CASES = Path(__file__).parents[3] / "shared" / "cases" / "paths_and_names" / "cases.jsonl"


def rows() -> list[Any]:
    """The shared rows about note paths, or one row that is skipped."""
    if not CASES.exists():
        return [pytest.param({}, marks=pytest.mark.skip(reason=f"{CASES.name} of the shared cases is absent"))]
    lines = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    return [pytest.param(row, id=row["id"]) for row in lines if row["kind"] == "note_path"]


def prepare(vault: Path, steps: list[list[str]]) -> None:
    for step, *names in steps:
        place = vault / names[0]
        place.parent.mkdir(parents=True, exist_ok=True)
        if step == "mkdir":
            place.mkdir(exist_ok=True)
        elif step == "write":
            place.write_text("a note\n", encoding="utf-8")
        elif step == "symlink":
            place.symlink_to(names[1])
        elif step == "hardlink":
            place.hardlink_to(vault / names[1])
        elif step == "mkfifo":
            os.mkfifo(place)


@contextmanager
def exchanging(folder: Path, target: str) -> Iterator[None]:
    """Meanwhile `folder` is now a folder, now a link to `target`."""
    done = threading.Event()
    aside = folder.with_name(folder.name + "-aside")

    def exchange() -> None:
        while not done.is_set():
            folder.rename(aside)
            folder.symlink_to(target)
            folder.unlink()
            aside.rename(folder)

    folder.mkdir(parents=True, exist_ok=True)
    thread = threading.Thread(target=exchange)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize("row", rows())
def test_every_shared_row(row: dict[str, Any], tmp_path: Path) -> None:
    """A legal path reads back what was stored under it; any other is refused in words, reading nothing."""
    vault = tmp_path / "vault"
    vault.mkdir()
    steps = row.get("setup", [])
    prepare(vault, [step for step in steps if step[0] != "race_symlink"])
    store = Store(vault, zone=UTC)
    if row["expect"] == "accept":
        place = vault / row["input"]  # as the row spells it, NFD too
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists():
            place.write_text("a note\n", encoding="utf-8")
        page = store.lines(row["input"])
        assert (page.outcome, page.text) == ("found", "a note")
        assert page.path == unicodedata.normalize("NFC", row["input"])
        assert page.path in [found.path for found in store.scan().found]
        return
    races = [step for step in steps if step[0] == "race_symlink"]
    if races:
        with exchanging(vault / races[0][1], races[0][2]):
            outcomes = {store.lines(row["input"]).outcome for _ in range(500)}
        assert outcomes <= {"not_allowed", "not_found"}
        return
    page = store.lines(row["input"])
    assert (page.outcome, page.text) == ("not_allowed", "")
    assert page.reason
    assert str(tmp_path) not in page.reason
    page.path.encode()


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("", "empty"),
        ("\u3164/\u2800.md", None),
        ("\u3164", "shows nothing"),
        ("a\u0007.md", "control"),
        ("a\u2067.md", "direction"),
        ("a\U000e0041.md", "invisible"),
        ("a\u2029.md", "separator"),
        ("a\udfff.md", "surrogate"),
        ("a\U0001ffff.md", "no character"),
        ("a/\u2025/b.md", "segment . or .."),
        ("~/a.md", "root"),
        ("file:///a.md", "root"),
        ("a\\b.md", "backslash"),
        ("a/%c0%ae%c0%ae/b.md", "percent"),
        ("%25252e%25252e%25252fb.md", "percent"),
        ("%u002fetc.md", "percent"),
        ("a//b.md", "empty segment"),
        ("\u200d.git/b.md", "hidden"),
        ("GIT~1/b.md", ".git"),
        ("/".join("a" * 21), "segments"),
        ("\u3042" * 85 + "a.md", "255 bytes"),
        ("/".join(["a" * 200] * 6), "1024 bytes"),
        ("a /b.md", "blank"),
        ("lpt\u00b3.txt.md", "device"),
        ("Aux .md", "device"),
        ("a*.md", "one of"),
    ],
)
def test_each_rule_has_its_words(path: str, words: str | None) -> None:
    """The error names the field, says which rule is broken, and never repeats a path that may hold anything."""
    if words is None:
        assert checked(path) == path
        return
    with pytest.raises(BadInput) as caught:
        checked(path)
    assert str(caught.value).startswith("path: ")
    assert words in str(caught.value)


@pytest.mark.parametrize("path", ["a b.md", "100%.md", "%41.md", "50%25.md", "a%2fb.md", "\u30c6\u3099\u30fc\u30bf.md"])
def test_ordinary_names_stay_as_they_are(path: str) -> None:
    """Percent signs are letters and are never decoded; the only change a path knows is NFC."""
    assert checked(path) == unicodedata.normalize("NFC", path)


@pytest.mark.parametrize("path", ["q?.md", "12:30.md", "CON.md", "a /b.md", "x.md:stream"])
def test_rules_of_other_disks(path: str) -> None:
    """Names only other disks refuse pass where a note already stands, and no rule of safety does."""
    assert checked(path, portable=False) == path
    for bad in ("../" + path, ".x/" + path, "/" + path):
        with pytest.raises(BadInput):
            checked(bad, portable=False)


def test_a_path_must_be_text() -> None:
    """A number or nothing is refused like any bad path."""
    for value in (None, 3, b"a.md"):
        with pytest.raises(BadInput, match="path: must be text"):
            checked(value)  # type: ignore[arg-type]


@given(st.text(alphabet=st.characters(), max_size=60) | st.text(alphabet="./\\%25eE~a: \u200d\uff0e", max_size=20))
def test_any_text(path: str) -> None:
    """Any text is either refused or a relative path in NFC, stable under a second check, without ways out."""
    try:
        path = checked(path)
    except BadInput:
        return
    assert checked(path) == path == unicodedata.normalize("NFC", path)
    assert not os.path.isabs(path)
    assert not os.path.normpath(path).startswith("..")
    assert len(path.encode()) <= 1024


def test_shown_paths_can_be_printed() -> None:
    """A path in a message holds no control characters and no half characters, and keeps its letters."""
    assert shown("a\x1b[31m\ud800\u200b\u65e5.md") == "a\\x1b[31m\\ud800\\u200b\u65e5.md"
