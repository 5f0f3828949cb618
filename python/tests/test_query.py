"""Meshes and queries without a world."""
from __future__ import annotations

import pathlib

import numpy as np
import pytest

import nacre


def test_meshes(tmp_path: pathlib.Path) -> None:
    box = nacre.Mesh.shape("box", size=2)
    assert box.closed and box.vertices.shape == (8, 3) and box.triangles.shape == (12, 3) and not box.vertices.flags.writeable
    assert box.mass(density=10).mass == pytest.approx(80) and box.mass(density=10).inertia[0, 0] == pytest.approx(80 * 8 / 12)
    box.save(tmp_path / "box.obj")
    assert nacre.Mesh.load(tmp_path / "box.obj").hash == box.hash == nacre.Mesh(box.vertices, box.triangles).hash
    assert box.bounds.tolist() == [[-1, -1, -1], [1, 1, 1]]
    vertices = box.vertices
    del box
    assert vertices.max() == 1  # keeps the mesh alive
    for bad in (lambda: nacre.Mesh([[0, 0, 0]], [[0, 1, 2]]), lambda: nacre.Mesh([[0, 0, np.nan]] * 3, [[0, 1, 2]]), lambda: nacre.Mesh([])):
        with pytest.raises(nacre.BadArgument):
            bad()
    with pytest.raises(ValueError):
        nacre.Mesh([[0, 0, 0]] * 3, [0, 1])
    with pytest.raises(nacre.NotFound, match="box"):
        nacre.Mesh.shape("boxx")


def test_check_is_exact() -> None:
    box = nacre.Mesh.shape("box", size=1)
    assert not nacre.check([box, box], [None, (1 + 2.0**-52, 0, 0)])
    touching = nacre.check([box, box, box], [None, (1, 0, 0), (9, 9, 9)])
    assert [(hit.a, hit.b) for hit in touching] == [(0, 1)] and touching[0].point[0] == pytest.approx(0.5)
    assert touching[0].element_a[0] == "triangle"
    assert not nacre.check([box, box], [None, (1, 0, 0)], pairs=[])
    with pytest.raises(ValueError):
        nacre.check([box], [])


def test_check_finds_what_brute_force_finds() -> None:
    rng = np.random.default_rng(7)
    mesh = nacre.Mesh.shape("boat", length=0.8)
    x = rng.uniform(-1, 1, (25, 3))
    q = rng.normal(size=(25, 4))
    poses = [nacre.Pose(a, b) for a, b in zip(x, q)]
    everything = [(a, b) for a in range(25) for b in range(a + 1, 25)]
    assert [h[:2] for h in nacre.check([mesh] * 25, poses)] == [h[:2] for h in nacre.check([mesh] * 25, poses, everything)]


def test_distance_and_sweep() -> None:
    box = nacre.Mesh.shape("box", size=1)
    found = nacre.distance(box, None, box, (3, 0, 0))
    assert found.distance == pytest.approx(2) and found.lower_bound <= 2 and found.normal == pytest.approx([-1, 0, 0])
    hit = nacre.sweep(box, nacre.Motion(), box, nacre.Motion(nacre.Pose((5, 0, 0)), travel=(-8, 0, 0)))
    assert hit.hit and hit.toi == pytest.approx(0.5, abs=1e-6) and hit.toi <= 0.5
    clear = nacre.sweep(box, nacre.Motion(), box, nacre.Motion(nacre.Pose((5, 0, 0)), travel=(-3.9, 0, 0)))
    assert clear.verdict == "clear"
    turning = nacre.Motion(nacre.Pose((1.15, 0, 0)), rotation=(0, 2 * np.pi, 0))  # ends where it began, and hits between
    assert nacre.sweep(box, nacre.Motion(), box, turning).hit
    with pytest.raises(nacre.BadArgument):
        nacre.sweep(box, nacre.Motion(), box, nacre.Motion(), tolerance=-1)
