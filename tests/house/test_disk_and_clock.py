"""The disk and the clock are touched where the tables here say, and nowhere else."""

from __future__ import annotations

import ast
from pathlib import Path

from parts.source import functions, imports, modules, name_of, tree_of

OS_CALLS = {
    "open", "rename", "replace", "unlink", "remove", "mkdir", "makedirs", "rmdir", "fsync", "fdatasync", "write", "link", "symlink",
    "chmod", "fchmod", "truncate", "ftruncate", "pwrite", "stat", "lstat", "scandir", "listdir", "readlink", "walk",
    "utime",
}  # fmt: skip
METHODS = {
    "write_text", "write_bytes", "read_text", "read_bytes", "unlink", "mkdir", "rmdir", "rename", "touch", "glob", "rglob", "iterdir",
    "exists", "is_file", "is_dir", "is_symlink", "chmod", "symlink_to", "hardlink_to", "open", "stat", "lstat",
}  # fmt: skip

ROOMS = ("index/", "models/", "evaluate/")
"""The cache folder, weights and derived files, data folders: never the home."""

EYE, HAND = "store/files.py", "store/disk.py"
"""The home is read in the one and written in the other: together they are longer than a file may be, and so it is
plain that whoever imports only the eye can change nothing."""

ELSEWHERE = {
    "store/names.py": {"read_text"},  # its own table of conflict copies, in the package
    "text/alike.py": {"read_text"},  # the table of confusable letters, in the package it depends on
    "people/names.py": {"read_text"},  # its own table of titles, in the package
    "memory/phrases.py": {"read_text"},  # its own tables of phrases, in the package
    "memory/vague.py": {"read_text"},  # its own table of words, in the package
    "api/misses.py": {"read_text"},  # its own sentences in Japanese, in the package
    "search/recall.py": {"read_text"},  # its own words beside entries, in the package
    "api/people.py": {"rename"},  # a verb of that name, about people
    "serve/cli/people.py": {"rename", "unlink"},  # the same
    "api/opening.py": {"shutil.rmtree"},  # a half-made generation in the cache folder
    "api/collection.py": {"mkdir"},  # the folder a caller gave to a collection
    "api/care.py": {"iterdir", "stat"},  # bytes of the cache folder
    "serve/cli/main.py": {"os.open", "is_file", "is_dir"},  # the null device; which folder is the home
    "serve/cli/find.py": {"read_text", "is_dir"},  # --config; where the sample home lies
    "serve/cli/evaluating.py": {"write_text"},  # --out
}

CLOCK = "api/clock.py"
OTHER_CLOCKS = {
    # Retry-After may be a date, and only the machine's clock can say how far off it is; no result depends on it
    ("models/http.py", "time.time"),
}
NOW = {"datetime.now", "datetime.today", "datetime.utcnow", "date.today", "time.time", "time.time_ns", "time.localtime", "time.gmtime"}


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        return node.id
    return f"{_dotted(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else "?"


def _disk_call(call: ast.Call) -> str:
    """How a call touches the disk: "open", "os.open", "shutil.rmtree", "read_text", …; "" if it does not."""
    name = _dotted(call.func)
    if name == "open" or name.startswith("shutil."):
        return name
    if name.startswith("os.") and name.removeprefix("os.") in OS_CALLS:
        return name
    last = name.rpartition(".")[2]
    return last if isinstance(call.func, ast.Attribute) and last in METHODS and not name.startswith("os.") else ""


def _calls(path: Path) -> list[ast.Call]:
    return [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call)]


def test_the_disk_is_touched_where_the_table_says() -> None:
    """Only `store/files.py` and `store/disk.py` touch a home; every other file that touches a disk stands in the table with its calls."""
    found: dict[str, set[str]] = {}
    for path in modules():
        name = name_of(path)
        if name not in (EYE, HAND) and not name.startswith(ROOMS):
            calls = {_disk_call(call) for call in _calls(path)} - {""}
            if calls:
                found[name] = calls
    assert found == ELSEWHERE


def test_the_store_follows_no_link() -> None:
    """Every file the store opens is opened with O_NOFOLLOW, so that a link never leads out of the home."""
    flags = []
    for path in [path for path in modules() if name_of(path) in (EYE, HAND)]:
        lines = path.read_text(encoding="utf-8").splitlines()
        flags += [line for line in lines if line.split(" = ")[0].endswith(("_FOLDER", "_FILE")) and line.startswith("_")]
        for call in _calls(path):
            if _dotted(call.func) == "os.open" and len(call.args) > 1:
                used = ast.unparse(call.args[1])
                assert "_FOLDER" in used or "_FILE" in used or "O_NOFOLLOW" in used, (name_of(path), call.lineno)
    assert len(flags) == 5
    assert all("O_NOFOLLOW" in line for line in flags)


def test_only_one_file_asks_for_the_time() -> None:
    """The present moment comes from `api/clock.py`, so that every result can be made again. Measuring durations is free."""
    found = {(name_of(path), _dotted(call.func)) for path in modules() for call in _calls(path) if _dotted(call.func) in NOW}
    assert {(name, call) for name, call in found if name != CLOCK} == OTHER_CLOCKS


def test_writing_calls_of_the_eye_are_few() -> None:
    """What reads the home writes nothing but what `init` makes: a search can never change a note."""
    path = next(path for path in modules() if name_of(path) == EYE)
    writing = {"os.open", "mkdir", "os.write", "os.mkdir", "write_text", "write_bytes", "unlink", "os.unlink", "rename", "os.rename"}
    makers = set()
    for name, node in functions(path):
        for call in (child for child in ast.walk(node) if isinstance(child, ast.Call)):
            used = _disk_call(call)
            if used in writing and (used != "os.open" or "O_CREAT" in ast.unparse(call)):
                makers.add(name)
    assert makers <= {"make_missing", "_make"}


def test_there_is_one_write_door() -> None:
    """Nobody but `store/door.py`, and `store/log.py` and `store/daily.py` which add to logs under the door's locks, moves the hand
    that writes."""
    users = {name_of(path) for path in modules() for _, module in imports(path) if module == "omoide.store.disk"}
    assert users == {"store/door.py", "store/log.py", "store/daily.py"}
