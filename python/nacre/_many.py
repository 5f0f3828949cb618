"""Many worlds at once."""
from __future__ import annotations

import os
from typing import Any, Callable, Sequence

import numpy as np

from . import _core
from ._mesh import Floats
from ._world import World

Policy = Callable[["Batch"], Any]


class Batch:
    """The state of many worlds: one array for all. Row `index` of a body; rows that a world does not have
    are NaN, and bodies that appear later are not shown.

    `x`, `v`, `w` are (environments, rows, 3), `q` is (environments, rows, 4); `force` and `torque`, of the same shape as
    `x`, are what acts on the bodies in the next step: a policy writes them."""

    def __init__(self, worlds: Sequence[World], threads: int | None = None) -> None:
        self.worlds = list(worlds)
        self.threads = threads if threads is not None else len(os.sched_getaffinity(0))
        self.step_number = 0
        if not self.worlds:
            raise ValueError("no worlds")
        if len({id(world) for world in self.worlds}) < len(self.worlds):
            raise ValueError("the same world twice")
        self.timestep = self.worlds[0].timestep
        if any(world.timestep != self.timestep for world in self.worlds):
            raise ValueError("the worlds have different time steps")
        self._handles = tuple(world._handle for world in self.worlds)
        self._rows = rows = max(len(world.x) for world in self.worlds)
        shape = (len(self.worlds), rows, 3)
        self.x: Floats = np.full(shape, np.nan)
        self.v: Floats = np.full(shape, np.nan)
        self.w: Floats = np.full(shape, np.nan)
        self.q: Floats = np.full((*shape[:2], 4), np.nan)
        self.force: Floats = np.zeros(shape)
        self.torque: Floats = np.zeros(shape)
        for k, world in enumerate(self.worlds):
            self.force[k, : len(world.force)] = world.force
            self.torque[k, : len(world.torque)] = world.torque
        self._call(0, False)

    def _call(self, steps: int, acts: bool) -> None:
        force, torque = (self.force, self.torque) if acts else (None, None)
        _core.step_many(self._handles, self.timestep, steps, self.threads, self._rows, force, torque, self.x, self.q, self.v, self.w)

    def step(self, count: int = 1) -> None:
        """Steps of every world, on all threads; forces act in all of them. Worlds are independent, so the result has the
        same bits for any number of threads. An error names the world; the others have made their steps."""
        attended = [world for world in self.worlds if world._attended]
        for length in [1] * count if attended else [count]:
            for world in attended:
                world._play(self.timestep)
            self._call(length, True)
            for world in attended:
                if world._recorder is not None:
                    world._recorder._append()
        self.step_number += count

    def __len__(self) -> int:
        return len(self.worlds)


def map(worlds: Sequence[World], policy: Policy | None, steps: int, threads: int | None = None) -> Batch:
    """Steps all worlds together. Before each step `policy(batch)` is called, which may write `batch.force` and
    `batch.torque`; it may return False to end early. Returns the batch with the last state.

    Make the worlds with `workers=1`: threads are shared among worlds, not within them. Without a policy no thread waits
    for another one before the end; with one all meet once per step."""
    batch = Batch(worlds, threads)
    if policy is None:
        batch.step(max(steps, 0))
        return batch
    for _ in range(steps):
        if policy(batch) is False:
            break
        batch.step()
    return batch
