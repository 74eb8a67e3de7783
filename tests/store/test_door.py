"""The write door: compare, keep, exchange, undo, forget; never through a link, never outside, never half."""

from __future__ import annotations

import json
import os
import stat
import threading
import unicodedata
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.errors import BadInput, OmoideError, StaleWrite, StoreFailed, SubjectLocked
from omoide.store import disk
from omoide.store.door import Door, Edit, Record, new_id

AT = datetime(2026, 11, 30, 8, 27, 1, tzinfo=UTC)
KEN, CARD, NOTE = "people/sato-ken-7f3a", "people/sato-ken-7f3a/card.md", "people/sato-ken-7f3a/drawer/food.md"


def record(*edits: Edit, subject: str = KEN, **other: object) -> Record:
    """A change of these files."""
    usual = {"id": new_id(AT), "at": AT, "verb": "remember", "reason": "he said so", "source": "chat", "facts": {"k7f3": {"quote": "健"}}}
    return Record(subject=subject, edits=edits, **(usual | other))  # type: ignore[arg-type]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty home, with something beside it that nobody may touch."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.md").write_bytes(b"secret\n")
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def door(home: Path) -> Door:
    """A door that does not wait."""
    return Door(home, wait_seconds=0)


def put(door: Door, path: str, after: bytes | None, subject: str = KEN) -> str:
    """Write whatever is there; gives the id of the record."""
    return door.apply(record(Edit(path, door.current(path), after), subject=subject)).id


def crash(door: Door, *edits: Edit, subject: str = KEN) -> None:
    """Die after the line and before the first file."""

    class Died(BaseException):
        pass

    def die(*_: object) -> bool:
        raise Died

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(disk, "put", die)
        with pytest.raises(Died):
            door.apply(record(*edits, subject=subject))


def started(home: Path) -> None:
    """A new writer begins."""
    Door(home, 0).complete(thoroughly=False)


def history_of(home: Path, subject: str = KEN) -> Path:
    return home / ".history" / f"{subject}.jsonl"


def test_a_first_write(home: Path, door: Door) -> None:
    """The file is there, the history has one line, the receipt names both; all of it is for the owner's eyes only."""
    old = record(Edit(CARD, None, "- 健\n".encode()))
    receipt = door.apply(old)
    assert receipt == (old.id, KEN, (CARD,), ("k7f3",))
    assert (home / CARD).read_text() == "- 健\n"
    (line,) = history_of(home).read_text().splitlines()
    assert json.loads(line)["facts"] == {"k7f3": {"quote": "健"}}
    assert door.records(KEN) == [old]
    for path in home.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    assert {path.name for path in home.rglob("*") if path.is_file()} == {"card.md", "sato-ken-7f3a.jsonl"}


def test_a_stale_write_is_told_what_is_there(home: Path, door: Door) -> None:
    """Who believed something else gets the new bytes, changes nothing, and can try again with them."""
    put(door, CARD, b"- a\n")
    (home / CARD).write_bytes(b"- by hand\n")
    before = history_of(home).read_bytes()
    for believed in (b"- a\n", None):
        with pytest.raises(StaleWrite, match=f"{CARD} has changed") as error:
            door.apply(record(Edit(NOTE, None, b"new"), Edit(CARD, believed, b"- b\n")))
        assert error.value.now == b"- by hand\n"
    with pytest.raises(StaleWrite, match="is gone") as error:
        door.apply(record(Edit(NOTE, b"old", b"new")))
    assert error.value.now is None
    assert history_of(home).read_bytes() == before
    assert not (home / NOTE).exists()
    door.apply(record(Edit(CARD, b"- by hand\n", b"- b\n")))
    assert (home / CARD).read_bytes() == b"- b\n"


def test_records_are_exact(home: Path, door: Door) -> None:
    """Every byte of every version is read back: line ends, BOM, no UTF-8, nothing at all, no file, edits by hand."""
    versions = [b"\xef\xbb\xbf- a\r\n- b\r\n", b"- a\n\xff\n", b"", None, b"- a", b"- a\n" * 30_000, b"- a\n" * 30_000 + b"b"]
    records = []
    for version in versions:
        records.append(record(Edit(CARD, door.current(CARD), version), Edit(NOTE, door.current(NOTE), b"x")))
        door.apply(records[-1])
    (home / CARD).write_bytes(b"by hand")
    records.append(record(Edit(CARD, b"by hand", b"- z\n"), at=AT + timedelta(hours=9)))
    door.apply(records[-1])
    assert door.records(KEN) == records
    assert Door(home).records(KEN) == records
    assert history_of(home).stat().st_size < 300_000


