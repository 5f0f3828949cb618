"""Nacre: rigid bodies, shells and cloth in which no two surfaces ever cross.

    scene = nacre.Scene(gravity=(0, -9.8, 0), timestep=1 / 60)
    world = nacre.World(scene)
    run = nacre.open("run.nacre")

docs/python.md has the rest."""
from __future__ import annotations

from . import _core
from ._errors import (
    BadArgument,
    BadFile,
    BadScene,
    BrokenPromise,
    Error,
    Interrupted,
    Intersecting,
    IOFailure,
    Jammed,
    NotFound,
    OutOfMemory,
    Unsupported,
)
from ._image import read_exr
from ._joint import Joint, JointBreak
from ._many import Batch, map
from ._mesh import (
    FEATURES,
    Crossing,
    Distance,
    Intersection,
    MassProperties,
    Material,
    Mesh,
    Motion,
    Pose,
    Sweep,
    Trajectory,
    ccd_edge_edge,
    ccd_vertex_triangle,
    check,
    colors,
    distance,
    materials,
    point_segment_distance,
    point_triangle_distance,
    proximity,
    rotation_matrix,
    segment_segment_distance,
    shapes,
    sweep,
    trajectory,
)
from ._run import Run, RunBody, RunFracture, Summary, Verdict, judge, open, simulate
from ._scene import Box, Scene, Shape, generators, schema, to_yaml
from ._world import PHASES, Acceleration, Body, Conflict, Emitter, FractureEvent, Load, Recorder, World

__version__ = _core.version().split()[0]
library_version = _core.version()

__all__ = [
    "Acceleration", "BadArgument", "BadFile", "BadScene", "Batch", "Body", "Box", "BrokenPromise", "Conflict", "Crossing", "Distance",
    "Emitter", "Error", "FEATURES", "FractureEvent", "IOFailure", "Interrupted", "Intersecting", "Intersection",
    "Jammed", "Joint", "JointBreak", "Load", "MassProperties", "Material", "Mesh", "Motion", "NotFound", "OutOfMemory", "PHASES", "Pose", "Recorder",
    "Run", "RunBody", "RunFracture", "Scene", "Shape", "Summary", "Sweep", "Trajectory", "Unsupported", "Verdict",
    "World", "ccd_edge_edge", "ccd_vertex_triangle", "check", "colors", "distance", "generators", "judge",
    "library_version", "map", "materials", "open", "point_segment_distance", "point_triangle_distance", "proximity",
    "read_exr", "rotation_matrix", "schema", "segment_segment_distance", "shapes", "simulate", "sweep", "to_yaml", "trajectory",
]  # fmt: skip
