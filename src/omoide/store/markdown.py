"""Bytes of a note to text, and what its front matter says. Nothing is renumbered or rewritten.

Front matter is read by a small reader for what people write there (`key: value`, lists, quotes,
block text), not by a YAML library: that would cost more time at start than a whole search, and
nothing here needs nested values. What it cannot read is reported and the whole text is indexed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import NamedTuple

Value = str | tuple[str, ...]
"""A value of front matter: text, or a list of texts. Nested mappings stay one text, as written."""

_SAYS = (("title", "name"), ("aliases", "alias"), ("description", "summary"), ("tags", "tag"))
_READ = frozenset({name for names in _SAYS for name in names}).union(
    ("id", "names", "account", "accounts", "same", "bot", "relations", "members", "type", "history", "generated")
)
"""Keys that are not the owner's own: said already, or for `people` and `rooms`."""

_MARKS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_OPEN = re.compile(r"---[ \t]*")
_CLOSE = re.compile(r"(?:---|\.\.\.)[ \t]*")
_KEY = re.compile(r"""("[^"]*"|'[^']*'|[^\s#:"'\[\]{}&*!|>%@`-][^:]*?|-[^\s:][^:]*?)[ \t]*:(?:[ \t]+(.*))?""")
_QUOTED = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')(?:[ \t]*#.*|[ \t]*)""", re.DOTALL)
_LISTED = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,]*?)\s*(?:,|$)""", re.DOTALL)
_MORE = re.compile(r"$|[ \t\]}]|-(?:\s|$)")
_COMMENT = re.compile(r"(?:^|[ \t]+)#.*$")


class Decoded(NamedTuple):
    """Text with its own line ends and without a byte order mark, or the code of why there is none."""

    text: str
    fault: str = ""  # binary, encoding_unknown


class FrontMatter(NamedTuple):
    """What stands between the `---` lines at the top.

    `first_line` is the 1-based line where the body begins: 1 if there is no front matter, or none
    that could be understood. `faults` are (code, words).
    """

    fields: Mapping[str, Value] = {}
    first_line: int = 1
    faults: tuple[tuple[str, str], ...] = ()

    def texts(self, *names: str) -> tuple[str, ...]:
        """All texts under the first of `names` (any letter case) that has some."""
        folded = {key.casefold(): value for key, value in self.fields.items()}
        for name in names:
            value = folded.get(name)
            if value:
                return (value,) if isinstance(value, str) else value
        return ()

    @property
    def context(self) -> str:
        """What a reader would look for the note by: title, aliases, description, tags, and what only its owner
        knows (`birthday: 1961-03-02`); a line each. Who somebody is to a machine is no text to be found."""
        said = [", ".join(self.texts(*names)) for names in _SAYS]
        own = [f"{key}: {', '.join(self.texts(key))}" for key in self.fields if key.casefold() not in _READ and self.texts(key)]
        return "\n".join(filter(None, said + own))

    @property
    def generated(self) -> bool:
        """Whether the file says of itself that a program made it from others."""
        return self.texts("generated") in (("true",), ("True",), ("TRUE",), ("yes",))


# ---- letters


def decode(data: bytes) -> Decoded:
    """The text of a note: UTF-8, whatever a byte order mark says, or old Japanese encodings when sure."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            text = _strictly(data[len(mark) :], encoding)
            return Decoded("", "encoding_unknown") if text is None else Decoded(text)
    if b"\0" in data:
        data = data.rstrip(b"\0")  # a machine that lost its power leaves blocks of them behind what was written
        if not data or b"\0" in data:
            return Decoded("", "binary")
    try:
        return Decoded(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        cut = error.reason == "unexpected end of data" and not data[: error.start].isascii()
        if cut:  # an entry is being appended, or was when the power went: the rest is good
            return Decoded(data[: error.start].decode("utf-8") + "\ufffd")
    texts = (_strictly(data, encoding) for encoding in ("cp932", "euc_jp"))
    likely = [text for text in texts if text and _reads_japanese(text)]
    return Decoded(likely[0]) if len(likely) == 1 else Decoded("", "encoding_unknown")


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return None


def _reads_japanese(text: str) -> bool:
    """Whether decoded bytes look like a real Japanese text, not like another encoding read wrongly.

    A real one is at least a sixth kana among what is not ASCII, and has hardly any half-width kana,
    private characters or controls; wrong readings (Korean or Chinese, Latin-1, the other of the two) do.
    """
    names = [unicodedata.name(char, "") for char in [char for char in text if not char.isascii()][:4000]]
    kana = sum(name.startswith(("HIRAGANA", "KATAKANA")) for name in names)
    strange = sum(not name or name.startswith(("HALFWIDTH", "CYRILLIC", "GREEK", "BOX")) for name in names)
    return len(names) >= 4 and kana * 6 >= len(names) and strange * 20 <= len(names)


def split_lines(text: str) -> list[str]:
    r"""The lines with their own ends (`\n`, `\r\n`, `\r`; nothing else ends a line). "" has none."""
    return _LINE.findall(text)


# ---- front matter


def front_matter(text: str) -> FrontMatter:
    """Read the front matter of a decoded text. Never raises; what is odd is in `faults`."""
    if not text.startswith("---"):
        return FrontMatter()
    lines = _LINE.finditer(text)
    if not _OPEN.fullmatch(_bare(next(lines))):
        return FrontMatter()
    inside: list[str] = []
    for line in map(_bare, lines):
        if _CLOSE.fullmatch(line):
            break
        inside.append(line)
    else:
        return FrontMatter()  # never closed: a ruler, and the text is all body
    after = [_bare(line) for line, _ in zip(lines, range(50), strict=False)]
    found = _fields(inside, len(inside) + 3)
    return found._replace(faults=found.faults + _second(after)) if found.first_line > 1 else found


def _bare(line: re.Match[str]) -> str:
    return line[0].rstrip("\r\n")


def _fields(inside: list[str], first_line: int) -> FrontMatter:
    """The fields of the lines between the fences; as body if they are prose or cannot be told apart."""
    content = [line for line in inside if line.strip() and not line.lstrip().startswith("#")]
    if content and not any(map(_KEY.fullmatch, content)):
        return FrontMatter()  # prose between two rulers
    fields: dict[str, Value] = {}
    faults: list[str] = []
    for number, key, head, rest in _entries(inside):
        if not key:
            faults.append(f"line {number} is not `key: value`")
            continue
        value, fault = _value(head, rest)
        fields.setdefault(key, value)
        if fault:
            faults.append(f"line {number}: {fault}")
    if not faults:
        return FrontMatter(fields, first_line)
    words = f"the front matter is broken and was indexed as text: {faults[0]}; correct it by hand"
    return FrontMatter(fields, 1, (("front_matter", words),))


def _entries(inside: list[str]) -> Iterator[tuple[int, str, str, list[str]]]:
    """(line number, key, rest of its line, lines that belong to it); a line that fits nowhere has key ""."""
    at = 0
    while at < len(inside):
        line, number = inside[at], at + 2
        at += 1
        if not line.strip() or line.startswith("#"):
            continue
        found = _KEY.fullmatch(line)
        if not found:
            yield number, "", line, []
            continue
        start = at
        while at < len(inside) and _MORE.match(inside[at]):
            at += 1
        yield number, found[1].strip("\"'"), (found[2] or "").strip(), inside[start:at]


def _value(head: str, rest: list[str]) -> tuple[Value, str]:
    """The value that begins with `head` and goes on in `rest`, and what is wrong with it."""
    fault = "a tab cannot indent it" if any(line.startswith("\t") for line in rest) else ""
    whole = "\n".join([head, *(line.strip() for line in rest)]).strip()
    if head[:1] in ("|", ">"):
        return "\n".join(line.strip() for line in rest).strip(), fault
    if head[:1] in ("'", '"'):
        quoted = _QUOTED.fullmatch(whole)
        return (_unquoted(quoted[1]), fault) if quoted else (whole, "a quotation mark is not closed")
    if head[:1] == "[":
        return _flow_list(whole, fault)
    if head[:1] == "{":
        return whole, fault if whole.count("{") == whole.count("}") else "a { is not closed"
    plain = _COMMENT.sub("", head).strip()
    if plain:
        more = " ".join(line.strip() for line in rest if line.strip())
        odd = "a value with `: ` in it needs quotation marks" if re.search(r":([ \t]|$)", plain) else fault
        return f"{plain} {more}".strip(), odd
    items = [line.strip() for line in rest if line.strip() and not line.strip().startswith("#")]
    if items and all(item.startswith("-") for item in items):
        return tuple(filter(None, (_scalar(item[1:].strip()) for item in items))), fault
    return "\n".join(items), fault


def _flow_list(whole: str, fault: str) -> tuple[Value, str]:
    closed = re.fullmatch(r"\[(.*)\][ \t]*(?:#.*)?", whole, re.DOTALL)
    if not closed:
        return whole, "a [ is not closed"
    items = (found[1] for found in _LISTED.finditer(closed[1]))
    return tuple(filter(None, map(_scalar, items))), fault


def _scalar(text: str) -> str:
    quoted = _QUOTED.fullmatch(text)
    return _unquoted(quoted[1]) if quoted else _COMMENT.sub("", text).strip()


def _unquoted(text: str) -> str:
    if text[0] == "'":
        return text[1:-1].replace("''", "'")
    return re.sub(r'\\(["\\/])', r"\1", text[1:-1])


def _second(after: list[str]) -> tuple[tuple[str, str], ...]:
    """A fault if the body begins with another block: some program put its own before the first."""
    lines = [line for line in after if line.strip()]
    if not lines or not _OPEN.fullmatch(lines[0]):
        return ()
    inside = lines[1 : next((at for at, line in enumerate(lines) if at and _CLOSE.fullmatch(line)), 1)]
    if not inside or not all(_KEY.fullmatch(line) or line[:1] in " -#" for line in inside):
        return ()
    words = "a second front matter block follows the first; only the first is read, join them"
    return (("second_front_matter", words),)
