"""Homes as people really have them: too big, broken, closed, full of links. A sentence each; the rest works."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from omoide import Omoide
from omoide.errors import StoreFailed

if TYPE_CHECKING:
    from conftest import Trial

NOBODY = 65534


def codes(omoide: Omoide) -> dict[str, str]:
    """Path → code of everything `doctor` complains about."""
    for line in omoide.doctor():
        assert len(line["text"]) > 10, line
    return {line["where"]: line["what"] for line in omoide.doctor()}


def found(omoide: Omoide, text: str) -> set[str]:
    """Paths found by words."""
    return {hit.chunk.path for hit in omoide.search(text, recipe="lexical", limit=50).hits}


def put(trial: Trial, name: str, data: bytes | str) -> Path:
    """Write a file of the home."""
    place = trial.home / name
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data if isinstance(data, bytes) else data.encode())
    return place


@pytest.fixture
def home(trial: Trial) -> Trial:
    """A home with one good note, which must be found whatever stands beside it."""
    put(trial, "memory/2026-11-01-good.md", "# Good\n\n- the walrus is well\n")
    return trial


def test_an_empty_home(trial: Trial) -> None:
    """Nothing to find is an answer with a reason, from every verb."""
    with trial.open() as omoide:
        results = omoide.search("walrus")
        assert not results.hits
        assert results.notices
        assert omoide.build()["chunks"] == 0
        assert omoide.verify()["wrong"] == []
        assert "empty_home" in codes(omoide).values()
        assert omoide.start() == []


def test_no_home_at_all(trial: Trial) -> None:
    """A home that is missing or a file is said to be so; nothing is made."""
    put(trial, "file.md", "text")
    for place in (trial.home / "nowhere", trial.home / "file.md"):
        with Omoide(place, settings=trial.settings, cache=trial.cache) as omoide, pytest.raises(StoreFailed, match="cannot be opened"):
            omoide.search("walrus")
    assert not (trial.home / "nowhere").exists()
    assert not list(trial.cache.glob("*/gen-*"))


def test_a_home_that_goes_away_and_comes_back(home: Trial) -> None:
    """A home on a disk that is unplugged raises; it is not taken for a home without notes."""
    with home.open() as omoide:
        assert found(omoide, "walrus")
        home.home.rename(home.home.with_name("away"))
        with pytest.raises(StoreFailed):
            omoide.search("walrus")
        home.home.with_name("away").rename(home.home)
        assert found(omoide, "walrus")


def test_many_files(trial: Trial) -> None:
    """A home of very many notes is built, answers, follows a deletion of half of them, and verifies."""
    count = 60_000 if trial.full else 3_000
    for number in range(count):
        put(trial, f"memory/{number % 100}/n{number}.md", f"- note {number} about thing{number % 1000}\n")
    with trial.open() as omoide:
        assert omoide.build(vectors=False)["files"] == count
        best = omoide.search("thing7", recipe="lexical", limit=3).hits
        assert all(hit.chunk.text.endswith("thing7") for hit in best)
        for number in range(0, count, 2):
            (trial.home / f"memory/{number % 100}/n{number}.md").unlink()
        assert all((trial.home / path).exists() for path in found(omoide, "thing8"))
        assert found(omoide, "thing7")
        assert omoide.status()["files"] == count // 2
        assert omoide.verify()["wrong"] == []


def test_long_lines(home: Trial) -> None:
    """A line of 1 MB is cut at places where text may be cut; its end is found and every piece can be written."""
    put(home, "memory/line.md", "🌸👩‍👩‍👧‍👦𠮷が" * 40_000 + " zebra-at-the-end\n")
    put(home, "memory/blob.md", "QUJD" * 250_000 + " giraffe\n")
    put(home, "memory/colons.md", "：" * 5000 + " okapi\n")
    put(home, "memory/words.md", "word " * 200_000 + "\n")
    before = home.snapshot()
    with home.open() as omoide:
        omoide.build()
        for word, name in (("zebra", "line"), ("giraffe", "blob"), ("okapi", "colons")):
            assert f"memory/{name}.md" in found(omoide, word)
        assert "memory/2026-11-01-good.md" in found(omoide, "walrus")
        assert omoide.verify()["wrong"] == []
        for hit in omoide.search("🌸 word QUJD", limit=50).hits:
            hit.chunk.full_text.encode()
            assert len(hit.chunk.text) < 20_000
    assert home.snapshot() == before


def test_a_huge_file(home: Trial) -> None:
    """A note of 100 MB is reported as too large, costs nothing, and stands in nobody's way."""
    place = put(home, "memory/huge.md", "- mammoth\n")
    os.truncate(place, 100_000_000)
    before = home.snapshot()
    with home.open() as omoide:
        assert codes(omoide)["memory/huge.md"] == "too_large"
        assert found(omoide, "mammoth") == set()
        assert found(omoide, "walrus")
        page = omoide.get("memory/huge.md")
        assert page.outcome == "not_allowed"
        assert "too large" in page.reason
    assert home.snapshot() == before


