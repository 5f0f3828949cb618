"""Joints of live worlds: docs/joints.md has what they do."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, NamedTuple, Sequence

import numpy as np

from ._handle import Handle
from ._mesh import Floats

if TYPE_CHECKING:
    from ._world import Body

KINDS = ("fixed", "hinge", "slider", "ball", "universal", "cylindrical", "planar", "distance", "generic", "gear")
AXES = ("x", "y", "z", "turn_x", "turn_y", "turn_z")
MODES = ("none", "position", "velocity", "force")
COLLIDE: tuple[str | bool, ...] = ("auto", True, False)
BREAKS = ("joint", "body", "to", "both")
OWN_AXIS = {"hinge": "turn_x", "slider": "x", "distance": "x"}
AXIS_KEYS = ("restitution", "friction", "stiffness", "damping", "rest")


class JointBreak(NamedTuple):
    joint: Joint
    step: int
    time: float  # [s]
    force: float  # [N]
    torque: float  # [N m]
    name: str  # of the joint, which is gone if a body broke with it


def axis_row(keys: Mapping[str, Any]) -> tuple[Any, ...]:
    """An axis as the extension takes it: `locked`, `limits` (lower, upper), and numbers."""
    wrong = set(keys) - {"locked", "limits", *AXIS_KEYS}
    if wrong:
        raise TypeError(f"an axis has locked, limits, {', '.join(AXIS_KEYS)}, not {', '.join(sorted(wrong))}")
    limits = keys.get("limits")
    lower, upper = (0.0, 0.0) if limits is None else limits
    numbers = [float(keys.get(key, 0.0)) for key in AXIS_KEYS]
    return (bool(keys.get("locked", False)), limits is not None, float(lower), float(upper), *numbers)


def axis_index(axis: str | None, kind: str) -> int:
    name = OWN_AXIS.get(kind) if axis is None else axis
    if name not in AXES:
        raise ValueError(f"axis is {axis!r}; one of {', '.join(AXES)} is expected (a {kind} has {'no axis' if name is None else 'one'} of its own)")
    return AXES.index(name)


class Joint(Handle):
    """A handle of a joint. When it, or one of its bodies, is destroyed, every use raises BadArgument."""

    __slots__ = ()

    def _read(self) -> tuple[Any, ...]:
        row: tuple[Any, ...] = self.world._handle.read_joint(self._id)
        return row

    @property
    def name(self) -> str:
        return str(self._read()[0])

    @property
    def kind(self) -> str:
        return str(self._read()[1])

    @property
    def bodies(self) -> tuple[Body | None, Body | None]:
        """What moves, and what carries it; None: the world."""
        row = self._read()
        return self.world._body_or_none(row[2]), self.world._body_or_none(row[3])

    @property
    def broken(self) -> bool:
        return bool(self._read()[4])

    @property
    def anchors(self) -> tuple[Floats, Floats]:
        """[m] in the world, of the two bodies."""
        row = self._read()
        return np.array(row[5]), np.array(row[6])

    @property
    def axis(self) -> Floats:
        return np.array(self._read()[7])

    @property
    def positions(self) -> Floats:
        """[m] and [rad] of x, y, z, turn_x, turn_y, turn_z, from where it started; a hinge counts its turns."""
        return np.array(self._read()[8])

    @property
    def velocities(self) -> Floats:
        """[m/s] and [rad/s]."""
        return np.array(self._read()[9])

    @property
    def position(self) -> float:
        """[m] or [rad] of the axis of a hinge, a slider or a distance."""
        row = self._read()
        return float(row[8][axis_index(None, row[1])])

    @property
    def velocity(self) -> float:
        """[m/s] or [rad/s] of that axis."""
        row = self._read()
        return float(row[9][axis_index(None, row[1])])

    @property
    def force(self) -> Floats:
        """[N] of the joint on what moves, mean over the last step, drives included."""
        return np.array(self._read()[10])

    @property
    def torque(self) -> Floats:
        """[N m] about the anchor."""
        return np.array(self._read()[11])

    @property
    def drive_forces(self) -> Floats:
        """[N] and [N m] of the drives."""
        return np.array(self._read()[12])

    @property
    def error(self) -> float:
        """[m] how far the anchors are from where they should be."""
        return float(self._read()[13])

    @property
    def error_angle(self) -> float:
        """[rad]"""
        return float(self._read()[14])

    def drive(
        self,
        mode: str,
        target: float = 0.0,
        *,
        axis: str | None = None,
        max_force: float = 0.0,
        stiffness: float = 0.0,
        damping: float = 0.0,
        amplitude: float = 0.0,
        frequency: float = 0.0,
        phase: float = 0.0,
        keyframes: Sequence[tuple[float, float]] = (),
    ) -> None:
        """Another drive from the next step on: position, velocity, force or none. docs/joints.md has units."""
        if mode not in MODES:
            raise ValueError(f"mode is {mode!r}; one of {', '.join(MODES)} is expected")
        numbers = [float(n) for n in (target, amplitude, frequency, phase, stiffness, damping, max_force)]
        keys = tuple((float(t), float(value)) for t, value in keyframes)
        self.world._handle.set_drive(self._id, axis_index(axis, self.kind), MODES.index(mode), *numbers, keys)

    def destroy(self) -> None:
        self.world._handle.destroy_joint(self._id)

    def __repr__(self) -> str:
        return f"<nacre.Joint {self.index}>"
