"""What is filed where, about whom, and what is told of it later: rows of the capability list, in Japanese and English."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from omoide import Omoide
from omoide.api.people import OWNER, Asking, People, Room, Saying, Stay
from omoide.errors import BadInput
from omoide.settings import Settings

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
KEN, MIA, BOT = "chat:w:ken", "chat:w:mia", "chat:w:bot"
ROOM, ALONE = "chat:w:room", "chat:w:alone"
FIELDS = Settings().with_values({"fields.latest": "address", "fields.history": "employment"})


def opened(home: Path, settings: Settings | None = None) -> Omoide:
    """Two people in a group, one of them also alone with a bot."""
    home.mkdir(exist_ok=True)
    omoide = Omoide(home, cache=home.parent / "cache", settings=settings)
    for account, name in ((KEN, "Ken"), (MIA, "Mia")):
        omoide.people.meet(account, name, at=NOW)
    omoide.people.meet(BOT, "helper", at=NOW, bot=True)
    omoide.people.open_room(Room(ROOM, "room", "group", "since_join", tuple(map(Stay, (KEN, MIA, BOT)))), NOW)
    omoide.people.open_room(Room(ALONE, "alone", "dm", "since_join", tuple(map(Stay, (KEN, BOT)))), NOW)
    return omoide


@pytest.fixture
def people(tmp_path: Path) -> Iterator[People]:
    with opened(tmp_path / "home") as omoide:
        yield omoide.people


def day(number: int) -> datetime:
    return NOW + timedelta(days=number)


def say(people: People, text: str, days: int = 0, about: str = KEN, **more: Any) -> str:
    return people.remember(Saying(text, about, more.pop("by", about), ROOM, day(days), **more)).id


def told(people: People, text: str = "", days: int = 300, about: str = KEN, room: str = ROOM, **more: Any) -> list[str]:
    found = people.know(Asking(text, room, day(days), about, limit=20, **more))
    return [one.known.fact.text + (f" [{one.mark}]" if one.mark else "") for one in found.facts]


def test_per_03_a_fact_says_whom_it_is_about(people: People, tmp_path: Path) -> None:
    """Where several people are, a write without a person is refused and writes nothing; alone it is about the one who is there."""
    before = {path: path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file()}
    for room in (ROOM, "chat:w:unknown", ""):
        for write in (people.remember, people.hear):
            with pytest.raises(BadInput, match="whom this is about"):
                write(Saying("short replies, no emoji", "", KEN, room, NOW))
    assert before == {path: path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file()}
    people.remember(Saying("short replies, no emoji", "", KEN, ALONE, NOW))
    assert told(people, room=OWNER) == ["short replies, no emoji"]
    assert told(people, about=MIA, room=OWNER) == []


@pytest.mark.parametrize(
    ("text", "where", "why"),
    [("Short replies, no emoji", "card.md", "talk"), ("返信は短く、絵文字なしで", "card.md", "talk"), ("Allergic to nuts", "card.md", "harm"),
     ("えびアレルギーがある", "card.md", "harm"), ("No known allergies", "drawer/notes.md", "looked up"), ("アレルギーはない", "drawer/notes.md", "looked up"),
     ("Dog is called Momo", "drawer/notes.md", "near them"), ("切手を集めている", "drawer/notes.md", "looked up")],
)  # fmt: skip
def test_per_09_for_every_fact_card_or_drawer_with_a_reason(people: People, text: str, where: str, why: str) -> None:
    """Who writes says where and why, or rules do; both can be seen later."""
    kept = people.remember(Saying(text, KEN, KEN, ROOM, NOW))
    assert kept.path.endswith(where)
    assert why in kept.because
    assert people.why(kept.id)["because"] == kept.because
    asked = people.remember(Saying("Plays chess", KEN, KEN, ROOM, NOW, "card", because="we always talk about it"))
    assert (asked.path.endswith("card.md"), people.why(asked.id)["because"]) == (True, "we always talk about it")
    people.move(KEN, asked.id, "drawer/games", day(1), "not any more")
    assert people.why(asked.id)["because"] == "not any more"


def test_per_09_what_rules_put_on_a_full_card_goes_into_the_drawer(people: People) -> None:
    """Nothing is lost or refused that nobody asked to have there; the reason says so."""
    say(people, "x" * 1190, place="card")
    kept = people.remember(Saying("Severe allergy to nuts", KEN, KEN, ROOM, NOW))
    assert (kept.path.endswith("drawer/notes.md"), kept.because) == (True, "the card is full")


@pytest.mark.parametrize(
    "message",
    ["Hi! Short replies please, and no emoji. I'm allergic to peanuts. The harbour project runs until 31 March 2027. Thanks!",
     "お疲れ様です。返信は短めで、絵文字なしでお願いします。甲殻類アレルギーです。港のプロジェクトは2027年3月31日までです。よろしくお願いします。",
     "- 回复要简短，不用表情\n- 对花生过敏\n- 港口项目到2027年3月31日为止", "1. 답장은 짧게, 이모티콘 없이\n2. 땅콩 알레르기가 있어요\n3. 항구 프로젝트는 2027년 3월 31일까지예요"],
)  # fmt: skip
def test_per_17_a_message_is_filed_piece_by_piece(people: People, message: str) -> None:
    """Manner and allergy on the card, the project in the drawer with its date and over after it; greetings nowhere."""
    kept = people.hear_each(Saying(message, KEN, KEN, ROOM, NOW))
    assert [(one.what, one.path.rpartition("/")[2]) for one in kept] == [("new", "card.md"), ("new", "card.md"), ("new", "notes.md")]
    assert [people.why(one.id)["state"] for one in kept] == [{}, {}, {"until": "2027-03-31"}]
    assert len(told(people, days=302)) == 3
    assert len(told(people, days=304)) == 2


@pytest.mark.parametrize(
    ("message", "whats"),
    [("Fwd: I am out of office. Prices go up in May.", ["waits", "waits"]), ("Thanks!", ["ignored"]), ("ありがとうございます。", ["ignored"]),
     ("Keep it to yourself: I look for a new job. I have an interview at the zoo.", ["new", "new"])],
)  # fmt: skip
def test_whose_word_a_message_is_holds_for_each_piece(people: People, message: str, whats: list[str]) -> None:
    """A forwarded mail waits in all its sentences, a secret is one in all of them, thanks are nothing."""
    kept = people.hear_each(Saying(message, KEN, KEN, ROOM, NOW))
    assert [one.what for one in kept] == whats
    secret = "yourself" in message
    assert all(("secret" in people.why(one.id)["state"]) == secret for one in kept if one.what == "new")


@pytest.mark.parametrize(
    ("facts", "asked"),
    [(["Cannot eat buckwheat", "Cat is called Miso", "Flies to Lisbon on 3 September"], ["what food can he not eat?", "name of the cat", "when does he fly to Lisbon"]),
     (["そばは食べられない", "猫の名前はみそ", "9月3日にリスボンへ旅行する"], ["食べられないものは?", "猫の名前", "旅行はどこへ?"])],
)  # fmt: skip
def test_per_16_the_drawer_answers_when_it_is_asked(people: People, facts: list[str], asked: list[str]) -> None:
    """A food allergy, a pet's name and a journey, among many notes: three questions, three hits, each first."""
    for number in range(20):
        say(people, f"Note {number} about the office", place="drawer/office")
    for fact in facts:
        say(people, fact, place="drawer")
    assert [told(people, question)[0] for question in asked] == facts


