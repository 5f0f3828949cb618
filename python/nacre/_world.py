"""Live worlds, in process."""
from __future__ import annotations

import os
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import Unsupported
from ._handle import Handle
from ._joint import AXES, BREAKS, COLLIDE, KINDS, Joint, JointBreak, axis_index, axis_row
from ._mesh import Floats, Mesh, Pose, Vector, _matter, _pose, _vec
from ._scene import Scene, _blocks

TYPES = ("static", "kinematic", "dynamic")
METHODS = ("auto", "cut", "level")
CONFLICTS = ("touching", "overlapping", "inside")
Script = Callable[[float], Any]
SceneLike = Union[Scene, Mapping[str, Any], str, "os.PathLike[str]"]

PHASES = ("impact", "rest", "asleep")
STORE = {"contacts": 1, "paths": 4}
# nc_contact_point: python/core/body.c holds the two against each other.
_POINT = np.dtype(
    {
        "names": ["a", "b", "phase", "kind", "feature_a", "feature_b", "point", "normal", "distance", "impulse"],
        "formats": ["i4", "i4", "i4", "i4", "i4", "i4", "3f8", "3f8", "f8", "3f8"],
        "offsets": [0, 8, 16, 20, 24, 28, 32, 56, 80, 88],
        "itemsize": 112,
    }
)

_POSE, _VELOCITY, _SPIN, _FORCE, _TORQUE, _MASS, _ALIVE, _GENERATION = range(8)


class FractureEvent(NamedTuple):
    """A body that broke, or was hit above its threshold and stayed whole (then `reason` says why)."""

    step: int
    body: Body
    name: str
    impulse: float  # [N s]
    threshold: float  # [N s]
    point: Floats  # [m]
    normal: Floats
    pattern: str
    pieces: list[Body]
    reason: str


class Load(NamedTuple):
    """What a kinematic body with a maximum force or torque bore in the last step."""

    force: Floats  # [N] of contacts and joints on it
    torque: Floats  # [N m] about its centre
    pace: float  # part of its script's motion that it made: below 1 it waited
    lag: float  # [s] how much later than its keyframes it is
    max_force: float  # [N] 0: no limit
    max_torque: float  # [N m]


class Acceleration(NamedTuple):
    """How the velocities of a body change."""

    linear: Floats  # [m/s^2] of the centre of mass
    angular: Floats  # [rad/s^2]


class Conflict(NamedTuple):
    """Two bodies that must stay apart, and are not."""

    a: Body
    b: Body
    kind: str  # "touching", "overlapping" or "inside"
    depth: float  # [m] A moved by it along `direction` is free; infinite: no short way was found
    direction: Floats
    point: Floats  # [m]


class Emitter(NamedTuple):
    name: str
    planned: int
    due: int
    appeared: int


