#!/usr/bin/env python3
"""At which spacing does a wave of falling dominoes run fastest? Golden section over live worlds."""
import argparse

import numpy as np

import nacre

HEIGHT, THICKNESS, COUNT = 0.05, 0.008, 12


def speed(spacing: float, dt: float) -> float:
    """[m/s] of the wave between the fourth domino and the last; 0 when it stops."""
    scene = nacre.Scene(gravity=(0, -9.8, 0), timestep=dt, friction=0.3)
    scene.body(scene.shape("plane", size=4), type="static")
    stone = scene.shape("box", width=THICKNESS, height=HEIGHT, depth=0.025, density=1200)
    for k in range(COUNT):
        scene.body(stone, name=f"stone_{k}", position=(k * spacing, HEIGHT / 2 + 2e-4, 0))
    world = nacre.World(scene, workers=1)
    rows = np.array([world[f"stone_{k}"].index for k in range(COUNT)])
    world["stone_0"].spin = (0, 0, -6)
    world["stone_0"].velocity = (6 * HEIGHT / 2, 0, 0)
    fell = np.full(COUNT, np.nan)
    for step in world.run(1.5):
        upright = nacre.rotation_matrix(world.q[rows])[:, 1, 1]
        tilted = (upright < np.cos(np.radians(15))) & np.isnan(fell)
        fell[tilted] = world.time
        if not np.isnan(fell).any():
            break
    return 0.0 if np.isnan(fell).any() else float((COUNT - 4) * spacing / (fell[-1] - fell[3]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    dt, rounds = (1 / 240, 3) if options.quick else (1 / 480, 10)
    golden = (np.sqrt(5) - 1) / 2
    low, high = THICKNESS + 0.004, THICKNESS + 0.035
    tried: dict[float, float] = {}

    def value(spacing: float) -> float:
        if spacing not in tried:
            tried[spacing] = speed(spacing, dt)
            print(f"spacing {1000 * spacing:6.2f} mm: {tried[spacing]:.3f} m/s", flush=True)
        return tried[spacing]

    for _ in range(rounds):
        a, b = high - golden * (high - low), low + golden * (high - low)
        if value(a) > value(b):
            high = b
        else:
            low = a
    best = max(tried, key=lambda spacing: tried[spacing])
    print(f"fastest: {1000 * best:.2f} mm, {tried[best]:.3f} m/s, {tried[best] / np.sqrt(9.8 * HEIGHT):.2f} sqrt(g h)")
    assert tried[best] > 0


if __name__ == "__main__":
    main()
