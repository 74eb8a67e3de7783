"""Fact lines: what they say, and that a change touches one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.store.facts import Fact, changed, facts_in, one_line, with_fact, without_fact

NOTE = (
    b"\xef\xbb\xbf---\r\nid: x\r\ncolour:   teal # odd\r\n---\r\n<!-- keep me -->\r\n\r\n"
    b"- Call him Ken; short replies. ^k7f3\r\n*  Likes tea (the green one)\r\n- Trip (until 2026-12-05; by slack:T:U1) ^p4d8\r\n"
    b"  and more of the same\r\n\r\ntail  \r\n## Earlier\r\n- Old (until 2025; now ^k7f3) ^old1"
)


def test_a_line_says_what_it_says() -> None:
    """Text, metadata and id are told apart; a parenthesis that is no metadata is text; Earlier is known."""
    one, tea, trip, old = facts_in(NOTE)
    assert (one.id, one.text, one.meta) == ("k7f3", "Call him Ken; short replies.", {})
    assert (tea.id, tea.text, tea.meta) == ("", "Likes tea (the green one)", {})
    assert trip.meta == {"until": "2026-12-05", "by": "slack:T:U1"}
    assert (old.earlier, trip.earlier, old.meta["now"]) == (True, False, "^k7f3")


@pytest.mark.parametrize(
    "text", ["(until tomorrow)", "(until 2026-02-30)", "(by two words)", "(pending maybe)", "(until 2026; until 2027)", "()", "(see until 2026)"]
)
def test_a_parenthesis_with_one_strange_part_is_text(text: str) -> None:
    """Only when every part is a known key with a legal value is it metadata."""
    found = facts_in(f"- Likes tea {text} ^a1\n".encode())[0]
    assert (found.text, found.meta) == (f"Likes tea {text}", {})


def test_one_changed_fact_is_one_changed_line() -> None:
    """Line ends, mark of the item, comments, front matter and odd spacing stay; one line differs."""
    tea = facts_in(NOTE)[1]
    after = changed(NOTE, tea, tea._replace(id="t1", text="Likes hojicha"))
    pairs = [(a, b) for a, b in zip(NOTE.splitlines(True), after.splitlines(True), strict=True) if a != b]
    assert pairs == [(b"*  Likes tea (the green one)\r\n", b"*  Likes hojicha ^t1\r\n")]


def test_adding_and_taking_away() -> None:
    """A new fact stands behind the last of its part, with the line ends of the file; taking it away gives the file back."""
    new = Fact("n1", "New one", {"since": "2026"})
    added = with_fact(NOTE, new)
    assert b"  and more of the same\r\n- New one (since 2026) ^n1\r\n\r\ntail" in added
    line = next(fact.line for fact in facts_in(added) if fact.id == "n1")
    assert without_fact(added, line) == NOTE
    earlier = with_fact(NOTE, new._replace(earlier=True))
    assert earlier.endswith(b"^old1\r\n- New one (since 2026) ^n1\r\n")
    trip = facts_in(NOTE)[2]
    assert b"more of the same" not in without_fact(NOTE, trip.line)


@pytest.mark.parametrize("data", [b"", b"\n", b"# Title", b"text\r\nmore", b"---\nid: x\n---\n", b"- a\n\n## Earlier\n\n- b ^b\n"])
@pytest.mark.parametrize("earlier", [False, True])
def test_a_fact_goes_into_any_file(data: bytes, earlier: bool) -> None:
    """Whatever stands there, the fact is found again in its part, and the rest is still there in order."""
    after = with_fact(data, Fact("n1", "New", {}, earlier=earlier))
    found = next(fact for fact in facts_in(after) if fact.id == "n1")
    assert found.earlier == earlier
    rest = iter(after.splitlines())
    assert all(line in rest for line in data.splitlines())


@pytest.mark.parametrize(
    "text", ["mine (to all)", "mine \\(to all)", "mine \\\\(to all)", "(secret)", "x (until 2026-03)", "x (by a:b; to all)", "open (to everybody)", "x ()", "x (to all) ^abc"]
)
@pytest.mark.parametrize("meta", [{}, {"until": "2026"}, {"secret": ""}])
def test_words_are_never_metadata(text: str, meta: dict[str, str]) -> None:
    """Words that end like metadata stay words: nobody widens by what they say who may hear it, or when it ends."""
    data = with_fact(b"", Fact("abc123", text, meta))
    assert [(fact.text, fact.meta, fact.id) for fact in facts_in(data)] == [(text, meta, "abc123")]
    assert changed(data, facts_in(data)[0], facts_in(data)[0]) == data


TEXT = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), min_size=1, max_size=40).map(one_line).filter(bool)
META = st.fixed_dictionaries(
    {}, optional={"since": st.sampled_from(["2026", "2026-03", "2026-03-31"]), "until": st.just("2026-04-01T09:00:00+09:00"),
                  "by": st.just("slack:T:U"), "to": st.just("all"), "pending": st.just(""), "secret": st.just("")},
)  # fmt: skip


@given(TEXT, META)
def test_a_written_fact_is_read_as_it_was(text: str, meta: dict[str, str]) -> None:
    """Text, metadata and id survive the file, unless the text itself ends like metadata or an id."""
    fact = Fact("abc123", text, meta)
    found = facts_in(with_fact(b"", fact))
    assert len(found) == 1
    assert found[0].id == "abc123"
    if meta and not text.startswith("["):
        assert found[0].meta == meta
        assert found[0].text == text
