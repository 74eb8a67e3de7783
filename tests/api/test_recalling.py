"""`recall` and `log` through the public verbs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide import Chunk, Collection, Omoide, Scope, Settings
from omoide.api.people import Event, Room, Stay
from omoide.api.recalling import told as lines_of
from omoide.errors import BadInput
from omoide.text.wording import asked_form, word_form

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
OWNER = Scope()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Three days of a log, one entry far longer than any chunk."""
    (tmp_path / "memory").mkdir()
    filler = "\n\n".join(f"- 項目{number} について長く書いた一行の記録" for number in range(200))
    (tmp_path / "memory/2026-03-01.md").write_text(f"## 10:00 スケッチ\n\n{filler}\n\n最後に保存の話\n\n## 11:00 別件\n\n猫\n", "utf-8")
    (tmp_path / "memory/2026-03-02.md").write_text("## 09:00 Servers\n\nsaved the sketch of the rack\n", "utf-8")
    (tmp_path / "memory/2026-03-03.md").write_text("no heading, only 保存\n", "utf-8")
    return tmp_path


def told(omoide: Omoide, *words: str, **more: object) -> tuple[list[str], list[str]]:
    """Places of the hits, and codes of the notices."""
    found = omoide.recall(list(words), scope=OWNER, **more)  # type: ignore[arg-type]
    return [f"{hit.chunk.path}:{hit.chunk.lines[0]}" for hit in found.hits], [notice.code for notice in found.notices]


def test_an_entry_is_whole(home: Path) -> None:
    """However long a section is, all words may stand anywhere in it."""
    with Omoide(home) as omoide:
        assert told(omoide, "スケッチ", "保存", "項目150") == (["memory/2026-03-01.md:1"], [])


def test_one_word_too_many(home: Path) -> None:
    """Any word, oldest first, each with what it holds; the missing word is named before anything else."""
    with Omoide(home) as omoide:
        found = omoide.recall("スケッチ 保存 決定", scope=OWNER)
        assert [(hit.chunk.path, hit.trace[-1].facts["matched"]) for hit in found.hits if hit.trace[-1].facts] == [
            ("memory/2026-03-01.md", ["スケッチ", "保存"]), ("memory/2026-03-03.md", ["保存"])
        ]  # fmt: skip
        assert next(notice.text for notice in found.notices) == "この範囲に無かった語: 決定"
        assert told(omoide, "スケッチ", "決定", rule="all-words") == ([], ["absent_words", "nothing_found"])


def test_periods(home: Path) -> None:
    """Both ends are included; without words all of the period; what lies outside of it is hinted at."""
    day = lambda number, hour=0: datetime(2026, 3, number, hour, tzinfo=UTC)  # noqa: E731
    with Omoide(home) as omoide:
        zone = omoide.zone
        assert told(omoide, since=day(2).replace(tzinfo=zone), until=day(2, 23).replace(tzinfo=zone)) == (["memory/2026-03-02.md:1"], [])
        assert told(omoide, "sketch", since=day(3))[1] == ["absent_words", "nothing_found", "outside_period"]
        assert told(omoide, since=day(1) - timedelta(days=9), limit=2)[1] == ["cut_off"]


@pytest.mark.parametrize(
    ("words", "more", "said"),
    [("", {}, "words, or a period or marks"), ("", {"marks": {"place": "x"}}, "about, mood, task"), ("a", {"marks": {"mood": "a;b"}}, "mood"), ("?! …", {}, "nothing but punctuation"), (" ".join(map(str, range(1000))), {}, "50 at most"), ("a", {"limit": 0}, "from 1 to"),
     ("a", {"rule": "best"}, "all-words, recall"), ("a", {"since": datetime(2026, 1, 1)}, "zone"),
     ("a", {"since": NOW, "until": NOW - timedelta(1)}, "before since")],
)  # fmt: skip
def test_bad_questions(home: Path, words: str, more: dict[str, object], said: str) -> None:
    """A sentence says what is wrong."""
    with Omoide(home) as omoide, pytest.raises(BadInput, match=said):
        omoide.recall(words, **more)  # type: ignore[arg-type]


