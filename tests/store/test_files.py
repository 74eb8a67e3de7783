"""Listing and opening: links, races, odd files, odd names, no access, and not one byte written."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import threading
import unicodedata
from pathlib import Path

import pytest

from omoide.errors import StoreFailed
from omoide.store import files
from omoide.store.files import Problem, Scan

SECRET = "outside and secret\n"


def write(home: Path, path: str, text: str = "a note\n") -> Path:
    place = home / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode())
    return place


def paths(scan: Scan) -> list[str]:
    return [found.path for found in scan.found]


def problems(scan: Scan) -> list[tuple[str, str]]:
    return [(problem.path, problem.code) for problem in scan.problems]


def code(answer: bytes | Problem) -> str:
    assert isinstance(answer, Problem)
    return answer.code


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write(tmp_path, "outside/secret.md", SECRET)
    home = tmp_path / "home"
    home.mkdir()
    return home


def test_lists_notes_sorted_with_their_numbers(home: Path) -> None:
    """A listing holds every Markdown file of any depth and letter case, sorted, as the disk counts it."""
    for path in ("b.md", "a/c.MD", "a/d.markdown", "a.md", "a/e.txt", "a/f.png", "mdx", "x.mdx"):
        write(home, path, "12345")
    scan = files.walk(home)
    assert paths(scan) == ["a.md", "a/c.MD", "a/d.markdown", "b.md"]
    assert not scan.problems
    seen = (home / "b.md").stat()
    assert scan.found[3] == ("b.md", 5, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino)
    assert scan.found[3].inode == seen.st_ino


@pytest.mark.parametrize(
    "folder",
    [".git", ".obsidian", ".trash", ".history", ".review", ".venv", "venv", "node_modules", "__pycache__", "a/.x"],
)
def test_skipped_folders(home: Path, folder: str) -> None:
    """Hidden folders, and those of programs, hold no notes: not listed, not reported, not read."""
    write(home, f"{folder}/a.md")
    write(home, ".abstract.md")
    assert files.walk(home) == Scan()
    if "." not in folder:
        assert code(files.read(home, f"{folder}/a.md")) == "skipped"


def test_no_link_is_followed(home: Path) -> None:
    """A link of any kind is named with the reason, not read, and stops nothing else."""
    write(home, "a/real.md")
    links = {
        "inside.md": "a/real.md",
        "outside.md": "../outside/secret.md",
        "folder": "../outside",
        "folder-inside": "a",
        "dangling.md": "nowhere.md",
        "loop": "loop",
        "absolute.md": str(home.parent / "outside/secret.md"),
    }
    for name, target in links.items():
        (home / name).symlink_to(target)
    scan = files.walk(home)
    assert paths(scan) == ["a/real.md"]
    assert problems(scan) == sorted((name, "symlink") for name in links)
    for name in links:
        assert code(files.read(home, name)) == "symlink"
    assert code(files.read(home, "folder/secret.md")) == "symlink"
    assert code(files.read(home, "folder-inside/real.md")) == "symlink"
    assert code(files.read(home, "loop/a.md")) == "symlink"


def test_the_home_may_be_reached_by_a_link(home: Path) -> None:
    """What is not followed is a link inside the home; the way to the home is its owner's business."""
    from datetime import UTC

    from omoide.store.store import Store

    write(home, "a.md")
    (home.parent / "way").symlink_to(home)
    assert paths(Store(home.parent / "way", zone=UTC).scan()) == ["a.md"]


@pytest.mark.parametrize("what", ["folder", "file"])
def test_a_race_reads_nothing_outside(home: Path, what: str) -> None:
    """While a name is exchanged for a link to outside again and again, no read and no listing leaves the home."""
    write(home, "a/secret.md", "inside\n")
    name = home / "a" if what == "folder" else home / "a/secret.md"
    outside = "../outside" if what == "folder" else "../../outside/secret.md"
    aside, link, done = home / "aside", home / "link", threading.Event()

    def exchange() -> None:
        while not done.is_set():
            name.rename(aside)
            link.symlink_to(outside)
            link.rename(name)
            name.unlink()
            aside.rename(name)

    thread = threading.Thread(target=exchange)
    thread.start()
    try:
        answers = [files.read(home, "a/secret.md") for _ in range(3000)]
        sizes = {found.size for _ in range(300) for found in files.walk(home).found}
    finally:
        done.set()
        thread.join()
    assert {answer for answer in answers if isinstance(answer, bytes)} <= {b"inside\n"}
    assert files.read(home, "a/secret.md") == b"inside\n"  # the race over, it is there to be read
    assert {code(it) for it in answers if isinstance(it, Problem)} <= {"symlink", "missing", "not_a_folder"}
    assert sizes <= {len("inside\n")}


