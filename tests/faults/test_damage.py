"""A damaged index, a bad place for it, a full disk: every search answers, and `verify` names the damage."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from omoide import Collection, Omoide
from omoide.errors import OmoideError
from omoide.models.hashing import HashingEmbedder
from omoide.testing import CountingEmbedder

if TYPE_CHECKING:
    from conftest import Trial


def cut(path: Path) -> None:
    """The first half of the file is left."""
    os.truncate(path, path.stat().st_size // 2)


def cut_to_nothing(path: Path) -> None:
    os.truncate(path, 0)


def zero(path: Path) -> None:
    """As long as before, and nothing but zeros."""
    path.write_bytes(bytes(path.stat().st_size))


def zero_a_page(path: Path) -> None:
    """4 KB of zeros in the middle."""
    data = bytearray(path.read_bytes())
    at = len(data) // 2 // 4096 * 4096
    data[at : at + 4096] = bytes(min(4096, len(data) - at))
    path.write_bytes(data)


def replace_by_text(path: Path) -> None:
    path.write_bytes("これは索引ではない\n".encode() * 500)


def remove(path: Path) -> None:
    path.unlink()


DAMAGES = [cut, cut_to_nothing, zero, zero_a_page, replace_by_text, remove]
Damage = Callable[[Path], None]


@pytest.fixture
def built(trial: Trial) -> Trial:
    """A home of 40 notes with a complete index."""
    trial.write(40)
    trial.run("build")
    trial.run("force")  # now the vectors are known from the beginning and have a segment too
    return trial


def flip(path: Path, chance: random.Random) -> None:
    """One bit of the file becomes the other."""
    data = bytearray(path.read_bytes())
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def copy(source: Path, target: Path) -> None:
    """The target becomes what the source is."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target)


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("what", ["index.db", "lexical-*.seg", "dense-*.seg"])
def test_a_damaged_index_answers_like_a_fresh_one(built: Trial, what: str, damage: Damage) -> None:
    """Whatever happened to the database or a segment, the next search gives what a new index would give."""
    before, expected = built.snapshot(), built.fresh()
    damage(next(built.generation().glob(what)))
    with built.open() as omoide:
        assert all(omoide.search(text).hits for text in built.queries)
    assert built.answers() == expected
    assert built.snapshot() == before
    with built.open() as omoide:
        assert omoide.verify()["wrong"] == []
    assert built.leftovers() == []


@pytest.mark.parametrize("what", ["index.db", "lexical-*.seg", "dense-*.seg"])
def test_a_flipped_bit_never_stops_a_search(built: Trial, what: str) -> None:
    """With any bit of any part flipped, each verb answers, and where an answer is another `verify` says what is wrong."""
    expected = built.fresh()
    whole, flipped = built.cache.with_name("whole"), built.cache.with_name("flipped")
    shutil.copytree(built.cache, whole)
    chance = random.Random(what)
    for _ in range(200 if built.full else 12):
        copy(whole, built.cache)
        flip(next(built.generation().glob(what)), chance)
        copy(built.cache, flipped)
        with built.open() as omoide:
            found = {text: [(hit.chunk.id, round(hit.score, 10)) for hit in omoide.search(text, limit=20).hits] for text in built.queries}
            wrong = omoide.verify()["wrong"]
            omoide.doctor(), omoide.status()
        with built.open() as omoide:
            omoide.build(force=bool(wrong))
        assert built.answers() == expected
        if found != expected:  # what a search mends, a `verify` after it cannot name; one that comes first must
            copy(flipped, built.cache)
            with built.open() as omoide:
                assert omoide.verify()["wrong"], "a wrong answer that nobody names"


