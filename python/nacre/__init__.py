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
from ._many import Batch, map
from ._mesh import FEATURES, Distance, Intersection, MassProperties, Mesh, Motion, Pose, Sweep, check, distance, rotation_matrix, shapes, sweep
from ._run import Run, RunBody, Summary, open, simulate
from ._scene import Box, Scene, Shape, generators, schema, to_yaml
from ._world import PHASES, Body, FractureEvent, Recorder, World

__version__ = _core.version().split()[0]
library_version = _core.version()

__all__ = [
    "FEATURES", "PHASES", "BadArgument", "BadFile", "BadScene", "Batch", "Body", "Box", "BrokenPromise", "Distance", "Error", "FractureEvent", "IOFailure",
    "Interrupted", "Intersecting", "Intersection", "Jammed", "MassProperties", "Mesh", "Motion", "NotFound", "OutOfMemory",
    "Pose", "Recorder", "Run", "RunBody", "Scene", "Shape", "Summary", "Sweep", "Unsupported", "World", "check", "distance",
    "generators", "library_version", "map", "open", "rotation_matrix", "schema", "shapes", "simulate", "sweep", "to_yaml",
]  # fmt: skip