def test_pipes_and_sockets_do_not_block(home: Path) -> None:
    """A pipe or socket called like a note is reported at once; nobody waits for a writer."""
    import socket

    os.mkfifo(home / "pipe.md")
    os.mkfifo(home / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        here = Path.cwd()
        os.chdir(home)  # the name of a socket must be short
        try:
            listening.bind("socket.md")
        finally:
            os.chdir(here)
    scan = files.walk(home)
    assert problems(scan) == [("pipe", "not_regular"), ("pipe.md", "not_regular"), ("socket.md", "not_regular")]
    assert code(files.read(home, "pipe.md")) == "not_regular"
    assert code(files.read(home, "socket.md")) == "not_regular"


def test_what_stands_in_the_way(home: Path) -> None:
    """Missing, a folder, a file used as a folder: three different codes."""
    write(home, "a/b.md")
    (home / "c.md").mkdir()
    assert code(files.read(home, "a/x.md")) == "missing"
    assert code(files.read(home, "x/b.md")) == "missing"
    assert code(files.read(home, "c.md")) == "folder"
    assert code(files.read(home, "a/b.md/c.md")) == "not_a_folder"


def test_no_access(home: Path) -> None:
    """What may not be read is unknown, not gone: itself, and everything below a closed folder."""
    write(home, "closed/a.md")
    write(home, "shut.md")
    write(home, "open.md")
    (home / "closed").chmod(0)
    (home / "shut.md").chmod(0)
    script = f"""
import os, pathlib
from omoide.store import files, names
names.conflict_copies([])  # loads its table, which another user may not be able to read
if os.getuid() == 0: os.setgroups([]); os.setgid(65534); os.setuid(65534)
home = pathlib.Path({str(home)!r})
scan = files.walk(home)
print([found.path for found in scan.found], [(p.path, p.code) for p in scan.problems])
print(scan.unknown)
print(files.read(home, "shut.md").code, files.read(home, "closed/a.md").code)
"""
    if os.getuid() == 0:  # root may read everything, so another user looks; let it reach the home
        for folder in (home, *home.parents):
            if folder.stat().st_uid == 0 and Path(tempfile.gettempdir()) in folder.parents:
                folder.chmod(0o755)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "['open.md', 'shut.md'] [('closed', 'unreadable')]",
        "['closed']",
        "unreadable unreadable",
    ], done.stderr


def test_conflict_copies(home: Path) -> None:
    """Copies that sync programs leave are named and not listed; notes about conflicts are notes."""
    copies = [
        "a.sync-conflict-20260131-120000-ABCDEFG.md",
        "a (Ken's conflicted copy 2026-01-31).md",
        "a (Conflicted copy phone 202601311200).md",
        "a (conflicted copy 2026-01-31 120000).md",
        "a (佐藤の競合コピー 2026-01-31).md",
        "a (Case Conflict).md",
        "a (SFConflict ken@example.org 2026-01-31-12-00-00).md",
        "a.Conflict.md",
        "a_DESKTOP_Jan-31-120000-2026_Conflict.md",
        "a_conflict-20260131-120000.md",
        unicodedata.normalize("NFD", "b (佐藤の競合コピー).md"),
    ]
    notes = ["conflict.md", "conflicted copy.md", "競合コピーの扱い.md", "sync-conflict.md", "a conflict of two.md"]
    for name in copies + notes:
        write(home, f"x/{name}")
    scan = files.walk(home)
    assert paths(scan) == sorted(f"x/{name}" for name in notes)
    expected = sorted((f"x/{unicodedata.normalize('NFC', name)}", "conflict_copy") for name in copies)
    assert problems(scan) == expected


def test_names_in_either_unicode_form(home: Path) -> None:
    """A name stored decomposed is listed composed and read under it; of two forms one is read, and it is said."""
    for folder, form in (("mac", "NFD"), ("linux", "NFC"), ("both", "NFC"), ("both", "NFD")):
        write(home, unicodedata.normalize(form, f"{folder}/がいこく/ガッツ.md"), form)  # type: ignore[arg-type]
    odd = unicodedata.normalize("NFC", "が") + unicodedata.normalize("NFD", "ぎ") + ".md"
    write(home, "odd/" + odd, "neither")
    scan = files.walk(home)
    assert paths(scan) == [f"{folder}/がいこく/ガッツ.md" for folder in ("both", "linux", "mac")] + ["odd/がぎ.md"]
    assert problems(scan) == [("both/がいこく", "name_clash")]
    texts = [files.read(home, path) for path in paths(scan)]
    assert texts == [b"NFC", b"NFC", b"NFD", b"neither"]


