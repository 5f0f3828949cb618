#!/usr/bin/env python3
"""A bin-picking data set in the folder layout of BOP: bins of poured parts at rest, with pictures (shaded), depth, instance
masks, normals and the pose of every part. Drawn here by a small rasteriser, so that every pixel belongs to the poses."""
import argparse
import json
import pathlib
import struct
import zlib

import numpy as np

import nacre

WIDTH, HEIGHT, FOCAL = 160, 120, 180.0
CAMERA = np.array([0.0, 0.75, 0.0])  # [m] looking straight down; x of the picture is x, y of the picture is z


def bin_scene(parts: int, seed: int) -> nacre.Scene:
    scene = nacre.Scene(gravity=(0, -9.8, 0), timestep=1 / 120, friction=0.4, seed=seed)
    floor = scene.shape("box", width=0.36, height=0.01, depth=0.36)
    wall = scene.shape("box", width=0.34, height=0.1, depth=0.01)
    scene.body(floor, name="floor", type="static", position=(0, -0.0055, 0))
    for k in range(4):
        angle = k * np.pi / 2
        scene.body(wall, name=f"wall_{k}", type="static", position=(0.175 * np.sin(angle), 0.0505, 0.175 * np.cos(angle)), rotation={"axis": [0, 1, 0], "angle": 90 * k})
    part = scene.shape("box", "part", width=0.06, height=0.015, depth=0.03, density=2700)
    scene.pour(part, parts, into=nacre.Box((-0.15, 0.005, -0.15), (0.15, 0.4, 0.15)))
    return scene


def settle(world: nacre.World, most: int) -> None:
    while world.step_count < most:
        world.step(20)
        if np.linalg.norm(world.v, axis=1).max() < 2e-3:
            break
    assert not world.audit()


