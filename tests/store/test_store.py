"""The store as its callers see it: scan, document, lines."""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from omoide.errors import BadInput, StoreFailed
from omoide.store.files import Problem
from omoide.store.store import Reading, Store
from omoide.types import Document

TOKYO = ZoneInfo("Asia/Tokyo")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    return home


@pytest.fixture
def store(home: Path) -> Store:
    return Store(home, zone=TOKYO)


def write(home: Path, path: str, data: bytes | str) -> None:
    place = home / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data.encode() if isinstance(data, str) else data)


def code(answer: object) -> str:
    assert isinstance(answer, Problem)
    return answer.code


def test_a_document(home: Path, store: Store) -> None:
    """A document holds the text with its own line ends, the digest of its bytes, and what its place says."""
    data = b"\xef\xbb\xbf---\r\ntitle: T\r\n---\r\n# a\nb\r\n"
    write(home, "people/ken-1/notes/2026-11-30-x.md", data)
    reading = store.read("people/ken-1/notes/2026-11-30-x.md")
    assert isinstance(reading, Reading)
    assert reading.document == Document(
        path="people/ken-1/notes/2026-11-30-x.md",
        text="---\r\ntitle: T\r\n---\r\n# a\nb\r\n",
        digest=hashlib.sha256(data).hexdigest(),
        kind="note",
        audience="person:ken-1",
        subject="ken-1",
        when=datetime(2026, 11, 30, tzinfo=TOKYO),
    )
    assert (reading.first_line, reading.front.context, reading.problems) == (4, "T", ())
    assert store.document(reading.document.path) == reading.document


def test_what_is_no_source(home: Path, store: Store) -> None:
    """Generated files, copies, binary and unknown encodings and missing files are problems, by their codes."""
    write(home, "a.md", "---\ngenerated: true\n---\nx")
    write(home, "b (conflicted copy).md", "x")
    write(home, "c.md", b"a\0b")
    write(home, "d.md", "café au lait".encode("latin-1"))
    expected = {"a.md": "generated", "b (conflicted copy).md": "conflict_copy", "c.md": "binary"}
    expected |= {"d.md": "encoding_unknown", "e.md": "missing"}
    assert {path: code(store.document(path)) for path in expected} == expected
    assert store.lines("a.md").outcome == "found"  # still readable by whoever asks for it


def test_broken_front_matter_blocks_nobody(home: Path, store: Store) -> None:
    """A file with broken front matter is read and reported; its neighbours are not touched by it."""
    write(home, "a.md", "---\ntags: [x\n---\nbody\n")
    write(home, "b.md", "fine\n")
    reading = store.read("a.md")
    assert isinstance(reading, Reading)
    assert [problem[:2] for problem in reading.problems] == [("a.md", "front_matter")]
    assert "body" in reading.document.text
    assert reading.first_line == 1
    assert isinstance(store.document("b.md"), Document)


def test_two_curated_files(home: Path, store: Store) -> None:
    """MEMORY.md beside an old memory.md is one entry and a report; alone, either is read."""
    write(home, "memory.md", "old\n")
    assert [found.path for found in store.scan().found] == ["memory.md"]
    write(home, "MEMORY.md", "new\n")
    write(home, "DREAMS.md", "report\n")
    if len(os.listdir(home)) < 3:
        pytest.skip("this disk ignores letter case")
    scan = store.scan()
    assert [found.path for found in scan.found] == ["MEMORY.md"]
    assert [problem[:2] for problem in scan.problems] == [("memory.md", "legacy_twin")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("lines", "last", "total"), [(120, True, 120), (120, False, 120), (0, False, 0), (1, True, 1), (2, True, 2)]
)
def test_line_counts(home: Path, store: Store, end: str, lines: int, last: bool, total: int) -> None:
    """The final line end makes no further line, and behind the last line nothing is offered."""
    write(home, "a.md", end.join(["x" * (lines > 2)] * lines) + end * last)
    page = store.lines("a.md")
    assert (page.total, page.count, page.next_line) == (total, total, None)
    assert page.outcome == ("found" if total else "empty")


