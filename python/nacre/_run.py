"""Run files: frames as arrays, reports, meshes, SQL."""
from __future__ import annotations

import base64
import importlib
import io
import json
import os
import sqlite3
import tempfile
import time
from typing import Any, Iterator, Mapping, NamedTuple, Sequence
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from . import _core, _program
from ._errors import Error, Unsupported
from ._image import read_exr, read_png
from ._mesh import FEATURES, Floats, Mesh, Pose
from ._scene import Scene
from ._world import PHASES, STORE, Acceleration, World, _store_flags

MESSAGES = ("info", "note", "warning", "intersection", "jammed")
TYPES = ("static", "kinematic", "dynamic")

CONTACT = np.dtype(
    [
        ("step", np.int64), ("phase", np.int32), ("a", np.int32), ("b", np.int32), ("kind", np.int32), ("feature_a", np.int32),
        ("feature_b", np.int32), ("point", np.float64, 3), ("normal", np.float64, 3), ("distance", np.float64), ("impulse", np.float64, 3),
    ]
)  # fmt: skip


class RunBody(NamedTuple):
    id: int
    name: str
    type: str  # "static", "kinematic", "dynamic" or "cloth"
    mesh: int
    mass: float  # [kg]
    friction: float
    restitution: float
    born_step: int
    gone_step: int  # -1: still there
    deforms: bool
    color: str | None  # "#rrggbb"
    material: str


class RunFracture(NamedTuple):
    """A body that broke, or was hit above its threshold and stayed whole (then `reason` says why)."""

    step: int
    frame: int  # the first one with the pieces
    body: int  # -1: no frame has it
    name: str
    impulse: float  # [N s]
    threshold: float  # [N s]
    point: Floats  # [m]
    normal: Floats
    pattern: str
    pieces: list[int]
    reason: str


