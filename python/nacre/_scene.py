"""Scenes: the scene format of Nacre as Python. The library's own table of keys (its JSON Schema) drives the builder,
so what a scene file can say, a Scene can say."""
from __future__ import annotations

import difflib
import functools
import json
import os
import re
import tempfile
from fractions import Fraction
from typing import Any, Iterable, Mapping, NamedTuple, Sequence

import numpy as np

from . import _core
from ._mesh import Mesh, Vector


class Box(NamedTuple):
    """An axis-aligned box."""

    low: Vector
    high: Vector


class Shape(str):
    """The name of a shape of a scene."""


@functools.lru_cache(maxsize=None)
def schema() -> dict[str, Any]:
    """The JSON Schema of scene files."""
    result: dict[str, Any] = json.loads(_core.schema())
    return result


def _blocks() -> dict[str, Any]:
    blocks: dict[str, Any] = schema()["$defs"]
    return blocks


@functools.lru_cache(maxsize=None)
def _keys(block: str) -> tuple[str, ...]:
    return tuple(_blocks()[block]["properties"])


def _shape_keys(generator: str | None, source: str = "file") -> tuple[str, ...]:
    """Keys of shapes that a generator makes, or (None) that come from a file or are solids (source "csg")."""
    for variant in _blocks()["shape"]["anyOf"]:
        properties = variant["properties"]
        if generator is None and source in properties:
            return tuple(properties)
        if generator is not None and properties.get("generate", {}).get("const") == generator:
            return tuple(properties)
    names = [v["properties"]["generate"]["const"] for v in _blocks()["shape"]["anyOf"] if "generate" in v["properties"]]
    raise ValueError(f"no shape is called {generator!r}{_guess(generator, names)}")


def _guess(word: str | None, words: Iterable[str]) -> str:
    near = difflib.get_close_matches(word or "", list(words), 1)
    return f" (did you mean {near[0]!r}?)" if near else ""


def _expect_keys(what: str, given: Iterable[str], allowed: Sequence[str]) -> None:
    for key in given:
        if key not in allowed:
            raise TypeError(f"{what} has no key {key!r}{_guess(key, allowed)}")


def _plain(value: Any) -> Any:
    """Dicts, lists, strings and numbers of what Python has."""
    if isinstance(value, Box):
        return {"low": _plain(value.low), "high": _plain(value.high)}
    if isinstance(value, (bool, int)) or value is None:
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, np.ndarray):
        return [_plain(item) for item in value.tolist()]
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Iterable):
        return [_plain(item) for item in value]
    raise TypeError(f"a scene cannot hold {value!r}")


# ---- YAML ---------------------------------------------------------------------------------------------------

_PLAIN_TEXT = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*( [A-Za-z0-9_./-]+)*")
_WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n", "inf", "nan"}
_LINE = 120


def _scalar(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    text = str(value)
    if _PLAIN_TEXT.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return json.dumps(text, ensure_ascii=False)


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(key)}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    return _scalar(value)


def _block(value: Any, indent: str, depth: int) -> list[str]:
    lines = []
    items = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    for key, item in items:
        head = f"{indent}- " if key is None else f"{indent}{_scalar(key)}: "
        line = head + _flow(item)
        nests = isinstance(item, (dict, list)) and item and (key is not None and depth < 1 and (isinstance(item, dict) or isinstance(item[0], dict)) or len(line) > _LINE)
        if not nests:
            lines.append(line)
        elif key is None:
            inner = _block(item, indent + "  ", depth + 1)
            lines.append(head + inner[0].lstrip())
            lines += inner[1:]
        else:
            lines.append(f"{indent}{_scalar(key)}:")
            lines += _block(item, indent + "  ", depth + 1)
    return lines


def to_yaml(data: Mapping[str, Any]) -> str:
    """The text of a scene of dicts and lists."""
    return "\n".join(_block(_plain(data), "", 0)) + "\n"


# ---- scenes -------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def generators() -> tuple[str, ...]:
    """What places many bodies: keys of bodies whose blocks have random numbers."""
    blocks = _blocks()
    return tuple(key for key in _keys("body") if key in blocks and "seed" in blocks[key].get("properties", ()) and key != "fracture")


