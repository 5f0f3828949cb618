"""Live worlds: stepping, views, bodies, errors, threads, Ctrl-C."""
from __future__ import annotations

import gc
import os
import signal
import threading
import time

import numpy as np
import pytest

import nacre


def test_a_body_falls_as_newton_says() -> None:
    world = nacre.World(gravity=(0, -9.8, 0), timestep=1 / 100)
    ball = world.add(nacre.Mesh.shape("sphere", radius=0.1), (0, 5, 0), velocity=(1, 0, 0), name="ball")
    for step in world.run(0.5):
        assert step == world.step_count
    assert world.time == pytest.approx(0.5)
    assert ball.velocity == pytest.approx([1, -4.9, 0])
    assert ball.position == pytest.approx([0.5, 5 - 0.5 * 9.8 * 0.25, 0], abs=1e-9)
    assert ball.kinetic == pytest.approx(0.5 * ball.mass * (1 + 4.9**2))


def test_accelerations_are_changes_of_velocity_over_the_step() -> None:
    world = nacre.World(gravity=(0, -9.8, 0), timestep=1 / 60)
    ball = world.add(nacre.Mesh.shape("box", size=0.4), (0, 5, 0), velocity=(1, 2, 3))
    assert ball.acceleration is None  # no step yet
    world.step(3)
    found = ball.acceleration
    assert found is not None
    assert found.linear == pytest.approx([0, -9.8, 0], abs=1e-11) and found.angular == pytest.approx([0, 0, 0], abs=1e-11)
    world.restore(world.snapshot())
    assert ball.acceleration is None
    world.step()
    again = ball.acceleration
    assert again is not None and again.linear == pytest.approx([0, -9.8, 0], abs=1e-11)


def test_views_are_the_librarys_memory(boxes: nacre.Scene) -> None:
    world = nacre.World(boxes)
    x, q, v, w = world.x, world.q, world.v, world.w
    assert x.shape == (6, 3) and q.shape == (6, 4) and v.shape == (6, 3) and w.shape == (6, 3)
    address = x.ctypes.data
    before = x.copy()
    world.step(10)
    assert not np.array_equal(x, before)  # the same memory, changed by the steps
    assert world.x is x and world.x.ctypes.data == address
    assert q.ctypes.data == address + 24 and x.strides == (56, 8)  # both in the library's column of poses
    assert not x.flags.owndata and not x.flags.writeable
    with pytest.raises(ValueError):
        x[0, 0] = 1
    assert np.array_equal(world["cup"].position, x[world["cup"].index])


def test_views_outlive_growth_and_the_world(boxes: nacre.Scene) -> None:
    world = nacre.World(boxes)
    x = world.x
    seen = x.copy()
    mesh = nacre.Mesh.shape("box", size=0.1)
    for k in range(200):
        world.add(mesh, (k, 20, 0))
    assert len(world.x) == 206 and len(x) == 6
    assert np.array_equal(x, seen)  # what was there before the columns moved
    snapshot = world.snapshot()
    big = world.x
    world.restore(snapshot)
    del world
    gc.collect()
    assert np.array_equal(x, seen) and np.isfinite(big).all()


def test_handles_of_destroyed_bodies_raise(boxes: nacre.Scene) -> None:
    world = nacre.World(boxes)
    cup = world["cup"]
    row = cup.index
    cup.destroy()
    assert not cup.alive and not world.alive[row] and "cup" not in world
    for use in (lambda: cup.position, lambda: cup.force, lambda: cup.mesh, cup.destroy, lambda: cup.sleeping, lambda: cup.push((1, 0, 0))):
        with pytest.raises(nacre.BadArgument, match="does not exist"):
            use()
    with pytest.raises(nacre.BadArgument):
        cup.velocity = (1, 2, 3)
    other = world.add(nacre.Mesh.shape("box", size=0.1), (3, 3, 3))
    assert other.index == row and other.alive and not cup.alive  # the row is used again, the handle stays stale
    with pytest.raises(KeyError):
        world["cup"]


