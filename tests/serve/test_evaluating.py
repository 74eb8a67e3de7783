"""`omoide eval retrieval` at the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from omoide.serve.cli.main import main


def test_two_recipes_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With another recipe beside it each has its row, and what each misses that the other finds is listed."""
    (tmp_path / "corpus.jsonl").write_text(
        "".join(json.dumps({"id": key, "text": text}) + "\n" for key, text in (("a", "cats sleep"), ("b", "dogs run")))
    )
    (tmp_path / "queries.jsonl").write_text(json.dumps({"id": "q", "text": "cats"}) + "\n")
    (tmp_path / "qrels.tsv").write_text("q\ta\t1\n")
    asked = ["eval", "retrieval", "--data", str(tmp_path), "--recipe", "lexical", "--against", "dense", "--model", "hashing"]
    assert main(asked) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines() if line.startswith(("lexical ", "dense "))][-4:] == [
        "lexical",
        "dense",
        "lexical",
        "dense",
    ]
    assert "lexical misses 0 that another finds" in out
    assert main([*asked, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)["data"]
    assert data["missed"] == {"lexical": [], "dense": []}
    assert set(data["against"]) == {"lexical", "dense"}
