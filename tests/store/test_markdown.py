"""Bytes to text, and what stands in the front matter."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from omoide.store.markdown import decode, front_matter, split_lines
from omoide.text.chunking import lines_of

JAPANESE = "本日は晴天なり。\r\n明日から東京に出張します。①髙橋さんと会う。\r\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp932"])
def test_encodings(encoding: str) -> None:
    """UTF-8, anything with a byte order mark, and the file of a Japanese Windows give the right text."""
    assert decode(JAPANESE.encode(encoding)) == (JAPANESE, "")


def test_euc() -> None:
    """Old Unix files in EUC-JP are read, for read as CP932 they make no sense."""
    text = "本日は晴天なり。\n明日から東京に出張します。\n"
    assert decode(text.encode("euc_jp")) == (text, "")


@pytest.mark.parametrize("mark", ["utf-16-le", "utf-16-be"])
def test_both_ways_of_utf16(mark: str) -> None:
    """The mark decides the order of bytes and is no part of the text."""
    assert decode(("\ufeff" + JAPANESE).encode(mark)).text == JAPANESE


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary"),
        (b"text \0 text", "binary"),
        ("café à la carte, déjà vu".encode("latin-1"), "encoding_unknown"),
        ("안녕하세요 오늘은 날씨가 좋습니다".encode("euc_kr"), "encoding_unknown"),
        ("今天天气很好,我们去公园散步。".encode("gb2312"), "encoding_unknown"),
        ("今天天氣很好,我們去公園散步。".encode("big5"), "encoding_unknown"),
        ("Привет, как дела сегодня".encode("cp1251"), "encoding_unknown"),
        (b"\xff\xfeodd", "encoding_unknown"),
        (b"\xff\xfe\x00\xd8", "encoding_unknown"),
        (bytes(range(1, 256)), "encoding_unknown"),
        ("café".encode("latin-1"), "encoding_unknown"),
    ],
)
def test_what_is_no_text(data: bytes, fault: str) -> None:
    """Binary files and encodings that cannot be told are named, never read as a wrong text."""
    assert decode(data) == ("", fault)


def test_a_log_cut_while_being_written() -> None:
    """A last character cut in half costs that character, not the day."""
    data = "- 朝の会議\n- 昼".encode()
    assert decode(data[:-1]).text == "- 朝の会議\n- \ufffd"


@given(st.binary(max_size=300))
@example(b"\xef\xbb\xbf")
@example(b"\xff\xfe")
def test_any_bytes(data: bytes) -> None:
    """Any bytes give a text that can be written as UTF-8, or a fault; never an error."""
    decoded = decode(data)
    assert decoded.fault in ("", "binary", "encoding_unknown")
    decoded.text.encode("utf-8")
    front_matter(decoded.text)


@given(st.text(alphabet="a\r\n\u2028\x0b\x85 あ"))
def test_lines_are_those_of_the_chunks(text: str) -> None:
    """Lines keep their ends and lose nothing, and are the same lines that chunks are numbered by."""
    lines = split_lines(text)
    assert "".join(lines) == text
    assert [line.rstrip("\r\n") for line in lines] == lines_of(text)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("fences", [("---", "---"), ("--- ", "---\t"), ("---", "...")])
def test_front_matter(end: str, fences: tuple[str, str]) -> None:
    """Fields, lists and quotes are read for any line end and fence, and the body keeps its line number."""
    lines = [
        fences[0],
        "# a comment",
        "title: お茶の話  # not this",
        "aliases: [tea, 'it''s', \"a, b\"]",
        "tags:",
        "  - drink",
        "- hot # not this",
        "description: >",
        "  two",
        "  lines",
        'quoted: "say \\"hi\\""',
        "url: https://example.org/a:b",
        "time: 2026-11-30T09:15:00+09:00",
        "relations: {mother: sato-yumi}",
        "nested:",
        "  key: value",
        "empty:",
        "日本語: はい",
        fences[1],
        "# Body",
        "text",
    ]
    found = front_matter(end.join(lines))
    assert found.faults == ()
    assert found.first_line == 20
    assert found.fields == {
        "title": "お茶の話",
        "aliases": ("tea", "it's", "a, b"),
        "tags": ("drink", "hot"),
        "description": "two\nlines",
        "quoted": 'say "hi"',
        "url": "https://example.org/a:b",
        "time": "2026-11-30T09:15:00+09:00",
        "relations": "{mother: sato-yumi}",
        "nested": "key: value",
        "empty": "",
        "日本語": "はい",
    }
    said, own = "お茶の話\ntea, it's, a, b\ntwo\nlines\ndrink, hot\n", ('quoted: say "hi"', "url: https://example.org/a:b")
    assert found.context == said + "\n".join((*own, "time: 2026-11-30T09:15:00+09:00", "nested: key: value", "日本語: はい"))
    assert not found.generated


@pytest.mark.parametrize(
    ("text", "first_line"),
    [
        ("", 1),
        ("# Title\n", 1),
        ("\n---\na: b\n---\n", 1),
        ("----\na: b\n----\n", 1),
        ("---", 1),
        ("---\na: b\n", 1),
        ("---\nSome prose.\n\nMore of it.\n---\nEnd.", 1),
        ("---\n---\nbody", 3),
        ("---\n\n---\nbody", 4),
        ("---\na: b\n---", 4),
    ],
)
def test_where_the_body_begins(text: str, first_line: int) -> None:
    """Only a closed block of fields in the first line is front matter; rulers and prose stay body, unreported."""
    found = front_matter(text)
    assert (found.first_line, found.faults) == (first_line, ())


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("tags: [a, b", "line 2: a [ is not closed"),
        ('title: "open', "line 2: a quotation mark"),
        ("a: 1\nNo field at all\nb: 2", "line 3 is not"),
        ("a: {b: {c: d}", "line 2: a { is not closed"),
        ("a: b: c", "line 2: a value with `: `"),
        ("a:\n\t- b", "line 2: a tab"),
        (": : :\na: b", "line 2 is not"),
    ],
)
def test_broken_front_matter(inside: str, words: str) -> None:
    """What other programs could not read is reported with its line, and its text is indexed, not lost."""
    found = front_matter(f"---\n{inside}\n---\nbody\n")
    assert found.first_line == 1
    assert [code for code, _ in found.faults] == ["front_matter"]
    assert words in found.faults[0][1]


def test_two_blocks() -> None:
    """Of two blocks the first is read and the second is body, and its owner is told; a ruler is no block."""
    found = front_matter("---\na: b\n---\n\n---\ntitle: c\n---\nbody")
    assert (found.fields, found.first_line) == ({"a": "b"}, 4)
    assert [code for code, _ in found.faults] == ["second_front_matter"]
    assert front_matter("---\na: b\n---\n---\nProse.\n---\nbody").faults == ()
    assert front_matter("---\na: b\n---\n---\ntitle: c\n").faults == ()


@pytest.mark.parametrize("value", ["true", "True", '"true"', "true # by a program"])
def test_generated(value: str) -> None:
    """A file that says it was generated is known by that; any other value says nothing."""
    assert front_matter(f"---\ngenerated: {value}\n---\n").generated
    assert not front_matter("---\ngenerated: false\n---\n").generated
    assert not front_matter("generated: true\n").generated


@given(st.text(alphabet="-: \n\t[]{}\"'#|>ab.\r", max_size=80))
def test_any_front_matter(inside: str) -> None:
    """Whatever stands between the fences, nothing is raised and the body never begins behind the text."""
    text = f"---\n{inside}\n---\nbody"
    found = front_matter(text)
    assert 1 <= found.first_line <= len(split_lines(text)) + 1
    if found.first_line > 1:
        assert split_lines(text)[found.first_line - 2].rstrip() in ("---", "...")
    _ = found.context