def test_a_log_can_be_found_again(home: Path) -> None:
    """What `log` adds, `recall` finds at once; the record of a failed search is marked; a vague entry draws a hint."""
    with Omoide(home) as omoide:
        kept = omoide.log("the rack is painted green", title="Rack", session="s-7", at=NOW)
        assert (kept.path, kept.line, kept.hint) == ("memory/2026-11-30.md", 1, "")
        assert "hard to find" in omoide.log("fixed bug", at=NOW).hint
        omoide.log("nobody knows of a yellow rack", failed=True, at=NOW)
        found = omoide.recall("rack", scope=OWNER)
        assert [bool(hit.trace[-1].facts and hit.trace[-1].facts["failed"]) for hit in found.hits] == [False, False, True]
        assert found.hits[1].chunk.when == NOW
        (home / "memory/2026-03-02.md").write_text("## 09:00 Servers\n\nnothing of the sort\n", "utf-8")
        assert [hit.chunk.path for hit in omoide.recall("rack", scope=OWNER).hits] == ["memory/2026-11-30.md"] * 2


def test_marks(home: Path) -> None:
    """Entries are asked for by each mark and by several at once, in any spelling, with words, with a period, or alone; written by
    the program or by hand. Counts, missing words and rarity are those of the entries that carry the marks."""
    (home / "memory/2026-03-04.md").write_text("## 09:00 出張 (about Ana, 東京; mood うれしい)\n\nthe sketch\n\n## 10:00 Trip (about ana and co)\n\nx\n", "utf-8")
    with Omoide(home) as omoide:
        flight = omoide.log("booked the flight", at=NOW, marks={"about": ["ana", "tokyo"], "mood": "Glad", "task": "t-12"})
        omoide.log("paid for it", at=NOW + timedelta(minutes=1), marks={"about": "tokyo, 経理", "mood": "tired", "task": "t-12"}, session="s-9")
        place, paid, trip = "memory/2026-11-30.md:1", "memory/2026-11-30.md:5", "memory/2026-03-04.md:1"
        assert (flight.line, told(omoide, marks={"about": "ANA"})) == (1, ([trip, place], []))
        assert told(omoide, marks={"about": ["ana", "東京"]})[0] == [trip]
        assert told(omoide, marks={"task": "Ｔ－12"})[0] == [place, paid]
        assert told(omoide, marks={"task": "t-12", "mood": "glad"})[0] == [place]
        assert told(omoide, marks={"mood": "ウレシイ", "about": "東京"})[0] == [trip]
        assert told(omoide, marks={"session": "s-9"})[0] == [paid]
        assert told(omoide, marks={"about": "tokyo"}, since=NOW + timedelta(seconds=1))[0] == [paid]
        found = omoide.recall("flight sketch", scope=OWNER, marks={"task": "t-12"})
        assert [hit.trace[-1].facts["marks"] for hit in found.hits if hit.trace[-1].facts] == [{"about": ["ana", "tokyo"], "mood": "Glad", "task": "t-12"}]
        assert (found.facts["entries"], found.facts["absent"], found.facts["marks"]) == (2, ["sketch"], {"task": "t-12"})
        assert told(omoide, "sketch", marks={"about": "ana"}, since=NOW)[1] == ["absent_words", "nothing_found", "outside_period"]
        assert told(omoide, "sketch", marks={"about": "経理"}, since=NOW)[1] == ["absent_words", "nothing_found"]
        assert told(omoide, marks={"mood": "sad"}) == ([], ["nothing_found"])