def test_long_histories_are_built_upon_without_reading_them(home: Path, door: Door) -> None:
    """A card of 10 KB changed 300 times has a history of a few lines' worth each."""
    text = b"- a fact that stands here and is not touched\n" * 230
    put(door, CARD, text)
    for number in range(300):
        put(door, CARD, text + b"- %d\n" % number)
    assert history_of(home).stat().st_size < 20_000 + 300 * 500
    assert [old.edits[0].after for old in door.records(KEN)][1:] == [text + b"- %d\n" % number for number in range(300)]


def test_an_owners_mode_and_spelling_stay(home: Path, door: Door) -> None:
    """A file that others may read stays so, and one whose name is stored in another Unicode form keeps it."""
    apart = unicodedata.normalize("NFD", "が.md")
    (home / apart).write_bytes(b"- a\n")
    (home / apart).chmod(0o644)
    put(door, "が.md", b"- b\n", "me")
    assert os.listdir(home / "")[:] and {name for name in os.listdir(home) if name.endswith(".md")} == {apart}
    assert (home / apart).read_bytes() == b"- b\n"
    assert stat.S_IMODE((home / apart).stat().st_mode) == 0o644


# ---- undo


def test_undo_and_undo_of_undo(home: Path, door: Door) -> None:
    """Bytes come back, files too, and each step is a record of its own."""
    put(door, CARD, b"- a\r\n")
    second = door.apply(record(Edit(CARD, b"- a\r\n", None), Edit(NOTE, None, b"- note\n"))).id
    assert not (home / CARD).exists()
    undone = door.undo(KEN, second, AT, "a mistake")
    assert (home / CARD).read_bytes() == b"- a\r\n"
    assert not (home / NOTE).parent.exists()
    last = door.records(KEN)[-1]
    assert (last.verb, last.reason, last.source, last.facts) == ("undo", "a mistake", second, {"k7f3": {"undoes": second}})
    door.undo(KEN, undone.id, AT, "")
    assert not (home / CARD).exists()
    assert (home / NOTE).read_bytes() == b"- note\n"
    assert len(door.records(KEN)) == 4


def test_undo_says_who_is_in_the_way(home: Path, door: Door) -> None:
    """A later record or an edit by hand is not overwritten, and it is said which it was."""
    first, second = put(door, CARD, b"- a\n"), put(door, CARD, b"- b\n")
    with pytest.raises(StaleWrite, match=second) as error:
        door.undo(KEN, first, AT, "")
    assert error.value.now == b"- b\n"
    (home / CARD).write_bytes(b"- c\n")
    with pytest.raises(StaleWrite, match="by hand"):
        door.undo(KEN, second, AT, "")
    assert (home / CARD).read_bytes() == b"- c\n"
    with pytest.raises(BadInput, match="no record nobody"):
        door.undo(KEN, "nobody", AT, "")


# ---- forgetting


def test_forgetting_some(home: Path, door: Door) -> None:
    """Records go or change; the rest stays exact and can be undone; the files stay."""
    for data in (b"- a\n", b"- secret\n", b"- a\n- c\n"):
        put(door, CARD, data)
    before = door.records(KEN)

    def keep(old: Record) -> Record | None:
        if old.edits[0].after == b"- secret\n":
            return None
        return old._replace(edits=(old.edits[0]._replace(before=b"" if b"secret" in (old.edits[0].before or b"") else old.edits[0].before),))

    assert door.rewrite(KEN, keep) == 2
    assert b"secret" not in history_of(home).read_bytes()
    after = door.records(KEN)
    assert after[0] == before[0] and after[1].edits == (Edit(CARD, b"", b"- a\n- c\n"),)
    assert (home / CARD).read_bytes() == b"- a\n- c\n"
    assert door.rewrite(KEN, lambda old: old) == 0
    door.undo(KEN, after[1].id, AT, "")
    assert (home / CARD).read_bytes() == b""


def test_forgetting_everything(home: Path, door: Door) -> None:
    """Inside one lock the files go and the history after them; then no name of the subject is left anywhere."""
    put(door, CARD, b"- a\n")
    put(door, NOTE, b"- b\n")
    with door.locked(KEN):
        door.apply(record(Edit(CARD, b"- a\n", None), Edit(NOTE, b"- b\n", None)))
        assert door.rewrite(KEN, lambda old: None) == 3
        with pytest.raises(SubjectLocked):
            in_thread(lambda: put(Door(home, 0), CARD, b"x"))
    assert not [path for path in home.rglob("*") if "ken" in path.name]
    assert door.records(KEN) == []
    put(door, CARD, b"- again\n")


