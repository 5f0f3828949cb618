"""Exceptions: the library's sentence and its code."""
from __future__ import annotations

from . import _core


class Error(Exception):
    """What the library refused, in its own sentence. `code` is the name of its nc_code; `file`, `line` and `column`
    are set where the sentence is about a place in a text, and else None."""

    code = ""
    file: str | None = None
    line: int | None = None
    column: int | None = None


class BadArgument(Error, ValueError):
    """A value outside its range, or the handle of a body that does not exist any more."""


class OutOfMemory(Error, MemoryError):
    """There was not enough memory; nothing was changed."""


class BadFile(Error, ValueError):
    """A mesh or another data file is not what its format demands."""


class BadScene(Error, ValueError):
    """A scene is wrong: `line` and `column` say where."""


class Intersecting(Error):
    """Two bodies that must be apart are not."""


class BrokenPromise(Error):
    """A defect in Nacre: a guarantee does not hold. Nothing was committed."""


class IOFailure(Error, OSError):
    """The disk, the file system or SQLite refused."""


class NotFound(Error, LookupError):
    """No such file, frame, body or name."""


class Unsupported(Error, NotImplementedError):
    """Not available in this build, or for this kind of world."""


class Jammed(Error):
    """A scripted body is blocked, or cloth has no room left. Nothing was committed."""


class Interrupted(Error):
    """The step was asked to end. Nothing was committed."""


_BY_CODE: dict[str, type[Error]] = {
    "NC_BAD_ARGUMENT": BadArgument,
    "NC_OUT_OF_MEMORY": OutOfMemory,
    "NC_BAD_FILE": BadFile,
    "NC_BAD_SCENE": BadScene,
    "NC_INTERSECTING": Intersecting,
    "NC_BROKEN_PROMISE": BrokenPromise,
    "NC_IO": IOFailure,
    "NC_NOT_FOUND": NotFound,
    "NC_UNSUPPORTED": Unsupported,
    "NC_JAMMED": Jammed,
    "NC_INTERRUPTED": Interrupted,
}


def _make(number: int, code: str, text: str, file: str, line: int, column: int) -> Error:
    where = file
    if file and line:
        where += f":{line}"
        if column:
            where += f":{column}"
    error = _BY_CODE.get(code, Error)(f"{where}: {text}" if where else text)
    error.code = code
    error.file, error.line, error.column = file or None, line or None, column or None
    return error


_core.set_error_factory(_make)
