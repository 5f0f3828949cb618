#!/usr/bin/env python3
"""Force chains: balls poured into a slot; every contact is a line as wide as its force is strong."""
import argparse

import numpy as np

import nacre

G = 9.8


def slot(count: int) -> nacre.Scene:
    """A slot just wider than a ball, so that the picture shows all of them."""
    scene = nacre.Scene(gravity=(0, -G, 0), timestep=1 / 120, friction=0.3, seed=4)
    wall, face = scene.shape("box", width=0.05, height=1.2, depth=0.3), scene.shape("box", width=1.1, height=1.2, depth=0.05)
    floor = scene.shape("box", width=1.2, height=0.05, depth=0.4)
    scene.body(floor, name="floor", type="static", position=(0, -0.025, 0))
    for side in (-1, 1):
        scene.body(wall, type="static", position=(side * 0.5, 0.605, 0))
        scene.body(face, type="static", position=(0, 0.605, side * 0.08))
    balls = [scene.shape("sphere", f"ball_{k}", radius=radius, density=1000) for k, radius in enumerate((0.04, 0.045, 0.05))]
    scene.pour(balls, count, into=nacre.Box((-0.46, 0.01, -0.053), (0.46, 1.1, 0.053)))
    return scene


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", default="force_chains.png")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    world = nacre.World(slot(20 if options.quick else 90))
    most = 360 if options.quick else 960
    while world.step_count < most:
        world.step(20)
        speed = np.linalg.norm(world.v, axis=1).max()
        if speed < 1e-3:
            break
    contacts = world.contacts
    dt = world.timestep
    force = contacts["impulse"] / dt
    moving = world.mass > 0
    held = ~moving[contacts["a"]] | ~moving[contacts["b"]]
    sign = np.where(moving[contacts["a"]], 1.0, -1.0)[:, None]
    carried, weight = (sign * force)[held].sum(0), G * world.mass.sum()
    print(f"{world.step_count} steps, fastest {speed:.2g} m/s, {len(contacts)} contacts; walls and floor carry {carried[1]:.2f} N of {weight:.2f} N")
    assert not world.audit()
    assert options.quick or abs(carried[1] - weight) < 0.05 * weight
    draw(world, contacts, np.linalg.norm(force, axis=1), options.output)
    print(options.output)


def draw(world: nacre.World, contacts: np.ndarray, strength: np.ndarray, output: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.collections import LineCollection

    figure, axes = plt.subplots(figsize=(7, 7), constrained_layout=True)
    for body in world.bodies:
        if body.type == "dynamic":
            radius = body.mesh.radius
            axes.add_patch(plt.Circle(body.position[:2], radius, facecolor="0.93", edgecolor="0.7", linewidth=0.6))
    x, moving = world.x, world.mass > 0
    ends = [np.where(moving[contacts[key]][:, None], x[contacts[key], :2], contacts["point"][:, :2]) for key in ("a", "b")]
    scale = strength.max()
    order = np.argsort(strength)
    lines = LineCollection(
        np.stack(ends, 1)[order], linewidths=0.2 + 9 * strength[order] / scale, array=strength[order], cmap="magma_r", capstyle="round"
    )
    axes.add_collection(lines)
    axes.plot([-0.475, -0.475, 0.475, 0.475], [1.1, 0, 0, 1.1], color="black", linewidth=2)
    top = x[moving, 1].max() + 0.1
    axes.set(xlim=(-0.5, 0.5), ylim=(-0.03, top), aspect="equal", xlabel="m", ylabel="m", title="Contact forces of a pile at rest")
    figure.colorbar(lines, label="force [N]", shrink=0.7)
    figure.savefig(output, dpi=120)


if __name__ == "__main__":
    main()