class Body(Handle):
    """A handle of a body. When the body is destroyed or breaks, every use raises BadArgument."""

    __slots__ = ()

    def _read(self) -> tuple[Any, ...]:
        row: tuple[Any, ...] = self.world._handle.describe(self._id)
        return row

    # ---- what it is -----------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return str(self._read()[0])

    @property
    def type(self) -> str:
        """"static", "kinematic", "dynamic", or "cloth"."""
        row = self._read()
        return "cloth" if row[2] else TYPES[row[1]]

    @property
    def mass(self) -> float:
        return float(self._read()[4])

    @property
    def friction(self) -> float:
        return float(self._read()[5])

    @property
    def restitution(self) -> float:
        return float(self._read()[6])

    @property
    def kinetic(self) -> float:
        """Kinetic energy [J]."""
        return float(self._read()[11])

    @property
    def mesh(self) -> Mesh:
        """The mesh that the pose applies to: of dynamic bodies its origin is the centre of mass."""
        return Mesh._wrap(self.world._handle.mesh(self._id))

    @property
    def alive(self) -> bool:
        return self.world._handle.exists(self._id)

    @property
    def sleeping(self) -> bool:
        self._read()
        return bool(self.world._handle.state(self._id)[0])

    @property
    def cluster(self) -> Body | None:
        """The first of the bodies that it was joined with in the last step."""
        self._read()
        return self.world._body_or_none(self.world._handle.state(self._id)[1])

    @property
    def blocker(self) -> Body | None:
        """Whom a scripted body waited for in the last step."""
        self._read()
        return self.world._body_or_none(self.world._handle.state(self._id)[2])

    @property
    def load(self) -> Load:
        """Of a kinematic body with a maximum force or torque."""
        force, torque, *rest = self.world._handle.load(self._id)
        return Load(np.array(force), np.array(torque), *rest)

    @property
    def acceleration(self) -> Acceleration | None:
        """Change of its velocities in the last step over the length of the step; an impact counts with its impulse over
        mass and step. None when no step was made since the world was created or restored, or since a body was created,
        moved or removed."""
        found = self.world._handle.acceleration(self._id)
        return None if found is None else Acceleration(np.array(found[0]), np.array(found[1]))

    def set_max_force(self, force: float = 0.0, torque: float = 0.0) -> None:
        """Other limits [N], [N m] for a kinematic body; 0: none."""
        self.world._handle.set_max_force(self._id, float(force), float(torque))

    @property
    def angular_momentum(self) -> Floats:
        """About the centre of mass [kg m^2/s]."""
        return np.array(self.world._handle.state(self._id)[4])

    @property
    def color(self) -> str | None:
        """"#rrggbb", or None. Set: such a text, a name of nacre.colors(), or None. Pictures alone show it."""
        value: str | None = self._read()[12]
        return value

    @color.setter
    def color(self, value: str | None) -> None:
        self.world._handle.set_appearance(self._id, value, self.material)

    @property
    def material(self) -> str:
        """A name of nacre.materials(), or ""."""
        return str(self._read()[13])

    @material.setter
    def material(self, value: str) -> None:
        self.world._handle.set_appearance(self._id, self.color, value)

    # ---- where it is ----------------------------------------------------------------------------------------

    @property
    def position(self) -> Floats:
        """Centre of mass [m]; an array of its own. Set: moved there at once; refused where something is."""
        return np.array(self._read()[7])

    @position.setter
    def position(self, value: Vector) -> None:
        self.move(value)

    @property
    def orientation(self) -> Floats:
        """Quaternion (w, x, y, z)."""
        return np.array(self._read()[8])

    @orientation.setter
    def orientation(self, value: Vector) -> None:
        self.move(None, value)

    @property
    def pose(self) -> Pose:
        row = self._read()
        return Pose(np.array(row[7]), np.array(row[8]))

    @pose.setter
    def pose(self, value: Any) -> None:
        self.world._handle.move(self._id, *_pose(value))

    def move(self, position: Vector | None = None, orientation: Vector | None = None) -> None:
        """Sets the pose, whatever lies between; raises Intersecting where it would share a point with another."""
        row = self._read()
        x = row[7] if position is None else _vec(position, "the position")
        q = row[8] if orientation is None else _vec(orientation, "the orientation", 4)
        self.world._handle.move(self._id, x, q)

    @property
    def velocity(self) -> Floats:
        return np.array(self._read()[9])

    @velocity.setter
    def velocity(self, value: Vector) -> None:
        self.world._handle.set_velocity(self._id, _vec(value, "the velocity"), self._read()[10])

    @property
    def spin(self) -> Floats:
        """Angular velocity [rad/s], world axes."""
        return np.array(self._read()[10])

    @spin.setter
    def spin(self, value: Vector) -> None:
        self.world._handle.set_velocity(self._id, self._read()[9], _vec(value, "the spin"))

    @property
    def vertices(self) -> Floats:
        """World positions of its vertices, as an array of its own; of cloth where each is."""
        row = self._read()
        if not row[3]:
            return self.mesh.transformed((row[7], row[8]))
        x, v = np.empty((row[3], 3)), np.empty((row[3], 3))
        self.world._handle.vertices(self._id, x, v)
        return x

    @property
    def vertex_velocities(self) -> Floats:
        """Velocities of the vertices of cloth [m/s]."""
        count = self._read()[3]
        x, v = np.empty((count, 3)), np.empty((count, 3))
        self.world._handle.vertices(self._id, x, v)
        return v

    @property
    def triangles(self) -> npt.NDArray[np.int32]:
        """Rows of `vertices`."""
        if self._read()[3]:
            return np.frombuffer(self.world._handle.cloth_triangles(self.index), np.int32).reshape(-1, 3)
        return self.mesh.triangles

    # ---- what acts on it ------------------------------------------------------------------------------------

    @property
    def force(self) -> Floats:
        """[N] through the centre of mass, acting in every step until set again."""
        self._read()
        return np.array(self.world.force[self.index])

    @force.setter
    def force(self, value: Vector) -> None:
        self.world._handle.set_force(self._id, _vec(value, "the force"), tuple(self.torque))

    @property
    def torque(self) -> Floats:
        """[N m], acting in every step until set again."""
        self._read()
        return np.array(self.world.torque[self.index])

    @torque.setter
    def torque(self, value: Vector) -> None:
        self.world._handle.set_force(self._id, tuple(self.force), _vec(value, "the torque"))

    def push(self, impulse: Vector, at: Vector | None = None) -> None:
        """An impulse [N s] at a world point [m] (the centre of mass), at once."""
        point = self._read()[7] if at is None else _vec(at, "the point")
        self.world._handle.apply_impulse(self._id, _vec(impulse, "the impulse"), point)

    @property
    def script(self) -> Script | None:
        """Moves a kinematic body: a function of the time [s] that returns a pose (or a position). Before each step it
        is called with the time at the end of the step; the body goes there, or waits where something blocks it."""
        return self.world._scripts.get(self._id)

    @script.setter
    def script(self, value: Script | None) -> None:
        self._read()
        if value is None:
            self.world._scripts.pop(self._id, None)
            self.world._handle.set_velocity(self._id, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        elif self.type != "kinematic":
            raise ValueError(f"{self!r} is {self.type}: scripts move kinematic bodies")
        else:
            self.world._scripts[self._id] = value

    def fracture(
        self,
        threshold: float | None,
        pattern: str | Sequence[Mesh] = "graded",
        seed: int = 0,
        method: str = "auto",
        cells: int = 55,
        gap: float = 0.0,
        crumb: float = 1e-4,
        aligned: bool = False,
        generations: int = 4,
        density: float = 1000.0,
        thickness: float = 0.01,
        center: Vector = (0.0, 0.0, 0.0),
        normal: Vector = (0.0, 0.0, 1.0),
        **parameters: float,
    ) -> None:
        """Makes it breakable by a collision with an impulse above the threshold [N s]; None: unbreakable again.
        docs/fracture.md. A pattern of meshes are closed meshes that tile a box; `center`, from -1/2 to 1/2, is the point of
        impact in that box, and `normal` the direction of the impact."""
        if threshold is None:
            self.world._handle.clear_fracture(self._id)
            return
        if method not in METHODS:
            raise ValueError(f"method is {method!r}; one of {', '.join(METHODS)} is expected")
        rows = tuple((key, float(value)) for key, value in parameters.items())
        name, meshes = (pattern, ()) if isinstance(pattern, str) else (None, tuple(mesh._handle for mesh in pattern))
        self.world._handle.set_fracture(
            self._id, float(threshold), name, rows, seed, METHODS.index(method), cells, gap, crumb, aligned, generations, density, thickness,
            meshes, _vec(center, "the centre"), _vec(normal, "the normal"),
        )  # fmt: skip

    @property
    def threshold(self) -> float:
        """[N s] above which it breaks; 0: it does not."""
        self._read()
        return float(self.world._handle.state(self._id)[3])

    def destroy(self) -> None:
        self.world._handle.destroy(self._id)

    def __repr__(self) -> str:
        if not self.world._handle.exists(self._id):
            return f"<nacre.Body {self.index}, which does not exist any more>"
        return f"<nacre.Body {self.index} {self.name!r}, {self.type}>"


class World:
    """A world, made from a Scene, a dict or a scene file; or empty, with keys of the block `world` as keywords:
    `World(gravity=(0, -9.8, 0), friction=0.5)`. A world belongs to one thread at a time; the GIL is released while it
    steps, so worlds of several threads run side by side."""

    def __init__(self, scene: SceneLike | None = None, /, *overrides: str, workers: int | None = None, contacts: bool = True, **keys: Any) -> None:
        source: Scene | None
        if scene is None:
            source = Scene(**keys)
        elif keys:
            raise TypeError(f"keywords ({', '.join(keys)}) are for worlds without a scene; use overrides: 'world.friction=0.5'")
        elif isinstance(scene, Scene):
            source = scene
        elif isinstance(scene, Mapping):
            source = Scene(scene)
        else:
            source = None
        if source is not None:
            core = source._load(overrides)
        else:
            core = _core.Scene(os.fspath(scene), None, overrides)  # type: ignore[arg-type]
        view = core.view()
        self.scene_text: str = view["text"]
        self.title: str = view["title"]
        self.notes: list[str] = view["notes"]
        self.timestep: float = view["timestep"]
        self.steps_planned: int = view["steps"]
        self.is_cloth: bool = view["is_cloth"]
        self._handle = _core.World(core, -1 if workers is None else workers, scene is None)
        if contacts and not self.is_cloth:
            self._handle.trace_contacts(True)
        self._scripts: dict[tuple[int, int], Script] = {}
        self._recorder: Recorder | None = None
        self._views: dict[int, tuple[object, Any]] = {}

    # ---- stepping -------------------------------------------------------------------------------------------

    def step(self, count: int = 1, dt: float | None = None) -> None:
        """Advances by `count` steps of the scene's timestep, or of dt [s]. On any error, KeyboardInterrupt included,
        the world is as it was before the step that failed."""
        length = self.timestep if dt is None else float(dt)
        if not self._attended:
            self._handle.step(length, count)
            return
        for _ in range(count):
            self._play(length)
            self._handle.step(length, 1)
            if self._recorder is not None:
                self._recorder._append()

    @property
    def _attended(self) -> bool:
        """Do Python functions act before or after each step?"""
        return bool(self._scripts) or self._recorder is not None

    def _play(self, dt: float) -> None:
        if not dt > 0:
            return  # the step refuses it
        for key, script in list(self._scripts.items()):
            if not self._handle.exists(key):
                del self._scripts[key]
                continue
            target = _pose(script(self.time + dt))
            row = self._handle.describe(key)
            velocity = tuple((b - a) / dt for a, b in zip(row[7], target[0]))
            spin = tuple(part / dt for part in _turn(row[8], target[1]))
            self._handle.set_velocity(key, velocity, spin)

    def run(self, seconds: float | None = None) -> Iterator[int]:
        """Steps for so many seconds, or to the end of the scene's duration, and yields the number of each step."""
        if seconds is None:
            count = max(0, self.steps_planned - self.step_count)
        else:
            count = int(round(seconds / self.timestep))
        for _ in range(count):
            self.step()
            yield self.step_count

    @property
    def time(self) -> float:
        """[s]"""
        return self._handle.clock()[0]

    @property
    def step_count(self) -> int:
        return self._handle.clock()[1]

    @property
    def pipeline(self) -> str:
        return self._handle.clock()[2]

    @property
    def report(self) -> dict[str, Any]:
        """What the last step did: the columns of the table `report` (docs/run-file.md)."""
        return self._handle.report()

    def measure(self) -> dict[str, Any]:
        """Energies and momenta of the current state."""
        return self._handle.measure()

    def check(self) -> dict[str, Any]:
        """Makes sure that no two bodies touch, as the first step does; raises Intersecting."""
        return self._handle.check()

    def audit(self) -> list[tuple[Body, Body, Floats]]:
        """Pairs that share a point now, by exact arithmetic, with the point: always empty, unless Nacre has a defect."""
        return [(Body(self, a), Body(self, b), np.array(point)) for a, b, point in self._handle.audit()]

    def audit_step(self) -> list[tuple[Body, Body, float, Floats]]:
        """Pairs that shared a point during the last step, with the part of the step [1] and the point: exact tests at 128
        times of the motion. Always empty, unless Nacre has a defect."""
        return [(Body(self, a), Body(self, b), t, np.array(point)) for a, b, t, point in self._handle.audit_step()]

    def conflicts(self, limit: float = 0.02) -> list[Conflict]:
        """Pairs that touch, overlap, or of which one is inside the other, before the first step."""
        return [
            Conflict(Body(self, a), Body(self, b), CONFLICTS[kind], depth, np.array(direction), np.array(point))
            for a, b, kind, _, depth, direction, point in self._handle.conflicts(float(limit))
        ]

    def repair(self, limit: float = 0.02, rounds: int = 60, pinned: Sequence[Body] = ()) -> list[tuple[Body, Floats, Floats]]:
        """Before the first step: moves bodies that touch or overlap apart by the least motion, at most by the part `limit`
        of the smaller one. Returns (body, travel [m], rotation [rad]); raises Intersecting, and nothing moved, when that
        cannot be done. `Scene.repair` does it to a scene. docs/theory/repair.md."""
        rows = self._handle.repair(float(limit), rounds, tuple(body._id for body in pinned))
        return [(Body(self, body), np.array(travel), np.array(rotation)) for body, travel, rotation in rows]

    @property
    def emitters(self) -> list[Emitter]:
        """The scene's emitters: bodies in all, those due by now, and those that have appeared."""
        return [Emitter(*row) for row in self._handle.emitters()]

    def trace_merit(self, on: bool = True) -> None:
        """From now on steps of the pipeline vsp measure the merit of their solve (docs/theory/vsp.md): `merit`."""
        self._handle.trace_merit(on)

    @property
    def merit(self) -> Floats:
        """In the last step: before the first iteration and after each; empty when it was not measured."""
        return np.frombuffer(self._handle.merit(), np.float64)

    def trace_audit(self, on: bool = True) -> None:
        """Of cloth: from now on every linear piece between kicks is tested exactly; the report counts `crossings`."""
        self._handle.trace_audit(on)

    # ---- columns --------------------------------------------------------------------------------------------

    def _column(self, k: int, width: int, offset: int = 0) -> Floats:
        memory = self._handle.column(k)
        cached = self._views.get(4 * k + (offset > 0))
        if cached is not None and cached[0] is memory:
            view: Floats = cached[1]
            return view
        stride = 56 if k == _POSE else 8 * width
        rows = memoryview(memory).nbytes // stride
        view = np.ndarray((rows, width), np.float64, memory, offset, (stride, 8))
        self._views[4 * k + (offset > 0)] = (memory, view)
        return view

    @property
    def x(self) -> Floats:
        """Positions of the centres of mass [m], (rows, 3): a read-only view of the library's memory, row `index` of a
        Body. Steps change what it shows. After bodies were created or a snapshot was restored take it again: an old
        view stays readable, but may show the past."""
        return self._column(_POSE, 3)

    @property
    def q(self) -> Floats:
        """Orientations (w, x, y, z), (rows, 4): a view as `x`."""
        return self._column(_POSE, 4, 24)

    @property
    def v(self) -> Floats:
        """Velocities [m/s], (rows, 3): a view as `x`."""
        return self._column(_VELOCITY, 3)

    @property
    def w(self) -> Floats:
        """Angular velocities [rad/s], (rows, 3): a view as `x`."""
        return self._column(_SPIN, 3)

    @property
    def force(self) -> Floats:
        return self._column(_FORCE, 3)

    @property
    def torque(self) -> Floats:
        return self._column(_TORQUE, 3)

    @property
    def mass(self) -> Floats:
        """[kg] (rows,); 0 for static and kinematic bodies."""
        return self._column(_MASS, 1)[:, 0]

    @property
    def alive(self) -> npt.NDArray[np.bool_]:
        """Which rows are bodies: rows of destroyed ones stay until a new body takes them."""
        return np.frombuffer(self._handle.column(_ALIVE), np.bool_)

    # ---- bodies ---------------------------------------------------------------------------------------------

    @property
    def bodies(self) -> list[Body]:
        return [Body(self, handle) for handle in self._handle.bodies()]

    @property
    def names(self) -> list[str]:
        return [self._handle.describe(handle)[0] for handle in self._handle.bodies()]

    def __len__(self) -> int:
        return len(self._handle.bodies())

    def __iter__(self) -> Iterator[Body]:
        return iter(self.bodies)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._handle.find(name) is not None

    def __getitem__(self, name: str) -> Body:
        handle = self._handle.find(name)
        if handle is None:
            raise KeyError(name)
        return Body(self, handle)

    def _body_or_none(self, handle: tuple[int, int]) -> Body | None:
        return Body(self, handle) if handle != (0, 0) else None

    def add(
        self,
        mesh: Mesh,
        position: Vector = (0.0, 0.0, 0.0),
        orientation: Vector = (1.0, 0.0, 0.0, 0.0),
        *,
        type: str = "dynamic",
        name: str | None = None,
        density: float = 1000.0,
        thickness: float = 0.01,
        area_density: float = 0.0,
        mass: float = 0.0,
        matter: str = "auto",
        velocity: Vector = (0.0, 0.0, 0.0),
        spin: Vector = (0.0, 0.0, 0.0),
        friction: float | None = None,
        restitution: float | None = None,
        keyframes: Sequence[tuple[float, Vector, Vector]] = (),
        inertia: Any = None,
        center: Vector = (0.0, 0.0, 0.0),
        color: str | None = None,
        material: str = "",
        max_force: float = 0.0,
        max_torque: float = 0.0,
    ) -> Body:
        """Creates a body; `position` places the origin of the mesh. In a world that was stepped it raises Intersecting
        where it would share a point with another. `keyframes` are (time, position, orientation). With an `inertia` (3, 3)
        [kg m^2] about `center` [m], and a `mass`, the geometry decides neither. A kinematic body whose motion is opposed
        with more than `max_force` [N] or `max_torque` [N m] waits (`Body.load`)."""
        if type not in TYPES:
            raise ValueError(f"type is {type!r}; one of {', '.join(TYPES)} is expected")
        keys = np.array([(float(t), *_vec(x, "a keyframe's position"), *_vec(q, "its orientation", 4)) for t, x, q in keyframes], dtype=np.float64)
        own = b"" if inertia is None else np.array([*_vec(center, "the centre"), *np.asarray(inertia, dtype=np.float64).reshape(9)])
        handle = self._handle.create(
            TYPES.index(type), name, mesh._handle,
            (_matter(matter), float(density), float(area_density), float(thickness), float(mass)),
            _vec(position, "the position"), _vec(orientation, "the orientation", 4), _vec(velocity, "the velocity"),
            _vec(spin, "the spin"), -1.0 if friction is None else float(friction),
            -1.0 if restitution is None else float(restitution), keys, color, material, own,
            float(max_force), float(max_torque),
        )  # fmt: skip
        return Body(self, handle)

    @property
    def joints(self) -> list[Joint]:
        """Broken ones included."""
        return [Joint(self, handle) for handle in self._handle.joints()]

    def joint(self, name: str) -> Joint:
        handle = self._handle.find_joint(name)
        if handle is None:
            raise KeyError(name)
        return Joint(self, handle)

    def add_joint(
        self,
        kind: str,
        body: Body | None = None,
        to: Body | None = None,
        *,
        anchor: Vector = (0.0, 0.0, 0.0),
        axis: Vector = (1.0, 0.0, 0.0),
        axis_y: Vector = (0.0, 0.0, 0.0),
        anchor_b: Vector = (0.0, 0.0, 0.0),
        length: tuple[float, float] = (-1.0, -1.0),
        axes: Mapping[str, Mapping[str, Any]] | None = None,
        gears: tuple[Joint, Joint] | None = None,
        ratio: float = 1.0,
        break_force: float = 0.0,
        break_torque: float = 0.0,
        breaks: str = "joint",
        collide: str | bool = "auto",
        name: str | None = None,
        **own: Any,
    ) -> Joint:
        """Joins a body to another, or to the world. Anchors and axes are those of the world, where the bodies are now.
        `limits` (lower, upper), `restitution`, `friction`, `stiffness`, `damping` and `rest` are those of a hinge, a
        slider or a distance; other kinds have `axes={"turn_x": {...}}`. A distance has a `length` (least, most; negative:
        as it is). `breaks` says what breaks with it: "joint", or also "body", "to" or "both", where these have a fracture.
        Joint.drive drives it. docs/joints.md has kinds and units."""
        if kind not in KINDS:
            raise ValueError(f"kind is {kind!r}; one of {', '.join(KINDS)} is expected")
        if collide not in COLLIDE:
            raise ValueError(f"collide is {collide!r}; 'auto', True or False is expected")
        if breaks not in BREAKS:
            raise ValueError(f"breaks is {breaks!r}; one of {', '.join(BREAKS)} is expected")
        keys = {axis_index(axis_name, kind): values for axis_name, values in (axes or {}).items()}
        if own:
            keys[axis_index(None, kind)] = own
        first, second = gears or (None, None)
        handle = self._handle.create_joint(
            KINDS.index(kind), name, body._id if body else (0, 0), to._id if to else (0, 0),
            _vec(anchor, "the anchor"), _vec(anchor_b, "the other anchor"), _vec(axis, "the axis"), _vec(axis_y, "axis_y"),
            (float(length[0]), float(length[1])), tuple(axis_row(keys.get(k, {})) for k in range(len(AXES))),
            first._id if first else (0, 0), second._id if second else (0, 0), float(ratio),
            float(break_force), float(break_torque), COLLIDE.index(collide), BREAKS.index(breaks),
        )  # fmt: skip
        return Joint(self, handle)

    @property
    def joint_breaks(self) -> list[JointBreak]:
        """Since the world was made or restored."""
        return [JointBreak(Joint(self, row[0]), *row[1:]) for row in self._handle.joint_breaks()]

    def exempt(self, a: Body, b: Body) -> None:
        """The two may pass through each other."""
        self._handle.exempt(a._id, b._id)

    def set_pair(self, a: Body, b: Body, friction: float | None = None, restitution: float | None = None) -> None:
        """Friction and restitution of one pair; None: by the rules."""
        self._handle.set_pair(a._id, b._id, -1.0 if friction is None else friction, -1.0 if restitution is None else restitution)

    def read_pair(self, a: Body, b: Body) -> tuple[float, float]:
        """Friction and restitution that a pair has."""
        return self._handle.read_pair(a._id, b._id)

    def pair_matters(self, a: Body, b: Body) -> bool:
        """Must the two stay apart? Not when both are static, or exempt."""
        return self._handle.pair_matters(a._id, b._id)

    def fractures(self, first: int = 0) -> list[FractureEvent]:
        """What broke, or stayed whole above its threshold, since the world was made or restored."""
        events = []
        for row in self._handle.fractures(first):
            step, body, name, impulse, threshold, point, normal, pattern, pieces, reason = row
            pieces_ = [Body(self, piece) for piece in pieces]
            events.append(FractureEvent(step, Body(self, body), name, impulse, threshold, np.array(point), np.array(normal), pattern, pieces_, reason))
        return events

    @property
    def contacts(self) -> npt.NDArray[Any]:
        """Where impulses acted in the last step, as a structured array: `a`, `b` (rows of bodies), `point` [m], `normal`
        (unit, from B to A), `distance` [m], `impulse` [N s] (on A; the opposite acted on B), `phase` (0 impact, 1 rest, 2
        asleep: nacre.PHASES), `kind`, `feature_a`, `feature_b` (nacre.FEATURES). Points without an impulse are not there.
        Empty when the world was made with contacts=False. docs/run-file.md says what the numbers leave out."""
        if self.is_cloth:
            error = Unsupported(
                "contacts of cloth are not recorded: penalty layers kick vertices many times within a frame, each on a clock of its own; "
                "world.report has their number (contact_kicks), their energy (contact_energy) and the smallest distance"
            )
            error.code = "NC_UNSUPPORTED"
            raise error
        return np.frombuffer(self._handle.contacts(), _POINT)

    def pair_forces(self) -> dict[tuple[int, int], Floats]:
        """The mean force [N] on A of every pair in contact in the last step: (row of A, row of B) -> (3,)."""
        contacts, dt = self.contacts, float(self.report["dt"])
        forces: dict[tuple[int, int], Floats] = {}
        for a, b, impulse in zip(contacts["a"].tolist(), contacts["b"].tolist(), contacts["impulse"]):
            forces[a, b] = forces.get((a, b), np.zeros(3)) + impulse / dt
        return forces

    # ---- settings -------------------------------------------------------------------------------------------

    @property
    def settings(self) -> dict[str, Any]:
        """All settings, as a dict of its own; `world.set(friction=0.5)` changes some."""
        return {key: _choice_name(key, value) for key, value in self._handle.settings().items()}

    def set(self, **settings: Any) -> None:
        """Changes settings between steps: keys of the scene's block `world`, with `vsp_` before those of `world.vsp`."""
        known = self._handle.settings()
        changed = {}
        for key, value in settings.items():
            name = key if key in known else key.replace("vsp_", "vsp.", 1)
            if name not in known:
                raise TypeError(f"a world has no setting {key!r}")
            changed[name] = _setting_value(name, value, known[name])
        self._handle.set_settings(changed)

    # ---- the state ------------------------------------------------------------------------------------------

    @property
    def hash(self) -> int:
        """Of everything that decides the future: equal hashes, equal futures. As `nacre run` prints it: f"{hash:016x}"."""
        return self._handle.hash()

    def snapshot(self) -> bytes:
        """The whole state."""
        return self._handle.save()

    def restore(self, snapshot: bytes) -> None:
        """Puts a snapshot of this world, or of one made from the same scene, back. Scripts stay."""
        self._handle.restore(snapshot)

    def record(self, path: str | os.PathLike[str], overwrite: bool = False, store: Sequence[str] = ()) -> Recorder:
        """Stores the state now, and after every step, in a run file: `with world.record("a.nacre"): ...`. `store` may name
        "contacts" and "paths"."""
        if self._recorder is not None:
            raise ValueError("the world is being recorded already")
        return Recorder(self, path, overwrite, _store_flags(store))

    def __repr__(self) -> str:
        return f"<nacre.World{f' {self.title!r}' if self.title else ''}: {len(self)} bodies, {self.time:g} s>"


class Recorder:
    """Writes a run file of a world while it is stepped."""

    def __init__(self, world: World, path: str | os.PathLike[str], overwrite: bool, store: int) -> None:
        self.path = os.fspath(path)
        self._world = world
        self._run: _core.Run | None = _core.run_create(self.path, world._handle, "", world.title, world.timestep, 1, overwrite, store)
        world._recorder = self

    def _append(self) -> None:
        if self._run is not None:
            self._run.append(self._world._handle, False)

    def close(self) -> None:
        if self._run is None:
            return
        run, self._run = self._run, None
        self._world._recorder = None
        run.append(self._world._handle, True)
        run.close()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *args: object) -> None:
        self.close()


