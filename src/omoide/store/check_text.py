"""What may be written into a file of the home: one rule for every text, whoever sends it."""

from __future__ import annotations

from omoide.errors import BadInput
from omoide.text.legible import unwritable


def check_text(text: str, key: str = "text") -> str:
    """The text itself. Raises `BadInput` for one that no text file holds; `key` names it."""
    if broken := unwritable(text):
        raise BadInput(f"{key}: {broken}. Nothing was written; send it whole, or keep it elsewhere and say where")
    return text


def encoded(text: str, key: str = "text") -> bytes:
    """The bytes of a text that is written. Raises `BadInput` as `check_text`."""
    return check_text(text, key).encode()