class Run:
    """A run file, opened for reading, also while it is being written: frames that came since are there when they are
    asked for."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.path.abspath(os.fspath(path))
        self._handle = _core.Run(self.path)
        self._db: sqlite3.Connection | None = None
        self._read = (0, 0)  # frames and bodies of the arrays
        self._meshes: dict[int, Mesh] = {}
        self._bodies: list[RunBody] = []

    # ---- what it is -----------------------------------------------------------------------------------------

    @property
    def info(self) -> dict[str, Any]:
        return self._handle.info()

    @property
    def title(self) -> str:
        return str(self.info["title"])

    @property
    def timestep(self) -> float:
        return float(self.info["timestep"])

    @property
    def finished(self) -> bool:
        return bool(self.info["finished"])

    @property
    def scene(self) -> Scene:
        """The scene that it was made from."""
        text = self._handle.scene_text()
        return Scene.from_yaml(text, os.path.dirname(str(self.info["scene_path"]))) if text else Scene()

    def __len__(self) -> int:
        """Frames."""
        return int(self.info["frame_count"])

    # ---- frames ---------------------------------------------------------------------------------------------

    def _arrays(self) -> dict[str, Any]:
        """All frames that are there by now; reads only those that are new."""
        info = self.info
        frames, bodies = int(info["frame_count"]), int(info["body_count"])
        had, had_bodies = self._read
        if (frames, bodies) == self._read:
            return self._store
        store: dict[str, Any] = {
            "step": np.empty(frames, np.int64), "t": np.empty(frames), "hash": np.empty(frames, np.uint64),
            "x": np.empty((frames, bodies, 3)), "q": np.empty((frames, bodies, 4)),
            "v": np.empty((frames, bodies, 3)), "w": np.empty((frames, bodies, 3)),
        }  # fmt: skip
        for key in store if had else ():
            if store[key].ndim > 1:
                store[key][:had, had_bodies:] = np.nan
                store[key][:had, :had_bodies] = self._store[key]
            else:
                store[key][:had] = self._store[key]
        self._handle.frames(os.fsencode(self.path), had, frames - had, bodies, *(array[had:] for array in store.values()))
        for array in store.values():
            array.flags.writeable = False
        self._store, self._read = store, (frames, bodies)
        return store

    _store: dict[str, Any] = {}

    @property
    def t(self) -> Floats:
        """Times of the frames [s], (frames,)."""
        return self._arrays()["t"]  # type: ignore[no-any-return]

    @property
    def step(self) -> npt.NDArray[np.int64]:
        return self._arrays()["step"]  # type: ignore[no-any-return]

    @property
    def hash(self) -> npt.NDArray[np.uint64]:
        """Of the state at each frame."""
        return self._arrays()["hash"]  # type: ignore[no-any-return]

    @property
    def x(self) -> Floats:
        """Positions of the centres of mass [m], (frames, bodies, 3); NaN where a body does not exist."""
        return self._arrays()["x"]  # type: ignore[no-any-return]

    @property
    def q(self) -> Floats:
        """Orientations (w, x, y, z), (frames, bodies, 4)."""
        return self._arrays()["q"]  # type: ignore[no-any-return]

    @property
    def v(self) -> Floats:
        """Velocities [m/s], (frames, bodies, 3)."""
        return self._arrays()["v"]  # type: ignore[no-any-return]

    @property
    def w(self) -> Floats:
        """Angular velocities [rad/s], (frames, bodies, 3)."""
        return self._arrays()["w"]  # type: ignore[no-any-return]

    def follow(self, poll: float = 0.1, timeout: float | None = None) -> Iterator[int]:
        """Yields the numbers of frames as they are stored, until the run is finished (or nothing new came for
        `timeout` seconds)."""
        frame, waited = 0, 0.0
        while True:
            info = self.info
            while frame < int(info["frame_count"]):
                yield frame
                frame, waited = frame + 1, 0.0
            if info["finished"] or (timeout is not None and waited >= timeout):
                return
            time.sleep(poll)
            waited += poll

    # ---- bodies and meshes ----------------------------------------------------------------------------------

    @property
    def bodies(self) -> list[RunBody]:
        count = int(self.info["body_count"])
        rows = []
        for k in range(count):
            name, kind, mesh, mass, friction, restitution, born, gone, cloth, deforms, color, material = self._handle.body(k)
            rows.append(RunBody(k, name, "cloth" if cloth else TYPES[kind], mesh, mass, friction, restitution, born, gone, deforms, color, material))
        return rows

    def body(self, name: str | int) -> RunBody:
        """By name, or by number."""
        for body in self.bodies:
            if name in (body.name, body.id):
                return body
        raise KeyError(name)

    def mesh(self, body: str | int) -> Mesh:
        """The mesh of a body, by the body's name or number: vertices are relative to its centre of mass."""
        row = self.body(body).mesh
        if row not in self._meshes:
            self._meshes[row] = Mesh._wrap(self._handle.mesh(row))
        return self._meshes[row]

    def vertices(self, body: str | int, frame: int) -> Floats:
        """World positions of the vertices of a body in a frame; of cloth, too."""
        found, number = self.body(body), self._frame(frame)
        shape = self._handle.shape(number, found.id)
        if shape is not None:
            return np.frombuffer(shape, np.float64).reshape(-1, 3)
        if found.deforms:
            return self.mesh(found.id).vertices
        return self.mesh(found.id).transformed((self.x[number, found.id], self.q[number, found.id]))

    def _frame(self, frame: int) -> int:
        count = len(self)
        if not -count <= frame < count:
            raise IndexError(f"frame {frame} of {count}")
        return frame % count

    # ---- tables ---------------------------------------------------------------------------------------------

    def _connection(self) -> sqlite3.Connection:
        if self._db is None:
            self._db = sqlite3.connect(f"file:{quote(self.path)}?mode=ro", uri=True)
        return self._db

    def sql(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Rows of a query: docs/run-file.md has the tables."""
        return self._connection().execute(query, parameters).fetchall()

    def table(self, name: str) -> dict[str, npt.NDArray[Any]]:
        """A table as columns; NULL is NaN in columns of numbers."""
        if not name.isidentifier():
            raise ValueError(f"{name!r} is no table")
        cursor = self._connection().execute(f"select * from {name}")
        names = [column[0] for column in cursor.description]
        rows = cursor.fetchall()
        columns: Sequence[Sequence[Any]] = list(zip(*rows)) if rows else [()] * len(names)
        return {key: _column(values) for key, values in zip(names, columns)}

    @property
    def report(self) -> dict[str, npt.NDArray[Any]]:
        """The reports of the frames, as columns: `run.report["kinetic"]`."""
        return self.table("report")

    def to_pandas(self, table: str = "report") -> Any:
        """A table as a DataFrame; needs pandas."""
        pandas = importlib.import_module("pandas")
        return pandas.DataFrame(self.table(table))

    def contacts(self, frame: int) -> npt.NDArray[Any]:
        """The contacts of a frame, of runs made with store=("contacts",), as a structured array: the fields of
        World.contacts, with bodies by their numbers in the run, and the `step` in which each acted."""
        self._needs("contacts")
        columns = "step, phase, body_a, body_b, kind, feature_a, feature_b, x, y, z, nx, ny, nz, distance, impulse_x, impulse_y, impulse_z"
        rows = self.sql(f"select {columns} from contact where frame = ? order by id", (self._frame(frame),))
        phases, kinds = {name: k for k, name in enumerate(PHASES)}, {name: k for k, name in enumerate(FEATURES)}
        made = [(r[0], phases[r[1]], r[2], r[3], kinds[r[4]], r[5], r[6], r[7:10], r[10:13], r[13], r[14:17]) for r in rows]
        return np.array(made, dtype=CONTACT)

    def forces(self, frame: int) -> dict[tuple[int, int], Floats]:
        """The mean force [N] on A of every pair in contact over a frame: (number of A, number of B) -> (3,)."""
        self._needs("contacts")
        rows = self.sql("select body_a, body_b, fx, fy, fz from pair_force where frame = ?", (self._frame(frame),))
        return {(row[0], row[1]): np.array(row[2:5]) for row in rows}

    def accelerations(self, frame: int) -> dict[int, Acceleration]:
        """By body: the change of its velocities since the frame before over the time between them, the mean over the
        steps of the frame. Empty for frame 0; bodies that were not in the frame before are not there."""
        rows = self.sql(
            "select now.body, now.vx - old.vx, now.vy - old.vy, now.vz - old.vz, now.wx - old.wx, now.wy - old.wy, now.wz - old.wz,"
            " frame.time - before.time from pose as now join frame on frame.id = now.frame join frame as before on before.id = now.frame - 1"
            " join pose as old on old.frame = before.id and old.body = now.body where now.frame = ? order by now.body",
            (self._frame(frame),))
        return {row[0]: Acceleration(np.array(row[1:4]) / row[7], np.array(row[4:7]) / row[7]) for row in rows}

    def events(self) -> list[tuple[int, str, str]]:
        """What happened: (step, kind, sentence)."""
        return [(row[0], row[1], row[2]) for row in self.sql("select step, kind, text from event order by id")]

    def clusters(self, frame: int) -> dict[int, int]:
        """Bodies that were joined in the last step of a frame: body -> the lowest of their numbers."""
        return {body: cluster for body, cluster in self.sql("select body, cluster from cluster where frame = ?", (self._frame(frame),))}

    def fractures(self) -> list[RunFracture]:
        """What broke, or stayed whole above its threshold."""
        rows = []
        for step, frame, body, name, impulse, threshold, point, normal, pattern, pieces, reason in self._handle.fractures():
            rows.append(RunFracture(step, frame, body, name, impulse, threshold, np.array(point), np.array(normal), pattern, pieces, reason))
        return rows

    def between(self, step: int, t: float) -> dict[int, Pose]:
        """Where bodies were at the part t in [0, 1] of the step that leads to `step`, on their certified paths: of runs
        made with store=("paths",). Static bodies are not there."""
        self._needs("paths")
        return {body: Pose(np.array(x), np.array(q)) for body, x, q in self._handle.path_poses(step, float(t))}

    def world(self, workers: int | None = None) -> World:
        """A world in the state of the last checkpoint, ready to be stepped: it continues with the same bits."""
        world: World | None = None
        if self._handle.scene_text():
            try:
                world = World(self.scene, workers=workers)
            except Error:
                if self.info["needs_scene"]:
                    raise
        if world is None:
            world = World(timestep=self.timestep, workers=workers)
        self._handle.restore_into(world._handle)
        return world

    def _needs(self, what: str) -> None:
        if not self.sql("select store from run")[0][0] & STORE[what]:
            error = Unsupported(f"{self.path} was made without {what}: nacre.simulate(..., store=({what!r},)) or nacre run --store {what}")
            error.code = "NC_UNSUPPORTED"
            raise error

    def verify(self) -> None:
        """Reads everything and compares it with its checksums; raises BadFile."""
        self._handle.verify()

    # ---- pictures -------------------------------------------------------------------------------------------

    def render(self, output: str | os.PathLike[str], *arguments: str, passes: Sequence[str] = (), **options: Any) -> str:
        """A picture or film by `nacre render`: keywords are its options, `run.render("a.png", frame=12, size="640x480")`.
        `passes` ("depth", "id", "normal", "albedo") are written beside it: a.depth.exr ... Returns the name of the file."""
        extra = [str(each) for each in passes if each != "rgb"]
        if extra:
            options["passes"] = ",".join(extra)
        words = [self.path, "-o", os.fspath(output), *arguments]
        _program.call(["render", *words, *_program.flags(options)])
        return os.fspath(output)

    def images(self, frame: int = -1, passes: Sequence[str] = ("rgb",), **options: Any) -> dict[str, npt.NDArray[Any]]:
        """Pictures of a frame as arrays, by `nacre render`: "rgb" (height, width, 3) of bytes, "depth" [m] and "normal" and
        "albedo" of floats, "id" the numbers that docs/render.md#passes explains. rgb and id need Pillow."""
        with tempfile.TemporaryDirectory(prefix="nacre-") as folder:
            stem = os.path.join(folder, "picture")
            self.render(stem + ".png", passes=passes, frame=self._frame(frame), **options)
            files = {"rgb": ".png", "id": ".id.png"}
            return {each: read_png(stem + files[each]) if each in files else read_exr(f"{stem}.{each}.exr") for each in passes}

    def export(self, output: str | os.PathLike[str], *arguments: str) -> str:
        """glTF, USD, CSV, a page ... by `nacre export`, by the extension of the file."""
        _program.call(["export", self.path, "-o", os.fspath(output), *arguments])
        return os.fspath(output)

    def _repr_html_(self) -> str:
        """In a notebook: the viewer, embedded."""
        try:
            with tempfile.TemporaryDirectory(prefix="nacre-") as folder:
                page = self.export(os.path.join(folder, "run.html"))
                with io.open(page, "rb") as file:
                    data = base64.b64encode(file.read()).decode()
        except Exception as error:  # a notebook shows a sentence rather than a traceback
            return f"<p>{self!r}: {error}</p>"
        return f'<iframe src="data:text/html;base64,{data}" width="100%" height="480" style="border:0"></iframe>'

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None
        self._handle.close()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *args: object) -> None:
        self.close()

    def __repr__(self) -> str:
        info = self.info
        return f"<nacre.Run {os.path.basename(self.path)!r}: {info['frame_count']} frames, {info['body_count']} bodies>"


