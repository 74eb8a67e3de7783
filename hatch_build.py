"""Compiles `src/omoide/index/kernel.c` where there is a C compiler; everything works without it, only slower.

The library is plain C without Python in it, so one wheel fits every Python on the same kind of machine.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import sys_tags

FOLDER = Path("src/omoide/index")
FLAGS = ["-O3", "-std=gnu11", "-fPIC", "-shared"]


class CustomBuildHook(BuildHookInterface[Any]):
    """Makes `_kernel.so` beside its source and the wheel one for this platform; without a compiler the wheel is for all."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        folder = Path(self.root) / FOLDER
        library = folder / "_kernel.so"
        if not compiled(folder / "kernel.c", library):
            library.unlink(missing_ok=True)
            return
        build_data["artifacts"].append(str(FOLDER / library.name))
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{next(iter(sys_tags())).platform}"


def compiled(source: Path, library: Path) -> bool:
    """Whether the library could be made. It comes into being whole, so a process that has the old one keeps it."""
    made = library.with_name(f".{library.name}.{os.getpid()}")
    try:
        subprocess.run([*shlex.split(os.environ.get("CC", "cc")), *FLAGS, str(source), "-o", str(made)], check=True, timeout=120)
        os.replace(made, library)
    except (OSError, subprocess.SubprocessError) as problem:
        print(f"omoide: without the compiled passes, searches in large homes take longer ({problem})", file=sys.stderr)
        return False
    finally:
        made.unlink(missing_ok=True)
    return True
