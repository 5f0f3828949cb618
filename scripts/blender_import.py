# Reads a Nacre run file straight into Blender: one object per body, meshes shared, location and rotation keyed frame by frame.
#
#   blender --python scripts/blender_import.py -- run.nacre
#   blender layout.blend --python scripts/blender_import.py -- run.nacre --onto
#   blender --background --python scripts/blender_import.py -- run.nacre --save run.blend
#
# It needs no add-on and no Nacre: a run file is an SQLite database (docs/run-file.md), and Blender's Python reads it. Poses
# are read frame by frame and keyed in bulk, so it takes runs that are too large for glTF. From Python: import_run(...).
import argparse
import os
import re
import sqlite3
import sys

import bpy
import numpy
from mathutils import Matrix, Quaternion, Vector

APPLICATION_ID = 0x4E637265
NEWEST_FORMAT = 1
CONSTANT, LINEAR = 0, 1  # Blender's numbers of interpolations
COLOURS = ((0.16, 0.41, 0.63), (0.86, 0.49, 0.20), (0.36, 0.58, 0.33), (0.70, 0.30, 0.29), (0.50, 0.42, 0.66),
           (0.79, 0.66, 0.29), (0.27, 0.58, 0.60), (0.72, 0.48, 0.56))

# The rows of include/nacre/material.def (tests/cli/looks.sh compares them): colour, metallic, roughness, transmission.
MATERIALS = {
    "matte": ("", 0, 0.9, 0),
    "metal": ("#c3c7cc", 1, 0.22, 0),
    "glass": ("#eaf6f4", 0, 0, 1),
    "rubber": ("#3a3d42", 0, 0.65, 0),
    "wood": ("#c08a54", 0, 0.55, 0),
    "fabric": ("", 0, 1, 0),
    "paper": ("#f2ede1", 0, 0.95, 0),
}


class RunError(Exception):
    """What is wrong with a run file or with the request, in a sentence."""


class Run:
    """The tables of a run file."""

    def __init__(self, path):
        if not os.path.isfile(path):
            raise RunError(f"there is no file '{path}'")
        try:
            self.db = sqlite3.connect(f"file:{sqlite3_path(path)}?mode=ro", uri=True)
            if self.db.execute("pragma application_id").fetchone()[0] != APPLICATION_ID:
                raise RunError(f"'{path}' is no run file of Nacre")
            if self.db.execute("pragma user_version").fetchone()[0] > NEWEST_FORMAT:
                raise RunError(f"'{path}' was made by a newer Nacre")
            self.title = self.db.execute("select title from run").fetchone()[0] or os.path.basename(path)
            self.frames = self.db.execute("select id, time from frame order by id").fetchall()
            self.bodies = self.db.execute("select id, name, type, mesh from body order by id").fetchall()
            self.looks = {}  # by body: "#rrggbb" or "", a material or ""
            if self.db.execute("select 1 from sqlite_master where name = 'appearance'").fetchone():
                self.looks = {row[0]: row[1:] for row in self.db.execute("select body, color, material from appearance")}
        except sqlite3.Error as error:
            raise RunError(f"cannot read '{path}': {error}") from error
        if not self.frames:
            raise RunError(f"'{path}' has no frames")

    def mesh(self, row):
        """Vertices and the corners of triangles, free edges and their counts, as arrays."""
        vertices, triangles, edges = self.db.execute("select vertices, triangles, edges from mesh where id = ?", (row,)).fetchone()
        return (numpy.frombuffer(vertices, "<f8").reshape(-1, 3), numpy.frombuffer(triangles or b"", "<i4").reshape(-1, 3),
                numpy.frombuffer(edges or b"", "<i4").reshape(-1, 2))

    def poses(self, frames):
        """[frame, body, 7] position and orientation (w first); NaN where a body is not there."""
        found = numpy.full((len(frames), len(self.bodies), 7), numpy.nan)
        for k, frame in enumerate(frames):
            rows = self.db.execute("select body, x, y, z, qw, qx, qy, qz from pose where frame = ?", (frame,)).fetchall()
            if rows:
                table = numpy.array(rows)
                found[k, table[:, 0].astype(int)] = table[:, 1:]
        return found


def sqlite3_path(path):
    """A path inside an SQLite URI."""
    return os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


# ---- axes: Nacre's y up is Blender's z up -----------------------------------------------------------------------------


def to_z_up(vectors):
    """(x, y, z) to (x, -z, y), as Blender's own glTF importer does it."""
    return numpy.stack((vectors[..., 0], -vectors[..., 2], vectors[..., 1]), axis=-1)


def turn_poses(poses):
    turned = poses.copy()
    turned[..., 0:3] = to_z_up(poses[..., 0:3])
    turned[..., 4:7] = to_z_up(poses[..., 4:7])
    return turned