def test_a_moment_is_exact(home: Path) -> None:
    """Entries of one second are told apart by the microsecond, listed in their order, and a period includes both its ends."""
    tick = timedelta(microseconds=1)
    late, early = NOW + 2 * tick, NOW + tick
    with Omoide(home) as omoide:
        omoide.log("the later", at=late)
        omoide.log("the earlier", at=early)
        order = lambda **period: [hit.chunk.text.split()[-1] for hit in omoide.recall("the", scope=OWNER, **period).hits]  # noqa: E731
        assert order(since=NOW) == ["earlier", "later"]
        assert order(since=NOW, until=early) == ["earlier"]
        assert order(since=late) == ["later"]
        assert order(since=late + tick) == []
        assert [hit.chunk.when for hit in omoide.recall("later", scope=OWNER).hits] == [late]
    with Collection([{"id": "a", "text": "tea", "when": early}, {"id": "b", "text": "tea", "when": late, "marks": {"mood": "glad"}}]) as rows:
        assert [hit.chunk.id for hit in rows.recall("tea", until=early).hits] == ["a"]
        assert [hit.chunk.id for hit in rows.recall(marks={"mood": "GLAD"}).hits] == ["b"]
        with pytest.raises(BadInput, match=r"row 1.*mood"):
            rows.add([{"id": "c", "text": "tea", "marks": {"mood": ";"}}])


@pytest.mark.parametrize(
    ("text", "word"),
    [("黒猫がいる", "猫"), ("the ＡＩ of it", "ai"), ("カ\u3099ス", "ガス"), ("ﾊﾞｯｸｱｯﾌﾟを取る", "バックアップ"), ("さーばーを直す", "サーバ"),
     ("サーバを直す", "サーバー"), ("party 🎉", "🎉 party"), ("see PIO-1384.", "pio-1384"), ("bumped @scope/pkg", "@scope/pkg"), ("runs 2026.4.10 now", "2026.4.10"),
     ("in src/a/b.py:3", "src/a/b.py"), ("calls atomic_write_json()", "atomic_write_json"), ("a 100% b_c", "100%"), ("café", "cafe"), ("C++ code", "c++"), ("髙橋", "高橋")],
)  # fmt: skip
def test_words_as_people_type_them(text: str, word: str) -> None:
    """Short words, names of things and files, numbers of versions, and every spelling are found; a part of a name is, too."""
    with Collection([{"id": "a", "text": text, "when": NOW}, {"id": "b", "text": "other", "when": NOW}]) as rows:
        assert [hit.chunk.id for hit in rows.recall(word).hits] == ["a"]


def test_keys_of_marks_are_no_words(home: Path) -> None:
    """What every written entry has (its moment and the names of its marks) finds none; the values of marks do."""
    with Omoide(home) as omoide:
        omoide.log("booked", at=NOW, marks={"about": "tokyo", "mood": "glad"}, session="s-1", failed=True)
        for word in ("about", "mood", "session", "at", "2026-11-30T", "found"):
            assert told(omoide, word)[0] == []
        for word in ("tokyo", "glad", "s-1", "12:00", "booked"):
            assert told(omoide, word, since=NOW)[0] == ["memory/2026-11-30.md:1"]


AUDIENCES = st.sampled_from(["me", "all", "person:a", "room:b"])
WORDS = st.lists(st.sampled_from(["スケッチ", "ｽｹｯﾁ", "保存", "rack", "RACK", "サーバー", "サーバ"]), min_size=1, max_size=4)


@given(st.lists(st.tuples(AUDIENCES, WORDS, st.integers(0, 5)), max_size=8), st.frozensets(AUDIENCES), WORDS)
def test_it_reads_what_the_caller_may_read(rows: list[tuple[str, list[str], int]], heard: frozenset[str], words: list[str]) -> None:
    """Hits, counts and the names of missing words are those of a home that holds nothing else."""
    chunks = [
        Chunk(f"n{at}", "", (0, 0), audience, " ".join(texts), "", NOW + timedelta(hours=hour)) for at, (audience, texts, hour) in enumerate(rows)
    ]
    with Collection(chunks) as everything, Collection([chunk for chunk in chunks if chunk.audience in heard]) as theirs:
        scope = Scope("x", heard, NOW + timedelta(hours=9))
        mine, other = everything.recall(words, scope=scope), theirs.recall(words)
        assert [hit.chunk.id for hit in mine.hits] == [hit.chunk.id for hit in other.hits]
        assert (mine.facts, mine.notices) == (other.facts, other.notices)
        whole = [chunk.id for chunk in chunks if chunk.audience in heard and all(asked_form(word) in word_form(chunk.text) for word in words)]
        assert not whole or {hit.chunk.id for hit in mine.hits} == set(whole)