def test_verify_names_the_damage(built: Trial) -> None:
    """A byte changed in a segment, a text changed in the database, a lost row: each is named, with what to do."""
    segment = next(built.generation().glob("lexical-*.seg"))
    data = bytearray(segment.read_bytes())
    data[-200] ^= 1
    segment.write_bytes(data)
    change(
        built.generation() / "index.db",
        "UPDATE chunks SET text = 'other' WHERE id = (SELECT min(id) FROM chunks);"
        " DELETE FROM chunks WHERE id = (SELECT max(id) FROM chunks)",
    )
    with built.open() as omoide:
        found = omoide.verify()
    assert any(segment.name in line and "damaged" in line for line in found["wrong"])
    assert sum("memory/" in line for line in found["wrong"]) == 2
    assert "build --force" in found["do"]
    with built.open() as omoide:
        omoide.build(force=True)
        assert omoide.verify() == {"files": 40, "parts": 2, "wrong": [], "unread": [], "notices": [], "do": ""}


@pytest.mark.parametrize("damage", [cut, zero, replace_by_text])
@pytest.mark.parametrize("what", ["index.db", "lexical-*.seg"])
def test_verify_comes_first(built: Trial, what: str, damage: Damage) -> None:
    """Damage that is mended as soon as the index is opened is still named by the `verify` that opened it, once."""
    damage(next(built.generation().glob(what)))
    with built.open() as omoide:
        first = omoide.verify()
        assert first["wrong"]
        assert "made again" in first["wrong"][0]
        assert omoide.search("invoice").hits
    with built.open() as omoide:
        assert omoide.verify()["wrong"] == []


@pytest.mark.parametrize("said", [b"", b"gen-999\n", b"../../etc\n", b"gen-../../x", b"\xff\xfe\x00", b"gen-1" * 5000, b"\0"])
def test_a_damaged_pointer(built: Trial, said: bytes) -> None:
    """When `current` names no index, a new one is made from the files."""
    expected = built.fresh()
    (built.folder() / "current").write_bytes(said)
    assert built.answers() == expected
    assert built.leftovers() == []


def test_old_locks_and_leftovers_are_in_nobodys_way(built: Trial) -> None:
    """A 0-byte lock, one that names a dead process, old generations and half-written parts: nothing waits, all is removed."""
    expected = built.fresh()
    place, now = built.folder(), built.generation()
    (place / "lock").write_bytes(b"")
    shutil.copytree(now, place / "gen-77")
    (place / "gen-abc").mkdir()
    (place / ".current.4711").write_text("gen-77")
    (now / ".lexical-0-9-aa.seg.4711.part").write_bytes(b"half")
    (now / "dense-0-9-aaaaaa.seg").write_bytes(b"never listed")
    assert built.answers() == expected
    assert built.leftovers() == []
    (place / "lock").write_text("4194303")
    built.write(45)
    assert built.answers() == built.fresh()


