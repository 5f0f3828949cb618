# Run by Blender on what blender_layout.py saved: the layout, the run that came of it and the exported .glb show the same
# bodies at the same places.
# blender --background LAYOUT.blend --python-exit-code 3 --python blender_round_trip.py -- RUN.nacre EXPORT.glb SCRIPTS
import importlib.util
import os
import sqlite3
import sys

import numpy

numpy.bool = bool  # Debian's add-on still uses the name that numpy 1.24 removed

import bpy
from mathutils import Matrix, Quaternion, kdtree

run_file, export_file, scripts = sys.argv[sys.argv.index("--") + 1 :]
spec = importlib.util.spec_from_file_location("blender_import", os.path.join(scripts, "blender_import.py"))
blender_import = importlib.util.module_from_spec(spec)
spec.loader.exec_module(blender_import)
scene = bpy.context.scene
db = sqlite3.connect(f"file:{run_file}?mode=ro", uri=True)
bodies = dict(db.execute("select name, id from body"))
frames = [row[0] for row in db.execute("select id from frame order by id")]
TOLERANCE = 1e-5


def check(what, distance, tolerance=TOLERANCE):
    if not distance <= tolerance:
        raise RuntimeError(f"{what}: {distance} apart")
    return distance


def stored_matrix(frame, body):
    """The pose of the run file, turned from y up to z up by hand."""
    x, y, z, qw, qx, qy, qz = db.execute("select x, y, z, qw, qx, qy, qz from pose where frame = ? and body = ?", (frame, body)).fetchone()
    return Matrix.Translation((x, -z, y)) @ Quaternion((qw, qx, -qz, qy)).normalized().to_matrix().to_4x4()


def apart(a, b):
    return max(abs(a[i][j] - b[i][j]) for i in range(3) for j in range(4))


def largest_gap(points, others):
    """From each point to the nearest of the others."""
    tree = kdtree.KDTree(len(others))
    for i, p in enumerate(others):
        tree.insert(p, i)
    tree.balance()
    return max(tree.find(p)[2] for p in points)


def world_points(target):
    return [target.matrix_world @ v.co for v in target.data.vertices]


def compare_poses(objects, what):
    """All poses at all frames; returns the largest difference."""
    worst = 0
    for frame in frames:
        scene.frame_set(frame)
        for body, target in objects.items():
            worst = max(worst, check(f"{what}: {target.name} at frame {frame}", apart(target.matrix_world, stored_matrix(frame, body))))
    return worst


# 1. The run starts as the layout is: every vertex of one is a vertex of the other.
layout = {blender_import.body_name(o.name): o for o in bpy.data.objects if o.type == "MESH"}
if set(layout) != set(bodies) or len(bodies) != 20:
    raise RuntimeError(f"the run has {sorted(bodies)}, the layout {sorted(layout)}")
bpy.context.view_layer.update()
laid = {name: world_points(o) for name, o in layout.items()}
moved_by = {bodies[name]: o.matrix_world.copy() for name, o in layout.items()}
objects = blender_import.import_run(run_file)
worst = [compare_poses(objects, "blender_import.py")]
scene.frame_set(frames[0])
for name, body in bodies.items():
    check(f"{name} at the start", largest_gap(laid[name], world_points(objects[body])))
    check(f"{name} at the start", largest_gap(world_points(objects[body]), laid[name]))
meshes = {o.data.name for o in objects.values()}
if len(meshes) >= len(objects):
    raise RuntimeError("no two bodies share a mesh")

# 2. The same through glTF.
before = set(bpy.data.objects)
bpy.ops.import_scene.gltf(filepath=export_file)
imported = {}
for target in set(bpy.data.objects) - before:
    name = target.name.rsplit(".", 1)[0] if target.name not in bodies else target.name
    if target.type == "MESH" and name in bodies:
        imported[bodies[name]] = target
if len(imported) != 20:
    raise RuntimeError(f"{len(imported)} of the bodies are in the .glb")
worst.append(compare_poses(imported, "glTF"))


def paint_of(target):
    """The base colour of an object's material as light."""
    nodes = target.material_slots[0].material.node_tree.nodes
    return next(n for n in nodes if n.type == "BSDF_PRINCIPLED").inputs["Base Color"].default_value[0:3]


# Colours come back as the artist chose them, up to bytes of sRGB: in the exported file and by blender_import.py.
paint = max(abs(a - b) for name, body in bodies.items() for back in (imported[body], objects[body])
            for a, b in zip(paint_of(layout[name]), paint_of(back)))
check("the colours", paint, 0.004)
looks = dict(db.execute("select name, material from body join appearance on appearance.body = body.id"))
if {name for name in looks if looks[name] == "paper"} != {"Flat", "Leaf"} or len(looks) != 20:
    raise RuntimeError(f"materials: {looks}")

# 3. The artist's own objects, moved as the bodies moved.
for target in list(objects.values()) + list(imported.values()):
    bpy.data.objects.remove(target)
carried = blender_import.import_run(run_file, onto=True)
far = 0
for frame in (frames[0], frames[len(frames) // 2], frames[-1]):
    scene.frame_set(frame)
    for body, target in carried.items():
        if target.name == "Skew":  # sheared: no location, rotation and scale can give that
            continue
        wanted = stored_matrix(frame, body) @ stored_matrix(frames[0], body).inverted() @ moved_by[body]
        check(f"--onto: {target.name} at frame {frame}", apart(target.matrix_world, wanted), 3 * TOLERANCE)
        far = max(far, (target.matrix_world.translation - moved_by[body].translation).length)
if len(carried) != 17 or far < 1:
    raise RuntimeError(f"--onto moved {len(carried)} objects by {far} m")

# 4. A body that comes at frame 5 and is gone from frame 20 on is hidden before and after; between keys nothing curves.
with sqlite3.connect(run_file + ".short") as short:
    db.backup(short)
    gone = bodies["Ball_001"]
    short.execute("delete from pose where body = ? and (frame < 5 or frame >= 20)", (gone,))
short.close()
ball = blender_import.import_run(run_file + ".short")[gone]
for frame in (0, 4, 5, 12, 19, 20, frames[-1]):
    scene.frame_set(frame)
    if ball.hide_render != (frame < 5 or frame >= 20) or ball.hide_viewport != ball.hide_render:
        raise RuntimeError(f"frame {frame}: a body that {'is' if ball.hide_render else 'is not'} hidden")
for curve in ball.animation_data.action.fcurves:
    wanted = "CONSTANT" if curve.data_path.startswith("hide") else "LINEAR"
    if any(key.interpolation != wanted for key in curve.keyframe_points):
        raise RuntimeError(f"{curve.data_path} is not {wanted}")
print(f"nacre: Blender {bpy.app.version_string}: 20 bodies, {len(frames)} frames, poses within {worst[0]:.1e} (blender_import.py) "
      f"and {worst[1]:.1e} (glTF), colours within {paint:.1e}")