def test_odd_contents(home: Trial) -> None:
    """Binary data, broken front matter, strange encodings and empty files: each is named or read, none stops the rest."""
    put(home, "memory/binary.md", bytes(range(256)) * 40)
    put(home, "memory/yaml.md", '---\ntitle: "not closed\ntags: [a, b\n---\n- a hippo in the body\n')
    put(home, "memory/open.md", "---\ntitle: never closed\n\n- a tapir below\n")
    put(home, "memory/sjis.md", "カワウソは川にいる。毎日の記録をここに書く。\n".encode("cp932") * 5)
    put(home, "memory/latin.md", "a caf\xe9 with an ibex\n".encode("latin-1"))
    put(home, "memory/utf16.md", "\ufeffan otter in UTF-16\n".encode("utf-16-le"))
    put(home, "memory/empty.md", b"")
    put(home, "memory/blank.md", b"\n \n\t\r\n")
    put(home, "memory/marks.md", b"\xef\xbb\xbf")
    put(home, "memory/nul.md", b"a\0b tapir\n")
    before = home.snapshot()
    with home.open() as omoide:
        omoide.build()
        said = codes(omoide)
        assert said["memory/binary.md"] == said["memory/nul.md"] == "binary"
        assert said["memory/yaml.md"] == "front_matter"
        assert found(omoide, "hippo") == {"memory/yaml.md"}
        assert found(omoide, "tapir") == {"memory/open.md"}
        assert found(omoide, "otter") == {"memory/utf16.md"}
        assert found(omoide, "カワウソ") == {"memory/sjis.md"}
        assert found(omoide, "walrus") == {"memory/2026-11-01-good.md"}
        assert omoide.get("memory/empty.md").outcome == "empty"
        assert omoide.verify()["wrong"] == []
        put(home, "memory/yaml.md", "---\ntitle: closed\n---\n- a hippo in the body\n")
        assert "memory/yaml.md" not in codes(omoide)  # once mended, no longer named
    assert {path: state for path, state in home.snapshot().items() if "yaml" not in path} == {
        path: state for path, state in before.items() if "yaml" not in path
    }


def test_broken_settings_name_the_key(home: Trial) -> None:
    """A settings file that cannot be read is an error that names the file, at once and not at the first search."""
    from omoide.errors import BadSettings

    for text in ("[home\n", "[serach]\nlimit = 3\n", "[search]\nlimit = 'many'\n", "\xff"):
        put(home, "omoide.toml", text.encode("latin-1"))
        with pytest.raises(BadSettings, match=r"omoide\.toml"):
            Omoide(home.home, cache=home.cache)


def test_links_and_strange_files(home: Trial, tmp_path: Path) -> None:
    """Links of every kind, pipes and sockets are named with a reason and never followed or opened."""
    outside = tmp_path / "outside"
    (outside / "folder").mkdir(parents=True)
    (outside / "secret.md").write_text("- the aardvark is secret\n", encoding="utf-8")
    (outside / "folder" / "deep.md").write_text("- the aardvark is deep\n", encoding="utf-8")
    memory = home.home / "memory"
    (memory / "inside.md").symlink_to("2026-11-01-good.md")
    (memory / "out.md").symlink_to(outside / "secret.md")
    (memory / "folder").symlink_to(outside / "folder")
    (memory / "up").symlink_to("..")
    (memory / "self.md").symlink_to("self.md")
    (memory / "dangling.md").symlink_to(outside / "nothing.md")
    (memory / "dev.md").symlink_to("/dev/zero")
    os.mkfifo(memory / "pipe.md")
    with socket.socket(socket.AF_UNIX) as end:
        here = Path.cwd()
        os.chdir(memory)  # the name of a socket may only be short
        end.bind("sock.md")
        os.chdir(here)
        before, beyond = home.snapshot(), sorted(outside.rglob("*"))
        with home.open() as omoide:
            omoide.build()
            said = codes(omoide)
            links = ("inside.md", "out.md", "folder", "up", "self.md", "dangling.md", "dev.md")
            assert {said[f"memory/{name}"] for name in links} == {"symlink"}
            assert said["memory/pipe.md"] == said["memory/sock.md"] == "not_regular"
            assert found(omoide, "aardvark") == set()
            assert found(omoide, "walrus") == {"memory/2026-11-01-good.md"}
            for name in (*links, "folder/deep.md", "pipe.md", "sock.md"):
                page = omoide.get(f"memory/{name}")
                assert page.outcome == "not_allowed"
                assert page.text == ""
                assert str(tmp_path) not in page.reason
        assert home.snapshot() == before
        assert sorted(outside.rglob("*")) == beyond


