"""The program `nacre`, for what the library does not have: pictures, films, exports."""
from __future__ import annotations

import os
import shutil
import subprocess
from typing import Any, Mapping, Sequence

from ._errors import Unsupported


def find() -> str:
    """The program in $NACRE, on the path, or beside the package's build."""
    for candidate in (os.environ.get("NACRE"), shutil.which("nacre"), os.path.join(os.path.dirname(__file__), "..", "..", "nacre")):
        if candidate and os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return os.path.abspath(candidate)
    error = Unsupported("this needs the program `nacre`: put it on the path, or name it in the environment variable NACRE")
    error.code = "NC_UNSUPPORTED"
    raise error


def flags(options: Mapping[str, Any]) -> list[str]:
    """Keywords as options of the program."""
    words = []
    for key, value in options.items():
        flag = "--" + key.replace("_", "-")
        words += [flag] if value is True else [flag, str(value)]
    return words


def run(arguments: Sequence[str], allowed: Sequence[int] = (0,)) -> tuple[int, str]:
    """Runs the program; raises Unsupported with what it said for exit codes that are not allowed. Returns the exit code
    and what it printed."""
    done = subprocess.run([find(), *arguments], capture_output=True, text=True, check=False)
    if done.returncode not in allowed:
        said = (done.stderr.strip() or done.stdout.strip()).removeprefix("nacre: ")
        error = Unsupported(f"nacre {arguments[0]} failed (exit code {done.returncode}): {said}")
        error.code = "NC_UNSUPPORTED"
        raise error
    return done.returncode, done.stdout


def call(arguments: Sequence[str]) -> str:
    """What the program printed; an exit code other than 0 raises Unsupported."""
    return run(arguments)[1]
