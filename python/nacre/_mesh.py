"""Meshes, poses, and queries that need no world."""
from __future__ import annotations

import os
from typing import Any, Iterable, NamedTuple, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _core

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Vector = Union[Sequence[float], Floats]

MATTER = ("auto", "solid", "shell", "wire", "dust")
ELEMENTS = ("triangle", "edge", "point")
FEATURES = ("vertex-face", "face-vertex", "edge-edge", "vertex-edge", "edge-vertex", "vertex-vertex")
VERDICTS = ("clear", "hit", "undecided")


def _vec(value: Any, what: str, length: int = 3) -> tuple[float, ...]:
    try:
        parts = tuple(float(part) for part in value)
    except TypeError:
        parts = ()
    if len(parts) != length:
        raise ValueError(f"{what} is {value!r}; {length} numbers are expected")
    return parts


class Pose(NamedTuple):
    """Where a rigid thing is: a point v of its mesh is at x + R(q) v, q = (w, x, y, z)."""

    x: Vector = (0.0, 0.0, 0.0)
    q: Vector = (1.0, 0.0, 0.0, 0.0)


class Motion(NamedTuple):
    """Rigid motion over t in [0, 1]: from `start` by `travel` [m] while it turns by the vector `rotation` [rad]."""

    start: Pose = Pose()
    travel: Vector = (0.0, 0.0, 0.0)
    rotation: Vector = (0.0, 0.0, 0.0)


PoseLike = Union[Pose, tuple[Any, Any], Sequence[float], Floats, None]


