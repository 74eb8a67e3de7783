"""The rules of recall, by hand and as promises."""

from __future__ import annotations

import math
from collections.abc import Collection

from hypothesis import given
from hypothesis import strategies as st

from omoide.search.recall import choose, phrases


def newest(ids: Collection[int], limit: int) -> list[int]:
    """Numbers are moments here."""
    return sorted(ids, reverse=True)[:limit]


def test_by_hand() -> None:
    """Ten entries, three may be shown: the rare word weighs ln(1 + 10/1), the common one ln(1 + 10/4)."""
    chosen = choose([{1, 2, 4, 5}, {3}], 10, 3, newest)
    assert [one.id for one in chosen.found] == [3, 4, 5]  # the rare one, and of equals the newer
    assert chosen.weights == [math.log(11), math.log(3.5), math.log(3.5)]
    assert (chosen.cut, chosen.partly, chosen.absent) == (2, True, [])
    assert [one.holds for one in chosen.found] == [(False, True), (True, False), (True, False)]


HOLDING = st.lists(st.sets(st.integers(0, 30)), min_size=3, max_size=3)


@given(HOLDING, st.integers(1, 10), st.sampled_from(["recall", "all-words"]))
def test_promises(holding: list[set[int]], limit: int, rule: str) -> None:
    """All words first and alone; any word only when there are none; the rarest, and of equals the newest; oldest first; every one is
    shown or counted as cut."""
    chosen = choose(holding, 31, limit, newest, rule)
    whole, some = set.intersection(*holding), set.union(*holding)
    wanted = whole or (some if rule == "recall" else set())
    rarity = [math.log(1 + 31 / len(those)) if those else 0.0 for those in holding]
    weight = {number: sum(sorted(value for value, those in zip(rarity, holding, strict=True) if number in those)) for number in wanted}
    best = sorted(wanted, key=lambda number: (weight[number], number), reverse=True)[:limit]
    assert [one.id for one in chosen.found] == sorted(best)
    assert chosen.weights == [weight[number] for number in sorted(best)]
    assert [one.holds for one in chosen.found] == [tuple(number in those for those in holding) for number in sorted(best)]
    assert chosen.cut == len(wanted) - len(best)
    assert chosen.partly == (not whole and rule == "recall" and bool(some))
    assert chosen.absent == [word for word, those in enumerate(holding) if not those]


@given(st.booleans())
def test_one_word_has_no_second_try(held: bool) -> None:
    """With one word nothing is partly found."""
    chosen = choose([{1} if held else set()], 5, 20, newest)
    assert not chosen.partly
    assert len(chosen.found) == held


def test_forms_of_both_languages() -> None:
    """The words beside entries are in the language that was asked in."""
    assert phrases(["スケッチ", "API"]).matched(["スケッチ", "保存"]) == "〔一致: スケッチ・保存〕"
    assert phrases(["決定"]).absent(["決定"]) == "この範囲に無かった語: 決定"
    assert phrases(["sketch"]).matched(["sketch", "save"]) == "[matched: sketch · save]"
    assert phrases(["sketch"]).absent(["decision"]) == "not in this range: decision"
