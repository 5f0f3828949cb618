#!/usr/bin/env python3
"""Judges an animation of Bullet: the exact test of Nacre on every frame, and swept tests between them.

A tower of boxes is shot at. Bullet simulates it in its own program (bench/peers, made by `scripts/build release nacre-peers`), which says where
every body is in every frame; the same scene is then simulated and judged with Nacre. Frames of any simulator can be judged like this: all that is
needed is a mesh and poses; `nacre.judge("theirs.glb")` does it to files."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import nacre

DT, GRAVITY, FRICTION = 1 / 60, (0.0, -9.8, 0.0), 0.5
WALL = 1  # the row of the thin wall


class Item:
    def __init__(self, name: str, mesh: nacre.Mesh, position: tuple[float, float, float], velocity: tuple[float, float, float] = (0, 0, 0), moves: bool = True, density: float = 700) -> None:
        self.name, self.mesh, self.position, self.velocity, self.moves, self.density = name, mesh, position, velocity, moves, density


def layout(height: int) -> list[Item]:
    """A floor, a thin wall, a tower, and balls that are shot at both."""
    box, ball = nacre.Mesh.shape("box", size=0.2), nacre.Mesh.shape("sphere", radius=0.06)
    items = [Item("floor", nacre.Mesh.shape("box", width=10, height=0.2, depth=10), (0, -0.1, 0), moves=False)]
    items.append(Item("wall", nacre.Mesh.shape("box", width=0.02, height=1, depth=2), (2, 0.5, 0), moves=False))
    items += [Item(f"box {k}", box, (0, 0.105 + 0.202 * k, 0)) for k in range(height)]
    items += [Item(f"ball {k}", ball, (-1.5 - 0.5 * k, 0.4 + 0.3 * k, 0.01 * k), (12, 1, 0), density=3000) for k in range(3)]
    items.append(Item("bullet", ball, (0.6, 0.5, 0.6), (60, 0, 0), density=3000))
    return items


# ---- Bullet -------------------------------------------------------------------------------------------------


def find_peer() -> str:
    nacre_program = os.environ.get("NACRE") or shutil.which("nacre") or ""
    for folder in (os.environ.get("NACRE_PEERS", ""), os.path.join(os.path.dirname(nacre_program), "peers")):
        path = os.path.join(folder, "bullet_world")
        if os.access(path, os.X_OK):
            return path
    sys.exit("judge_bullet.py: there is no program bullet_world: scripts/bootstrap --peers, scripts/build release nacre-peers, and NACRE=build/release/nacre")


def numbers(*values: float) -> str:
    return " ".join(float(value).hex() for value in values)


def write_task(path: str, items: list[Item]) -> None:
    """The task of bench/peers/world.hpp."""
    lines = [numbers(*GRAVITY, DT, 1e-3, len(items), len(items))]
    for item in items:
        m = item.mesh
        lines.append(numbers(len(m.vertices), len(m.triangles), *m.vertices.ravel(), *m.triangles.ravel()))
    for k, item in enumerate(items):
        mass = item.mesh.mass(item.density)
        moments = np.diag(mass.inertia) if item.moves else np.zeros(3)  # boxes and balls: axes are principal
        lines.append(numbers(k, mass.mass if item.moves else 0, *moments, 1, 0, 0, 0, FRICTION, 0, *item.position, 1, 0, 0, 0, *item.velocity, 0, 0, 0))
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


def simulate_bullet(items: list[Item], steps: int) -> tuple[str, np.ndarray, np.ndarray]:
    """Its name, and x (frames, bodies, 3) and q (frames, bodies, 4)."""
    with tempfile.TemporaryDirectory() as folder:
        task = os.path.join(folder, "task")
        write_task(task, items)
        with subprocess.Popen([find_peer(), task], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as peer:
            assert peer.stdin is not None and peer.stdout is not None
            about = peer.stdout.readline().split(maxsplit=1)[1].strip()
            poses = []
            for step in range(steps + 1):  # each answer starts from the beginning
                peer.stdin.write(f"run {step}\n")
                peer.stdin.flush()
                peer.stdout.readline()
                poses.append([[float.fromhex(word) for word in peer.stdout.readline().split()] for _ in items])
            peer.stdin.close()
    frames = np.array(poses)
    return about, frames[..., :3], frames[..., 3:]


# ---- Nacre --------------------------------------------------------------------------------------------------


def simulate_nacre(items: list[Item], steps: int) -> tuple[np.ndarray, np.ndarray]:
    world = nacre.World(gravity=GRAVITY, timestep=DT, friction=FRICTION, restitution=0, workers=1)
    for item in items:
        world.add(item.mesh, item.position, velocity=item.velocity, name=item.name, density=item.density, type="dynamic" if item.moves else "static")
    x, q = [world.x.copy()], [world.q.copy()]
    for _ in range(steps):
        world.step()
        x.append(world.x.copy())
        q.append(world.q.copy())
    return np.array(x), np.array(q)


# ---- the verdict --------------------------------------------------------------------------------------------


def motion_between(x: np.ndarray, q: np.ndarray, frame: int, body: int) -> nacre.Motion:
    """The straight way from a frame to the next one, with the shortest turn."""
    a, b = q[frame, body], q[frame + 1, body]
    turn = np.array([a[0] * b[k] - b[0] * a[k] for k in (1, 2, 3)]) - np.cross(b[1:], a[1:])
    w, size = float(a @ b), float(np.linalg.norm(turn))
    angle = 2 * np.arctan2(size, abs(w))
    rotation = turn * (np.sign(w) * angle / size) if size > 0 else np.zeros(3)
    return nacre.Motion(nacre.Pose(x[frame, body], a), x[frame + 1, body] - x[frame, body], rotation)


def judge(name: str, items: list[Item], x: np.ndarray, q: np.ndarray, between: bool) -> tuple[int, int]:
    """Counts frames in which bodies share a point, and bodies that pass through the wall between two frames."""
    meshes = [item.mesh for item in items]
    crossing = [nacre.check(meshes, list(zip(x[frame], q[frame]))) for frame in range(len(x))]
    crossing = [[hit for hit in hits if items[hit.a].moves or items[hit.b].moves] for hits in crossing]
    passages = set()
    for frame in range(len(x) - 1 if between else 0):
        still = nacre.Motion(nacre.Pose(x[frame, WALL], q[frame, WALL]))
        at_wall = {hit.b for hits in crossing[frame : frame + 2] for hit in hits if hit.a == WALL}
        for body in range(len(items)):
            if items[body].moves and body not in at_wall:
                if nacre.sweep(meshes[body], motion_between(x, q, frame, body), meshes[WALL], still).verdict == "hit":
                    passages.add(items[body].name)
    bad = sum(1 for hits in crossing if hits)
    pairs = {(items[hit.a].name, items[hit.b].name) for hits in crossing for hit in hits}
    print(f"{name}: {bad} of {len(x)} frames have bodies that share a point, {len(pairs)} pairs in all; through the wall between frames: {', '.join(sorted(passages)) or 'nothing'}")
    for a, b in sorted(pairs)[:5]:
        print(f"    {a} and {b}")
    return bad, len(passages)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    items, steps = layout(5 if options.quick else 12), 20 if options.quick else 120
    about, x, q = simulate_bullet(items, steps)
    judge(about, items, x, q, between=True)
    ours = judge("Nacre", items, *simulate_nacre(items, steps), between=False)  # its own paths are certified: nacre check --paths
    assert ours == (0, 0)


if __name__ == "__main__":
    main()