def test_rcl_13_a_failed_search_is_no_record(home: Path) -> None:
    """Its record decides nothing: not that all words stand somewhere, not that a word does. It is shown, marked, where there is room."""
    with Omoide(home) as omoide:
        before = omoide.recall("スケッチ 保存 決定", scope=OWNER)
        omoide.log("聞かれた。スケッチ 保存 決定 で探したが無い。", failed=True, at=NOW)
        after = omoide.recall("スケッチ 保存 決定", scope=OWNER)
        assert [hit.chunk.id for hit in after.hits[:-1]] == [hit.chunk.id for hit in before.hits]
        assert [(hit.trace[-1].facts or {})["failed"] for hit in after.hits] == [False] * len(before.hits) + [True]
        assert after.facts["absent"] == ["決定"] and after.facts["partly"]
        few = omoide.recall("スケッチ 保存 決定", scope=OWNER, limit=len(before.hits))
        assert [hit.chunk.id for hit in few.hits] == [hit.chunk.id for hit in before.hits] and few.facts["cut"] == 1
        only = omoide.recall("決定 探した", scope=OWNER)
        assert [(hit.trace[-1].facts or {})["failed"] for hit in only.hits] == [True]
        assert only.facts["absent"] == ["決定", "探した"] and not only.facts["partly"]


def test_only_what_was_said_is_compared(tmp_path: Path) -> None:
    """The account, the number and the block id of a message in a room are nobody's words; its session can be asked for."""
    with Omoide(tmp_path) as omoide:
        people = omoide.people
        people.meet("slack:T07TOUBAN:U0AYA", "Aya", at=NOW)
        people.open_room(Room("slack:T07TOUBAN:C1", "board", "group", "members", (Stay("slack:T07TOUBAN:U0AYA"),)), NOW)
        people.say("slack:T07TOUBAN:C1", Event("slack:T07TOUBAN:U0AYA", NOW, "the pager\n> is on the shelf", "s-9", 4711))
        text = next(tmp_path.rglob("rooms/*/log/*.md")).read_text("utf-8")
        for word in ("touban", "U0AYA", "slack", "4711", "at 2026", "s-9", text.rstrip().rpartition("^")[2]):
            assert told(omoide, word)[0] == [], word
        for word in ("pager", "shelf"):
            assert len(told(omoide, word)[0]) == 1, word
        assert told(omoide, marks={"session": "s-9"})[0]


@pytest.mark.parametrize("words", [None, 3, b"tea", [1], ["tea", None], [["tea"]]])
def test_words_that_are_none(home: Path, words: object) -> None:
    """What is no text and no list of texts is refused, whatever it is."""
    with Omoide(home) as omoide, pytest.raises(BadInput, match="words: a text, or a list of texts"):
        omoide.recall(words)  # type: ignore[arg-type]


@pytest.mark.parametrize("limit", [0, -1, 2.5, "3", True, None, 10**20])
def test_limits_that_are_none(home: Path, limit: object) -> None:
    """A limit that no list has is refused, by recall and by search."""
    with Omoide(home) as omoide:
        with pytest.raises(BadInput, match="limit is a number from 1"):
            omoide.recall("tea", limit=limit)  # type: ignore[arg-type]
        if limit is not None:
            with pytest.raises(BadInput, match="limit is a number from 1"):
                omoide.search("tea", limit=limit)  # type: ignore[arg-type]


@pytest.mark.parametrize("when", ["2026-01-01", 3, NOW.date()])
def test_times_that_are_none(home: Path, when: object) -> None:
    """A text or a date is no moment: the name of the argument and the value are said, by recall and by search."""
    with Omoide(home) as omoide:
        for verb in (omoide.recall, omoide.search):
            for name in ("since", "until"):
                with pytest.raises(BadInput, match=f"{name} is a datetime with a zone"):
                    verb("tea", **{name: when})  # type: ignore[arg-type]