def test_a_lost_write_ahead_log(built: Trial) -> None:
    """Without the newest pages (or with damaged ones) an index catches up with the files again."""
    built.write(60)
    with built.open() as omoide:
        omoide.search("Ken")
        log = built.generation() / "index.db-wal"
        data = log.read_bytes() if log.exists() else b""
    for wrong in (b"", data[: len(data) // 2], bytes(len(data)), data[:100] + b"\xff" * 64 + data[164:]):
        log.write_bytes(wrong)
        assert built.answers() == built.fresh()


def change(database: Path, script: str) -> None:
    """Run SQL on the index as a stranger would."""
    with sqlite3.connect(database) as db:
        db.executescript(script)
    db.close()


def test_vectors_outlive_a_damaged_database(built: Trial) -> None:
    """When the database must be made again, the texts that have a vector are not embedded again."""
    expected = built.fresh()
    database = built.generation() / "index.db"
    with sqlite3.connect(database) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'files'").fetchone()
    db.close()
    data = bytearray(database.read_bytes())
    data[(page - 1) * 4096 : page * 4096] = b"\xa5" * 4096
    database.write_bytes(data)
    model = CountingEmbedder(HashingEmbedder())
    with Omoide(built.home, settings=built.settings, cache=built.cache.with_name("other"), embedder=model) as omoide:
        omoide.build()
    assert any("part 0" in text for text in model.seen)
    model = CountingEmbedder(HashingEmbedder())
    with Omoide(built.home, settings=built.settings, cache=built.cache, embedder=model) as omoide:
        found = omoide.search("invoice")
        assert "index_rebuilt" in [notice.code for notice in found.notices]
        omoide.build()
    assert not any("part 0" in text for text in model.seen)
    assert built.answers() == expected
    assert built.leftovers() == []


def test_a_damaged_vector_is_made_again(built: Trial) -> None:
    """A vector of another length is named by `verify`, and `build --force` does not take it along."""
    expected = built.fresh()
    change(built.generation() / "index.db", "UPDATE vectors SET vector = zeroblob(length(vector)) WHERE id = (SELECT min(id) FROM vectors)")
    with built.open() as omoide:
        assert any("1 vectors" in line for line in omoide.verify()["wrong"])
        omoide.build(force=True)
        assert omoide.verify()["wrong"] == []
    assert built.answers() == expected


@pytest.mark.parametrize(
    "script",
    [
        "UPDATE dense SET chunk = 4711 WHERE seq = (SELECT min(seq) FROM dense)",
        "DELETE FROM dense WHERE seq = (SELECT min(seq) FROM dense)",
        "UPDATE dense SET model = 9",
        "DELETE FROM vectors WHERE id = (SELECT min(id) FROM vectors)",
        "UPDATE vectors SET model = 9 WHERE id = (SELECT min(id) FROM vectors)",
        "UPDATE models SET name = 'hashing-257'",
        "DELETE FROM models",
    ],
)
def test_verify_names_vectors_that_are_lost(built: Trial, script: str) -> None:
    """Tables that say different things about which vectors there are: `verify` tells, and `build --force` mends it."""
    expected = built.fresh()
    change(built.generation() / "index.db", script)
    with built.open() as omoide:
        assert omoide.verify()["wrong"]
        omoide.build(force=True)
        assert omoide.verify()["wrong"] == []
    assert built.answers() == expected


@pytest.mark.parametrize("verb", ["build", "force"])
def test_verify_names_one_flipped_bit_of_a_vector(trial: Trial, verb: str) -> None:
    """Any bit of any vector, with a part on disk or without: `verify` tells, and `build --force` does not take it along."""
    trial.write(40)
    trial.run("build")
    trial.run(verb)
    expected = trial.fresh()
    database = trial.generation() / "index.db"
    chance = random.Random(verb)
    with sqlite3.connect(database) as db:
        for number, vector in db.execute("SELECT id, vector FROM vectors").fetchall()[::3]:
            data = bytearray(vector)
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            db.execute("UPDATE vectors SET vector = ? WHERE id = ?", (bytes(data), number))
        count = db.execute("SELECT count(*) FROM vectors").fetchone()[0]
    db.close()
    with trial.open() as omoide:
        assert f"index: {-(-count // 3)} vectors are not those that were written" in omoide.verify()["wrong"]
        omoide.build(force=True)
        assert omoide.verify()["wrong"] == []
    assert trial.answers() == expected


def test_verify_takes_missing_vectors_for_no_damage(trial: Trial) -> None:
    """Without vectors, with those of some texts, and with a known text added again, nothing is wrong."""
    for notes, vectors in ((40, False), (40, True), (120, False), (90, False), (90, True)):
        for path in (trial.home / "memory").glob("*"):
            path.unlink()
        trial.write(notes, seed=notes)
        with trial.open() as omoide:
            omoide.build(vectors=vectors)
            assert omoide.verify()["wrong"] == []
            shutil.copy(next((trial.home / "memory").glob("*-n1.md")), trial.home / "memory/again.md")
            omoide.search("tea", recipe="lexical")
            assert omoide.verify()["wrong"] == []


# ---- a bad place


def told(found: list[dict[str, object]]) -> set[str]:
    return {str(notice[0]) for one in found for notice in one["notices"]}  # type: ignore[attr-defined,index]


def test_a_file_where_the_cache_should_be(trial: Trial) -> None:
    """Where no folder can be made the index is in memory, the answer complete and the notice says why."""
    trial.write(30)
    expected = trial.fresh()
    trial.cache.write_text("a file\n", encoding="utf-8")
    with trial.open() as omoide:
        for _ in range(2):  # the second search says it too
            codes = [notice.code for notice in omoide.search("invoice").notices]
            assert "index_in_memory" in codes
        trial.write(31)
        assert omoide.search("invoice").hits
        omoide.build()
        assert omoide.verify()["wrong"] == []
        assert "index_in_memory" in [line["what"] for line in omoide.doctor()]
        assert omoide.status()["chunks"] > 0
        trial.home.joinpath("memory", "2026-09-04-n30.md").unlink()
        found = {text: [(hit.chunk.id, round(hit.score, 10)) for hit in omoide.search(text, limit=20).hits] for text in trial.queries}
    assert found == expected
    assert trial.cache.read_text(encoding="utf-8") == "a file\n"


@pytest.mark.parametrize("full", [False, True])
def test_a_cache_folder_that_cannot_be_written(trial: Trial, full: bool) -> None:
    """A read-only cache, empty or with an older index in it: the answer is right and says it was kept nowhere."""
    trial.write(30)
    if full:
        trial.run("build")
        trial.write(34)
    trial.cache.mkdir(exist_ok=True)
    before = trial.snapshot()
    for place in [trial.cache, *trial.cache.rglob("*")]:
        place.chmod(0o555 if place.is_dir() else 0o444)
    trial.home.parent.chmod(0o755)
    open_to_all(trial)
    found = trial.run("search", *trial.queries, uid=65534)
    assert told(found) >= {"index_in_memory"}
    assert all(one["hits"] for one in found)
    everything = trial.run("everything", *trial.queries, uid=65534)
    assert everything["verify"]["wrong"] == []
    assert everything["status"]["files"] == len(list(trial.home.rglob("*.md")))
    assert trial.snapshot() == before


def open_to_all(trial: Trial) -> None:
    """Let another user look into the temporary folder."""
    for above in trial.home.parents:
        if above.stat().st_uid == os.getuid() and len(above.parts) > 2:
            above.chmod(above.stat().st_mode | 0o055)


# ---- a full disk


@pytest.fixture
def tiny(trial: Trial) -> Iterator[Callable[[str], None]]:
    """Mounts a file system of so many bytes as the cache."""
    mounted = []

    def mount(size: str) -> None:
        trial.cache.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(trial.cache)], capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"a small file system cannot be mounted here: {done.stderr.strip()}")
        mounted.append(trial.cache)

    if shutil.which("mount") is None or os.getuid() != 0:
        pytest.skip("mounting a small file system needs root")
    yield mount
    for place in mounted:
        subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("size", ["4k", "16k", "64k", "150k", "300k", "600k"])
