"""Scenes: what the format can say, a Scene can say, and the other way round."""
from __future__ import annotations

import glob
import pathlib
from fractions import Fraction

import numpy as np
import pytest

import nacre


def test_a_scene_is_built_saved_and_loaded(tmp_path: pathlib.Path, boxes: nacre.Scene) -> None:
    boxes.save(tmp_path / "boxes.yaml")
    again = nacre.Scene.load(tmp_path / "boxes.yaml")
    assert nacre.World(again).hash == nacre.World(boxes).hash == nacre.World(tmp_path / "boxes.yaml").hash
    assert again.data["title"] == "boxes" and len(again.bodies) == 3


def test_every_scene_of_the_repository_survives_python(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    paths = sorted(glob.glob(str(root / "scenes/demo/*.yaml")) + glob.glob(str(root / "scenes/cookbook/*.yaml")) + glob.glob(str(root / "scenes/tests/*.yaml")))
    assert len(paths) > 15
    for path in paths:
        scene = nacre.Scene.load(path)
        again = nacre.Scene.from_yaml(scene.to_yaml(), scene.folder)
        assert again.data == scene.data, path


def test_keys_come_from_the_library() -> None:
    scene = nacre.Scene(timestep=Fraction(1, 60), seed=3)
    assert scene.data["seed"] == 3 and scene.world["timestep"] == "1/60"
    with pytest.raises(TypeError, match="gravity"):
        nacre.Scene(gravty=(0, 0, 0))
    with pytest.raises(ValueError, match="'box'"):
        scene.shape("bxo")
    with pytest.raises(TypeError, match="density"):
        scene.shape("box", densty=3)
    box = scene.shape("box", size=np.float64(0.5))
    with pytest.raises(TypeError, match="position"):
        scene.body(box, positon=(0, 0, 0))
    with pytest.raises(ValueError, match="'box'"):
        scene.body("bax")
    with pytest.raises(TypeError, match="count"):
        scene.generate("pour", box, cuont=3)
    # Every block of the schema can be said: the builder has no list of keys of its own.
    blocks = nacre.schema()["$defs"]
    for generator in nacre.generators():
        assert generator in blocks["body"]["properties"]
    assert {"grid", "pile", "pour", "scatter", "emit", "along"} <= set(nacre.generators())


def test_generators(tmp_path: pathlib.Path) -> None:
    scene = nacre.Scene(gravity=(0, -9.8, 0), timestep=1 / 60)
    ground = scene.shape("plane", size=4)
    ball, box = scene.shape("sphere", radius=0.05), scene.shape("box", size=0.1)
    scene.body(ground, name="ground", type="static")
    scene.pour([ball, box], 30, into=nacre.Box((-0.5, 0.05, -0.5), (0.5, 1, 0.5)), seed=1)
    scene.scatter(box, 5, on="ground", seed=2)
    scene.emit(ball, 20, nacre.Box((-0.2, 1.5, -0.2), (0.2, 2, 0.2)), count=5, name="drop")
    world = nacre.World(scene)
    assert 36 <= len(world) <= 37
    world.step(30)
    assert len(world) == 41 and "drop.4" in world and not world.audit()


def test_meshes_of_python_are_shapes(tmp_path: pathlib.Path) -> None:
    mesh = nacre.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    scene = nacre.Scene()
    scene.body(scene.shape(mesh, name="tetra"), position=(0, 1, 0))
    scene.body(scene.shape(mesh), position=(3, 1, 0))
    world = nacre.World(scene)
    assert len(world) == 2 and world.bodies[0].mass == pytest.approx(1000 / 6)
    (tmp_path / "deep").mkdir()
    scene.save(tmp_path / "deep" / "scene.yaml")
    del scene
    assert nacre.World(tmp_path / "deep" / "scene.yaml").hash == world.hash
    run = nacre.simulate(nacre.Scene.load(tmp_path / "deep" / "scene.yaml"), tmp_path / "a.nacre", steps=1)
    assert run.steps == 1


def test_filters_and_pairs(boxes: nacre.Scene) -> None:
    boxes.exempt("cup", "box*")
    boxes.pair("plane", "cup", friction=0.9)
    world = nacre.World(boxes)
    assert world.read_pair(world["plane"], world["cup"])[0] == 0.9
    assert any("boxes" in repr(each) for each in (boxes, world)) and boxes.check()


def test_awkward_texts_survive() -> None:
    for title in ("yes", "1/60", "a: b", 'quote " and \\ slash', "#no", "ä β 漢", "", " leading", "null", "- x", "12"):
        scene = nacre.Scene(title=title)
        assert nacre.Scene.from_yaml(scene.to_yaml()).data.get("title", "") in (title, 12 if title == "12" else title)
