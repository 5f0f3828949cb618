"""Contacts as data, against closed forms."""
from __future__ import annotations

import pathlib

import numpy as np
import pytest

import nacre

G = 9.8


def floor_world(friction: float = 0.5, tilt: float = 0.0) -> nacre.World:
    world = nacre.World(gravity=(0, -G, 0), timestep=1 / 60, friction=friction)
    world.add(nacre.Mesh.shape("plane", size=20), type="static", orientation=(np.cos(tilt / 2), 0, 0, np.sin(tilt / 2)))
    return world


def test_a_box_on_a_table_presses_with_its_weight() -> None:
    world = floor_world()
    box = world.add(nacre.Mesh.shape("box", size=0.4), (0, 0.201, 0))
    for steps in (60, 240):  # awake, and asleep
        world.step(steps)
        contacts = world.contacts
        assert len(contacts) >= 3 and set(contacts["a"]) == {0} and set(contacts["b"]) == {box.index}
        force = -contacts["impulse"].sum(0) * 60  # on the box
        assert force == pytest.approx([0, G * box.mass, 0], abs=1e-5 * G * box.mass)
        assert np.abs(contacts["normal"] - [0, -1, 0]).max() < 1e-6  # from the box to the table
        assert (contacts["distance"] > 0).all() and np.abs(contacts["point"][:, [0, 2]]).max() < 0.21
        assert world.pair_forces()[0, box.index] == pytest.approx(-force)
    snapshot = world.snapshot()
    world.restore(snapshot)
    assert len(world.contacts) == 0 and not world.pair_forces()  # no step since
    world.step()
    assert len(world.contacts) == len(contacts)
    assert box.sleeping and (contacts["phase"] == nacre.PHASES.index("asleep")).all()


def test_friction_on_a_slope_is_the_part_of_the_weight_along_it() -> None:
    tilt = np.radians(20)
    down, up = np.array([-np.cos(tilt), -np.sin(tilt), 0]), np.array([-np.sin(tilt), np.cos(tilt), 0])
    for friction in (0.8, 0.2):  # holds, slides
        world = floor_world(friction, tilt)
        q = (np.cos(tilt / 2), 0, 0, np.sin(tilt / 2))
        box = world.add(nacre.Mesh.shape("box", width=0.4, height=0.1, depth=0.4), 0.052 * up, q)
        world.step(30)
        contacts = world.contacts
        force = -contacts["impulse"].sum(0) * 60
        normal, along = force @ up, -force @ down
        weight = G * box.mass
        assert normal == pytest.approx(weight * np.cos(tilt), rel=1e-3)
        assert along == pytest.approx(min(weight * np.sin(tilt), friction * weight * np.cos(tilt)), rel=2e-3)


def test_a_pile_stands_on_its_weight(tmp_path: pathlib.Path) -> None:
    scene = nacre.Scene(gravity=(0, -G, 0), timestep=1 / 60, duration=4, friction=0.5)
    ground, box = scene.shape("plane", size=10), scene.shape("box", size=0.3, density=400)
    scene.body(ground, name="ground", type="static")
    scene.pile(box, [2, 3, 2], 0.55, center=[0, 1, 0], seed=5)
    world = nacre.World(scene)
    world.step(240)
    contacts = world.contacts
    on_ground = contacts[(contacts["a"] == 0) | (contacts["b"] == 0)]
    sign = np.where(on_ground["a"] == 0, -1.0, 1.0)[:, None]  # on the boxes
    force = (sign * on_ground["impulse"]).sum(0) * 60
    assert force == pytest.approx([0, G * world.mass.sum(), 0], abs=5e-3 * G * world.mass.sum())
    # Every box is in balance: what it gets from all others is its weight.
    for body in world.bodies[1:]:
        on = contacts["impulse"][contacts["a"] == body.index].sum(0) - contacts["impulse"][contacts["b"] == body.index].sum(0)
        assert on * 60 == pytest.approx([0, G * body.mass, 0], abs=0.03 * G * body.mass)
    # A run file that stores contacts has the same ones.
    done = nacre.simulate(scene, tmp_path / "pile.nacre", store=("contacts",))
    assert done.hash == world.hash
    stored = done.run.contacts(-1)
    assert len(stored) == len(contacts) and np.array_equal(np.sort(stored["impulse"], 0), np.sort(contacts["impulse"], 0))
    total = sum(force if a == 0 else -force for (a, b), force in done.run.forces(-1).items() if 0 in (a, b))
    assert total == pytest.approx([0, -G * world.mass.sum(), 0], abs=5e-3 * G * world.mass.sum())


def test_runs_without_contacts_say_so(tmp_path: pathlib.Path, boxes: nacre.Scene) -> None:
    done = nacre.simulate(boxes, tmp_path / "a.nacre", steps=3)
    with pytest.raises(nacre.Unsupported, match="store"):
        done.run.contacts(0)
    assert len(nacre.World(boxes, contacts=False).contacts) == 0
    with pytest.raises(ValueError, match="store"):
        nacre.simulate(boxes, tmp_path / "b.nacre", store=("contact",))