def make_continuous(rotations):
    """q and -q are one rotation: takes the one nearer to the previous key, so that bodies take the shorter rotation."""
    flips = numpy.where((rotations[1:] * rotations[:-1]).sum(axis=1) < 0, -1.0, 1.0)
    rotations[1:] *= numpy.cumprod(flips)[:, None]


# ---- what is made in Blender ------------------------------------------------------------------------------------------


def make_mesh(run, row, keep_axes):
    vertices, triangles, edges = run.mesh(row)
    mesh = bpy.data.meshes.new(f"nacre mesh {row}")
    mesh.vertices.add(len(vertices))
    mesh.vertices.foreach_set("co", (vertices if keep_axes else to_z_up(vertices)).astype("f4").ravel())
    if len(edges):
        mesh.edges.add(len(edges))
        mesh.edges.foreach_set("vertices", edges.ravel())
    mesh.loops.add(3 * len(triangles))
    mesh.loops.foreach_set("vertex_index", triangles.ravel())
    mesh.polygons.add(len(triangles))
    mesh.polygons.foreach_set("loop_start", numpy.arange(0, 3 * len(triangles), 3, dtype="i4"))
    mesh.polygons.foreach_set("loop_total", numpy.full(len(triangles), 3, dtype="i4"))
    mesh.update(calc_edges=True)
    return mesh


def add_curve(action, path, index, times, values, interpolation):
    curve = action.fcurves.new(data_path=path, index=index)
    curve.keyframe_points.add(len(times))
    curve.keyframe_points.foreach_set("co", numpy.stack((times, values), axis=1).astype("f4").ravel())
    curve.keyframe_points.foreach_set("interpolation", numpy.full(len(times), interpolation, dtype="i4"))
    curve.update()


def key_poses(target, times, poses):
    """Keys location and rotation of an object; where all poses are one it is put there, without keys."""
    there = ~numpy.isnan(poses[:, 0])
    times, poses, all_times = times[there], poses[there], times
    target.rotation_mode = "QUATERNION"
    if len(poses) == 0:
        return
    poses[:, 3:7] /= numpy.linalg.norm(poses[:, 3:7], axis=1)[:, None]
    make_continuous(poses[:, 3:7])
    target.location, target.rotation_quaternion = poses[0, 0:3], poses[0, 3:7]
    moves = len(poses) > 1 and not (poses == poses[0]).all()
    if not moves and there.all():
        return
    action = bpy.data.actions.new(f"{target.name} of Nacre")
    if target.animation_data is None:
        target.animation_data_create()
    target.animation_data.action = action
    for path, columns in (("location", range(0, 3)), ("rotation_quaternion", range(3, 7))):
        for index, column in enumerate(columns if moves else ()):
            add_curve(action, path, index, times, poses[:, column], LINEAR)
    if not there.all():
        for path in ("hide_viewport", "hide_render"):
            add_curve(action, path, 0, all_times, 1.0 - there, CONSTANT)


def light_of(color):
    """Linear light of "#rrggbb"."""
    values = [int(color[k:k + 2], 16) / 255 for k in (1, 3, 5)]
    return [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]


def paint(target, color, kind):
    """Gives an object a material of its own; objects that look alike share it."""
    base, metallic, roughness, clear = MATERIALS.get(kind, ("", 0, 0.8, 0))
    color = color or base
    if not color:
        return
    name = f"{kind} {color}".strip()
    made = bpy.data.materials.get(name)
    if made is None:
        made = bpy.data.materials.new(name)
        made.use_nodes = True
        inputs = made.node_tree.nodes["Principled BSDF"].inputs
        inputs["Base Color"].default_value = (*light_of(color), 1)
        inputs["Metallic"].default_value, inputs["Roughness"].default_value = metallic, roughness
        for key in ("Transmission", "Transmission Weight"):  # before and since Blender 4
            if key in inputs:
                inputs[key].default_value = clear
    target.color = (*light_of(color), 1)
    if not target.data.materials:
        target.data.materials.append(None)
    target.material_slots[0].link = "OBJECT"
    target.material_slots[0].material = made


def make_objects(run, poses, times, keep_axes):
    collection = bpy.data.collections.new(run.title)
    bpy.context.scene.collection.children.link(collection)
    meshes = {}
    objects = {}
    for body, name, kind, mesh in run.bodies:
        if mesh not in meshes:
            meshes[mesh] = make_mesh(run, mesh, keep_axes)
        target = bpy.data.objects.new(name or f"body {body}", meshes[mesh])
        target.color = (0.6, 0.6, 0.58, 1) if kind == "static" else (*COLOURS[body % len(COLOURS)], 1)
        collection.objects.link(target)
        if body in run.looks:
            paint(target, *run.looks[body])
        key_poses(target, times, poses[:, body].copy())
        objects[body] = target
    return objects