def _column(values: Sequence[Any]) -> npt.NDArray[Any]:
    if any(isinstance(value, (str, bytes)) for value in values):
        return np.array(values, dtype=object)
    if all(isinstance(value, int) for value in values):
        return np.array(values, dtype=np.int64)
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


class Verdict(NamedTuple):
    """What the exact test says of the frames of a file."""

    intersects: bool
    data: dict[str, Any]  # what `nacre check --json` prints: frames, pairs, and the pairs by name


def judge(path: str | os.PathLike[str], **options: Any) -> Verdict:
    """Tests every frame of a run, or of an animation of another program (an animated .glb, a folder of OBJ files), as
    `nacre check` does: exactly, touching counts. Keywords are its options: `judge("theirs.glb", rate=240)`."""
    words = ["check", os.fspath(path), "--json", *_program.flags(options)]
    code, text = _program.run(words, (0, 1))
    return Verdict(code == 1, json.loads(text))


def open(path: str | os.PathLike[str]) -> Run:
    """Opens a run file for reading, also while it is being written."""
    return Run(path)


class Summary(NamedTuple):
    status: str  # "finished", "stopped" ...
    steps: int
    frames: int
    time: float  # [s]
    hash: int
    intersecting_frames: int  # of those that were audited: 0, unless Nacre has a defect
    failed: int  # expectations that were not met; -1: the scene has none, or they were not judged
    messages: list[tuple[str, str]]  # (kind, sentence)
    run: Run


