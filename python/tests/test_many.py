"""Many worlds at once."""
from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest

import nacre


def worlds(boxes: nacre.Scene, count: int) -> list[nacre.World]:
    made = []
    for k in range(count):
        world = nacre.World(boxes, workers=1, contacts=False)
        world["cup"].velocity = (0.1 * k, 0, 0)
        made.append(world)
    return made


def push(batch: nacre.Batch) -> None:
    """Pulls the cups towards the middle."""
    batch.force[:, 1] = -20 * batch.x[:, 1] * [1, 0, 1]


def test_map_is_what_each_world_does_alone(boxes: nacre.Scene) -> None:
    together, alone = worlds(boxes, 12), worlds(boxes, 12)
    batch = nacre.map(together, push, 40, threads=2)
    assert batch.x.shape == (12, 6, 3) and batch.q.shape == (12, 6, 4) and batch.step_number == 40
    for k, world in enumerate(alone):
        for _ in range(40):
            world["cup"].force = -20 * world["cup"].position * [1, 0, 1]
            world.step()
        assert world.hash == together[k].hash
        assert np.array_equal(batch.x[k], world.x) and np.array_equal(batch.v[k], world.v)
    again = worlds(boxes, 12)
    nacre.map(again, push, 40, threads=1)
    assert [world.hash for world in again] == [world.hash for world in together]


def test_worlds_of_different_sizes_are_padded(boxes: nacre.Scene) -> None:
    small, big = worlds(boxes, 2)
    big.add(nacre.Mesh.shape("box", size=0.1), (5, 5, 5))
    batch = nacre.map([small, big], None, 3)
    assert batch.x.shape == (2, 7, 3) and np.isnan(batch.x[0, 6]).all() and np.isfinite(batch.x[1]).all()


def test_wrong_batches_are_refused(boxes: nacre.Scene) -> None:
    some = worlds(boxes, 3)
    with pytest.raises(ValueError, match="twice"):
        nacre.map([some[0], some[0]], None, 1)
    with pytest.raises(ValueError):
        nacre.map([], None, 1)

    def shrink(batch: nacre.Batch) -> None:
        batch.force = np.zeros((1, 2, 3))

    with pytest.raises(ValueError, match="shape"):
        nacre.map(some, shrink, 1)

    def spoil(batch: nacre.Batch) -> None:
        batch.force[1, 1, 0] = np.nan

    with pytest.raises(nacre.BadArgument, match="world 1"):
        nacre.map(some, spoil, 1)
    nacre.map(some, None, 1)
    assert nacre.map(some, lambda batch: batch.step_number < 2, 9).step_number == 2


def test_ctrl_c_ends_a_batch(boxes: nacre.Scene) -> None:
    some = worlds(boxes, 8)
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        nacre.map(some, None, 10**7)
    some[0].step()
