"""A time as people type it."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from omoide.api.times import moment
from omoide.errors import BadInput

TOKYO = ZoneInfo("Asia/Tokyo")


@pytest.mark.parametrize(
    ("text", "end", "want"),
    [
        ("2026-11-30", False, "2026-11-30T00:00:00+09:00"),
        ("2026-11-30", True, "2026-11-30T23:59:59.999999+09:00"),
        ("2026-11-30T09:00", True, "2026-11-30T09:00:00+09:00"),
        ("9999-12-31", True, "9999-12-31T23:59:59.999999+09:00"),
        (" 2026-11-30T09:00:00Z ", False, "2026-11-30T09:00:00+00:00"),
        ("2026-11-30T09:00:00-08:00", False, "2026-11-30T09:00:00-08:00"),
    ],
)
def test_moments(text: str, end: bool, want: str) -> None:
    """A day begins at its first second or ends at its last microsecond, in the owner's zone; a zone in the text wins."""
    assert moment(text, TOKYO, end=end) == datetime.fromisoformat(want)


@pytest.mark.parametrize("text", ["", "yesterday", "2026-13-01", "30.11.2026", "2026-11-30T25:00"])
def test_what_is_no_time(text: str) -> None:
    """Anything else is an error with an example."""
    with pytest.raises(BadInput, match="2026-11-30"):
        moment(text, TOKYO, "--since", end=True)