@given(st.lists(st.text(alphabet="aあ ", max_size=8), max_size=30), st.integers(1, 40), st.integers(1, 40), st.integers(1, 60))
def test_pages_cover_the_file(lines: list[str], first: int, count: int, limit: int) -> None:
    """Going from page to page shows every line once, in order, none larger than asked."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder), zone=UTC)
        write(Path(folder), "a.md", "\n".join([*lines, ""]))
        at: int | None = first
        seen: list[str] = []
        while at:
            page = store.lines("a.md", at, count, limit)
            assert page.count <= count
            assert len(page.text) <= limit
            assert page.total == len(lines)
            if page.outcome == "empty":
                break
            assert page.count >= 1
            seen += page.text.split("\n") if page.text else [""]
            assert page.next_line in (None, at + page.count)
            at = page.next_line
        assert seen == [line[:limit] for line in lines[first - 1 :]]


def test_four_outcomes(home: Path, store: Store) -> None:
    """Found, empty, not found and not allowed differ, with reasons that name no path of the machine."""
    write(home, "a.md", "one\r\ntwo\r\nthree")
    write(home, "empty.md", "")
    write(home, "x.png", b"\x89PNG")
    write(home, "folder/b.md", "x")
    (home / "dir.md").mkdir()
    (home / "link.md").symlink_to("/etc/hostname")
    write(home, "bin.md", b"\0\1")
    assert store.lines("a.md", 1, 2).text == "one\r\ntwo"
    assert store.lines("a.md", 3).text == "three"
    outcomes = {
        "a.md": "found",
        "empty.md": "empty",
        "memory/2099-01-01.md": "not_found",
        "folder": "not_allowed",
        "dir.md": "not_allowed",
        "x.png": "not_allowed",
        "missing.png": "not_allowed",
        "link.md": "not_allowed",
        "bin.md": "not_allowed",
        "../home/a.md": "not_allowed",
        str(home / "a.md"): "not_allowed",
        "node_modules/a.md": "not_allowed",
        "": "not_allowed",
        "a.md/b.md": "not_allowed",
    }
    pages = {path: store.lines(path) for path in outcomes}
    assert {path: page.outcome for path, page in pages.items()} == outcomes
    for path, page in pages.items():
        assert (page.outcome == "found") == (not page.reason)
        assert str(home) not in page.reason, path
    past = store.lines("a.md", 4)
    assert (past.outcome, past.text, past.total, past.reason) == ("empty", "", 3, "past the end: the file has 3 lines")


@pytest.mark.parametrize("name", ["q?.md", "12:30.md", "CON.md", "a /b.md", "a.md:x.md"])
def test_names_of_this_disk(home: Path, store: Store, name: str) -> None:
    """A name only Windows refuses can be read where it stands, and is refused in words where it does not."""
    assert store.lines(name).outcome == "not_allowed"
    write(home, name, "x")
    assert (store.lines(name).text, [found.path for found in store.scan().found]) == ("x", [name])


def test_one_path_in_two_unicode_forms(home: Path, store: Store) -> None:
    """A note is one note under both forms of its name, whichever the disk holds and the caller gives."""
    write(home, "people/ga/ガッツ.md".replace("ガ", "カ\u3099"), "x")
    for asked in ("people/ga/ガッツ.md", "people/ga/カ\u3099ッツ.md"):
        page = store.lines(asked)
        assert (page.text, page.path) == ("x", "people/ga/ガッツ.md")


def test_a_long_line(home: Path, store: Store) -> None:
    """A line of a megabyte is cut at a whole character, it is said, and the next line can be asked for."""
    write(home, "a.md", "短い\n" + "あ𠮷" * 250_000 + "\nend\n")
    first = store.lines("a.md")
    assert (first.text, first.next_line) == ("短い", 2)
    second = store.lines("a.md", 2)
    assert len(second.text) == 12_000
    assert "500001 characters" in second.reason
    assert second.next_line == 3
    assert store.lines("a.md", 3).text == "end"
    second.text.encode()


def test_a_huge_file(home: Path, store: Store) -> None:
    """A file of 100 MB is reported with both numbers by each verb, at once, and stops nothing."""
    with open(home / "huge.md", "wb") as file:
        file.truncate(100_000_000)
    write(home, "a.md", "x")
    start = time.perf_counter()
    scan = store.scan()
    assert [found.path for found in scan.found] == ["a.md"]
    assert [problem.code for problem in scan.problems] == ["too_large"]
    assert "100,000,000 bytes of 20,000,000" in scan.problems[0].text
    assert code(store.document("huge.md")) == "too_large"
    assert store.lines("huge.md").outcome == "not_allowed"
    assert time.perf_counter() - start < 1


@given(st.binary(max_size=400))
@example(b"---\n---")
@example(b"\xef\xbb\xbf---\r\n: [\r\n---\r\n\xff")
def test_any_bytes_in_a_file(data: bytes) -> None:
    """Whatever a file holds, it is a document or a problem and a page, and afterwards it holds the same."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder), zone=UTC)
        write(Path(folder), "a.md", data)
        answer = store.document("a.md")
        page = store.lines("a.md")
        assert isinstance(answer, Document | Problem)
        assert page.outcome in ("found", "empty", "not_allowed")
        assert (Path(folder) / "a.md").read_bytes() == data


def test_numbers_below_one(home: Path, store: Store) -> None:
    """A page cannot begin before the first line nor have no lines: the error names the argument."""
    write(home, "a.md", "x")
    for arguments in ({"first": 0}, {"count": 0}, {"limit_chars": -1}):
        with pytest.raises(BadInput, match=next(iter(arguments))):
            store.lines("a.md", **arguments)


def test_homes_that_are_none(home: Path) -> None:
    """A missing home is an error for a listing and a plain answer for a page."""
    gone = Store(home / "gone", zone=UTC)
    with pytest.raises(StoreFailed, match="does not exist"):
        gone.scan()
    page = gone.lines("a.md")
    assert (page.outcome, page.reason) == ("not_found", "the home cannot be opened")
    assert Store(home, zone=UTC).scan().found == []


def test_an_edit_is_seen(home: Path, store: Store) -> None:
    """A replaced, grown, renamed or deleted note shows in the next listing, also at equal size and time."""
    write(home, "a.md", "one")
    before = store.scan().found[0]
    write(home, "new.tmp", "two")
    os.utime(home / "new.tmp", ns=(before.mtime_ns, before.mtime_ns))
    (home / "new.tmp").rename(home / "a.md")
    after = store.scan().found[0]
    assert (before.size, before.mtime_ns) == (after.size, after.mtime_ns)
    assert before != after
    (home / "a.md").rename(home / "b.md")
    assert [found.path for found in store.scan().found] == ["b.md"]
