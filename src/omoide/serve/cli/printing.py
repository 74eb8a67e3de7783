"""How answers look in a terminal, and the JSON envelope that programs read."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from typing import Any

from omoide.types import Hit, Notice, Results

SNIPPET_CHARS = 240


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
    notices(found.notices)


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
