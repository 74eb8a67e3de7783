"""Which kinds of notes are of which source."""

from __future__ import annotations

import pytest

from omoide.api.sources import by_setting, known_kinds, source_of
from omoide.errors import BadInput
from omoide.store.layout import KINDS


def test_every_kind_has_a_source() -> None:
    """Logs of rooms are sessions, everything else is memory; together they are all kinds."""
    assert [kind for kind in KINDS if source_of(kind) == "sessions"] == ["room-log"]
    both = [known_kinds(None, [source]) for source in ("memory", "sessions")]
    assert sorted(kind for kinds in both for kind in kinds or ()) == sorted(KINDS)


def test_kinds_within_sources() -> None:
    """A source narrows the kinds that were asked for; a call goes before the setting."""
    assert known_kinds(None) is None
    assert known_kinds(["log", "room-log"], ["memory"]) == {"log"}
    assert by_setting(None, ("memory", "sessions")) is None
    assert by_setting(None, ("sessions",)) == {"room-log"}
    assert by_setting(frozenset({"log"}), ("sessions",)) == {"log"}


@pytest.mark.parametrize(
    ("kinds", "sources", "said"),
    [(["x"], None, "a note is one of"), ("log", None, "list of names"), (None, "memory", "list of names"), (None, ["mail"], "source 'mail': it is memory or sessions"),
     (None, [], "source none"), (["log"], ["sessions"], "no note of kind log is of the source sessions"), (["x"], ["memory"], "a note is one of")],
)  # fmt: skip
def test_what_is_no_source(kinds: list[str] | None, sources: list[str] | None, said: str) -> None:
    """It is refused with those that are."""
    with pytest.raises(BadInput, match=said):
        known_kinds(kinds, sources)