def simulate(
    scene: Scene | Mapping[str, Any] | str | os.PathLike[str],
    output: str | os.PathLike[str],
    *overrides: str,
    workers: int = 0,
    steps: int | None = None,
    until: float | None = None,
    every: int | None = None,
    resume: bool = False,
    overwrite: bool = False,
    audit: bool = False,
    expect: bool = False,
    repair: bool = False,
    store: Sequence[str] = (),
) -> Summary:
    """Runs a scene into a run file, as `nacre run` does: every frame is durable, Ctrl-C ends it after a whole step, and
    `resume=True` continues it with the same bits. `store` may name "contacts" and "paths"."""
    flags = _store_flags(store)
    with tempfile.TemporaryDirectory(prefix="nacre-") as folder:
        if isinstance(scene, Mapping):
            scene = Scene(scene)
        if isinstance(scene, Scene):
            path = os.path.join(folder, "scene.yaml")
            scene.save(path)
        else:
            path = os.fspath(scene)
        row = _core.session(
            path, os.fspath(output), tuple(overrides), workers, -1 if steps is None else steps, -1.0 if until is None else float(until),
            every or 0, resume, overwrite, audit, expect, repair, flags,
        )  # fmt: skip
    messages = [(MESSAGES[kind], text) for kind, text in row[7]]
    status, done, frames, seconds, state, intersecting, failed = row[:7]
    return Summary(status, done, frames, seconds, state, intersecting, failed, messages, Run(output))
