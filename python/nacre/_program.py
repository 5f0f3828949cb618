"""The program `nacre`, for what the library does not have: pictures, films, exports."""
from __future__ import annotations

import os
import shutil
import subprocess
from typing import Sequence

from ._errors import Unsupported


def find() -> str:
    """The program in $NACRE, on the path, or beside the package's build."""
    for candidate in (os.environ.get("NACRE"), shutil.which("nacre"), os.path.join(os.path.dirname(__file__), "..", "..", "nacre")):
        if candidate and os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return os.path.abspath(candidate)
    error = Unsupported("this needs the program `nacre`: put it on the path, or name it in the environment variable NACRE")
    error.code = "NC_UNSUPPORTED"
    raise error


def call(arguments: Sequence[str]) -> str:
    """Runs the program; raises Unsupported with what it said when it fails. Returns what it printed."""
    done = subprocess.run([find(), *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = (done.stderr.strip() or done.stdout.strip()).removeprefix("nacre: ")
        error = Unsupported(f"nacre {arguments[0]} failed (exit code {done.returncode}): {said}")
        error.code = "NC_UNSUPPORTED"
        raise error
    return done.stdout