@pytest.mark.parametrize(("old", "new"), [("Lives at 4 Mill Road", "Moved to 9 Quay Street"), ("住まいは横浜", "千葉に引っ越した")])
def test_upd_01_of_two_addresses_the_newer_is_current(people: People, old: str, new: str) -> None:
    """Told in two sessions: now the new one, in history both with times, and who said each in which room."""
    first = people.hear(Saying(old, KEN, KEN, ROOM, day(0), session="a"), old).id
    second = people.hear(Saying(new, KEN, KEN, ALONE, day(10), session="b"), new).id
    assert told(people, room=OWNER) == [new]
    assert told(people, room=OWNER, want=frozenset({"history"})) == [new, f"{old} [no longer true]"]
    chain = people.why(first)["chain"]
    assert [(one["id"], one["by"], one["room"], one["at"]) for one in chain] == [(first, KEN, ROOM, day(0)), (second, KEN, ALONE, day(10))]
    assert (chain[0]["now"], chain[0]["until"]) == (second, day(10).isoformat())


def test_upd_02_a_field_keeps_the_newest_or_everything(tmp_path: Path) -> None:
    """With address=latest and employment=history an old address is in no answer, an old job in each, marked; why and history tell all."""
    with opened(tmp_path / "home", FIELDS) as omoide:
        people = omoide.people
        a, b = say(people, "Lives in Leeds"), say(people, "勤め先は図書館")
        c = say(people, "京都に引っ越した", 10, supersedes=a)
        d = say(people, "Works at the zoo", 10, supersedes=b)
        assert told(people) == ["京都に引っ越した", "Works at the zoo", "勤め先は図書館 [no longer true]"]
        assert told(people, want=frozenset({"history"})) == told(people)
        assert told(people, as_of="2026-06-05") == ["勤め先は図書館"]
        assert people.why(a)["state"]["kind"] == "address"
        assert [[one["id"] for one in people.why(key)["chain"]] for key in (c, d)] == [[a, c], [b, d]]
        assert a in {fact for record in people.history(KEN) for fact in record.facts}
        newest = say(people, "Berlin", 20, kind="address")  # nobody said what it takes the place of
        assert people.why(newest)["state"] == {"kind": "address"}
        assert "京都に引っ越した" not in told(people)
        say(people, "Lives in Rome", 30, kind="address", by=MIA, via="other")
        assert "Berlin" in told(people)
        assert [one.text for one in people.grep(KEN, "Leeds", OWNER, day(40))] != []
    with opened(tmp_path / "home") as omoide:
        assert "Lives in Leeds [no longer true]" in told(omoide.people, want=frozenset({"history"}))


