"""Run as a process of its own by the tests beside it: one home, one cache, one thing to do, then gone or killed.

    python child.py HOME CACHE VERB [ARGUMENT …]

It says "ready" when everything is imported.
"""

from __future__ import annotations

import json
import os
import random
import resource
import sys
import time
from concurrent.futures import ThreadPoolExecutor  # noqa: F401  loaded late by a search
from pathlib import Path

from acting import act

from omoide import Omoide, Settings
from omoide.api import clock, collection, home  # noqa: F401  all that a build needs, before "ready"
from omoide.index import dense, lexical  # noqa: F401
from omoide.models import calibration, choose, hashing  # noqa: F401  another user may not enter the folder of the interpreter
from omoide.search import mmr  # noqa: F401

SETTINGS = Settings().with_values({"embedding.model": "hashing"})


def build(omoide: Omoide, *_: str) -> object:
    return omoide.build()


def force(omoide: Omoide, *_: str) -> object:
    return omoide.build(force=True)


def words(omoide: Omoide, *_: str) -> object:
    return omoide.build(vectors=False)


def search(omoide: Omoide, *texts: str) -> object:
    """For each text the hits (id, score) and the notices."""
    out = []
    for text in texts:
        found = omoide.search(text, limit=10)
        hits = [[hit.chunk.id, hit.score] for hit in found.hits]
        out.append({"hits": hits, "notices": [list(notice) for notice in found.notices]})
    return out


def everything(omoide: Omoide, *texts: str) -> object:
    """Each verb once: what it answered, or the sentence with which it refused."""
    return {
        "search": search(omoide, *texts), "doctor": omoide.doctor(), "verify": omoide.verify(), "status": omoide.status(),
    }  # fmt: skip


def limited(omoide: Omoide, *texts: str) -> object:
    """The same, where no file may grow beyond 64 KB: a disk that is full, for one process."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (64_000, 64_000))
    return everything(omoide, *texts)


def steps(omoide: Omoide, name: str, seconds: str) -> object:
    """Random adds, edits, deletes, searches and rebuilds in this process's own files; gives how many of each."""
    chance = random.Random(name)
    place = Path(sys.argv[1]) / "memory"
    mine: list[Path] = []
    done: dict[str, int] = {}
    end = time.monotonic() + float(seconds)
    while time.monotonic() < end:
        verb = chance.choices(("add", "edit", "remove", "search", "build", "force"), (4, 4, 1, 8, 2, 1))[0]
        done[verb] = done.get(verb, 0) + 1
        text = f"# Note of {name}\n\n- {chance.random()} walks by the river with {chance.choice(('Ken', 'Yumi', '健'))}\n"
        if verb == "add" or (verb in ("edit", "remove") and not mine):
            mine.append(place / f"{name}-{sum(done.values())}.md")
            mine[-1].write_text(text, encoding="utf-8")
        elif verb == "edit":
            chance.choice(mine).write_text(text * chance.randint(1, 4), encoding="utf-8")
        elif verb == "remove":
            mine.pop(chance.randrange(len(mine))).unlink()
        elif verb == "search":
            assert all(hit.score >= 0 for hit in omoide.search(f"river {name}").hits)
        else:
            omoide.build(force=verb == "force")
    return done


def main() -> None:
    """Do it and print what came out as JSON."""
    place, cache, verb, *rest = sys.argv[1:]
    with Omoide(Path(place), settings=SETTINGS, cache=Path(cache)) as omoide:
        print(json.dumps(globals()[verb](omoide, *rest)), flush=True)


if __name__ == "__main__":
    calibration.pairs()  # reads its table by parts of the library that are loaded only then
    if "OMOIDE_TEST_UID" in os.environ:
        os.setgroups([])
        os.setgid(int(os.environ["OMOIDE_TEST_UID"]))
        os.setuid(int(os.environ["OMOIDE_TEST_UID"]))
    act(main)
