"""`OpenAIEmbedder`: any endpoint that speaks POST /v1/embeddings as OpenAI defined it.

Works with OpenAI, llama.cpp, Ollama, vLLM, TEI, LM Studio and others. What comes back is not trusted:
rows are put in the order of their `index`, counted, measured, checked for NaN and brought to length 1.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from omoide.errors import BadInput, ModelFailed
from omoide.models.http import Endpoint, Patience, Refused
from omoide.models.texts import estimate_tokens, sendable
from omoide.text.sentences import fit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from omoide.types import Vectors


@dataclass(frozen=True, slots=True)
class Manners:
    """How an endpoint wants to be asked.

    `query_prefix` and `passage_prefix` go before every text (models of the e5 family want "query: " and
    "passage: "). `batch` is the largest number of texts in one request. `max_tokens` is the input limit
    of the model, counted by estimate.
    """

    query_prefix: str = ""
    passage_prefix: str = ""
    batch: int = 64
    max_tokens: int = 8000
    patience: Patience = field(default_factory=Patience)


class OpenAIEmbedder:
    """Embeds by asking `base_url` + "/embeddings".

    `dimensions` is sent along when given, and every answer must have it; when it is None the first answer
    decides. Nothing is sent before the first text. Safe to use from several threads.
    """

    dimensions: int

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        dimensions: int | None = None,
        manners: Manners = Manners(),
    ) -> None:
        if not model:
            raise BadInput("An embedding endpoint needs a model name (setting embedding.name).")
        if manners.batch < 1 or (dimensions is not None and dimensions < 1):
            raise BadInput("batch and dimensions must be at least 1.")
        self._endpoint = Endpoint(base_url, api_key, manners.patience)
        self._model, self._asked, self._manners = model, dimensions, manners
        self._known = dimensions
        if dimensions:
            self.dimensions = dimensions
        self.max_tokens = manners.max_tokens
        self.name = self._named(base_url)

    def _named(self, base_url: str) -> str:
        """Host, model and whatever else changes vectors; no port, which a local server may change."""
        name = f"openai:{urlsplit(base_url).hostname}/{self._model}"
        if self._asked:
            name += f"/{self._asked}"
        prefixes = self._manners.query_prefix, self._manners.passage_prefix
        if any(prefixes):
            name += "/" + hashlib.blake2b("\0".join(prefixes).encode(), digest_size=4).hexdigest()
        return name

    def __getattr__(self, name: str) -> int:
        """`dimensions` while nobody has said it and no text was embedded: asks the endpoint once."""
        if name != "dimensions":
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return int(self.embed(["dimensions"]).shape[1])

    def count_tokens(self, text: str) -> int:
        """An upper estimate: the endpoint's tokenizer is not here. See `texts.estimate_tokens`."""
        return estimate_tokens(text)

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Unit vectors, float32 (len(texts), dimensions), in the order of `texts`."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        prefix = self._manners.query_prefix if query else self._manners.passage_prefix
        # Some endpoints refuse an empty input; a space means as little.
        ready = [self._beginning(prefix + sendable(text)) or " " for text in texts]
        size = self._manners.batch
        return np.concatenate(
            [vectors for i in range(0, len(ready), size) for vectors in self._parts(ready[i : i + size])]
        )

    def _beginning(self, text: str) -> str:
        """What of a text fits into the model's limit."""
        return text if self.count_tokens(text) <= self.max_tokens else fit(text, self.max_tokens)[0]

    def _parts(self, batch: list[str]) -> Iterator[Vectors]:
        """The vectors of a batch; a batch that is too large as a whole is halved and tried again."""
        try:
            yield self._ask(batch)
            return
        except Refused as refusal:
            if refusal.status != 413 or len(batch) == 1:
                raise
        middle = len(batch) // 2
        yield from self._parts(batch[:middle])
        yield from self._parts(batch[middle:])

    def _ask(self, batch: list[str]) -> Vectors:
        body: dict[str, Any] = {"model": self._model, "input": batch, "encoding_format": "float"}
        if self._asked:
            body["dimensions"] = self._asked
        vectors = self._array(self._rows(self._endpoint.post("/embeddings", body), len(batch)))
        if self._known is None:
            self._known = self.dimensions = vectors.shape[1]
        if vectors.shape[1] != self._known:
            raise self._nonsense(
                f"gave vectors of length {vectors.shape[1]} where {self._known} was expected",
                "Was the model changed? Set embedding.dimensions to match it and build the index again.",
            )
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or (lengths == 0).any():
            raise self._nonsense(
                "gave a vector that is not finite or has length 0", "Check the model on the server."
            )
        unit: Vectors = (vectors / lengths).astype(np.float32)
        return unit

    def _rows(self, answer: Any, expected: int) -> list[Any]:
        """The lists of numbers, put in order by their `index`."""
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, list) or not all(isinstance(row, dict) for row in data):
            raise self._nonsense(
                "gave an answer without a list `data`", "Check that base_url is an embeddings API."
            )
        if len(data) != expected:
            raise self._nonsense(f"gave {len(data)} vectors for {expected} texts", "Try a smaller `batch`.")
        numbers = [row.get("index", place) for place, row in enumerate(data)]
        if any(type(number) is not int for number in numbers) or sorted(numbers) != list(range(expected)):
            raise self._nonsense("gave vectors whose `index` does not fit the texts", "Try a batch of 1.")
        ordered = sorted(zip(numbers, data, strict=True), key=lambda pair: pair[0])
        return [row.get("embedding") for _, row in ordered]

    def _array(self, rows: list[Any]) -> NDArray[np.float64]:
        try:
            vectors = np.array(rows, np.float64)
        except (ValueError, TypeError, OverflowError) as error:
            raise self._nonsense("gave vectors of different lengths or without numbers", _FLOATS) from error
        if vectors.ndim != 2 or vectors.shape[1] == 0:
            raise self._nonsense("gave something other than lists of numbers as vectors", _FLOATS)
        return vectors

    def _nonsense(self, what: str, advice: str) -> ModelFailed:
        return ModelFailed(
            f"The model endpoint {self._endpoint.host} (model {self._model}, status 200) {what}. {advice}"
        )


_FLOATS = "Check that the model is an embedding model and answers with encoding_format float."
