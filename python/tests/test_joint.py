"""Joints from Python: closed forms, drives, breaking, stale handles."""
from __future__ import annotations

import math

import numpy as np
import pytest

import nacre

BOX = nacre.Mesh.shape("box", size=0.1)


def world_with_box(**keys: object) -> tuple[nacre.World, nacre.Body]:
    world = nacre.World(gravity=(0, -9.8, 0), timestep=1 / 240, **keys)
    return world, world.add(BOX, (0.5, 0, 0), mass=2, name="box")


def test_a_pendulum_bears_its_weight_and_has_its_period() -> None:
    world, box = world_with_box()
    pivot = world.add_joint("hinge", box, anchor=(0, 0, 0), axis=(0, 0, 1), name="pivot")
    assert world.joints == [pivot] and world.joint("pivot") == pivot
    assert pivot.kind == "hinge" and pivot.bodies == (box, None)
    arm = 2 * 0.5**2 + 2 * 0.1**2 / 6  # [kg m^2] about the pivot
    # From the horizontal it swings down: at the bottom the energy is m g l.
    while pivot.position > -math.pi / 2:
        world.step()
    speed = math.sqrt(2 * 2 * 9.8 * 0.5 / arm)
    assert pivot.velocity == pytest.approx(-speed, rel=0.01)
    assert pivot.force[1] == pytest.approx(2 * 9.8 + 2 * 0.5 * speed**2, rel=0.02)
    assert pivot.error < 1e-9


def test_a_drive_holds_what_its_force_can_and_a_limit_stops() -> None:
    world, box = world_with_box()
    lift = world.add_joint("slider", box, anchor=(0.5, 0, 0), axis=(0, 1, 0), limits=(-0.2, 0.2))
    lift.drive("position", 0.1, max_force=100)
    world.step(240)
    assert lift.position == pytest.approx(0.1, abs=1e-6)
    assert lift.drive_forces[0] == pytest.approx(2 * 9.8, rel=1e-3)
    lift.drive("none")
    world.step(240)
    assert lift.position == pytest.approx(-0.2, abs=1e-3)


def test_a_joint_breaks_and_says_when() -> None:
    world, box = world_with_box()
    joint = world.add_joint("ball", box, anchor=(0.5, 0, 0), break_force=10)
    world.step(3)
    assert joint.broken and [event.joint for event in world.joint_breaks] == [joint]
    assert world.joint_breaks[0].force > 10 and np.all(box.velocity[1] < 0)


def test_wrong_joints_and_stale_handles_raise() -> None:
    world, box = world_with_box()
    with pytest.raises(ValueError, match="kind is 'rope'"):
        world.add_joint("rope", box)
    with pytest.raises(TypeError, match="not colour"):
        world.add_joint("hinge", box, colour=1)
    with pytest.raises(nacre.BadArgument):
        world.add_joint("hinge", box, axis=(0, 0, 0))
    joint = world.add_joint("hinge", box, anchor=(0, 0, 0), axis=(0, 0, 1))
    with pytest.raises(ValueError, match="axis is 'up'"):
        joint.drive("velocity", 1, axis="up")
    joint.destroy()
    with pytest.raises(nacre.BadArgument):
        joint.position
    other = world.add_joint("fixed", box)
    box.destroy()
    with pytest.raises(nacre.BadArgument):
        other.force


def test_a_lift_waits_under_a_weight_above_its_maximum_force() -> None:
    world = nacre.World(gravity=(0, -9.8, 0), timestep=1 / 120)
    lift = world.add(nacre.Mesh.shape("box", width=1, height=0.1, depth=1), (0, -0.05, 0), type="kinematic", velocity=(0, 0.2, 0), max_force=90)
    world.add(nacre.Mesh.shape("box", size=0.4), (0, 0.205, 0), mass=10)
    world.step(12)
    height = lift.position[1]  # where it met the box, which starts 5 mm above it
    world.step(24)
    assert lift.position[1] == height < -0.045 and lift.load.pace == 0 and lift.load.lag > 0
    assert lift.load.max_force == 90 and lift.load.force[1] == pytest.approx(-98, rel=1e-3)
    lift.set_max_force(150)
    world.step(24)
    assert lift.position[1] > -0.03 and lift.load.max_force == 150