def test_errors_have_the_sentence_the_code_and_the_place() -> None:
    with pytest.raises(nacre.BadScene) as caught:
        nacre.Scene.from_yaml("nacre: 1\nworld: {timestep: 1/60, duratoin: 3}\n")
    error = caught.value
    assert error.code == "NC_BAD_SCENE" and error.line == 2 and error.column and error.column > 1
    assert str(error).startswith("<text>:2:") and "duration" in str(error)
    with pytest.raises(nacre.NotFound) as missing:
        nacre.open("/nowhere/at/all.nacre")
    assert missing.value.code == "NC_NOT_FOUND" and isinstance(missing.value, LookupError)
    with pytest.raises(nacre.Intersecting):
        scene = nacre.Scene()
        box = scene.shape("box", size=1)
        scene.body(box)
        scene.body(box, position=(0.5, 0, 0))
        nacre.World(scene)
    world = nacre.World()
    with pytest.raises(ValueError):
        world.add(nacre.Mesh.shape("box"), (1, 2))  # type: ignore[arg-type]
    with pytest.raises(nacre.BadArgument):
        world.add(nacre.Mesh.shape("box"), (float("nan"), 2, 3))
    with pytest.raises(nacre.BadArgument):
        world.step(dt=-1)


def test_a_world_refuses_a_body_in_another(boxes: nacre.Scene) -> None:
    world = nacre.World(boxes)
    world.step()
    where = world["cup"].position
    with pytest.raises(nacre.Intersecting, match="cup"):
        world.add(nacre.Mesh.shape("box", size=0.3), where)
    assert len(world) == 6
    with pytest.raises(nacre.Intersecting):
        world.bodies[2].position = where


def test_forces_impulses_and_settings(boxes: nacre.Scene) -> None:
    world = nacre.World(boxes)
    cup = world["cup"]
    cup.force = (0, 2 * 9.8 * cup.mass, 0)
    cup.torque = (0, 0.001, 0)
    assert np.array_equal(cup.force, world.force[cup.index]) and cup.torque[1] == 0.001
    world.step(3)
    assert cup.velocity[1] == pytest.approx(9.8 * 3 / 60)
    cup.push((cup.mass, 0, 0))
    assert cup.velocity[0] == pytest.approx(1)
    world.set(gravity=(0, 0, 0), friction=0.25, pipeline="vsp", vsp_iterations=7)
    assert world.settings["friction"] == 0.25 and world.settings["pipeline"] == "vsp" and world.settings["vsp.iterations"] == 7
    with pytest.raises(ValueError, match="pipeline"):
        world.set(pipeline="none")
    with pytest.raises(TypeError, match="fricton"):
        world.set(fricton=1)
    with pytest.raises(nacre.BadArgument):
        world.set(friction=-1)
    floor = world.bodies[0]
    world.set_pair(floor, cup, friction=0.9)
    assert world.read_pair(floor, cup)[0] == 0.9


def test_snapshots_come_back_to_the_bit(boxes: nacre.Scene) -> None:
    world = nacre.World(boxes)
    world.step(20)
    snapshot, state = world.snapshot(), world.hash
    world.step(20)
    later = world.hash
    assert later != state
    world.restore(snapshot)
    assert world.hash == state
    world.step(20)
    assert world.hash == later
    twin = nacre.World(boxes)
    twin.restore(snapshot)
    twin.step(20)
    assert twin.hash == later
    with pytest.raises(nacre.Error):
        world.restore(snapshot[:-9])
    assert world.hash == later


