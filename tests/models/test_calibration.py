"""What a model's cosines mean."""

from pathlib import Path

import pytest

from omoide.models.calibration import Calibration, calibrate, pairs
from omoide.models.choose import choose, local_is_installed
from omoide.models.hashing import HashingEmbedder
from omoide.testing import CountingEmbedder


def test_the_built_in_facts() -> None:
    """There are 10 facts each in three languages, all different, each with a question."""
    known = pairs()
    assert [pair.language for pair in known] == ["ja"] * 10 + ["en"] * 10 + ["zh"] * 10
    assert len({pair.fact for pair in known} | {pair.question for pair in known}) == 60


def test_two_calls_and_always_the_same() -> None:
    """Measuring takes two calls of the model and gives the same numbers every time."""
    embedder = CountingEmbedder(HashingEmbedder())
    assert calibrate(embedder) == calibrate(embedder)
    assert (embedder.calls, embedder.texts) == (4, 120)


@pytest.mark.skipif(not local_is_installed(), reason="the extra `local` is not installed")
def test_e5_cosines_start_high(tmp_path: Path) -> None:
    """For e5 noise lies far above 0 and related texts clearly above noise."""
    embedder = choose("local", cache=tmp_path)
    assert embedder is not None
    measured = calibrate(embedder)
    assert 0.6 < measured.noise_mean < measured.noise_mean + measured.noise_std < measured.related_mean < 0.95


def test_scaled() -> None:
    """The mean of noise is 0, the mean of related texts 1, and a flat model does not divide by zero."""
    measured = Calibration(0.75, 0.02, 0.85)
    assert [round(measured.scaled(cosine), 6) for cosine in (0.75, 0.85, 0.95)] == [0, 1, 2]
    assert Calibration(0.5, 0.0, 0.5).scaled(0.5) == 0
