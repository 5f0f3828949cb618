#!/usr/bin/env python3
"""The slope at which a box begins to slide, for many coefficients of friction: all worlds step together."""
import argparse

import numpy as np

import nacre


def slope_world(friction: float, angle: float) -> nacre.World:
    scene = nacre.Scene(gravity=(0, -9.8, 0), timestep=1 / 100, friction=float(friction))
    turn = {"axis": [0, 0, 1], "angle": float(np.degrees(angle))}
    up = np.array([-np.sin(angle), np.cos(angle), 0])
    scene.body(scene.shape("plane", size=20), type="static", rotation=turn)
    scene.body(scene.shape("box", width=0.4, height=0.1, depth=0.4), name="box", position=0.0505 * up, rotation=turn)
    return nacre.World(scene, workers=1, contacts=False)


def measure(coefficients: np.ndarray, angles: np.ndarray, steps: int) -> np.ndarray:
    """Speed of the box after the steps, (coefficients, angles)."""
    worlds = [slope_world(mu, angle) for mu in coefficients for angle in angles]
    batch = nacre.map(worlds, None, steps)
    return np.linalg.norm(batch.v[:, 1], axis=1).reshape(len(coefficients), len(angles))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", default="friction_sweep.png")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    coefficients = np.linspace(0.1, 1.0, 4 if options.quick else 20)
    angles = np.radians(np.arange(3, 50, 6 if options.quick else 1))
    speed = measure(coefficients, angles, 40)
    slides = speed > 0.02
    first = np.array([angles[row.argmax()] if row.any() else np.nan for row in slides])
    expected = np.arctan(coefficients)
    spacing = angles[1] - angles[0]
    late = first - expected  # the first angle tried above arctan(mu)
    print(f"{slides.size} worlds; slides first {np.degrees(np.nanmin(late)):.2f} to {np.degrees(np.nanmax(late)):.2f} degrees above arctan(mu),"
          f" angles every {np.degrees(spacing):.0f} degrees")
    assert np.nanmin(late) > -np.radians(0.3) and np.nanmax(late) <= spacing + np.radians(0.3)
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4), constrained_layout=True)
    picture = axes.pcolormesh(coefficients, np.degrees(angles), speed.T, shading="nearest", cmap="viridis")
    axes.plot(coefficients, np.degrees(expected), "w--", label="arctan of the coefficient")
    axes.set(xlabel="coefficient of friction", ylabel="slope [degree]", title="Speed after 0.4 s")
    axes.legend(loc="lower right", labelcolor="white", facecolor="0.3")
    figure.colorbar(picture, label="m/s")
    figure.savefig(options.output, dpi=120)
    print(options.output)


if __name__ == "__main__":
    main()
