"""What a file name alone decides."""

from __future__ import annotations

import pytest

from omoide.store.names import conflict_copies, is_note, is_skipped, stem


@pytest.mark.parametrize(
    ("name", "note", "rest"),
    [("a.md", True, "a"), ("A.MD", True, "A"), ("a.b.Markdown", True, "a.b"), ("a.txt", False, "a.txt"), ("md", False, "md")],
)
def test_endings(name: str, note: bool, rest: str) -> None:
    """A note ends in .md or .markdown in any letter case; its stem is the name without that."""
    assert (is_note(name), stem(name)) == (note, rest)


def test_skipped() -> None:
    """Everything hidden and the folders of programs are skipped, look-alikes are not."""
    assert all(map(is_skipped, (".git", ".x.md", "node_modules", "venv", "__pycache__")))
    assert not any(map(is_skipped, ("git", "venv2", "Node_modules notes", "a.md")))


def test_conflict_forms_are_compared_name_by_name() -> None:
    """One copy in a folder condemns no other name, whatever the letter case."""
    names = ["a.md", "A (CONFLICTED COPY).md", "conflicted copy.md"]
    assert conflict_copies(names) == {"A (CONFLICTED COPY).md"}
    assert conflict_copies([]) == set()
