"""The program that this package was asked to run, as far as possible word by word."""
from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import nacre


def controller(position: Any) -> Any:
    return (-0.1 * position[0], 0, -0.1 * position[2])


def test_the_program_that_was_asked_for(tmp_path: pathlib.Path, program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    nacre.Mesh.shape("cylinder", radius=4, height=16).save("bolt.obj")  # in millimetres

    scene = nacre.Scene(gravity=(0, -9.8, 0), timestep=1 / 60)
    bolt = scene.shape("bolt.obj", unit="mm", density=7800, color="steel")
    scene.body(scene.shape("plane", size=2), name="table", type="static")
    scene.body(scene.shape("box", size=0.02, density=500), name="finger", position=(0.3, 0.05, 0))
    scene.body(scene.shape("sphere", radius=0.03, density=200), name="cup", position=(0.5, 0.05, 0))
    scene.pour(bolt, 30, into=nacre.Box((-0.1, 0.01, -0.1), (0.1, 0.4, 0.1)), seed=1)
    scene.save("bin.yaml")

    world = nacre.World(scene)
    for _ in world.run(0.1):
        world["finger"].force = controller(world["cup"].position)
        c = world.contacts
        assert {"a", "b", "point", "normal", "distance", "impulse"} <= set(c.dtype.names)
    x, q, v = world.x, world.q, world.v
    assert x.shape == (33, 3) and q.shape == (33, 4) and v.shape == (33, 3)
    assert not any(view.flags.writeable or view.flags.owndata for view in (x, q, v))

    nacre.simulate("bin.yaml", "bin.nacre", steps=14, store=("contacts",))
    run = nacre.open("bin.nacre")
    assert run.t.shape == (15,) and run.x.shape == (15, 33, 3) and run.q.shape == (15, 33, 4)
    assert run.report["kinetic"].shape == (15,) and run.contacts(frame=12).dtype.names
    name = next(body.name for body in run.bodies if "bolt" in body.name)
    assert run.mesh(name).vertices.shape[1] == 3 and np.abs(run.mesh(name).vertices).max() < 0.02
    pytest.importorskip("pandas")
    assert len(run.to_pandas("report")) == 15
    try:
        run.render("a.png", passes=("rgb", "depth", "id"), frame=3, size="64x48", samples=1)
    except nacre.Unsupported as error:  # a build without Embree says so
        assert "Embree" in str(error)
    else:
        assert sorted(path.name for path in tmp_path.glob("a.*")) == ["a.depth.exr", "a.id.png", "a.png"]
        assert nacre.read_exr("a.depth.exr").shape == (48, 64)
        pytest.importorskip("PIL")
        images = run.images(frame=3, passes=("rgb", "depth", "id", "normal"), size="64x48", samples=1)
        depth, normal = images["depth"], images["normal"]
        assert images["rgb"].shape == (48, 64, 3) and images["id"].shape[:2] == (48, 64) and len(np.unique(images["id"])) > 2
        assert np.array_equal(depth, nacre.read_exr("a.depth.exr")) and (depth[np.isfinite(depth)] >= 0).all()
        length = np.linalg.norm(normal, axis=2)
        assert normal.shape == (48, 64, 3) and length[length > 0.5] == pytest.approx(1, abs=1e-3)
        with pytest.raises(nacre.BadFile):
            nacre.read_exr("a.png")
    html = run._repr_html_()
    assert html.startswith("<iframe") and len(html) > 100000

    meshes, poses = [run.mesh("finger"), run.mesh("cup")], [(run.x[-1, 1], run.q[-1, 1]), (run.x[-1, 2], run.q[-1, 2])]
    assert nacre.check(meshes, poses) == []
    assert nacre.distance(meshes[0], poses[0], meshes[1], poses[1]).lower_bound > 0
    motion = nacre.Motion(nacre.Pose(*poses[0]), travel=poses[1][0] - poses[0][0])
    assert nacre.sweep(meshes[0], motion, meshes[1], nacre.Motion(nacre.Pose(*poses[1]))).hit