def body_name(name):
    """What nacre import makes of an object's name."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64]


def pose_matrix(pose):
    return Matrix.Translation(Vector(pose[0:3])) @ Quaternion(pose[3:7]).to_matrix().to_4x4()


def key_existing(run, poses, times):
    """Moves objects of the open file that have the names of bodies, from where they are, as the bodies moved."""
    names = {body_name(o.name): o for o in bpy.data.objects if o.type == "MESH"}
    objects = {}
    for body, name, kind, mesh in run.bodies:
        target = names.get(name)
        if target is None or kind == "static" or numpy.isnan(poses[0, body, 0]):
            continue
        start = target.matrix_world.copy()
        home = pose_matrix(poses[0, body]).inverted() @ start
        carried = poses[:, body].copy()
        for k, pose in enumerate(carried):
            if not numpy.isnan(pose[0]):
                place, turn, _ = (pose_matrix(pose) @ home).decompose()
                carried[k] = (*place, *turn)
        target.parent = None
        target.matrix_world = start
        key_poses(target, times, carried)
        objects[body] = target
    if not objects:
        raise RunError("no object of this file has the name of a body that moves")
    return objects


# ---- the import -------------------------------------------------------------------------------------------------------


def set_rate(scene, rate):
    scene.render.fps = max(1, round(rate))
    scene.render.fps_base = scene.render.fps / rate


def choose_frames(run, frames, every):
    """A:B as the nacre command takes it: both included, either left out, negative ones from the end."""
    ids = [row[0] for row in run.frames]
    if frames is not None:
        ends = re.fullmatch(r"(-?\d+)?(:)?(-?\d+)?", frames)
        if ends is None or frames in ("", ":"):
            raise RunError(f"--frames expects A:B, but '{frames}' was given")
        ends = [None if e is None else int(e) + (len(ids) if int(e) < 0 else 0) for e in (ends[1], ends[3] if ends[2] else ends[1])]
        ids = [k for k in ids if (ends[0] is None or k >= ends[0]) and (ends[1] is None or k <= ends[1])]
    ids = ids[::every]
    if not ids:
        raise RunError(f"the run has frames 0 to {len(run.frames) - 1}: none in the requested range")
    return ids


def import_run(path, frames=None, every=1, fps=None, keep_axes=False, onto=False):
    """Imports a run into the current scene. Returns {body: object}."""
    run = Run(path)
    ids = choose_frames(run, frames, every)
    seconds = numpy.array([row[1] for row in run.frames])[ids]
    scene = bpy.context.scene
    if fps is None:  # one frame of Blender's for one of the run
        fps = 1 / (seconds[1] - seconds[0]) if len(seconds) > 1 else 24
    set_rate(scene, fps)
    times = seconds * fps
    whole = numpy.round(times)
    times = numpy.where(abs(times - whole) < 1e-6 * (1 + abs(times)), whole, times)
    poses = run.poses(ids)
    if not keep_axes:
        poses = turn_poses(poses)
    objects = key_existing(run, poses, times) if onto else make_objects(run, poses, times, keep_axes)
    scene.frame_start, scene.frame_end = int(numpy.floor(times[0])), int(numpy.ceil(times[-1]))
    scene.frame_set(scene.frame_start)
    return objects


def main(arguments):
    parser = argparse.ArgumentParser(prog="blender --python blender_import.py --", description="Reads a Nacre run into Blender.")
    parser.add_argument("run", help="the run file")
    parser.add_argument("--frames", metavar="A:B", help="only frames A to B, both included")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th of these")
    parser.add_argument("--fps", type=float, help="frames a second in Blender; default: one for each of the run")
    parser.add_argument("--keep-axes", action="store_true", help="do not turn y up to z up: for scenes with z up")
    parser.add_argument("--onto", action="store_true", help="move the objects of this file that have the bodies' names")
    parser.add_argument("--save", metavar="FILE", help="save as this .blend file")
    chosen = parser.parse_args(arguments)
    if chosen.every < 1 or (chosen.fps is not None and not chosen.fps > 0):
        raise RunError("--every and --fps must be above 0")
    objects = import_run(chosen.run, chosen.frames, chosen.every, chosen.fps, chosen.keep_axes, chosen.onto)
    scene = bpy.context.scene
    print(f"nacre: {len(objects)} bodies, frames {scene.frame_start} to {scene.frame_end}")
    if chosen.save:
        bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(chosen.save))


if __name__ == "__main__":
    try:
        main(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else ["--help"])
    except RunError as error:
        print(f"nacre: {error}", file=sys.stderr)
        sys.exit(1)