def test_a_full_disk(trial: Trial, tiny: Callable[[str], None], size: str) -> None:
    """However early the disk is full, search answers in full, each verb gives a sentence and no file is touched."""
    trial.write(150)
    before, expected = trial.snapshot(), trial.fresh()
    tiny(size)
    for _ in range(2):
        with trial.open() as omoide:
            omoide.build()
            found = {text: [(hit.chunk.id, round(hit.score, 10)) for hit in omoide.search(text, limit=20).hits] for text in trial.queries}
            assert found == expected
            assert "index_in_memory" in [notice.code for notice in omoide.search("invoice").notices]
            omoide.status(), omoide.doctor()
            assert omoide.verify()["wrong"] == []
    with trial.open() as omoide, pytest.raises(OmoideError) as refused:
        omoide.build(force=True)
    assert "could not" in str(refused.value) or "cannot" in str(refused.value) or "full" in str(refused.value)
    assert trial.snapshot() == before


def test_a_disk_that_fills_up_keeps_the_index_it_has(trial: Trial, tiny: Callable[[str], None]) -> None:
    """A disk filled by others makes edits go to memory; with room again the index on disk goes on."""
    trial.write(60)
    tiny("3m")
    trial.run("build")
    first = trial.generation()
    ballast = trial.cache / "ballast"
    with suppress(OSError), open(ballast, "wb", buffering=0) as out:
        while True:
            out.write(bytes(4096))
    trial.write(140)
    before, expected = trial.snapshot(), trial.fresh()
    with trial.open() as omoide:
        assert {text: bool(omoide.search(text).hits) for text in trial.queries} == dict.fromkeys(trial.queries, True)
        assert "index_in_memory" in [notice.code for notice in omoide.search("invoice").notices]
    ballast.unlink()
    assert trial.generation() == first
    assert trial.answers() == expected
    assert trial.generation() == first
    assert trial.snapshot() == before


