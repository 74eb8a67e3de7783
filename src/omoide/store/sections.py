"""The end of a file that grows by sections: what stands between the last one and the next. Nothing here touches the disk."""

from __future__ import annotations

import re

from omoide.text.chunking import open_fence

_FENCE = re.compile(rb"^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?:`{3}|~{3})", re.MULTILINE)


def gap(data: bytes) -> bytes:
    """What has to stand there: the end of a fence that a hand left open, which would swallow what comes, and an empty line."""
    fence = open_fence(data.decode("utf-8-sig", "replace")).encode() if _FENCE.search(data) else b""
    closed = (b"" if data.endswith((b"\n", b"\r")) else b"\n") + fence + b"\n" if fence else b""
    end = data + closed
    return closed + (b"" if not end or end.endswith(b"\n\n") else b"\n" if end.endswith(b"\n") else b"\n\n")


def line_ends(data: bytes) -> int:
    """How many lines have ended."""
    return len(re.findall(rb"\r\n|\r|\n", data))
