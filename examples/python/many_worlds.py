#!/usr/bin/env python3
"""How `nacre.map` scales: 1,000 worlds of 20 boxes on one thread and on two, in turns.

Wall time says little where others use the machine too, so CPU time is what is compared: two threads that wait for nothing and share nothing need
as much of it together as one does alone. Voluntary context switches count how often a thread waited for a lock."""
import argparse
import resource
import time

import nacre


def usage() -> tuple[float, float, int]:
    """[s] of wall time, [s] of CPU time, voluntary context switches."""
    r = resource.getrusage(resource.RUSAGE_SELF)
    return time.perf_counter(), r.ru_utime + r.ru_stime, r.ru_nvcsw


def scene() -> nacre.Scene:
    made = nacre.Scene(gravity=(0, -9.8, 0), timestep=1 / 60, friction=0.4)
    made.body(made.shape("plane", size=10), type="static")
    made.pile(made.shape("box", size=0.1, density=700), [4, 5, 1], 0.2, center=(0, 0.7, 0), seed=1)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", "--worlds", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    count, turns = (60, 2) if options.quick else (options.worlds, 5)
    shared = scene()
    worlds = [nacre.World(shared, workers=1, contacts=False) for _ in range(count)]
    snapshots = [world.snapshot() for world in worlds]
    policies = {"no policy": None, "a policy": lambda batch: None}
    for name, policy in policies.items():
        best: dict[int, tuple[float, float, int]] = {}
        hashes: dict[int, list[int]] = {}
        for _ in range(turns):
            for threads in (1, 2):
                for world, snapshot in zip(worlds, snapshots):
                    world.restore(snapshot)
                before = usage()
                nacre.map(worlds, policy, options.steps, threads=threads)
                spent = tuple(b - a for a, b in zip(before, usage()))
                if threads not in best or spent[1] < best[threads][1]:
                    best[threads] = (spent[0], spent[1], int(spent[2]))
                hashes[threads] = [world.hash for world in worlds]
        assert hashes[1] == hashes[2]
        ratio = best[2][1] / best[1][1]
        print(
            f"{count} worlds, {options.steps} steps, {name}: {best[1][1]:.3f} s of CPU with one thread, {best[2][1]:.3f} s with two ({ratio:.3f} times), "
            f"{best[2][2]} waits; wall {best[1][0]:.2f} s and {best[2][0]:.2f} s; equal hashes"
        )
    batch = nacre.Batch(worlds, 2)
    before = usage()
    for _ in range(100):
        batch.step(0)
    spent = usage()[1] - before[1]
    print(f"a call that makes no step: {10 * spent:.2f} ms of CPU, of which threads share the larger part")


if __name__ == "__main__":
    main()