def test_all_entries_of_a_home(tmp_path: Path) -> None:
    """A limit beyond what SQLite takes as values of one statement gives all of them."""
    with Collection({"id": str(number), "text": f"tea {number}", "when": NOW + timedelta(seconds=number)} for number in range(40_000)) as rows:
        assert len(rows.recall("tea", limit=1_000_000)) == len(rows.recall(since=NOW, limit=1_000_000)) == 40_000


@pytest.mark.parametrize(("words", "refused"), [("_", True), ("… 、", True), ("__ ~", False), ("🎉", False), ("±", False), ("", False), ([""], False)])
def test_punctuation(home: Path, words: str, refused: bool) -> None:
    """Punctuation alone is no word, an underscore neither; a sign is one. What is empty needs words."""
    (home / "memory/2026-03-04.md").write_text("## 09:00 Signs\n\n🎉 within ± 3 ~ 4\n", "utf-8")
    with Omoide(home) as omoide:
        if refused or not "".join(words).strip():
            with pytest.raises(BadInput, match="nothing but punctuation" if refused else "recall needs words"):
                omoide.recall(words)
        else:
            assert len(omoide.recall(words)) == 1


def test_a_long_entry_shows_the_place_that_matched(home: Path) -> None:
    """Where the words stand far behind the beginning, the line shows the beginning and that place."""
    with Omoide(home) as omoide:
        (line,) = lines_of(omoide.recall("項目150 最後に保存", scope=OWNER), 240)
        assert "## 10:00 スケッチ" in line and "項目150" in line and len(line) < 340
        (line,) = lines_of(omoide.recall("スケッチ 項目150", scope=OWNER), 240)
        assert line.count("…") == 1


def test_what_to_do_about_a_cut(home: Path) -> None:
    """Another word brings fewer where all words must stand, and more under a partial match: that is not advised there."""
    with Omoide(home) as omoide:
        cut = lambda *words: next(notice.text for notice in omoide.recall(words, limit=1).notices if notice.code == "cut_off")  # noqa: E731
        assert cut("保存") == "ほか1件は省いた。期間を狭めるか、語を足す"
        assert cut("保存", "猫") == "ほか2件は省いた。期間を狭めるか、件数の上限を上げる"


def test_what_comes_later_is_not_there_yet(home: Path) -> None:
    """Asked as of a moment, a recall knows nothing of later entries: not in hits, counts, missing words or hints."""
    with Omoide(home) as omoide:
        then = Scope(now=datetime(2026, 3, 1, 23, tzinfo=UTC))
        assert told(omoide, "sketch")[0] == ["memory/2026-03-02.md:1"]
        found = omoide.recall("sketch", scope=then)
        assert not found.hits and found.facts["absent"] == ["sketch"] and [notice.code for notice in found.notices] == ["absent_words", "nothing_found"]


@pytest.mark.parametrize(("text", "word"), [("ホットキー", "キー"), ("ミニバー", "バー"), ("サーバーが", "サーバ"), ("サーバ", "サーバー"), ("ショートカットキー。", "キー")])
def test_a_word_at_the_end_of_a_longer_one(text: str, word: str) -> None:
    """A long vowel mark at the end is kept where the word is looked for, and dropped from the word alone."""
    with Collection([{"id": "a", "text": text, "when": NOW}]) as rows:
        assert len(rows.recall(word)) == 1


def test_what_could_not_be_read_is_said(home: Path) -> None:
    """A word that is in no entry may stand in a file that could not be read: the answer says that there is one, to whom it concerns."""
    (home / "memory/2026-03-05.md").write_bytes(b"## 09:00 kettle\n\n\x00\n")
    with Omoide(home) as omoide:
        assert "unread_files" in told(omoide, "kettle")[1]
        assert "unread_files" not in [notice.code for notice in omoide.recall("kettle", scope=Scope("x", frozenset({"all"}))).notices]


