"""Chunks along the structure of Markdown, with true lines."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.text.chunking import STYLES, Piece, chunk, lines_of
from omoide.text.sentences import graphemes
from omoide.text.tokens import estimate_tokens

FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")

LINES = st.sampled_from(
    ["# Top", "## 十時 会議", "### deep", "Setext", "====", "----", "- item one", "  more of it", "1. first", "> quote", "",
     "| a | b |", "|---|---|", "| 1 | 2 |", "```python", "```", "~~~~", "    code", "普通の文です。次の文です。", "Plain prose. More prose.",
     "\ttabbed", "長い行。" * 40, "x" * 300, "---"]
)  # fmt: skip
MARKDOWN = st.lists(LINES, max_size=25).map("\n".join)


def letters(text: str) -> list[str]:
    """Everything a reader would miss, without the marks of structure that pieces repeat or leave to the headings."""
    return re.findall(r"[^\s`~|#=\-:]", text)


@given(MARKDOWN, st.sampled_from(sorted(STYLES)), st.sampled_from([30, 80, 400]))
def test_no_text_is_lost(text: str, style: str, limit: int) -> None:
    """Every letter of a note stands in some piece or in its headings, in every style."""
    pieces = chunk(text, style=style, max_tokens=limit)
    said = "\n".join(line for piece in pieces for line in piece.text.split("\n") if not FENCE.match(line))
    said += " ".join(" ".join(piece.headings) for piece in pieces)
    lost = [line for line in lines_of(text) if letters(line) and not FENCE.match(line) and not is_heading(text, line)]
    squeezed = "".join(letters(said))
    assert all("".join(letters(line)) in squeezed for line in lost)


def is_heading(text: str, line: str) -> bool:
    """Headings may be context only, and a line above ==== or ---- is one."""
    return line.lstrip().startswith("#") or f"{line}\n===" in text or f"{line}\n---" in text


@given(MARKDOWN, st.sampled_from(sorted(STYLES)), st.sampled_from([30, 80, 400]))
def test_chk_07_every_piece_cuts_back_to_its_place(text: str, style: str, limit: int) -> None:
    """The lines of a piece exist, and its text is those lines or a part of them, inside its frame."""
    lines = lines_of(text)
    for piece in chunk(text, style=style, max_tokens=limit):
        assert 1 <= piece.first <= piece.last <= len(lines)
        place = "\n".join(lines[piece.first - 1 : piece.last])
        body = piece.text.split("\n")
        assert piece.text in place or "\n".join(body[1:]) in place or any("\n".join(body[i:j]) in place for i, j in ((1, -1), (2, None)))


@given(st.lists(LINES.filter(lambda line: line[:1] not in ("`", "~")), max_size=25).map("\n".join), st.sampled_from([60, 400]))
def test_chk_02_no_piece_crosses_a_heading(text: str, limit: int) -> None:
    """In the style `sections` a piece never holds a heading line together with the text below it."""
    for piece in chunk(text, max_tokens=limit):
        assert not any(re.match(r"#{1,6} ", line) for line in piece.text.split("\n"))


@given(MARKDOWN, st.sampled_from(sorted(STYLES)), st.sampled_from([40, 100]))
def test_chk_05_no_piece_is_over_the_limit(text: str, style: str, limit: int) -> None:
    """A piece with its frame is within the limit, or within the least room a frame leaves."""
    for piece in chunk(text, style=style, max_tokens=limit):
        assert estimate_tokens(piece.text) <= limit + 16


def test_blocks_that_fit_stay_whole() -> None:
    """A fence, a table and a list item are not cut while they fit."""
    fence = "```sh\n" + "\n".join(f"step {i}" for i in range(20)) + "\n```"
    table = "| a | b |\n|---|---|\n" + "\n".join(f"| {i} | x |" for i in range(20))
    item = "- one thing\n  with a second line"
    pieces = [piece.text for piece in chunk(f"{'words ' * 40}\n\n{fence}\n\n{table}\n\n{item}\n", max_tokens=130)]
    for block in (fence, table, item):
        assert sum(block in text for text in pieces) == 1


@pytest.mark.parametrize("mark", ["```", "~~~", "````"])
def test_c86_no_piece_has_an_odd_number_of_fences(mark: str) -> None:
    """A long code block is closed at each cut and opened again with its own language, nested fences included."""
    inner = "```" if mark != "```" else "~~~"
    code = [f"{mark}python"] + [inner if i in (100, 200) else f"value_{i} = {i}" for i in range(300)] + [mark]
    pieces = chunk("# Code\n\n" + "\n".join(code) + "\n\nafter", max_tokens=120)
    assert len(pieces) > 5
    for piece in pieces:
        assert sum(line.startswith(mark) for line in piece.text.split("\n")) in (0, 2)
    assert all(piece.text.startswith(f"{mark}python\n") for piece in pieces[:-1])
    assert [piece.first for piece in pieces] == sorted(piece.first for piece in pieces)


@given(MARKDOWN, st.sampled_from([30, 80]))
def test_fences_are_balanced_in_any_note(text: str, limit: int) -> None:
    """Whatever the note, a piece that opens a fence closes it, unless the note itself never does."""
    for piece in chunk(text, max_tokens=limit):
        opened = ""
        for line in piece.text.split("\n"):
            found = FENCE.match(line)
            if found and not opened:
                opened = found[1]
            elif found and found[1][0] == opened[:1] and len(found[1]) >= len(opened) and not line.strip().strip(opened[0]):
                opened = ""
        assert not opened or piece.last == len(lines_of(text)) or not piece.text.strip(), piece


def test_c85_each_piece_of_a_table_carries_its_header() -> None:
    """An eighty-row table is cut between rows, each piece repeats the two header lines, and lines stay true."""
    rows = [f"| host-{i:02} | 10.0.0.{i} | 担当は佐藤 |" for i in range(80)]
    text = "# Hosts\n\n| name | address | who |\n|---|---|---|\n" + "\n".join(rows)
    pieces = chunk(text, max_tokens=200)
    assert len(pieces) > 3
    for piece in pieces:
        head, rule, *body = piece.text.split("\n")
        assert (head, rule) == ("| name | address | who |", "|---|---|---|")
        assert body == text.split("\n")[piece.last - len(body) : piece.last]
        assert piece.headings == ("Hosts",)
    assert sum(len(piece.text.split("\n")) - 2 for piece in pieces) == 80


def test_one_line_of_a_megabyte() -> None:
    """A huge line is cut at the limit, nothing of it is lost, and its pieces all say that line."""
    line = "これは長い文。" * 150_000
    pieces = chunk(f"# x\n\n{line}\n\nend")
    assert "".join(piece.text for piece in pieces[:-1]) == line
    assert all(estimate_tokens(piece.text) <= 400 for piece in pieces)
    assert {(piece.first, piece.last) for piece in pieces[:-1]} == {(3, 3)}
    assert pieces[-1] == Piece(5, 5, "end", ("x",))


@pytest.mark.parametrize("shift", range(4))
def test_c19_no_grapheme_is_cut(shift: int) -> None:
    """A long line of emoji families and marks is cut between graphemes only, wherever the border falls."""
    unit = "🌸👩‍👩‍👧‍👦𠮷か\u3099e\u0301"
    line = "x" * shift + unit * (6000 // len(unit))
    pieces = chunk(line)
    assert len(pieces) > 3
    assert "".join(piece.text for piece in pieces) == line
    for piece in pieces:
        piece.text.encode("utf-8")
    assert [g for piece in pieces for g in graphemes(piece.text)] == list(graphemes(line))


def test_headings_are_the_path() -> None:
    """A piece knows the headings above it, outermost first, also those underlined, and a deeper one ends with its parent."""
    text = "Top\n===\n\na\n\n## Two ##\n\nb\n\n#### Four\n\nc\n\n## Three\n\nd"
    assert [(piece.text, piece.headings) for piece in chunk(text)] == [
        ("a", ("Top",)),
        ("b", ("Top", "Two")),
        ("c", ("Top", "Two", "Four")),
        ("d", ("Top", "Three")),
    ]


def test_a_heading_with_nothing_below_can_be_found() -> None:
    """A heading without text is a piece of its own, because its words are all there is."""
    assert [piece.text for piece in chunk("# A\n\n## Empty\n\n## Full\n\ntext")] == ["Empty", "text"]


def test_a_log_makes_one_piece_of_each_section() -> None:
    """In a daily log a section is one piece with its heading line, so that its time stays with it."""
    text = "# 2026-11-24\n\nintro\n\n## 09:15 朝会\n\n- a\n- b\n\n### 詳細\n\nc\n\n## 10:00 修正\n\nd\n"
    pieces = chunk(text, style="log")
    assert [(piece.first, piece.last) for piece in pieces] == [(3, 3), (5, 12), (14, 16)]
    assert pieces[1].text.startswith("## 09:15 朝会")
    assert all(piece.headings == ("2026-11-24",) for piece in pieces)


def test_entries_make_one_piece_of_each_item() -> None:
    """In a curated file each list item is a piece of its own."""
    text = "# Card\n\n## Travel\n\n- passport 2027\n  window seat\n- aisle\n\nprose\n"
    assert [(piece.text, piece.headings) for piece in chunk(text, style="entries")] == [
        ("- passport 2027\n  window seat", ("Card", "Travel")),
        ("- aisle", ("Card", "Travel")),
        ("prose", ("Card", "Travel")),
    ]


@pytest.mark.parametrize(("text", "count"), [("", 0), ("\n", 1), ("\n\n", 2), ("a", 1), ("a\n", 1), ("a\r\nb\rc\n", 3), ("a\u2028b", 1)])
def test_lines_are_counted_as_an_editor_counts_them(text: str, count: int) -> None:
    """The final line end makes no further line, and only CR, LF and CR LF end one."""
    assert len(lines_of(text)) == count


def test_the_body_begins_behind_the_front_matter() -> None:
    """With `first_line` the lines before are skipped and the numbers stay those of the file."""
    assert chunk("---\ntitle: x\n---\nbody", first_line=4) == [Piece(4, 4, "body")]


def test_nothing_to_cut() -> None:
    """An empty text and one of blank lines give no piece."""
    assert chunk("") == chunk("\n \n\t\n") == []
