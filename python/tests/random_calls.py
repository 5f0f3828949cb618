"""Random sequences of calls, right and wrong: nothing may crash, leak, or leave two bodies crossing.
random_calls.py SEQUENCES [SEED]: prints the seed of every sequence that fails. Run by tests/python/random.sh, also under
the address sanitizer."""
from __future__ import annotations

import os
import random
import resource
import sys
from typing import Any, Callable

import numpy as np

import nacre

MESHES = [nacre.Mesh.shape("box", size=0.3), nacre.Mesh.shape("sphere", radius=0.2), nacre.Mesh.shape("boat", length=0.5)]
ALLOWED = (nacre.Error, ValueError, TypeError, KeyError, IndexError, OverflowError)

DONE = {"accepted": 0, "refused": 0, "steps": 0, "contacts": 0}


def vector(rng: random.Random, size: float = 2.0) -> Any:
    kind = rng.random()
    if kind < 0.9:
        return tuple(rng.uniform(-size, size) for _ in range(3))
    return rng.choice([(1, 2), (float("nan"), 0, 0), (float("inf"), 1, 1), "abc", None, (1e300, 0, 0), np.zeros(3), ("a", "b", "c"), 7])


class Sequence:
    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.world = nacre.World(gravity=(0, -9.8, 0), timestep=1 / 60, workers=1)
        self.world.add(nacre.Mesh.shape("plane", size=10), type="static")
        self.bodies: list[nacre.Body] = []
        self.views: list[Any] = []
        self.snapshots: list[bytes] = []

    def body(self) -> nacre.Body:
        return self.rng.choice(self.bodies) if self.bodies else self.world.bodies[0]

    def create(self) -> None:
        kind = self.rng.choice(["dynamic", "dynamic", "dynamic", "kinematic", "static", "odd"])
        position = vector(self.rng)
        if isinstance(position, tuple) and len(position) == 3 and isinstance(position[1], float):
            position = (position[0] / 2, 0.32 + abs(position[1]) / 4, position[2] / 2)
        name = self.rng.choice([None, "a", "b", "x" * 200, "null\0inside"])
        self.bodies.append(self.world.add(self.rng.choice(MESHES), position, velocity=vector(self.rng), type=kind, name=name))

    def destroy(self) -> None:
        self.body().destroy()

    def step(self) -> None:
        self.world.step(self.rng.choice([1, 4, 10, 20, 0, -1]), self.rng.choice([None, None, None, None, 1 / 30, 0.0, float("nan")]))

    def push(self) -> None:
        body = self.body()
        what = self.rng.choice(["force", "torque", "velocity", "spin", "position", "orientation"])
        setattr(body, what, vector(self.rng))

    def impulse(self) -> None:
        self.body().push(vector(self.rng), self.rng.choice([None, vector(self.rng)]))

    def look(self) -> None:
        self.views.append(self.rng.choice([lambda: self.world.x, lambda: self.world.q, lambda: self.world.v, lambda: self.world.contacts, lambda: self.world.alive])())
        for view in self.views:
            view.tobytes()
        if len(self.views) > 5:
            self.views.pop(self.rng.randrange(len(self.views)))

    def read(self) -> None:
        body = self.body()
        getattr(body, self.rng.choice(["name", "mesh", "mass", "kinetic", "vertices", "sleeping", "cluster", "blocker", "threshold", "pose"]))

    def save(self) -> None:
        self.snapshots.append(self.world.snapshot())

    def restore(self) -> None:
        if self.snapshots:
            data = self.rng.choice(self.snapshots)
            if self.rng.random() < 0.3:
                data = data[: self.rng.randrange(len(data))] + bytes([self.rng.randrange(256)])
            self.world.restore(data)

    def script(self) -> None:
        goal = vector(self.rng)
        self.body().script = self.rng.choice([None, lambda t: goal])

    def settings(self) -> None:
        self.world.set(**{self.rng.choice(["friction", "restitution", "gravity", "sleep", "pipeline", "nothing"]): self.rng.choice([0.5, -1, "vsp", "shell", (0, -1, 0), None, True])})

    def pair(self) -> None:
        self.rng.choice([self.world.exempt, self.world.set_pair, self.world.read_pair])(self.body(), self.body())

    def fracture(self) -> None:
        self.body().fracture(self.rng.choice([3.0, -1.0]), self.rng.choice(["graded", "glass", "none"]), cells=8, generations=1)

    def colour(self) -> None:
        self.body().color = self.rng.choice(["red", "#12345g", None, "", "#102030"])

    def judge(self) -> None:
        self.rng.choice([self.world.audit_step, self.world.conflicts, self.world.repair])()

    def unbreak(self) -> None:
        body = self.body()
        if self.rng.random() < 0.05:  # its preparation takes a while
            body.fracture(1.0, [MESHES[0]], cells=6)
        else:
            body.fracture(None)

    def many(self) -> None:
        nacre.map([self.world], None, 1)

    def garbage(self) -> None:
        core = self.world._handle
        call: Callable[..., Any] = getattr(core, self.rng.choice([name for name in dir(core) if not name.startswith("_")]))
        call(*[self.rng.choice([None, 1, -1, 1.5, "x", b"xx", (0, 1), (1, 2, 3), {}, []]) for _ in range(self.rng.randrange(4))])

    def run(self) -> None:
        calls = [self.create] * 4 + [self.step] * 4 + [self.look] * 2 + [
            self.destroy, self.push, self.impulse, self.read, self.save, self.restore, self.script, self.settings, self.pair, self.fracture,
            self.many, self.garbage, self.colour, self.judge, self.unbreak,
        ]  # fmt: skip
        for _ in range(self.rng.randrange(5, 40)):
            try:
                self.rng.choice(calls)()
                DONE["accepted"] += 1
            except ALLOWED as error:
                DONE["refused"] += 1
                if isinstance(error, nacre.BrokenPromise):
                    raise
        DONE["steps"] += self.world.step_count
        DONE["contacts"] += len(self.world.contacts)
        if self.world.step_count > 0:
            assert not self.world.audit()


def main() -> None:
    count = int(sys.argv[1])
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 20261117
    print(f"seed {first}, {count} sequences", flush=True)
    warm = 0
    for k in range(count):
        try:
            Sequence(first + k).run()
        except BaseException:
            print(f"failed: random_calls.py 1 {first + k}", flush=True)
            raise
        if k == count // 4:
            warm = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - warm
    print(", ".join(f"{value} {key}" for key, value in DONE.items()))
    assert count < 100 or min(DONE.values()) > count // 4, "the sequences do nothing"
    print(f"{count} sequences; the largest size of the process grew by {grown} kB in the last three quarters")
    sanitized = "asan" in os.environ.get("LD_PRELOAD", "")  # it keeps what is freed for a while
    if count >= 400 and not sanitized and grown > 40 * (count - count // 4):  # a world of this size takes more than 40 kB
        sys.exit("memory grows with every sequence")


if __name__ == "__main__":
    main()