def _pose(pose: PoseLike) -> tuple[tuple[float, ...], tuple[float, ...]]:
    if pose is None:
        return (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
    if len(pose) == 7:
        return _vec(pose[:3], "the position"), _vec(pose[3:], "the orientation", 4)
    if len(pose) == 3:
        return _vec(pose, "the position"), (1.0, 0.0, 0.0, 0.0)
    if len(pose) == 2:
        return _vec(pose[0], "the position"), _vec(pose[1], "the orientation", 4)
    raise ValueError("a pose is (x, q), seven numbers, a position, or None")


class MassProperties(NamedTuple):
    mass: float  # [kg]
    center: Floats  # [m]
    inertia: Floats  # [kg m^2] (3, 3), about the centre


class Mesh:
    """A soup of triangles, edges and points; immutable. Arrays of it are views of the library's memory."""

    def __init__(self, vertices: Any, triangles: Any = (), edges: Any = (), points: Any = ()) -> None:
        v = np.ascontiguousarray(vertices, dtype=np.float64).reshape(-1, 3)
        rows = [np.ascontiguousarray(part, dtype=np.int32) for part in (triangles, edges, points)]
        for part, columns, what in zip(rows, (3, 2, 1), ("triangles", "edges", "points")):
            if part.size % columns:
                raise ValueError(f"{what} have {part.size} numbers, which is no multiple of {columns}")
        self._use(_core.mesh_create(v, *rows))

    def _use(self, handle: _core.Mesh) -> None:
        self._handle = handle
        vertices, triangles, edges, free, points = handle.arrays()
        self.vertices: Floats = np.frombuffer(vertices, np.float64).reshape(-1, 3)
        self.triangles: Ints = np.frombuffer(triangles, np.int32).reshape(-1, 3)
        self.edges: Ints = np.frombuffer(edges, np.int32).reshape(-1, 2)
        self.edge_is_free = np.frombuffer(free, np.uint8).astype(bool)
        self.points: Ints = np.frombuffer(points, np.int32)
        low, high, self.radius, self.closed, self.hash = handle.info()
        self.bounds: Floats = np.array([low, high])

    @classmethod
    def _wrap(cls, handle: _core.Mesh) -> Mesh:
        mesh = cls.__new__(cls)
        mesh._use(handle)
        return mesh

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Mesh:
        """Reads OBJ in double precision, and what assimp reads (STL, PLY, glTF, ...) in single precision."""
        return cls._wrap(_core.mesh_load(os.fspath(path)))

    @classmethod
    def load_all(cls, path: str | os.PathLike[str]) -> list[Mesh]:
        """All meshes of a .glb (every node, at its pose), an .obj (every object), or the files of a folder."""
        return [cls._wrap(handle) for handle in _core.mesh_load_all(os.fspath(path))]

    @classmethod
    def shape(cls, name: str, **parameters: float) -> Mesh:
        """A procedural shape: `Mesh.shape("boat", length=0.8)`. nacre.shapes() lists them."""
        return cls._wrap(_core.shape(name, tuple((key, float(value)) for key, value in parameters.items())))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes OBJ with 17 digits: loading it gives the same bits."""
        self._handle.save(os.fspath(path))

    def mass(
        self, density: float = 1000.0, thickness: float = 0.01, mass: float = 0.0, area_density: float = 0.0, matter: str = "auto"
    ) -> MassProperties:
        m, center, inertia = self._handle.mass(_matter(matter), density, area_density, thickness, mass)
        return MassProperties(m, np.array(center), np.array(inertia))

    def sample(self, spacing: float = np.inf) -> Floats:
        """Points of the mesh: its vertices, then points on edges and faces, so that every point of it is within `spacing`
        [m] of one."""
        return np.frombuffer(_core.sample(self._handle, float(spacing)), np.float64).reshape(-1, 3)

    def transformed(self, pose: PoseLike) -> Floats:
        """The vertices at a pose, as an array of its own."""
        x, q = _pose(pose)
        return np.asarray(self.vertices @ rotation_matrix(q).T + np.array(x))

    def __repr__(self) -> str:
        return f"<nacre.Mesh: {len(self.vertices)} vertices, {len(self.triangles)} triangles, {'closed' if self.closed else 'open'}>"


def _matter(name: str) -> int:
    if name not in MATTER:
        raise ValueError(f"matter is {name!r}; one of {', '.join(MATTER)} is expected")
    return MATTER.index(name)


def rotation_matrix(q: Any) -> Floats:
    """R(q) of quaternions (..., 4) as (..., 3, 3)."""
    a = np.asarray(q, dtype=np.float64)
    w, x, y, z = np.moveaxis(a, -1, 0)
    s = 2.0 / (a * a).sum(-1)
    rows = [
        [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
        [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
        [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, -1) for row in rows], -2)


class ShapeParameter(NamedTuple):
    name: str
    unit: str
    about: str
    default: float
    low: float
    high: float
    whole: bool


def shapes() -> dict[str, tuple[str, list[ShapeParameter]]]:
    """All procedural shapes: name -> (what it is, its parameters)."""
    return {name: (about, [ShapeParameter(*row) for row in rows]) for name, about, rows in _core.shapes()}


# ---- queries ------------------------------------------------------------------------------------------------


class Intersection(NamedTuple):
    a: int  # rows of the meshes given
    b: int
    element_a: tuple[str, int]  # ("triangle", row)
    element_b: tuple[str, int]
    point: Floats  # [m]


def check(meshes: Sequence[Mesh], poses: Iterable[PoseLike], pairs: Iterable[tuple[int, int]] | None = None) -> list[Intersection]:
    """Which of the meshes share a point at their poses: exactly, without any tolerance. Touching counts.

    `pairs` are the pairs to test; without it all of them, those whose boxes are apart left out."""
    posed = [_pose(pose) for pose in poses]
    if len(posed) != len(meshes):
        raise ValueError(f"{len(meshes)} meshes and {len(posed)} poses")
    found = []
    for a, b in pairs if pairs is not None else _near_pairs(meshes, posed):
        hit = _core.intersect(meshes[a]._handle, posed[a], meshes[b]._handle, posed[b])
        if hit is not None:
            (ka, ea), (kb, eb), point = hit
            found.append(Intersection(a, b, (ELEMENTS[ka], ea), (ELEMENTS[kb], eb), np.array(point)))
    return found


def _near_pairs(meshes: Sequence[Mesh], posed: list[tuple[tuple[float, ...], tuple[float, ...]]]) -> list[tuple[int, int]]:
    """Pairs whose bounding spheres, enlarged for rounding, touch."""
    if not posed:
        return []
    center = np.array([x for x, _ in posed])
    radius = np.array([mesh.radius for mesh in meshes])
    scale = np.abs(center).max(initial=0.0) + radius.max(initial=0.0)
    if not np.isfinite(scale):  # the library names what is not finite
        return [(a, b) for a in range(len(meshes)) for b in range(a + 1, len(meshes))]
    pairs = []
    for a in range(len(meshes) - 1):
        apart = np.linalg.norm(center[a + 1 :] - center[a], axis=1)
        near = apart <= radius[a + 1 :] + radius[a] + 1e-9 * scale
        pairs += [(a, a + 1 + int(k)) for k in np.nonzero(near)[0]]
    return pairs


class Distance(NamedTuple):
    distance: float  # [m]
    lower_bound: float  # [m] certified: the true distance is not below it
    on_a: Floats  # [m] nearest points
    on_b: Floats
    normal: Floats  # unit, from B to A
    feature: tuple[str, int, int]  # ("vertex-face", row of A, row of B)


def distance(a: Mesh, pose_a: PoseLike, b: Mesh, pose_b: PoseLike) -> Distance:
    """The smallest distance of two surfaces."""
    d, low, on_a, on_b, normal, kind, fa, fb = _core.distance(a._handle, _pose(pose_a), b._handle, _pose(pose_b))
    return Distance(d, low, np.array(on_a), np.array(on_b), np.array(normal), (FEATURES[kind], fa, fb))


PROXIMITY = np.dtype(
    {
        "names": ["kind", "feature_a", "feature_b", "distance", "lower_bound", "on_a", "on_b", "normal"],
        "formats": ["i4", "i4", "i4", "f8", "f8", "3f8", "3f8", "3f8"],
        "offsets": [0, 4, 8, 16, 24, 32, 56, 80],
        "itemsize": 104,
    }
)


def proximity(
    a: Mesh, pose_a: PoseLike, b: Mesh, pose_b: PoseLike, distance: float, every_pair: bool = False, angle: float = np.radians(3.0), flat_too: bool = False, local: bool = False
) -> npt.NDArray[Any]:
    """Features of two meshes that are nearer than `distance` [m], as a structured array: contacts as in a step, or with
    `every_pair` all pairs of features. None that is nearer is missing. docs/theory/proximity.md."""
    rows, _ = _core.proximity(a._handle, _pose(pose_a), b._handle, _pose(pose_b), float(distance), every_pair, float(angle), flat_too, local)
    return np.frombuffer(rows, PROXIMITY)


def _four(points: Any, count: int) -> Floats:
    rows = np.asarray(points, dtype=np.float64)
    if rows.shape != (count, 3):
        raise ValueError(f"{count} points (x, y, z) are expected, not an array of shape {rows.shape}")
    return np.ascontiguousarray(np.concatenate([rows, np.zeros((4 - count, 3))]))


def _simplices(kind: int, points: Floats) -> Distance:
    d, low, on_a, on_b = _core.simplices(kind, points)
    x, y = np.array(on_a), np.array(on_b)
    size = float(np.linalg.norm(x - y))
    return Distance(d, low, x, y, (x - y) / size if size > 0 else np.zeros(3), (("vertex-edge", "vertex-face", "edge-edge")[kind], 0, 0))


def point_segment_distance(point: Any, segment: Any) -> Distance:
    return _simplices(0, _four([point, *segment], 3))


def point_triangle_distance(point: Any, triangle: Any) -> Distance:
    return _simplices(1, _four([point, *triangle], 4))


def segment_segment_distance(a: Any, b: Any) -> Distance:
    return _simplices(2, _four([*a, *b], 4))


class Crossing(NamedTuple):
    verdict: str  # "clear", "hit" or "undecided"
    toi: float  # [1] clear until then
    distance: float  # [m] lower bound of the distance until then


def _moving(edges: bool, start: Any, end: Any, gap: float, tolerance: float) -> Crossing:
    verdict, toi, d = _core.moving_simplices(edges, _four(start, 4), _four(end, 4), float(gap), float(tolerance))
    return Crossing(VERDICTS[verdict], toi, d)


def ccd_vertex_triangle(start: Any, end: Any, gap: float = 0.0, tolerance: float = 1e-6) -> Crossing:
    """When a point and a triangle, rows 0 and 1 to 3, first come within the gap while they move in straight lines from
    `start` to `end`, (4, 3) each. Conservative: never a miss."""
    return _moving(False, start, end, gap, tolerance)


def ccd_edge_edge(start: Any, end: Any, gap: float = 0.0, tolerance: float = 1e-6) -> Crossing:
    """The same for two edges, rows 0 and 1, and 2 and 3."""
    return _moving(True, start, end, gap, tolerance)


class Trajectory(NamedTuple):
    verdict: str  # "clear", "hit" or "undecided"
    toi: float  # [1] all points clear until then
    point: int  # which one; -1 when clear
    place: Floats  # [m] where it is at toi
    normal: Floats  # of the target there; 0 when not known
    queries: int


def trajectory(
    points: Any, motion: Motion, target: Mesh, target_motion: Motion = Motion(), epsilon: float = 1e-6, t_max: float = 1.0, limit: int = 10000, segments: bool = False
) -> Trajectory:
    """When one of the points, fixed to a body on its true curved motion, first touches the target. Edges and faces
    between the points are not covered: `sweep` covers all of a mesh, `Mesh.sample` gives points of one."""
    rows = np.ascontiguousarray(points, dtype=np.float64).reshape(-1, 3)
    m, t = Motion(*motion), Motion(*target_motion)
    verdict, toi, point, place, normal, queries = _core.trajectory(
        rows, _pose(m.start), _vec(m.travel, "travel"), _vec(m.rotation, "rotation"),
        target._handle, _pose(t.start), _vec(t.travel, "travel"), _vec(t.rotation, "rotation"), float(epsilon), float(t_max), limit, segments,
    )  # fmt: skip
    return Trajectory(VERDICTS[verdict], toi, point, np.array(place), np.array(normal), queries)


class Material(NamedTuple):
    color: str  # "#rrggbb" of bodies that name none; "": by body
    roughness: float
    metallic: float
    transmission: float
    sheen: float
    about: str


def colors() -> dict[str, str]:
    """The colours that have names."""
    return dict(_core.colors())


def materials() -> dict[str, Material]:
    """What a body may be made of, for pictures."""
    return {row[0]: Material(*row[1:]) for row in _core.materials()}


class Sweep(NamedTuple):
    verdict: str  # "clear", "hit" or "undecided"
    toi: float  # [1] clear until then
    distance: float  # [m] lower bound of the distance until then
    feature: tuple[str, int, int]
    nearest: Floats  # [m] from B's feature to A's at toi

    @property
    def hit(self) -> bool:
        """Not proven clear."""
        return self.verdict != "clear"


def sweep(a: Mesh, motion_a: Motion, b: Mesh, motion_b: Motion, gap: float = 0.0, tolerance: float = 1e-6, t_max: float = 1.0) -> Sweep:
    """When two moving meshes first come within the gap, on their true curved paths. Conservative: never a miss."""
    ma, mb = Motion(*motion_a), Motion(*motion_b)
    verdict, toi, d, kind, fa, fb, nearest = _core.sweep(
        a._handle, _pose(ma.start), _vec(ma.travel, "travel"), _vec(ma.rotation, "rotation"),
        b._handle, _pose(mb.start), _vec(mb.travel, "travel"), _vec(mb.rotation, "rotation"),
        float(gap), float(tolerance), float(t_max),
    )  # fmt: skip
    return Sweep(VERDICTS[verdict], toi, d, (FEATURES[kind], fa, fb), np.array(nearest))
