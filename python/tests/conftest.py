"""What the tests share. Run by `make python-check`: PYTHONPATH has the package, NACRE the program."""
from __future__ import annotations

import os
import pathlib

import pytest

import nacre

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def root() -> pathlib.Path:
    return ROOT


@pytest.fixture
def program() -> str:
    path = os.environ.get("NACRE", "")
    if not path:
        pytest.skip("the program is not named in NACRE")
    return path


@pytest.fixture
def boxes() -> nacre.Scene:
    """Five boxes above a floor, one of them called "cup"."""
    scene = nacre.Scene(title="boxes", gravity=(0, -9.8, 0), timestep=1 / 60, duration=1, friction=0.5)
    floor = scene.shape("plane", size=10)
    box = scene.shape("box", size=0.3, density=500)
    scene.body(floor, type="static")
    scene.body(box, name="cup", position=(0, 0.5, 0))
    scene.body(box, pile={"count": [2, 1, 2], "spacing": 0.6, "center": [0, 1.5, 0], "seed": 3})
    return scene
