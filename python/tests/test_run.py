"""Run files: arrays, tables, meshes, recording, live reading."""
from __future__ import annotations

import os
import pathlib
import sqlite3
import subprocess
import time

import numpy as np
import pytest

import nacre


@pytest.fixture
def run(tmp_path: pathlib.Path, boxes: nacre.Scene) -> nacre.Run:
    return nacre.simulate(boxes, tmp_path / "boxes.nacre", steps=30, audit=True).run


def test_frames_are_arrays(run: nacre.Run) -> None:
    assert len(run) == 31 and run.t.shape == (31,) and run.x.shape == (31, 6, 3) and run.q.shape == (31, 6, 4)
    assert run.t[-1] == pytest.approx(0.5) and run.step[-1] == 30
    db = sqlite3.connect(run.path)
    rows = np.array(db.execute("select x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz from pose order by frame, body").fetchall())
    rows = rows.reshape(31, 6, 13)
    assert np.array_equal(np.concatenate([run.x, run.q, run.v, run.w], axis=2), rows)
    assert not run.x.flags.writeable
    assert np.array_equal(run.hash.view(np.int64), [row[0] for row in db.execute("select hash from frame order by id")])


def test_tables_bodies_and_meshes(run: nacre.Run) -> None:
    assert run.title == "boxes" and run.report["kinetic"].shape == (31,) and run.report["step"].dtype == np.int64
    assert [body.name for body in run.bodies][:2] == ["plane", "cup"] and run.body("cup").type == "dynamic"
    mesh = run.mesh("cup")
    assert mesh.closed and mesh.vertices.shape == (8, 3)
    assert run.vertices("cup", -1) == pytest.approx(mesh.vertices @ nacre.rotation_matrix(run.q[-1, 1]).T + run.x[-1, 1])
    assert run.sql("select count(*) from frame") == [(31,)]
    assert run.scene.data["title"] == "boxes"
    run.verify()
    with pytest.raises(IndexError):
        run.vertices("cup", 31)
    with pytest.raises(KeyError):
        run.mesh("saucer")


def test_pandas(run: nacre.Run) -> None:
    pytest.importorskip("pandas")
    frame = run.to_pandas("report")
    assert list(frame["step"]) == list(run.step) and len(run.to_pandas("pose")) == 31 * 6


def test_the_same_hash_as_the_program(tmp_path: pathlib.Path, root: pathlib.Path, program: str) -> None:
    for name, steps in (("demo/start", 30), ("demo/tumble", 30), ("cookbook/bin", 4), ("cookbook/dominoes", 30), ("cookbook/window", 8)):
        path = root / "scenes" / f"{name}.yaml"
        out = tmp_path / "run.nacre"
        subprocess.run([program, "run", str(path), "-o", str(out), "-f", "-q", "-n", str(steps), "-t", "1"], check=True)
        theirs = int(nacre.open(out).hash[-1])
        assert nacre.open(out).step[-1] == steps
        world = nacre.World(path)
        world.step(steps)
        assert world.hash == theirs, name
        # ... and as dicts, and as a file that was saved again.
        scene = nacre.Scene.load(path)
        again = nacre.World(scene)
        scene.save(tmp_path / "again.yaml")
        assert again.hash == nacre.World(tmp_path / "again.yaml").hash == nacre.World(path).hash, name


def test_a_world_records_itself(tmp_path: pathlib.Path, boxes: nacre.Scene) -> None:
    world = nacre.World(boxes)
    with world.record(tmp_path / "own.nacre"):
        world.step(12)
        with pytest.raises(ValueError):
            world.record(tmp_path / "other.nacre")
    world.step(3)
    run = nacre.open(tmp_path / "own.nacre")
    assert len(run) == 13 and run.hash[-1] != world.hash
    run.verify()
    with pytest.raises(nacre.Error):
        world.record(tmp_path / "own.nacre")
    with world.record(tmp_path / "own.nacre", overwrite=True):
        world.step()
    assert len(nacre.open(tmp_path / "own.nacre")) == 2


def test_a_run_is_read_while_it_is_written(tmp_path: pathlib.Path, boxes: nacre.Scene) -> None:
    world = nacre.World(boxes)
    recorder = world.record(tmp_path / "live.nacre")
    run = nacre.open(recorder.path)
    assert len(run.x) == 1
    world.step(5)
    first = run.x
    assert len(first) == 6 and np.array_equal(run.x[-1], world.x)
    world.step(5)
    assert len(run.x) == 11 and np.array_equal(run.x[:6], first)
    seen = list(run.follow(poll=0.01, timeout=0.05))
    assert seen == list(range(11))
    recorder.close()


def test_simulate_resumes_with_the_same_bits(tmp_path: pathlib.Path, boxes: nacre.Scene) -> None:
    boxes.data["expect"] = {"separation": True, "escaped": 0, "collisions": {"max": 0}}
    whole = nacre.simulate(boxes, tmp_path / "whole.nacre", expect=True)
    assert whole.status == "finished" and whole.steps == 60 and whole.intersecting_frames == 0 and whole.failed == 1
    path = tmp_path / "scene.yaml"
    boxes.save(path)
    nacre.simulate(path, tmp_path / "parts.nacre", steps=20)
    parts = nacre.simulate(path, tmp_path / "parts.nacre", resume=True, steps=60)
    assert parts.hash == whole.hash
    with pytest.raises(nacre.BadArgument):
        nacre.simulate(path, tmp_path / "parts.nacre")


def test_pictures_and_exports(tmp_path: pathlib.Path, run: nacre.Run, program: str) -> None:
    assert os.path.getsize(run.export(tmp_path / "run.glb")) > 1000
    assert "<iframe" in run._repr_html_()
    with pytest.raises(nacre.Unsupported, match="render"):
        run.render(tmp_path / "a.png", no_such_option=1)
    try:
        run.render(tmp_path / "a.png", frame=10, size="64x48", samples=1)
    except nacre.Unsupported as error:  # a build without Embree says so
        assert "Embree" in str(error)
    else:
        assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_reading_many_poses_is_fast(tmp_path: pathlib.Path) -> None:
    scene = nacre.Scene(gravity=(0, 0, 0), timestep=1 / 240)
    ball = scene.shape("tetrahedron" if "tetrahedron" in nacre.shapes() else "box", size=0.1)
    scene.generate("grid", ball, count=[201, 1, 1], spacing=1, spin_jitter=3)
    nacre.simulate(scene, tmp_path / "many.nacre", steps=480, workers=1)
    best = 1e9
    for _ in range(5):
        run = nacre.open(tmp_path / "many.nacre")
        start = time.process_time()
        assert run.x.shape == (481, 201, 3)
        best = min(best, time.process_time() - start)
        run.close()
    print(f"481 frames of 201 bodies: {1000 * best:.1f} ms of CPU time")
    assert best < 0.2  # CPU time of all threads: about 0.05 s where nothing else runs
