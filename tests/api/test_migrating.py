"""An old memory in one file becomes a folder a person; nothing is lost, and twice is once."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from omoide import Omoide
from omoide.api.people import OWNER, Asking, People
from omoide.errors import BadInput

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
