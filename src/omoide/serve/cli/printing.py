"""How answers look in a terminal, and the JSON envelope that programs read."""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from typing import Any, TextIO, cast

from omoide.types import Hit, Notice, Results

SNIPPET_CHARS = 240

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
"""What moves a cursor, colours, renames a window or turns the direction of writing: notes may come from anybody."""


def harmless(text: str) -> str:
    """A text as a terminal may show it: what would command it is spelled as JSON spells it, `\\u001b`."""
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class _Terminal:
    """A stream to a terminal on which every text is harmless. `own`: what omoide itself may begin a text with, to overwrite a line."""

    def __init__(self, stream: TextIO, own: str) -> None:
        self._stream, self._own = stream, own

    def write(self, text: str) -> int:
        lead = self._own if self._own and text.startswith(self._own) else ""
        self._stream.write(lead + harmless(text[len(lead) :]))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def to_a_terminal() -> Iterator[None]:
    """Inside, what goes to a terminal is harmless; files and pipes get every character as it is."""
    with ExitStack() as outputs:
        for stream, change, own in ((sys.stdout, redirect_stdout, ""), (sys.stderr, redirect_stderr, "\r")):
            if stream.isatty():
                outputs.enter_context(change(cast(TextIO, _Terminal(stream, own))))
        yield


def envelope(command: str, started: float, data: Any) -> None:
    """Print {"status", "command", "duration_ms", "data"} as one JSON document."""
    out = {"status": "ok", "command": command, "duration_ms": round((time.perf_counter() - started) * 1000, 1), "data": data}
    print(json.dumps(out, ensure_ascii=False, indent=2, default=str))


def answer(args: argparse.Namespace, data: Any, lines: Sequence[str]) -> int:
    """The answer of a command: `data` for programs, `lines` for people. Gives the exit code 0."""
    if args.json:
        envelope(args.command, args.started, data)
    else:
        print("\n".join(lines))
    return 0


def notices(found: Sequence[Notice]) -> None:
    """Notices go to the error output: the answer itself stays clean."""
    for notice in found:
        print(f"({notice.text})", file=sys.stderr)


def results(found: Results, explain: bool) -> None:
    """Hits as people read them, best first."""
    for hit in found.hits:
        print(head(hit))
        if explain:
            from omoide.api.traces import lines

            print("\n".join(lines(hit)))
    if not found.hits:
        print("nothing found")
    scores = [hit.score for hit in found.hits]
    if not explain and scores != sorted(scores, reverse=True):
        print("(what says nearly the same stands further down, so scores do not fall line by line; --explain shows it)", file=sys.stderr)
    notices(found.notices)


def recalled(found: Results) -> None:
    """What recall gave: the missing words first, then the entries, oldest first, each with the words it holds."""
    from omoide.api.recalling import IN_LINES, told

    print("\n".join(told(found)))
    notices([notice for notice in found.notices if notice.code not in IN_LINES])


def head(hit: Hit) -> str:
    """`0.676  path:12  text`: where it is and how it begins."""
    chunk = hit.chunk
    text = " ".join(chunk.text.split())
    shown = text if len(text) <= SNIPPET_CHARS else text[: SNIPPET_CHARS - 1] + "…"
    return f"{hit.score:.3f}  {chunk.path}:{chunk.lines[0]}  {shown}"


def table(pairs: Sequence[tuple[str, Any]]) -> None:
    """Name and value, aligned."""
    width = max((len(name) for name, _ in pairs), default=0)
    for name, value in pairs:
        print(f"{name:<{width}}  {value}")
