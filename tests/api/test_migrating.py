"""An old memory in one file becomes a folder a person; nothing is lost, and twice is once."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from omoide import Omoide
from omoide.api.people import OWNER, Asking, People
from omoide.errors import BadInput
from omoide.serve.cli.main import main
from omoide.store import subjects

NOW = datetime(2026, 11, 30, tzinfo=UTC)
MEMORY = (
    "# Memory\r\n\r\nWhat I keep in mind.\r\n\r\n- Deploys happen on Thursdays\r\n- Ken: short replies, no emoji\r\n- Mia and Ken share a flat\r\n"
    "- 佐藤さんはそばアレルギー ^ab12\r\n\r\n## Mia\r\n\r\n- vegetarian\r\n- rides a red bike (until 2027)\r\n\r\n## Rules\r\n\r\n- never restart on Fridays\r\n"
)


def lines(home: Path) -> Counter[str]:
    """Every list item of the home."""
    found = (line.strip() for path in home.rglob("*.md") for line in path.read_text(encoding="utf-8").splitlines())
    return Counter(line for line in found if line.startswith("- "))


def migrated(home: Path, **people: str) -> tuple[int, int]:
    """How many lines moved, how many are undecided."""
    with Omoide(home, cache=home.parent / "cache") as omoide:
        done = omoide.people.migrate({name.replace("_", " "): account for name, account in people.items()}, NOW)
    return len(done.moved), len(done.undecided)


def test_per_18_each_line_in_a_folder_or_undecided(tmp_path: Path) -> None:
    """Lines of one person go to their folder, all others stay; none is lost or doubled, no other byte changes, twice is once."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "MEMORY.md").write_bytes(MEMORY.encode())
    before = lines(home)
    people = {"Ken": "slack:T:ken", "Mia": "", "佐藤": ""}
    assert migrated(home, **people) == (4, 3)
    assert lines(home) == before
    left = (home / "MEMORY.md").read_bytes().decode()
    assert left == "".join(
        line for line in MEMORY.splitlines(True)
        if not any(word in line for word in ("short replies", "佐藤", "vegetarian", "red bike"))
    )  # fmt: skip
    after = {path: path.read_bytes() for path in home.rglob("*.md")}
    assert migrated(home, **people) == (0, 3)
    assert after == {path: path.read_bytes() for path in home.rglob("*.md")}
    with Omoide(home, cache=tmp_path / "cache") as omoide:
        found = omoide.people.know(Asking("", OWNER, NOW, about="slack:T:ken"))
        assert [told.known.fact.text for told in found.facts] == ["Ken: short replies, no emoji"]
        assert len(omoide.people.candidates("Mia", NOW)) == 1


def test_nothing_is_done_when_asked_only_to_say_it(tmp_path: Path) -> None:
    """A dry run says the same and writes nothing."""
    (tmp_path / "MEMORY.md").write_bytes(MEMORY.encode())
    with Omoide(tmp_path, cache=tmp_path.parent / "cache-dry") as omoide:
        done = omoide.people.migrate({"Ken": "", "Mia": ""}, NOW, dry=True)
    assert len(done.moved) == 3
    assert [path.name for path in tmp_path.iterdir()] == ["MEMORY.md"]


def test_a_name_of_two_people_decides_nothing(tmp_path: Path) -> None:
    """Where two cards have the name, its lines stay undecided, unless the account is given."""
    (tmp_path / "MEMORY.md").write_bytes(b"- Mike likes tea\n")
    with Omoide(tmp_path, cache=tmp_path.parent / "cache-two") as omoide:
        people: People = omoide.people
        for account in ("slack:T:1", "slack:T:2"):
            people.meet(account, "Mike", at=NOW)
        assert len(people.migrate({}, NOW).undecided) == 1
        with pytest.raises(BadInput, match="several people"):
            people.migrate({"Mike": ""}, NOW)
        assert len(people.migrate({"Mike": "slack:T:2"}, NOW).moved) == 1


def test_two_with_one_number_get_two_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where two of them would get one short number, the second gets a longer one, as for whoever is met; two names of one account
    are one folder."""
    real = subjects.folder_name
    monkeypatch.setattr("omoide.api.folks.folder_name", lambda display, key, size=4: real(display, key, size) if size > 4 else "x-00000000")
    home = tmp_path / "home"
    home.mkdir()
    (home / "MEMORY.md").write_text("- Ken: likes tea\n- Mia: likes rice\n- 佐藤: likes soup\n- Bo: likes bread\n", encoding="utf-8")
    with Omoide(home, cache=tmp_path / "cache") as omoide:
        omoide.people.migrate({"Ken": "chat:w:ken", "Mia": "chat:w:mia", "佐藤": "chat:w:ken", "Bo": ""}, NOW)
        told = {tuple(sorted(one.known.fact.text for one in omoide.people.know(Asking("", OWNER, NOW, folder)).facts))
                for folder in ("chat:w:ken", "chat:w:mia")}  # fmt: skip
        assert told == {("Ken: likes tea", "佐藤: likes soup"), ("Mia: likes rice",)}
        assert len(list((home / "people").iterdir())) == 3
        meant = omoide.people.meet("chat:w:ken", at=NOW)
        assert omoide.people.candidates("佐藤", NOW)[0].folders == (meant,)


def test_what_is_undecided_says_what_would_decide_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A name of several, several names and no name are told apart; the command tells each way out once, and the way out works."""
    (tmp_path / "MEMORY.md").write_text("- Ken rows\n- Mia met Zoe\n- Zoe met Ken\n- likes rain\n\n## Ken\n\n- sings\n", encoding="utf-8")
    with Omoide(tmp_path, cache=tmp_path / ".cache") as omoide:
        people = omoide.people
        for number, name in enumerate(("Ken", "Ken", "Mia", "Zoe")):
            people.meet(f"chat:w:{number}", name, at=NOW)
        why = dict(people.migrate({}, NOW).undecided)
        assert why == {"Ken rows": "several people are called Ken", "Mia met Zoe": "several people are named",
                       "Zoe met Ken": "several people are named", "likes rain": "nobody is named", "sings": "several people are called Ken"}  # fmt: skip
        assert main(["migrate", "--home", str(tmp_path)]) == 0
        shown = capsys.readouterr().out
        assert [
            shown.count(way) for way in ("--person NAME, or NAME=ACCOUNT", "--person Ken=ACCOUNT", "begins with the name and a colon")
        ] == [1, 1, 1]
        for given in ({"Ken": "chat:ken"}, {"": ""}, {"..": ""}):
            with pytest.raises(BadInput, match="person"):
                people.migrate(given, NOW)
        assert [one.text for one in people.migrate({"Ken": "chat:w:1"}, NOW).moved] == ["Ken rows", "sings"]


def test_a_name_on_two_linked_cards_is_one_person(tmp_path: Path) -> None:
    """Nobody has to say which: it is the same one."""
    (tmp_path / "MEMORY.md").write_text("- Ken rows\n", encoding="utf-8")
    with Omoide(tmp_path, cache=tmp_path / ".cache") as omoide:
        for account in ("chat:w:1", "mail:w:1"):
            omoide.people.meet(account, "Ken", at=NOW)
        omoide.people.link("chat:w:1", "mail:w:1", proof=True, at=NOW)
        assert [one.text for one in omoide.people.migrate({}, NOW).moved] == ["Ken rows"]