def test_files_that_may_not_grow(trial: Trial) -> None:
    """The same where a process may write no file over 64 KB, which needs no mount."""
    trial.write(150)
    before, expected = trial.snapshot(), trial.fresh()
    found = trial.run("limited", *trial.queries)
    assert told(found["search"]) >= {"index_in_memory"}
    assert found["verify"]["wrong"] == []
    words = trial.run("search", *trial.queries)  # without the limit it goes on where it was
    assert all(one["hits"] for one in words)
    assert trial.answers() == expected
    assert trial.snapshot() == before


def _schema_byte(path: Path) -> None:
    """A letter of a table's definition becomes a byte that is no UTF-8: SQLite's message cannot be decoded."""
    data = path.read_bytes()
    path.write_bytes(data.replace(b"CREATE TABLE chunks", b"CREATE TABLE chun\xffs", 1))


def _header(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"script"', b'"scripT"', 1).replace(b'"planes"', b'"planeS"', 1))


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside").write_bytes(b"x")


def _said(script: str) -> Damage:
    return lambda path: change(path, script)


@pytest.mark.parametrize(("what", "damage"), [
    ("index.db", _schema_byte), ("lexical-*.seg", _header), ("dense-*.seg", _header), ("lexical-*.seg", _folder), ("dense-*.seg", _folder),
    ("index.db", _said("UPDATE meta SET value = CAST(value AS BLOB)")), ("index.db", _said("UPDATE chunks SET terms = substr(terms, 1, 7)")),
    ("index.db", _said("UPDATE chunks SET at = 5, text = CAST(x'ff' AS TEXT)")),
])  # fmt: skip
@pytest.mark.parametrize("verb", ["search", "words", "inspect_query", "inspect_word", "status"])
def test_whatever_python_makes_of_damage_is_damage(built: Trial, what: str, damage: Damage, verb: str) -> None:
    """Bytes that are no text, columns of another name, blobs in place of texts, folders in place of files: every verb answers."""
    damage(next(built.generation().glob(what)))
    verbs: dict[str, Callable[[Omoide], object]] = {
        "search": lambda omoide: omoide.search("walrus", limit=5), "words": lambda omoide: omoide.search("walrus", recipe="lexical"),
        "inspect_query": lambda omoide: omoide.inspect_query("walrus"), "inspect_word": lambda omoide: omoide.inspect_word("walrus"),
        "status": lambda omoide: omoide.status(),
    }  # fmt: skip
    with built.open() as omoide:
        verbs[verb](omoide)
        omoide.build()
        omoide.search("walrus")


def test_a_collection_says_that_its_folder_is_damaged(tmp_path: Path) -> None:
    """A collection is no cache: with a damaged database it refuses with a sentence and overwrites nothing."""
    with Collection([{"id": "a", "text": "tea"}], folder=tmp_path / "set"):
        pass
    database = tmp_path / "set" / "index.db"
    replace_by_text(database)
    data = database.read_bytes()
    with pytest.raises(OmoideError, match="cannot be opened"):
        Collection(folder=tmp_path / "set")
    assert database.read_bytes() == data
