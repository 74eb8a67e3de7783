"""The rules of recall, by hand and as promises."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from omoide.index.entries import Found
from omoide.search.recall import choose, phrases


def test_by_hand() -> None:
    """Ten entries, three may be shown: the rare word weighs ln(1 + 10/1), the common one ln(1 + 10/4)."""
    found = [Found(1, 10, (True, False)), Found(2, 20, (True, False)), Found(3, 30, (False, True)), Found(4, 40, (True, False)), Found(5, 50, (True, False))]
    chosen = choose(found, 2, 10, 3)
    assert [one.id for one in chosen.found] == [3, 4, 5]  # the rare one, and of equals the newer
    assert chosen.weights == [math.log(11), math.log(3.5), math.log(3.5)]
    assert (chosen.cut, chosen.partly, chosen.absent) == (2, True, [])


FOUND = st.lists(st.tuples(st.integers(0, 50), st.lists(st.booleans(), min_size=3, max_size=3)), max_size=30)


@given(FOUND, st.integers(1, 10), st.sampled_from(["recall", "all-words"]))
def test_promises(rows: list[tuple[int, list[bool]]], limit: int, rule: str) -> None:
    """All words first and alone; any word only when there are none; oldest first; every one is shown or counted as cut."""
    found = [Found(number, seconds, tuple(holds)) for number, (seconds, holds) in enumerate(rows) if any(holds)]
    chosen = choose(found, 3, len(rows), limit, rule)
    whole = [one for one in found if all(one.holds)]
    wanted = whole or (found if rule == "recall" else [])
    assert len(chosen.found) == min(limit, len(wanted))
    assert chosen.cut == len(wanted) - len(chosen.found)
    assert set(chosen.found) <= set(wanted)
    assert chosen.found == sorted(chosen.found, key=lambda one: (one.seconds, one.id))
    assert chosen.partly == (not whole and rule == "recall" and bool(found))
    assert chosen.absent == [word for word in range(3) if not any(one.holds[word] for one in found)]
    left = [one for one in wanted if one not in chosen.found]
    rarity = [math.log(1 + len(rows) / count) if (count := sum(one.holds[word] for one in found)) else 0 for word in range(3)]
    weigh = lambda one: sum(value for value, held in zip(rarity, one.holds, strict=True) if held)  # noqa: E731
    assert all(weigh(kept) >= weigh(gone) - 1e-9 for kept in chosen.found for gone in left)


@given(st.booleans())
def test_one_word_has_no_second_try(held: bool) -> None:
    """With one word nothing is partly found."""
    chosen = choose([Found(1, 1, (True,))] if held else [], 1, 5, 20)
    assert not chosen.partly
    assert len(chosen.found) == held


def test_forms_of_both_languages() -> None:
    """The words beside entries are in the language that was asked in."""
    assert phrases(["スケッチ", "API"]).matched(["スケッチ", "保存"]) == "〔一致: スケッチ・保存〕"
    assert phrases(["決定"]).absent(["決定"]) == "この範囲に無かった語: 決定"
    assert phrases(["sketch"]).matched(["sketch", "save"]) == "[matched: sketch · save]"
    assert phrases(["sketch"]).absent(["decision"]) == "not in this range: decision"