def _store_flags(store: Sequence[str]) -> int:
    for what in store:
        if what not in STORE:
            raise ValueError(f"store has {what!r}; contacts and paths can be stored")
    return sum({STORE[what] for what in store})


def _turn(from_q: Sequence[float], to_q: Sequence[float]) -> Floats:
    """The shortest rotation vector [rad] from one orientation to another, in world axes."""
    a, b = np.asarray(from_q, dtype=float), np.asarray(to_q, dtype=float)
    w = float(a @ b)
    v = a[0] * b[1:] - b[0] * a[1:] - np.cross(b[1:], a[1:])
    if w < 0:
        w, v = -w, -v
    size = float(np.linalg.norm(v))
    return np.asarray(v * (2.0 * np.arctan2(size, w) / size) if size > 0 else 2.0 * v)


def _choices(key: str) -> list[str] | None:
    block, _, name = key.rpartition(".")
    entry = _blocks()[block or "world"]["properties"].get(name, {})
    for part in entry.get("allOf", ()):
        if "enum" in part and part["enum"] != [True, False]:
            return list(part["enum"])
    return None


def _choice_name(key: str, value: Any) -> Any:
    names = _choices(key)
    return names[value] if names is not None and isinstance(value, int) else value


def _setting_value(key: str, value: Any, old: Any) -> Any:
    names = _choices(key)
    if names is not None:
        if value not in names:
            raise ValueError(f"{key} is {value!r}; one of {', '.join(map(str, names))} is expected")
        return names.index(value)
    if isinstance(old, tuple):
        return _vec(value, key)
    if isinstance(old, bool):
        return bool(value)
    return int(value) if isinstance(old, int) else float(value)
