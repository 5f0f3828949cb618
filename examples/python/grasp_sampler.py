#!/usr/bin/env python3
"""Tests grasps of a part with a parallel gripper: every grasp starts from one snapshot of the part at rest.

Two pads close on the part from both sides of a random direction, lift it, and the grasp holds when the part came along."""
import argparse
import time

import numpy as np

import nacre

OPEN, CLOSE, LIFT = 0.12, 0.25, 0.15  # [m] of each pad from the middle; [m/s]; [m]


class Cell:
    """A part at rest on a table, and two pads out of the way."""

    def __init__(self) -> None:
        self.world = nacre.World(gravity=(0, -9.8, 0), timestep=1 / 120, friction=0.6, workers=1)
        self.world.add(nacre.Mesh.shape("plane", size=4), type="static")
        self.part = self.world.add(nacre.Mesh.shape("box", width=0.12, height=0.04, depth=0.05), (0, 0.03, 0), density=900, name="part")
        pad = nacre.Mesh.shape("box", width=0.01, height=0.03, depth=0.03)
        self.pads = [self.world.add(pad, (side * 0.5, 0.5, 0), type="kinematic") for side in (-1, 1)]
        self.world.step(120)
        self.snapshot = self.world.snapshot()
        self.height = float(self.part.position[1])

    def grasp(self, angle: float, along: float, height: float) -> bool:
        """Does a grasp hold?"""
        self.world.restore(self.snapshot)
        center = self.part.position + (along * np.cos(angle), height, along * np.sin(angle))
        axis = np.array([-np.sin(angle), 0, np.cos(angle)])
        turn = -(angle + np.pi / 2)  # about y: the thin side of a pad along the axis
        q = (np.cos(turn / 2), 0, np.sin(turn / 2), 0)
        try:
            for pad, side in zip(self.pads, (-1, 1)):
                pad.pose = (center + side * OPEN * axis, q)
        except nacre.Intersecting:
            return False
        for pad, side in zip(self.pads, (-1, 1)):
            pad.velocity = -side * CLOSE * axis  # until the part blocks it: pads wait, nothing crosses
        self.world.step(int(OPEN / CLOSE * 120))
        for pad in self.pads:
            pad.velocity = (0, LIFT / 0.5, 0)
        self.world.step(60)
        return bool(self.part.position[1] > self.height + 0.6 * LIFT)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", "--grasps", type=int, default=1000)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    count = 12 if options.quick else options.grasps
    rng = np.random.default_rng(1)
    cell = Cell()
    start = time.process_time()
    for _ in range(100):
        cell.world.restore(cell.snapshot)
    restore = (time.process_time() - start) / 100
    start = time.process_time()
    held = []
    for _ in range(count):
        grasp = (rng.uniform(0, np.pi), rng.uniform(-0.06, 0.06), rng.uniform(0.0, 0.02))
        if cell.grasp(*grasp):
            held.append(grasp)
    seconds = time.process_time() - start
    print(f"{len(held)} of {count} grasps hold; {1000 * seconds / count:.1f} ms of CPU per grasp, {1e6 * restore:.0f} us to restore")
    if held:
        angle, along, height = held[0]
        again = cell.grasp(angle, along, height)
        print(f"the first: {np.degrees(angle):.0f} degrees, {1000 * along:.0f} mm along, {1000 * height:.0f} mm up; tried again: {'holds' if again else 'slips'}")
        assert again  # the same bits
    assert not cell.world.audit()


if __name__ == "__main__":
    main()