def test_a_failing_keep_changes_nothing(home: Path, door: Door) -> None:
    """An error of the caller's function passes through, and the history is what it was."""
    put(door, CARD, b"- a\n")
    before = history_of(home).read_bytes()
    with pytest.raises(ZeroDivisionError):
        door.rewrite(KEN, lambda old: 1 // 0)  # type: ignore[arg-type, return-value]
    assert history_of(home).read_bytes() == before


# ---- locks


def in_thread(work: object) -> None:
    """Do it in another thread and raise what it raised."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            work()  # type: ignore[operator]
        except OmoideError as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(30)
    assert not thread.is_alive()
    if raised:
        raise raised[0]


def test_a_lock_is_entered_again_by_its_thread_only(home: Path, door: Door) -> None:
    """Inside a lock its own thread writes on; another one, of the same door too, is told; other subjects do not wait."""
    with door.locked(KEN), door.locked(KEN):
        put(door, CARD, b"- a\n")
        for other in (door, Door(home, 0)):
            with pytest.raises(SubjectLocked, match=f"{KEN}: .*try again"):
                in_thread(lambda other=other: put(other, CARD, b"- b\n"))
        in_thread(lambda: put(door, "people/mori-1/card.md", b"- m\n", "people/mori-1"))
        in_thread(lambda: door.records(KEN))  # readers do not wait
    put(Door(home, 0), CARD, b"- c\n")
    with pytest.raises(RuntimeError), door.locked(KEN):
        raise RuntimeError
    put(Door(home, 0), CARD, b"- d\n")


def test_a_lock_is_waited_for(home: Path, door: Door) -> None:
    """A writer that may wait gets its turn as soon as the other is done."""
    put(door, CARD, b"- a\n")
    thread = threading.Thread(target=lambda: put(Door(home, 20), CARD, b"- b\n"))
    with door.locked(KEN):
        thread.start()
        thread.join(0.1)
        assert thread.is_alive()
    thread.join(20)
    assert door.current(CARD) == b"- b\n"


# ---- what is refused


@pytest.mark.parametrize("subject", [
    "", ".", "..", "people/..", "../x", "/people/x", "people//x", "people/x/", "people/.x", "~x", "a\\b", "a\0b", "a\nb", "CON", "x" * 241,
    "/".join("x" * 30), "people/x.jsonl", "people/x.lock", "people/x.JSONL/y", "\u200b", "\ud800", "people/%2e%2e/x", 7, None,
])  # fmt: skip
def test_an_odd_subject_is_refused(home: Path, door: Door, subject: str) -> None:
    """A sentence, and nothing is made, not even the folder of histories."""
    for verb in (
        lambda: door.apply(record(Edit(CARD, None, b""), subject=subject)), lambda: door.records(subject),
        lambda: door.undo(subject, "x", AT, ""), lambda: door.rewrite(subject, lambda old: old), lambda: door.locked(subject).__enter__(),
    ):  # fmt: skip
        with pytest.raises(BadInput, match=r"subject: .*plain id"):
            verb()
    assert not list(home.iterdir())


@pytest.mark.parametrize("paths", [
    ["../outside/secret.md"], ["/etc/passwd"], [".history/x.md"], [".git/config"], ["omoide/../x.md"], [""], ["a.md", "a.md"],
    ["a.md", "a.md/b.md"], ["node_modules/a.md"], ["x" * 256], ["a\0.md"], ["NUL.md"], ["が.md", unicodedata.normalize("NFD", "が.md")],
])  # fmt: skip
def test_an_odd_path_is_refused(home: Path, door: Door, paths: list[str]) -> None:
    """Nothing outside the home, hidden, twice in one record or unfit for a name is written."""
    with pytest.raises(BadInput):
        door.apply(record(*(Edit(path, None, b"x") for path in paths)))
    assert not list(home.iterdir())


@pytest.mark.parametrize("link", ["people", KEN, CARD, ".history", ".history/people", f".history/{KEN}.jsonl", f".history/{KEN}.lock"])
def test_no_link_is_followed(home: Path, door: Door, link: str) -> None:
    """A link anywhere on the way, to a folder or a file outside: a named error, and what it leads to is untouched."""
    outside = home.parent / "outside"
    place = home / link
    place.parent.mkdir(parents=True, exist_ok=True)
    place.symlink_to(outside if not place.suffix else outside / "secret.md")
    for edit in (Edit(CARD, None, b"x"), Edit(CARD, b"secret\n", b"x"), Edit(CARD, b"secret\n", None)):
        with pytest.raises(StoreFailed, match="link"):
            door.apply(record(edit))
    assert [(path.name, path.read_bytes()) for path in outside.iterdir()] == [("secret.md", b"secret\n")]


def test_no_odd_file_is_opened(home: Path, door: Door) -> None:
    """A pipe or a folder where a file should be is a named error, at once."""
    for path in (CARD, f".history/{KEN}.jsonl"):
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(home / path)
        with pytest.raises(StoreFailed, match="pipe"):
            door.apply(record(Edit(CARD, None, b"x")))
        (home / path).unlink()
    (home / CARD).mkdir()
    with pytest.raises(StoreFailed, match=f"{CARD}: it is a folder"):
        door.apply(record(Edit(CARD, None, b"x")))


def test_no_home(tmp_path: Path) -> None:
    """A home that is not there is not made."""
    door = Door(tmp_path / "gone")
    for verb in (lambda: door.records(KEN), lambda: door.current(CARD), lambda: door.apply(record(Edit(CARD, None, b"")))):
        with pytest.raises(StoreFailed, match="cannot be opened"):
            verb()
    assert not (tmp_path / "gone").exists()


# ---- after a crash


def test_a_torn_line_is_cut(home: Path, door: Door) -> None:
    """A crash after any byte of a line, or blocks that were never written: the line is gone, the next write works."""
    put(door, CARD, b"- a\n")
    first = history_of(home).read_bytes()
    put(door, CARD, b"- b\n")
    whole = history_of(home).read_bytes()
    tails = [whole[:end] for end in range(len(first), len(whole))]
    tails += [tail + b"\0" * 5000 for tail in tails[::20]] + [first + b"\0" * 300 + b"x\n", first + b"\0\n" * 70_000]
    for tail in tails:
        history_of(home).write_bytes(tail)
        (home / CARD).write_bytes(b"- a\n")
        assert len(door.records(KEN)) == 1
        put(door, CARD, b"- c\n")
        assert [old.edits[0].after for old in door.records(KEN)] == [b"- a\n", b"- c\n"]


def test_an_edit_by_hand_after_a_crash_stays(home: Path, door: Door) -> None:
    """Where a hand came between, its bytes stay and the record says so; the other files are completed."""
    put(door, CARD, b"- a\n")
    crash(door, Edit(CARD, b"- a\n", b"- b\n"), Edit(NOTE, None, b"- note\n"))
    assert (home / CARD).read_bytes() == b"- a\n"
    (home / CARD).write_bytes(b"- by hand\n")
    started(home)
    records = Door(home).records(KEN)
    assert [old.left for old in records] == [(), (CARD,)]
    assert (home / CARD).read_bytes() == b"- by hand\n"
    assert (home / NOTE).read_bytes() == b"- note\n"
    (home / CARD).write_bytes(b"- a\n")  # later it looks as before the crash: nobody completes it any more
    started(home)
    assert [old.left for old in Door(home).records(KEN)] == [(), (CARD,)]
    assert (home / CARD).read_bytes() == b"- a\n"
    door.undo(KEN, records[1].id, AT, "")
    assert not (home / NOTE).exists()
    assert (home / CARD).read_bytes() == b"- a\n"
    crash(door, Edit(CARD, b"- a\n", b"- b\n"))
    (home / CARD).unlink()
    (home / CARD).mkdir(parents=True)
    started(home)
    records = Door(home).records(KEN)
    assert records[-1].left == (CARD,)
    with pytest.raises(BadInput, match="changed no file"):
        door.undo(KEN, records[-1].id, AT, "")
    assert door.rewrite(KEN, lambda old: old._replace(reason="x")) == 4
    assert door.records(KEN)[-1].left == (CARD,)


def test_a_start_completes_everything(home: Path, door: Door) -> None:
    """What dead processes left of any subject is completed at once, but for one that is being written just now."""
    ids = ["people/a-1", "people/b-2", "rooms/c-3", "me"]
    assert door.complete() == []
    for subject in ids:
        put(door, f"{subject}/x.md", b"- a\n", subject)
    assert door.complete() == []
    for subject in ids[:3]:
        crash(door, Edit(f"{subject}/x.md", b"- a\n", b"- b\n"), subject=subject)
    history_of(home, "me").write_bytes(history_of(home, "me").read_bytes() + b'{"do')
    (home / ".history/rooms/d-4.jsonl.tmp").write_bytes(b"x")
    (home / ".history/rooms/copy.jsonl").write_bytes(history_of(home, ids[2]).read_bytes())
    with door.locked("rooms/c-3"), door.locked("me"):
        pass
    crash(door, Edit("rooms/c-3/x.md", b"- b\n", b"- c\n"), subject="rooms/c-3")
    with door.locked("people/b-2"):
        crash(door, Edit("people/b-2/x.md", b"- b\n", b"- c\n"), subject="people/b-2")
        assert door.unfinished() == ["people/a-1", "people/b-2", "rooms/c-3", "rooms/copy"]
        assert Door(home).complete() == ["people/a-1", "rooms/c-3", "rooms/d-4"]
        assert door.unfinished() == ["people/b-2", "rooms/copy"]
    started(home)
    assert [door.current(f"{subject}/x.md") for subject in ids] == [b"- b\n", b"- c\n", b"- c\n", b"- a\n"]
    assert not [path for path in home.rglob("*") if path.suffix in (".tmp", ".lock")]


def test_the_first_write_of_any_subject_completes_all(home: Path, door: Door) -> None:
    """A new writer begins with what dead ones left: half a change, a temp file of any kind, a lock of nothing; then looks at names only."""
    put(door, CARD, b"- a\n")
    crash(door, Edit(CARD, b"- a\n", b"- b\n"))
    (home / "people/sato-ken-7f3a/.omoide-0123456789abcdef.tmp").write_bytes(b"half")
    (home / ".history/rooms").mkdir()
    (home / ".history/rooms/never.lock").touch()
    assert door.records(KEN)[-1].left == (CARD,)
    assert (home / CARD).read_bytes() == b"- a\n"
    other = Door(home)
    put(other, "me.md", b"- c\n", "me")
    assert (home / CARD).read_bytes() == b"- b\n"
    assert {path.name for path in home.rglob("*") if path.is_file()} == {"card.md", "sato-ken-7f3a.jsonl", "me.md", "me.jsonl"}


def test_reading_completes_nothing(home: Path, door: Door) -> None:
    """Who reads the history of a change that was cut short is told what is not done, and no byte of the home differs."""
    put(door, CARD, b"- a\n")
    crash(door, Edit(CARD, b"- a\n", b"- b\n"), Edit(NOTE, None, b"x"))
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in home.rglob("*") if path.is_file()}
    reader = Door(home)
    assert [old.left for old in reader.records(KEN)] == [(), (CARD, NOTE)]
    assert (reader.current(CARD), reader.unfinished()) == (b"- a\n", [KEN])
    assert before == {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in home.rglob("*") if path.is_file()}


def test_nothing_is_completed_outside(home: Path, door: Door) -> None:
    """A history that somebody wrote by hand leads nowhere."""
    put(door, CARD, b"- a\n")
    line = history_of(home).read_bytes().replace(b'"y"', b'"?"').replace(CARD.encode(), b"../outside/new.md")
    history_of(home).write_bytes(line)
    door.complete()
    assert door.records(KEN)[0].left == ("../outside/new.md",)
    with pytest.raises(BadInput):
        door.undo(KEN, door.records(KEN)[0].id, AT, "")
    assert [path.name for path in (home.parent / "outside").iterdir()] == ["secret.md"]


def test_a_damaged_line_is_named(home: Path, door: Door) -> None:
    """Who reads the history is told the file and the line; writing goes on."""
    put(door, CARD, b"- a\n")
    put(door, CARD, b"- b\n")
    history_of(home).write_bytes(history_of(home).read_bytes().replace(b'"verb"', b"verb", 1))
    for verb in (lambda: door.records(KEN), lambda: door.rewrite(KEN, lambda old: None), lambda: door.undo(KEN, "x", AT, "")):
        with pytest.raises(StoreFailed, match=rf"{KEN}.jsonl, line 1: "):
            verb()
    put(door, CARD, b"- c\n")


def test_a_history_is_read_where_nothing_can_be_written(home: Path, door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a disk that cannot be written the history is read as it stands, an unfinished change marked as not done."""
    put(door, CARD, b"- a\n")
    crash(door, Edit(CARD, b"- a\n", b"- b\n"))

    def refused(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(disk, "lock", refused)
    assert [old.left for old in door.records(KEN)] == [(), (CARD,)]
    with pytest.raises(StoreFailed, match="read-only"):
        put(door, CARD, b"- c\n")


def test_nothing_stays_open(home: Path, door: Door) -> None:
    """No call, refused or not, leaves a file open."""
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("no /proc here")
    before = len(os.listdir("/proc/self/fd"))
    for number in range(5):
        done = put(door, CARD, b"- %d\n" % number)
        with pytest.raises(StaleWrite):
            door.apply(record(Edit(CARD, None, b"x")))
        with pytest.raises(StoreFailed):
            door.apply(record(Edit(f"{CARD}/x.md", None, b"x")))
        with door.locked(KEN), pytest.raises(SubjectLocked):
            in_thread(lambda: put(Door(home, 0.01), CARD, b"x"))
        door.undo(KEN, done, AT, "")
        door.rewrite(KEN, lambda old: None)
    assert len(os.listdir("/proc/self/fd")) == before


# ---- any sequence


paths = st.sampled_from([CARD, NOTE, "memory/2026-11-30.md"])
data = st.none() | st.lists(st.sampled_from([b"- a\n", b"- b\r\n", b"\xff", "- 健\n".encode()]), max_size=4).map(b"".join)
steps = st.one_of(
    st.tuples(st.just("apply"), st.dictionaries(paths, data, min_size=1, max_size=3), st.booleans()),
    st.tuples(st.just("undo"), st.integers(0, 9)),
    st.tuples(st.just("hand"), paths, data),
    st.tuples(st.just("crash"), st.dictionaries(paths, data, min_size=1, max_size=3)),
    st.tuples(st.just("forget"), st.integers(0, 9)),
)


class Model:
    """What the home must hold: a dictionary."""

    def __init__(self, home: Path) -> None:
        self.home, self.door = home, Door(home, 0)
        self.now: dict[str, bytes] = {}
        self.records: list[Record] = []

    def set(self, path: str, after: bytes | None) -> None:
        self.now.pop(path, None)
        self.now |= {} if after is None else {path: after}

    def change(self, changes: dict[str, bytes | None]) -> Record:
        return record(*(Edit(path, self.now.get(path), after) for path, after in changes.items()))

    def apply(self, changes: dict[str, bytes | None], stale: bool) -> None:
        new = self.change(changes)
        if stale:
            edit = new.edits[-1]
            with pytest.raises(StaleWrite):
                self.door.apply(new._replace(edits=(*new.edits[:-1], edit._replace(before=(edit.before or b"") + b"!"))))
            return
        self.door.apply(new)
        self.done(new)

    def done(self, new: Record) -> None:
        self.records.append(new)
        for edit in new.edits:
            self.set(edit.path, edit.after)

    def crash(self, changes: dict[str, bytes | None]) -> None:
        new = self.change(changes)
        if all(edit.before == edit.after for edit in new.edits):
            return
        crash(self.door, *new.edits)
        started(self.home)
        self.door = Door(self.home, 0)
        self.done(self.door.records(KEN)[-1])

    def hand(self, path: str, after: bytes | None) -> None:
        self.set(path, after)
        place = self.home / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True) if after is None else place.write_bytes(after)

    def undo(self, number: int) -> None:
        if not self.records:
            return
        old = self.records[number % len(self.records)]
        if any(self.now.get(edit.path) != edit.after for edit in old.edits):
            with pytest.raises(StaleWrite):
                self.door.undo(KEN, old.id, AT, "")
        else:
            self.door.undo(KEN, old.id, AT, "")
            self.done(self.door.records(KEN)[-1])

    def forget(self, number: int) -> None:
        gone = [old for at, old in enumerate(self.records) if at % 10 == number]
        assert self.door.rewrite(KEN, lambda old: None if old in gone else old) == len(gone)
        self.records = [old for old in self.records if old not in gone]


@given(st.lists(steps, max_size=14))
def test_any_sequence_equals_a_model(tmp_path_factory: pytest.TempPathFactory, sequence: list[tuple[object, ...]]) -> None:
    """Whatever is applied, undone, forgotten, edited by hand and crashed over: files and history equal a dictionary and a list."""
    model = Model(tmp_path_factory.mktemp("home"))
    for verb, *arguments in sequence:
        getattr(model, str(verb))(*arguments)
        files = {
            path.relative_to(model.home).as_posix(): path.read_bytes()
            for path in model.home.rglob("*") if path.is_file() and ".history" not in path.parts
        }  # fmt: skip
        assert files == model.now
        assert model.door.records(KEN) == model.records