def test_a_python_script_moves_a_kinematic_body() -> None:
    world = nacre.World(gravity=(0, -9.8, 0), timestep=1 / 60, friction=0.6)
    table = world.add(nacre.Mesh.shape("box", width=2, height=0.1, depth=2), (0, 0, 0), type="kinematic")
    box = world.add(nacre.Mesh.shape("box", size=0.2), (0, 0.2, 0))
    table.script = lambda t: ((0.3 * t, 0, 0), (np.cos(0.25 * t), 0, np.sin(0.25 * t), 0))
    world.step(120)
    assert table.position == pytest.approx([0.6, 0, 0], abs=1e-9)
    assert table.orientation == pytest.approx([np.cos(0.5), 0, np.sin(0.5), 0], abs=1e-9)
    assert box.velocity[0] == pytest.approx(0.3, abs=0.02)  # friction takes it along
    table.script = None
    world.step(60)
    assert table.position == pytest.approx([0.6, 0, 0], abs=1e-9)
    with pytest.raises(ValueError, match="dynamic"):
        box.script = lambda t: (0, 0, 0)


def test_fracture() -> None:
    world = nacre.World(gravity=(0, -9.8, 0), timestep=1 / 100)
    world.add(nacre.Mesh.shape("plane", size=10), type="static")
    pane = world.add(nacre.Mesh.shape("box", width=0.6, height=0.05, depth=0.6), (0, 0.3, 0), name="pane")
    pane.fracture(threshold=2, pattern="glass", rays=5, rings=2, generations=1)
    assert pane.threshold == 2
    world.add(nacre.Mesh.shape("sphere", radius=0.1), (0, 0.6, 0), velocity=(0, -8, 0), density=8000)
    world.step(8)
    events = world.fractures()
    broke = [event for event in events if event.pieces]
    assert broke and broke[0].name == "pane" and broke[0].impulse > 2 and len(broke[0].pieces) > 3
    assert not pane.alive and broke[0].pieces[0].world is world
    assert not world.audit()


def test_cloth() -> None:
    scene = nacre.Scene(pipeline="acm", timestep=1 / 60, gravity=(0, -9.8, 0))
    scene.body(scene.shape("sheet", size=0.5, columns=4, rows=4), name="sheet", type="cloth", position=(0, 1, 0))
    world = nacre.World(scene)
    assert world.is_cloth and world.pipeline == "acm"
    sheet = next(body for body in world if body.type == "cloth")
    before = sheet.vertices
    world.step()
    assert sheet.vertices.shape == before.shape and not np.array_equal(sheet.vertices, before)
    assert sheet.triangles.max() < len(before) and sheet.vertex_velocities.shape == before.shape
    snapshot, state = world.snapshot(), world.hash
    world.restore(snapshot)
    assert world.hash == state
    with pytest.raises(nacre.Unsupported):
        world.x


# ---- threads and signals ------------------------------------------------------------------------------------


def heap(count: int) -> nacre.Scene:
    """Boxes that take a while."""
    scene = nacre.Scene(gravity=(0, -9.8, 0), timestep=1 / 60, friction=0.5)
    floor, box = scene.shape("plane", size=20), scene.shape("box", size=0.3)
    scene.body(floor, type="static")
    scene.generate("grid", box, count=[6, count, 6], spacing=0.35, center=[0, 0.2 * count + 0.4, 0])
    return scene


def test_the_gil_is_released_while_stepping() -> None:
    world = nacre.World(heap(6), workers=1)
    counted, done = 0, threading.Event()

    def work() -> None:
        world.step(30)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    deadline = time.monotonic() + 60
    while not done.is_set() and time.monotonic() < deadline:
        counted += 1
    thread.join()
    assert counted > 1000


def test_a_world_that_another_thread_steps_is_refused() -> None:
    world = nacre.World(heap(6), workers=1)
    world.step()
    thread = threading.Thread(target=world.step, args=(60,))
    thread.start()
    refused = 0
    while thread.is_alive():
        try:
            world.step()
        except RuntimeError as error:
            assert "another thread" in str(error)
            refused += 1
            time.sleep(0.001)
    thread.join()
    assert refused > 0
    world.step()


def test_ctrl_c_ends_a_step_and_leaves_the_world_as_it_was() -> None:
    world = nacre.World(heap(30), workers=1)
    world.step()
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(10000):
            before, count = world.hash, world.step_count
            world.step()
    assert time.monotonic() - started < 20
    timer.join()
    if world.step_count == count:
        assert world.hash == before
    world.step()  # goes on
