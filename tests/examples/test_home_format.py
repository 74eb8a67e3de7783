"""The sample home on disk keeps the file format; checked without omoide's own code."""

from __future__ import annotations

import os
import re
import unicodedata
from datetime import date
from pathlib import Path

import pytest

HOME = Path(__file__).parents[2] / "examples" / "home"
FILES = sorted(path for path in HOME.rglob("*") if path.is_file())
NOTES = [path for path in FILES if path.suffix == ".md"]
LOGS = sorted((HOME / "memory").glob("*.md")) + sorted(HOME.glob("rooms/*/log/*.md"))
CARDS = sorted(HOME.glob("*/*/card.md"))
AUTH_NOTES = (
    "auth-ts-settings.md",
    "auth-ts-other-lines.md",
    "auth-ts-fix-log.md",
    "auth-env-vars.md",
    "session-handling.md",
)

LOG_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})(-[a-z0-9-]+)?\.md")
HEADING = re.compile(r"## (?:[01]\d|2[0-3]):[0-5]\d \S.*")
FRONT_MATTER = re.compile(r"\A---\n(.*?\n)---\n", re.DOTALL)
BLOCK_ID = re.compile(r" \^([a-z0-9]{4})$", re.MULTILINE)


def relative(path: Path) -> str:
    return path.relative_to(HOME).as_posix()


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_no_symlinks() -> None:
    """No file or folder of the home is a symbolic link."""
    assert FILES
    paths = [Path(top) / name for top, dirs, files in os.walk(HOME) for name in (*dirs, *files)]
    assert [path for path in paths if path.is_symlink()] == []


@pytest.mark.parametrize("path", FILES, ids=relative)
def test_text_is_plain_utf8(path: Path) -> None:
    """Every file is UTF-8 without BOM, NUL or carriage return, and ends with one line end."""
    data = path.read_bytes()
    text = data.decode("utf-8")
    assert not text.startswith("\ufeff")
    assert "\0" not in text and "\r" not in text
    assert text.endswith("\n") and not text.endswith("\n\n")


def test_names_are_nfc() -> None:
    """Every name in the home is in NFC, so that it is the same name on every system."""
    names = [relative(path) for path in HOME.rglob("*")]
    assert [name for name in names if unicodedata.normalize("NFC", name) != name] == []


def test_home_is_small() -> None:
    """The whole home takes less than 1.5 MB."""
    assert sum(path.stat().st_size for path in FILES) < 1_500_000


def test_no_page_about_the_home_inside_it() -> None:
    """No README lies inside the home, where it would be found as a memory."""
    assert [relative(path) for path in FILES if path.name.lower().startswith("readme")] == []


def test_number_of_daily_logs() -> None:
    """There are 90 to 120 daily logs, and they span a year."""
    logs = sorted((HOME / "memory").glob("*.md"))
    assert 90 <= len(logs) <= 120
    first, last = (date.fromisoformat(path.name[:10]) for path in (logs[0], logs[-1]))
    assert 360 <= (last - first).days <= 366


@pytest.mark.parametrize("path", LOGS, ids=relative)
def test_log_names_are_real_dates(path: Path) -> None:
    """The name of a log is a date of the calendar, and its title repeats that date with its weekday."""
    match = LOG_NAME.fullmatch(path.name)
    assert match is not None
    day = date.fromisoformat(match[1])
    weekday = "月火水木金土日"[day.weekday()]
    assert read(path).splitlines()[0] == f"# {match[1]}（{weekday}）"


@pytest.mark.parametrize("path", LOGS, ids=relative)
def test_log_headings(path: Path) -> None:
    """Each entry of a log has a heading `## HH:MM title`, the times rise, and no entry is empty."""
    text = read(path)
    headings = [line for line in text.splitlines()[1:] if line.startswith("#")]
    assert headings and all(HEADING.fullmatch(line) for line in headings)
    times = [line[3:8] for line in headings]
    assert times == sorted(set(times))
    assert all(body.split("\n", 1)[1].strip() for body in text.split("\n## ")[1:])


@pytest.mark.parametrize("path", sorted((HOME / "memory").glob("*.md")), ids=relative)
def test_entries_a_day(path: Path) -> None:
    """A daily log has two to five entries."""
    assert 2 <= read(path).count("\n## ") <= 5


@pytest.mark.parametrize("path", CARDS, ids=relative)
def test_cards_fit(path: Path) -> None:
    """The facts of a card are at most 1,200 characters, and its front matter carries its folder's id."""
    text = read(path)
    front = FRONT_MATTER.match(text)
    assert front is not None
    assert f"id: {path.parent.name}\n" in front[1]
    assert 0 < len(text[front.end() :]) <= 1_200


def test_people() -> None:
    """There are four persons, each with a card and a drawer, and two of them share a family name."""
    people = sorted((HOME / "people").iterdir())
    assert len(people) == 4
    assert all((person / "card.md").is_file() and any((person / "drawer").glob("*.md")) for person in people)
    assert sum("佐藤" in read(person / "card.md").split("---")[1] for person in people) == 2


def test_rooms_name_known_members() -> None:
    """Each member of a room is the owner or has a folder under people."""
    known = {"owner", *(person.name for person in (HOME / "people").iterdir())}
    for room in (HOME / "rooms").iterdir():
        members = re.findall(r"\{person: ([a-z0-9-]+),", read(room / "room.md"))
        assert members and set(members) <= known


def test_block_ids_are_unique() -> None:
    """No block id stands twice in the home."""
    ids = [found for path in NOTES for found in BLOCK_ID.findall(read(path))]
    assert ids
    assert sorted(set(ids)) == sorted(ids)


@pytest.mark.parametrize("path", NOTES, ids=relative)
def test_superseded_facts_point_to_a_fact(path: Path) -> None:
    """A fact that was superseded names the id of a fact in the same file."""
    text = read(path)
    assert set(re.findall(r"now \^([a-z0-9]{4})", text)) <= set(BLOCK_ID.findall(text))


def test_auth_notes() -> None:
    """The five notes around auth.ts exist, are undated, short, and each names the searched words."""
    for name in AUTH_NOTES:
        text = read(HOME / "memory" / "topics" / name)
        assert 4 <= len(text.splitlines()) <= 8
        assert "認証設定" in text and "auth.ts" in text


def test_only_the_auth_notes_speak_of_their_topic() -> None:
    """No other file contains the searched word, so the order of the five notes is theirs alone."""
    assert sorted(path.name for path in NOTES if "認証設定" in read(path)) == sorted(AUTH_NOTES)


def test_the_fix_and_its_older_twin() -> None:
    """The OAuth fix is in the newest ten days, and a talk in nearly the same words lies 180 days before."""
    fix, talk = HOME / "memory" / "2026-11-24.md", HOME / "memory" / "2026-05-28.md"
    assert "OAuth token refresh" in read(fix) and "OAuth token refresh" in read(talk)
    assert (date(2026, 11, 24) - date(2026, 5, 28)).days == 180
    newest = max(path.name[:10] for path in (HOME / "memory").glob("*.md"))
    assert (date.fromisoformat(newest) - date(2026, 11, 24)).days <= 10


def test_authorization_policies() -> None:
    """Authorization policies are the matter of a topic note and of two or more logs half a year older."""
    found = [relative(path) for path in NOTES if "authorization policies" in read(path).lower()]
    assert "memory/topics/authorization-policies.md" in found
    assert len([name for name in found if name.startswith(("memory/2026-05", "memory/2026-06"))]) >= 2