def test_a_home_behind_a_link_is_one_home(home: Trial) -> None:
    """A home may itself be reached through a link; both ways share one index."""
    other = home.home.with_name("link")
    other.symlink_to(home.home)
    with home.open() as omoide:
        omoide.build()
    with Omoide(other, settings=home.settings, cache=home.cache) as omoide:
        assert found(omoide, "walrus")
    assert len(list(home.cache.iterdir())) == 1


# ---- closed files


def closed(trial: Trial) -> None:
    """Let the user nobody into the temporary folders; the cache is theirs."""
    for above in (trial.home, *trial.home.parents):
        if above.stat().st_uid == os.getuid() and len(above.parts) > 2:
            above.chmod(above.stat().st_mode | 0o055)
    trial.cache.mkdir(exist_ok=True)
    for place in (trial.cache, *trial.cache.rglob("*")):
        os.chown(place, NOBODY, NOBODY)


@pytest.mark.skipif(os.getuid() != 0, reason="taking another user's place needs root")
def test_what_becomes_unreadable_is_unknown_not_gone(home: Trial) -> None:
    """A note or folder that can no longer be read keeps its chunks and is named; readable again, it is as before."""
    note = put(home, "memory/closed.md", "- the lynx is closed\n")
    inner = put(home, "vault/inner.md", "- the lynx is inside\n")
    gone = put(home, "memory/gone.md", "- the lynx is gone\n")
    closed(home)
    first = home.run("search", "lynx", uid=NOBODY)
    assert {id_.partition(":")[0] for id_, _ in first[0]["hits"]} == {"memory/closed.md", "vault/inner.md", "memory/gone.md"}
    note.chmod(0)
    inner.parent.chmod(0)
    gone.unlink()
    before = home.snapshot()
    for verb in ("everything", "everything", "force"):
        answer = home.run(verb, *(["lynx", "walrus"] if verb == "everything" else []), uid=NOBODY)
        if verb == "force":  # made anew: what cannot be read now is not in it
            assert answer["files"] == 1
            continue
        hits = {id_.partition(":")[0] for id_, _ in answer["search"][0]["hits"]}
        assert hits >= {"memory/closed.md", "vault/inner.md"}
        assert "memory/gone.md" not in hits
        assert answer["search"][1]["hits"]
        said = {line["where"]: line["what"] for line in answer["doctor"]}
        assert said["memory/closed.md"] == said["vault"] == "unreadable"
        assert answer["verify"]["wrong"] == []
        assert {line.partition(":")[0] for line in answer["verify"]["unread"]} == {"memory/closed.md", "vault", "vault/inner.md"}
    assert home.snapshot() == before
    note.chmod(0o644)
    inner.parent.chmod(0o755)
    again = home.run("everything", "lynx", uid=NOBODY)
    assert {id_.partition(":")[0] for id_, _ in again["search"][0]["hits"]} == {"memory/closed.md", "vault/inner.md"}
    assert not {line["where"] for line in again["doctor"]} & {"memory/closed.md", "vault"}


@pytest.mark.skipif(os.getuid() != 0, reason="taking another user's place needs root")
def test_closed_from_the_beginning(home: Trial) -> None:
    """What was never readable is named with a reason, and the rest is found."""
    put(home, "memory/closed.md", "- the lynx is closed\n").chmod(0)
    put(home, "vault/inner.md", "- the lynx is inside\n").parent.chmod(0)
    closed(home)
    before = home.snapshot()
    answer = home.run("everything", "lynx", "walrus", uid=NOBODY)
    said = {line["where"]: line["what"] for line in answer["doctor"]}
    assert said["memory/closed.md"] == said["vault"] == "unreadable"
    assert not answer["search"][0]["hits"]
    assert answer["search"][0]["notices"]
    assert answer["search"][1]["hits"]
    assert home.snapshot() == before


@pytest.mark.skipif(os.getuid() != 0, reason="taking another user's place needs root")
def test_a_home_that_is_closed(home: Trial) -> None:
    """A home that may not be entered is an error in words."""
    closed(home)
    home.home.chmod(0)
    child = home.start("search", "walrus", uid=NOBODY)
    _, err = child.communicate(timeout=60)
    assert "StoreFailed" in err
    assert "cannot be opened: Permission denied" in err
