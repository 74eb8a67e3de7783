"""What every model needs to know about a text before it gets it."""

from __future__ import annotations

import re

_UNSENDABLE = re.compile("[\x00\ud800-\udfff]")


def sendable(text: str) -> str:
    """The text without NUL and lone surrogates: not every model or endpoint can read those."""
    return _UNSENDABLE.sub("", text)


def estimate_tokens(text: str) -> int:
    """An upper estimate of tokens for a model whose tokenizer is elsewhere.

    One token for three ASCII characters and one for every other character: real tokenizers need fewer
    (English about 4.5 characters a token, Japanese 1.2-2), so a text split by this estimate fits.
    """
    plain = sum(map(str.isascii, text)) if not text.isascii() else len(text)
    return -(-plain // 3) + len(text) - plain