def draw(world: nacre.World) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Depth [m] (0: nothing), row of the body (-1: nothing), normal: by triangles, nearest wins."""
    depth, owner = np.full((HEIGHT, WIDTH), np.inf), np.full((HEIGHT, WIDTH), -1)
    normal = np.zeros((HEIGHT, WIDTH, 3))
    for body in world.bodies:
        points, triangles = body.vertices, body.triangles
        z = CAMERA[1] - points[:, 1]
        u = WIDTH / 2 + FOCAL * (points[:, 0] - CAMERA[0]) / z
        v = HEIGHT / 2 + FOCAL * (points[:, 2] - CAMERA[2]) / z
        for corners in triangles:
            n = np.cross(points[corners[1]] - points[corners[0]], points[corners[2]] - points[corners[0]])
            cu, cv, cz = u[corners], v[corners], z[corners]
            area = (cu[1] - cu[0]) * (cv[2] - cv[0]) - (cu[2] - cu[0]) * (cv[1] - cv[0])
            left, right = max(0, int(np.ceil(cu.min() - 0.5))), min(WIDTH, int(np.floor(cu.max() - 0.5)) + 1)
            top, bottom = max(0, int(np.ceil(cv.min() - 0.5))), min(HEIGHT, int(np.floor(cv.max() - 0.5)) + 1)
            if n @ (CAMERA - points[corners[0]]) <= 0 or abs(area) < 1e-12 or left >= right or top >= bottom:
                continue
            px, py = np.meshgrid(np.arange(left, right) + 0.5, np.arange(top, bottom) + 0.5)
            w0 = ((cu[1] - px) * (cv[2] - py) - (cu[2] - px) * (cv[1] - py)) / area
            w1 = ((cu[2] - px) * (cv[0] - py) - (cu[0] - px) * (cv[2] - py)) / area
            w2 = 1 - w0 - w1
            here = 1 / (w0 / cz[0] + w1 / cz[1] + w2 / cz[2])
            window = (slice(top, bottom), slice(left, right))
            nearer = (w0 >= 0) & (w1 >= 0) & (w2 >= 0) & (here < depth[window])
            depth[window][nearer] = here[nearer]
            owner[window][nearer] = body.index
            normal[window][nearer] = n / np.linalg.norm(n)
    return np.where(np.isfinite(depth), depth, 0), owner, normal


def write_png(path: pathlib.Path, pixels: np.ndarray) -> None:
    """8-bit RGB, 8-bit grey or 16-bit grey."""
    path.parent.mkdir(parents=True, exist_ok=True)
    bits, color = (16, 0) if pixels.dtype == np.uint16 else (8, 2 if pixels.ndim == 3 else 0)
    data = pixels.astype(">u2" if bits == 16 else np.uint8)
    rows = b"".join(b"\0" + row.tobytes() for row in data)
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", pixels.shape[1], pixels.shape[0], bits, color, 0, 0, 0)), (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    body = b"".join(struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in chunks)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + body)


def write_ply(path: pathlib.Path, mesh: nacre.Mesh) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ["ply", "format ascii 1.0", f"element vertex {len(mesh.vertices)}", "property float x", "property float y", "property float z",
             f"element face {len(mesh.triangles)}", "property list uchar int vertex_indices", "end_header"]
    lines += [" ".join(f"{1000 * c:.9g}" for c in vertex) for vertex in mesh.vertices]  # millimetres, as BOP has them
    lines += ["3 " + " ".join(map(str, triangle)) for triangle in mesh.triangles]
    path.write_text("\n".join(lines) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", default="bin_picking")
    parser.add_argument("-n", "--bins", type=int, default=5)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    bins, parts = (1, 10) if options.quick else (options.bins, 60)
    root = pathlib.Path(options.output)
    scene_folder = root / "train" / "000000"
    to_camera = np.array([[1.0, 0, 0], [0, 0, 1.0], [0, -1.0, 0]])  # axes of the camera: right, down, forward
    truth, cameras = {}, {}
    for image in range(bins):
        world = nacre.World(bin_scene(parts, image))
        settle(world, 240 if options.quick else 600)
        depth, owner, normal = draw(world)
        write_png(scene_folder / "depth" / f"{image:06d}.png", np.round(10000 * depth).astype(np.uint16))
        write_png(scene_folder / "normal" / f"{image:06d}.png", np.round(127.5 * (normal @ to_camera.T) + 127.5).astype(np.uint8))
        light = np.clip(normal @ (0.3, 0.9, 0.32), 0.1, 1)
        moving = world.mass > 0
        base = np.where(moving[owner][..., None], (0.75, 0.78, 0.8), (0.25, 0.4, 0.6)) * (owner >= 0)[..., None]
        write_png(scene_folder / "rgb" / f"{image:06d}.png", np.round(255 * base * light[..., None]).astype(np.uint8))
        rotation = nacre.rotation_matrix(world.q)
        poses = []
        for number, body in enumerate(body for body in world.bodies if body.type == "dynamic"):
            if image == 0 and number == 0:
                write_ply(root / "models" / "obj_000001.ply", body.mesh)
            write_png(scene_folder / "mask_visib" / f"{image:06d}_{number:06d}.png", np.where(owner == body.index, 255, 0).astype(np.uint8))
            poses.append({"obj_id": 1, "cam_R_m2c": (to_camera @ rotation[body.index]).ravel().tolist(),
                          "cam_t_m2c": (1000 * to_camera @ (body.position - CAMERA)).tolist()})
        truth[str(image)] = poses
        cameras[str(image)] = {"cam_K": [FOCAL, 0, WIDTH / 2, 0, FOCAL, HEIGHT / 2, 0, 0, 1], "depth_scale": 0.1}
        check_pixels(world, depth, owner)
        print(f"image {image}: {len(poses)} parts, {len(np.unique(owner[(owner >= 0) & moving[owner]]))} visible, {world.step_count} steps", flush=True)
    (scene_folder / "scene_gt.json").write_text(json.dumps(truth, indent=1))
    (scene_folder / "scene_camera.json").write_text(json.dumps(cameras, indent=1))
    print(root)


def check_pixels(world: nacre.World, depth: np.ndarray, owner: np.ndarray) -> None:
    """A pixel's depth, put back into the world, lies on the body that owns it."""
    rng = np.random.default_rng(0)
    speck = nacre.Mesh([(0, 0, 0)], points=[0])
    for row, column in zip(rng.integers(0, HEIGHT, 60), rng.integers(0, WIDTH, 60)):
        if owner[row, column] < 0:
            continue
        z = depth[row, column]
        point = CAMERA + (z * (column + 0.5 - WIDTH / 2) / FOCAL, -z, z * (row + 0.5 - HEIGHT / 2) / FOCAL)
        body = next(body for body in world.bodies if body.index == owner[row, column])
        assert nacre.distance(speck, nacre.Pose(point), body.mesh, body.pose).distance < 1e-9


if __name__ == "__main__":
    main()
