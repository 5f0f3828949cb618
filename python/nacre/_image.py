"""Pictures as arrays: what `nacre render --passes` writes."""
from __future__ import annotations

import importlib
import io
import os
import struct
from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import BadFile


def _refuse(path: str, why: str) -> BadFile:
    error = BadFile(f"{path}: {why}")
    error.code, error.file = "NC_BAD_FILE", path
    return error


def read_exr(path: str | os.PathLike[str]) -> npt.NDArray[np.float32]:
    """An uncompressed OpenEXR of 32-bit floats, as the renderer writes depth, normals and albedo: (height, width) of one
    channel, or (height, width, 3) of R, G and B."""
    name = os.fspath(path)
    with io.open(name, "rb") as file:
        data = file.read()
    if data[:8] != struct.pack("<II", 20000630, 2):
        raise _refuse(name, "it is no OpenEXR file of scan lines")
    try:
        at, attributes = 8, {}
        while data[at]:
            key, kind = data[at : at + 512].split(b"\0", 2)[:2]
            at += len(key) + len(kind) + 2
            (size,) = struct.unpack_from("<I", data, at)
            attributes[key.decode()] = data[at + 4 : at + 4 + size]
            at += 4 + size
        x0, y0, x1, y1 = struct.unpack("<4i", attributes["dataWindow"])
        width, height = x1 - x0 + 1, y1 - y0 + 1
        channels, kinds = attributes["channels"], []
        while channels[0]:
            label = channels.split(b"\0", 1)[0]
            kinds.append(struct.unpack_from("<I", channels, len(label) + 1)[0])
            channels = channels[len(label) + 17 :]
        if attributes["compression"] != b"\0" or set(kinds) != {2}:
            raise _refuse(name, "it is compressed, or has other numbers than 32-bit floats")
        starts = struct.unpack_from(f"<{height}Q", data, at + 1)
        rows = [np.frombuffer(data, "<f4", len(kinds) * width, start + 8) for start in starts]
    except (struct.error, IndexError, KeyError, ValueError) as error:
        raise _refuse(name, "it is damaged") from error
    planes = np.stack(rows).reshape(height, len(kinds), width)
    # Channels are stored in the order of their names: B, G, R.
    return np.ascontiguousarray(planes[:, 0] if len(kinds) == 1 else planes[:, ::-1].transpose(0, 2, 1), dtype=np.float32)


def read_png(path: str | os.PathLike[str]) -> npt.NDArray[Any]:
    """A PNG as an array; needs Pillow."""
    image = importlib.import_module("PIL.Image")
    with image.open(os.fspath(path)) as opened:
        return np.array(opened)