class Scene:
    """A scene to be built up, saved, run, or made into a World.

    Keywords are keys of the file's outermost map (`title`, `units`, `seed`, ...) and of its block `world` (`gravity`,
    `timestep`, `friction`, ...). `scene.data` is the whole as dicts and lists, and may be changed freely."""

    def __init__(self, data: Mapping[str, Any] | None = None, /, **keys: Any) -> None:
        self.data: dict[str, Any] = {"nacre": 1, **(_plain(data) if data is not None else {})}
        self.folder = ""  # mesh files are relative to it
        self._scratch: tempfile.TemporaryDirectory[str] | None = None
        top, world = _keys("scene"), _keys("world")
        for key, value in keys.items():
            if key in top:
                self.data[key] = _plain(value)
            else:
                _expect_keys("Scene", [key], world + top)
                self.world[key] = _plain(value)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *overrides: str) -> Scene:
        """Reads a scene file, with its includes. `overrides` are as in `nacre run --set`: "world.friction=0.5"."""
        view = _core.Scene(os.fspath(path), None, tuple(overrides)).view()
        scene = cls(json.loads(view["text"]))
        scene.folder = os.path.dirname(os.fspath(path))
        return scene

    @classmethod
    def from_yaml(cls, text: str, folder: str = "") -> Scene:
        """Reads a scene from a text; mesh files are relative to the folder."""
        scene = cls(json.loads(_core.Scene(os.path.join(folder, "<text>"), text, ()).view()["text"]))
        scene.folder = folder
        return scene

    # ---- building -------------------------------------------------------------------------------------------

    @property
    def world(self) -> dict[str, Any]:
        """The block `world`."""
        world: dict[str, Any] = self.data.setdefault("world", {})
        return world

    @property
    def shapes(self) -> dict[str, Any]:
        shapes: dict[str, Any] = self.data.setdefault("shapes", {})
        return shapes

    @property
    def bodies(self) -> list[dict[str, Any]]:
        bodies: list[dict[str, Any]] = self.data.setdefault("bodies", [])
        return bodies

    def shape(
        self, source: str | os.PathLike[str] | Mesh | dict[str, Any], /, name: str | None = None, **keys: Any
    ) -> Shape:
        """Adds a shape: the name of a generator ("box", "boat", ...), a mesh file, a Mesh, or a solid as a dictionary
        ({"solid": "sphere", "radius": 1}, {"difference": [...]}). Returns its name."""
        entry: dict[str, Any]
        if isinstance(source, dict):
            entry = {"csg": source}
            stem = "solid"
        elif isinstance(source, Mesh):
            entry = {"file": self._store_mesh(source)}
            stem = "mesh"
        else:
            text = os.fspath(source)
            from_file = not isinstance(source, str) or os.path.splitext(text)[1] != "" or os.sep in text
            entry = {"file": text} if from_file else {"generate": text}
            stem = re.sub(r"[^A-Za-z0-9_-]", "_", os.path.splitext(os.path.basename(text))[0])
        allowed = _shape_keys(entry.get("generate"), "csg" if "csg" in entry else "file")
        _expect_keys(f"a shape {stem!r}", keys, allowed)
        entry.update(_plain(keys))
        chosen = name if name is not None else self._free_name(stem)
        if chosen in self.shapes:
            raise ValueError(f"the scene has a shape {chosen!r} already")
        self.shapes[chosen] = entry
        return Shape(chosen)

    def _free_name(self, stem: str) -> str:
        name, number = stem, 2
        while name in self.shapes:
            name, number = f"{stem}_{number}", number + 1
        return name

    def _store_mesh(self, mesh: Mesh) -> str:
        if self._scratch is None:
            self._scratch = tempfile.TemporaryDirectory(prefix="nacre-")
        path = os.path.join(self._scratch.name, f"{mesh.hash:016x}.obj")
        mesh.save(path)
        return path

    def body(self, shape: str | None = None, /, name: str | None = None, **keys: Any) -> str | None:
        """Adds an entry of `bodies`: a body, or with a generator (`pile=`, `pour=`, ...) many. Returns its name."""
        _expect_keys("a body", keys, _keys("body"))
        entry: dict[str, Any] = {}
        if name is not None:
            entry["name"] = name
        if shape is not None:
            if str(shape) not in self.shapes and "include" not in self.data:
                raise ValueError(f"the scene has no shape {str(shape)!r}{_guess(str(shape), self.shapes)}")
            entry["shape"] = str(shape)
        entry.update(_plain(keys))
        self.bodies.append(entry)
        return name

    def generate(self, generator: str, shape: str | None, /, name: str | None = None, **keys: Any) -> str | None:
        """Adds bodies by a generator; keywords are its keys, and keys of bodies."""
        if generator not in generators():
            raise ValueError(f"no generator is called {generator!r}{_guess(generator, generators())}")
        own, common = _keys(generator), _keys("body")
        _expect_keys(f"{generator!r}", keys, own + common)
        block = {key: value for key, value in keys.items() if key in own}
        rest = {key: value for key, value in keys.items() if key not in own}
        return self.body(shape, name, **{**rest, generator: block})

    def pour(self, shape: str | Sequence[str], count: int, into: Box | str, name: str | None = None, **keys: Any) -> str | None:
        """Bodies dropped one by one into a box or into a container body of that name. Several shapes are mixed."""
        keys["count"] = count
        keys["box" if isinstance(into, Box) else "into"] = into
        return self._mixed("pour", shape, name, keys)

    def scatter(self, shape: str | Sequence[str], count: int, on: str, name: str | None = None, **keys: Any) -> str | None:
        """Bodies strewn over the body of that name."""
        return self._mixed("scatter", shape, name, {**keys, "count": count, "on": on})

    def emit(self, shape: str | Sequence[str], rate: float, box: Box, name: str | None = None, **keys: Any) -> str | None:
        """Bodies that appear during the run, `rate` per second."""
        return self._mixed("emit", shape, name, {**keys, "rate": rate, "box": box})

    def _mixed(self, generator: str, shape: str | Sequence[str], name: str | None, keys: dict[str, Any]) -> str | None:
        if isinstance(shape, str):
            return self.generate(generator, shape, name, **keys)
        return self.generate(generator, None, name, shapes=[{"shape": str(each)} for each in shape], **keys)

    def pile(self, shape: str, count: Any, spacing: Any, name: str | None = None, **keys: Any) -> str | None:
        """A grid of bodies, `count` along each axis, jittered so that they fall into a heap."""
        return self.generate("pile", shape, name, count=count, spacing=spacing, **keys)

    def exempt(self, a: str, b: str) -> None:
        """Bodies whose names match the two patterns may pass through each other."""
        self.data.setdefault("filters", []).append([a, b])

    def pair(self, a: str, b: str, **keys: Any) -> None:
        """Friction or restitution of pairs whose names match the two patterns."""
        _expect_keys("a pair", keys, _keys("pair"))
        self.data.setdefault("pairs", []).append({"between": [a, b], **_plain(keys)})

    # ---- as text --------------------------------------------------------------------------------------------

    def to_yaml(self) -> str:
        return to_yaml(self.data)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the scene file. Mesh files are named relative to it; meshes made in Python are written beside it."""
        target = os.path.dirname(os.path.abspath(os.fspath(path)))
        data = _plain(self.data)
        for shape in data.get("shapes", {}).values():
            if isinstance(shape, dict) and "file" in shape:
                shape["file"] = self._place_file(shape["file"], target)
        with open(path, "w", encoding="utf-8") as file:
            file.write(to_yaml(data))

    def _place_file(self, name: str, target: str) -> str:
        full = os.path.abspath(os.path.join(self.folder, name))
        if self._scratch is not None and full.startswith(os.path.abspath(self._scratch.name) + os.sep):
            copy = os.path.join(target, os.path.basename(full))
            with open(full, "rb") as source, open(copy, "wb") as out:
                out.write(source.read())
            return os.path.basename(full)
        relative = os.path.relpath(full, target)
        return full if relative.startswith(os.pardir) else relative

    def _load(self, overrides: Sequence[str] = ()) -> _core.Scene:
        return _core.Scene(os.path.join(self.folder, "<scene>"), self.to_yaml(), tuple(overrides))

    def check(self) -> list[str]:
        """Checks every key, range and mesh; raises BadScene. Returns notes: masses, distances and so on."""
        notes: list[str] = self._load().view()["notes"]
        return notes

    def repair(self, limit: float = 0.02) -> int:
        """Moves bodies that touch or overlap apart, by at most the part `limit` of the smaller one: the list `moved` of the
        scene. Returns how many were moved; raises Intersecting when it cannot be done. As `nacre repair` does."""
        core = self._load()
        count = core.repair(float(limit))
        if count:
            self.data["moved"] = json.loads(core.view()["text"])["moved"]
        return count

    def __repr__(self) -> str:
        title = self.data.get("title")
        return f"<nacre.Scene{f' {title!r}' if title else ''}: {len(self.shapes)} shapes, {len(self.bodies)} entries of bodies>"