def test_odd_names_stay_apart(home: Path) -> None:
    """Names that differ in one sign or letter case are as many notes, each read under its own path."""
    names = ["a b.md", "a_b.md", "a-b.md", "A-b.md", "日本 語.md", "#x.md", "100%.md", "q?.md", "CON.md", "😀👩‍👩‍👧.md"]
    for name in names:
        write(home, name, name)
    scan = files.walk(home)
    assert paths(scan) == sorted(names)
    assert not scan.problems
    for name in names:
        assert files.read(home, name) == name.encode()


def test_names_that_cannot_be_asked_for(home: Path) -> None:
    """A name with invisible or broken letters is reported, printable, with the rule, and does not stop others."""
    for name in ("zero\u200bwidth.md", "line\nbreak.md", "good.md"):
        write(home, name)
    with open(os.fsencode(home) + b"/\xff\xfe.md", "wb"):
        pass
    scan = files.walk(home)
    assert paths(scan) == ["good.md"]
    assert problems(scan) == [
        ("\\xff\\xfe.md", "undecodable_name"),
        ("line\\nbreak.md", "name_not_allowed"),
        ("zero\\u200bwidth.md", "name_not_allowed"),
    ]
    assert all(problem.text.startswith(("rename it: it holds", "its name")) for problem in scan.problems)


def test_deep_folders(home: Path) -> None:
    """Twenty segments are read, what lies deeper is named, and no depth exhausts anything."""
    write(home, "d/" * 19 + "x.md")
    write(home, "d/" * 20 + "y.md")
    scan = files.walk(home)
    assert paths(scan) == ["d/" * 19 + "x.md"]
    assert problems(scan) == [("/".join("d" * 20), "too_deep")]


def test_too_large(home: Path) -> None:
    """A file over the limit is reported by listing and by reading, without reading it."""
    write(home, "a.md", "x" * 100)
    with open(home / "huge.md", "wb") as file:
        file.truncate(100_000_000)
    scan = files.walk(home, 100)
    assert (paths(scan), problems(scan)) == (["a.md"], [("huge.md", "too_large")])
    assert files.read(home, "a.md", 100) == b"x" * 100
    assert code(files.read(home, "a.md", 99)) == "too_large"
    assert code(files.read(home, "huge.md")) == "too_large"


@pytest.mark.parametrize("size", [0, 1, 4096, 4097, 70_000])
def test_reads_every_byte(home: Path, size: int) -> None:
    """A file of any size comes back byte for byte."""
    data = os.urandom(size)
    (home / "a.md").write_bytes(data)
    assert files.read(home, "a.md") == data


def test_homes_that_are_none(home: Path) -> None:
    """An empty home is fine; a missing one, or a file in its place, is an error with the path and what to do."""
    assert files.walk(home) == Scan()
    write(home, "a.md")
    for place in (home / "missing", home / "a.md"):
        for call in (lambda where: files.walk(where), lambda where: files.read(where, "a.md")):
            with pytest.raises(StoreFailed, match=r"cannot be opened.*folder"):
                call(place)


def test_no_file_descriptor_stays_open(home: Path) -> None:
    """Whatever goes wrong, listing and reading close what they opened."""
    write(home, "a/b/c.md")
    (home / "a/link").symlink_to("b")
    os.mkfifo(home / "a/pipe.md")
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    for path in ("a/b/c.md", "a/link/c.md", "a/pipe.md", "a/b/c.md/d.md", "a/b", "x/y"):
        files.read(home, path)
        files.walk(home)
    assert before == (len(os.listdir("/proc/self/fd")) if before else 0)


def test_nothing_is_written(home: Path) -> None:
    """After listing and reading, every byte, time and mode in the home is what it was."""
    for number, ends in enumerate(("\n", "\r\n", "\r", "")):
        write(home, f"a/{number}.md", f"\ufeff---\nx: [\n---{ends}text{ends}")

    def state() -> list[tuple[str, int, int, str]]:
        seen = [(place, place.stat()) for place in sorted(home.rglob("*"))]
        return [
            (str(place), it.st_mtime_ns, it.st_mode, hashlib.sha256(place.read_bytes()).hexdigest() if place.is_file() else "")
            for place, it in seen
        ]

    before = state()
    for found in files.walk(home).found:
        files.read(home, found.path)
    assert state() == before


def test_works_where_the_locale_is_not_utf8(home: Path) -> None:
    """Japanese names are listed and read also in a process whose locale knows only ASCII."""
    write(home, "日本/語.md")
    script = f"""
import pathlib
from omoide.store import files
home = pathlib.Path({str(home)!r})
scan = files.walk(home)
print(ascii([found.path for found in scan.found]), files.read(home, scan.found[0].path))
"""
    env = dict(os.environ, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    command = [sys.executable, "-X", "warn_default_encoding", "-W", "error::EncodingWarning", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    assert done.stdout == ascii(["日本/語.md"]) + " b'a note\\n'\n", done.stderr
