"""What a model's cosines mean, measured instead of assumed.

Unrelated texts have a cosine of about 0.0-0.2 in one model and 0.75-0.87 in another. A fixed threshold
says nothing; these numbers, measured on 30 small facts and one question for each, say where noise ends.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from omoide.types import Embedder


@dataclass(frozen=True, slots=True)
class Calibration:
    """Cosines of one model between questions and passages.

    `noise_mean`, `noise_std`: questions and passages that have nothing to do with each other, half of the
    weight on pairs in one language and half on pairs across languages. `related_mean`: questions and the
    passage that answers them, in other words than the question's.
    """

    noise_mean: float
    noise_std: float
    related_mean: float

    def scaled(self, cosine: float) -> float:
        """0 at the mean of noise, 1 at the mean of related texts; not bounded."""
        return (cosine - self.noise_mean) / max(self.related_mean - self.noise_mean, 1e-6)


@dataclass(frozen=True, slots=True)
class Pair:
    """A fact and a question about it in other words."""

    language: str
    fact: str
    question: str


def pairs() -> list[Pair]:
    """The built-in facts: 10 each in Japanese, English and Chinese."""
    text = files("omoide.models").joinpath("calibration.toml").read_text(encoding="utf-8")
    return [
        Pair(language, *pair) for language, found in tomllib.loads(text).items() for pair in found["pairs"]
    ]


def calibrate(embedder: Embedder) -> Calibration:
    """Measure `embedder`: two calls with 30 short texts each. Keep the answer under `embedder.name`."""
    known = pairs()
    passages = embedder.embed([pair.fact for pair in known])
    questions = embedder.embed([pair.question for pair in known], query=True)
    cosines = (questions @ passages.T).astype(np.float64)
    language = np.array([pair.language for pair in known])
    same = language[:, None] == language[None, :]
    unrelated = ~np.eye(len(known), dtype=bool)
    near, far = cosines[same & unrelated], cosines[~same]
    mean = (near.mean() + far.mean()) / 2
    spread = (((near - mean) ** 2).mean() + ((far - mean) ** 2).mean()) / 2
    return Calibration(float(mean), float(spread**0.5), float(np.diagonal(cosines).mean()))