def test_an_entry_that_would_hide_its_day(tmp_path: Path) -> None:
    """A file that would be too large to be read is not made: the entry is refused, and the day stays findable."""
    with Omoide(tmp_path, settings=Settings().with_values({"home.max_file_mb": "0.01"})) as omoide:
        omoide.log("small kettle note", at=NOW)
        with pytest.raises(BadInput, match=r"larger than home\.max_file_mb"):
            omoide.log("x " * 6000, at=NOW)
        assert len(omoide.recall("kettle")) == 1


def test_a_word_of_a_page(home: Path) -> None:
    """A paragraph without spaces is no word; the refusal comes at once."""
    with Omoide(home) as omoide, pytest.raises(BadInput, match="200 at most"):
        omoide.recall("あ" * 100_000)


@pytest.mark.parametrize("text", ["Weekly review\n-----\nDecided: keep it.", "One\n===\ntwo", "# a\n## b\nc", "a\n\n---\nb\n---", "```\n# code\n---\n```\nx\n--"])
def test_a_text_stays_one_entry(tmp_path: Path, text: str) -> None:
    """Whatever would be a heading in what is logged, it stays in its entry with its marks; told again in its session it is there already."""
    with Omoide(tmp_path) as omoide:
        first = omoide.log(text, title="Review", session="s-1", marks={"about": "kettle"}, at=NOW)
        assert not omoide.log(text, title="Review", session="s-1", marks={"about": "kettle"}, at=NOW + timedelta(hours=1)).added
        (hit,) = omoide.recall(marks={"about": "kettle"}).hits
        assert (hit.chunk.id, hit.chunk.when) == (f"{first.path}:{first.line}", NOW)
        assert len(omoide.recall(since=NOW - timedelta(days=1), until=NOW + timedelta(days=1)).hits) == 1
        if "```" in text:
            assert "\n# code\n---\n" in (tmp_path / first.path).read_text("utf-8")


@pytest.mark.parametrize("title", ["bob (s#1; at noon)", "x (s-9#999; at y)", "bob (s#1; at 2026-11-30T09:00:00+00:00)"])
def test_an_entry_that_looks_like_half_an_event(tmp_path: Path, title: str) -> None:
    """What was acknowledged stays, whatever its title imitates, and the numbers of a session are those of its messages."""
    with Omoide(tmp_path) as omoide:
        people = omoide.people
        people.meet("slack:T:U1", "Mike", at=NOW)
        people.open_room(Room("slack:T:C", "design", "group", "members", (Stay("slack:T:U1"),)), NOW)
        omoide.log("> remember the kettle", title=title, room="slack:T:C", at=NOW)
        event = people.say("slack:T:C", Event("slack:T:U1", NOW, "second", "s-9"))
        assert event.message == 1
        assert len(omoide.recall("kettle")) == len(omoide.recall("second")) == 1


@pytest.mark.parametrize("now", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00"])
def test_the_ends_of_the_calendar(home: Path, now: str) -> None:
    """A moment that another zone's calendar does not have is a moment all the same."""
    with Omoide(home, settings=Settings().with_values({"home.zone": "America/New_York"})) as omoide:
        omoide.recall("sketch", scope=Scope(now=datetime.fromisoformat(now)))
        omoide.search("sketch", scope=Scope(now=datetime.fromisoformat(now)), recipe="lexical")


@pytest.mark.parametrize("marks", [5, "glad", ["mood"], {"weather": "rain"}, {"mood": 3}, {"about": []}])
def test_marks_that_are_none(home: Path, marks: object) -> None:
    """What is no mark is refused alike by whoever writes and whoever asks, and nothing is written."""
    with Omoide(home) as omoide:
        for verb in (omoide.log, omoide.recall):
            with pytest.raises(BadInput):
                verb("tea", marks=marks)  # type: ignore[arg-type]
    assert len(list((home / "memory").iterdir())) == 3