@pytest.mark.parametrize(
    "calls",
    [["Transfer TX-101: send 40,000 on 3 July", "Cancel TX-101; instead transfer TX-102: send 52,000 on 9 July", "Not TX-102 any more: transfer TX-103, send 47,500 on 15 July"],
     ["送金TX-101は7月3日に40,000円", "送金TX-101は取り消して、TX-102を7月9日に52,000円に変更", "送金TX-102はやめて、TX-103を7月15日に47,500円に変更"]],
)  # fmt: skip
def test_upd_03_of_contradicting_instructions_the_last_wins(people: People, calls: list[str]) -> None:
    """Two people about one account, in three calls: the last one stands, and the chain shows who said what when."""
    account = "chat:w:house-account"
    people.meet(account, "House account", at=NOW, kind="project")
    speakers = (KEN, MIA, KEN)
    kept = [
        people.hear(Saying(text, account, by, ROOM, day(number), session=f"call {number}"), text).id
        for number, (text, by) in enumerate(zip(calls, speakers, strict=True))
    ]
    assert told(people, days=2, about=account) == [calls[2]]
    assert told(people, days=2, about=account, want=frozenset({"history"}))[1:] == [f"{calls[1]} [no longer true]", f"{calls[0]} [no longer true]"]
    chain = people.why(kept[2])["chain"]
    assert [(one["text"], one["by"], one["at"]) for one in chain] == list(zip(calls, speakers, map(day, range(3)), strict=True))
    assert [one["now"] for one in chain] == [kept[1], kept[2], ""]


@pytest.mark.parametrize(
    ("name", "roles", "facts"),
    [("Dr. Zhang", ("my dentist", "father's doctor"), ("Sees patients on Mondays", "Cardiologist, Thursdays at ten")),
     ("張医師", ("私の歯医者", "父の主治医"), ("診察は月曜", "循環器内科、木曜10時"))],
)  # fmt: skip
def test_fmt_08_two_of_one_name_and_title_stay_apart(people: People, name: str, roles: tuple[str, str], facts: tuple[str, str]) -> None:
    """Two cards; the name asks which, what each is to the user means one, and the answer has only that one's facts."""
    doctors = ["contacts:ken:1", "contacts:ken:2"]
    folders = [people.meet(account, name, role, at=NOW) for account, role in zip(doctors, roles, strict=True)]
    for account, fact in zip(doctors, facts, strict=True):
        people.remember(Saying(fact, account, account, ALONE, NOW))
    assert len(set(folders)) == len(people.candidates(name, NOW)) == 2
    [found] = people.candidates(roles[1], NOW)
    assert found.folders == (folders[1],)
    assert told(people, about=found.folders[0], room=OWNER) == [facts[1]]


@pytest.mark.parametrize("dates", [{}, {"since": "2026-06-06"}])
def test_told_again_in_place_of_another_ends_the_other(people: People, dates: dict[str, str]) -> None:
    """Also where the fact that is told again lies in the folder of another account that is theirs."""
    old = say(people, "Mail goes to the old flat")
    people.meet("sms:x:9", "Ken", at=NOW)
    new = people.remember(Saying("Mail goes to the new house", "sms:x:9", "sms:x:9", ROOM, day(6), **dates)).id
    people.link(KEN, "sms:x:9", proof=True, at=day(7))
    again = people.remember(Saying("Mail goes to the new house", KEN, KEN, ROOM, day(8), supersedes=old, restates=new, **dates))
    assert (again.what, again.id) == ("again", new)
    assert told(people) == ["Mail goes to the new house"]
    assert people.why(old)["state"]["now"] == f"^{new}"


def test_the_same_words_again_are_another_telling(people: People) -> None:
    """Once more said with the same dates, and by a claim's own source, it is one fact, on a full card too; with other dates,
    or for other ears, it is a fact of its own."""
    first = say(people, "likes tea", place="card")
    assert say(people, " likes  tea ", place="card") == first
    long = say(people, "x" * 1_190, place="card")
    assert say(people, "x" * 1_190, place="card") == long
    claim = say(people, "moves soon", by=MIA, via="other")
    assert claim == say(people, "moves soon", by=MIA, via="other") != say(people, "moves soon")
    others = [say(people, "likes tea", until="2026-07"), say(people, "likes tea", audience="open"), say(people, "likes tea", by=MIA)]
    assert len({first, *others}) == 4
    private = people.remember(Saying("likes jam", KEN, KEN, "", day(0))).id
    assert "likes jam" not in told(people)
    assert say(people, "likes jam") == private and "likes jam" in told(people)


def test_a_fact_that_would_end_before_it_begins_is_refused(people: People) -> None:
    """A month and a day of it overlap; what could never hold is not kept."""
    with pytest.raises(BadInput, match="before since"):
        say(people, "in Kyoto", since="2026-07-02", until="2026-07-01")
    assert say(people, "in Kyoto", since="2026-07-02", until="2026-07")
