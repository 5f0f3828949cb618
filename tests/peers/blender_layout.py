# Run by Blender: lays out a scene of 20 bodies as an artist would (copies of a mesh, parents, uneven scale, custom
# properties) and exports it.
# blender --background --factory-startup --python-exit-code 3 --python blender_layout.py -- FILE.glb [FILE.blend]
import os
import sys

import numpy

numpy.bool = bool  # Debian's add-on still uses the name that numpy 1.24 removed

import bpy
from mathutils import Euler

COLOURS = {"Crate": (0.72, 0.36, 0.13), "Ball": (0.10, 0.28, 0.50), "Ring": (0.20, 0.42, 0.18), "Sheet": (0.42, 0.41, 0.39),
           "Paper": (0.75, 0.62, 0.30)}
arguments = sys.argv[sys.argv.index("--") + 1 :]
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps = 24


def place(name, mesh, location, turn=(0, 0, 0), scale=(1, 1, 1), parent=None, **properties):
    body = bpy.data.objects.new(name, mesh)
    scene.collection.objects.link(body)
    body.location, body.rotation_euler, body.scale, body.parent = location, Euler(turn), scale, parent
    for key, value in properties.items():
        body[key] = value
    return body


def material_of(name):
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (*COLOURS[name], 1)
    return material


def mesh_of(add, name, **options):
    add(**options)
    made = bpy.context.object
    mesh = made.data
    mesh.name = name
    mesh.materials.append(material_of(name))
    bpy.data.objects.remove(made)
    return mesh


cube = mesh_of(bpy.ops.mesh.primitive_cube_add, "Crate", size=1)
ball = mesh_of(bpy.ops.mesh.primitive_ico_sphere_add, "Ball", radius=0.4, subdivisions=2)
ring = mesh_of(bpy.ops.mesh.primitive_torus_add, "Ring", major_radius=0.6, minor_radius=0.12, major_segments=24, minor_segments=8)
sheet = mesh_of(bpy.ops.mesh.primitive_plane_add, "Sheet", size=1)
ball["density"] = 300.0  # of every ball: a property of the mesh

place("Ground", sheet, (0, 0, 0), scale=(14, 14, 1), type="static", friction=0.6)
place("Ramp", cube, (-2.5, 0, 1), turn=(0, 0.5, 0), scale=(3, 4, 0.2), type="Static", friction=0.2)
group = place("Group", None, (2.5, 0, 1.2), turn=(0.1, 0.2, 0.7), scale=(0.8, 0.8, 0.8))
for i in range(6):
    place(f"Crate.{i:03}", cube, (-3.5 + 0.9 * (i % 3), -1.2 + 2.4 * (i // 3), 4.0 + 0.3 * i), turn=(0.3 * i, 0.2, 0.5 * i),
          scale=(0.5, 0.6, 0.4), mass=2.0 + i, friction=0.5)
for i in range(4):
    place(f"Ball.{i:03}", ball, (-1.5 + 1.1 * i, 3 - 0.4 * i, 1.5 + i), restitution=0.4, velocity=(0.5, -2.0 + 0.1 * i, 1.0))
for i in range(4):
    place(f"Ring.{i:03}", ring, (0, 0, 0.9 * i), turn=(0.2 * i, 0.4, 0), parent=group, density=800)
flat = place("Flat", sheet, (3.5, -3, 3), turn=(0.3, 0.2, 0), area_density=2.5, spin=[0.0, 0.0, 3.0])
leaf = place("Leaf", sheet, (4, 3.5, 3), turn=(1.0, 0.2, 0), scale=(0.7, 1.2, 1), thickness=0.002, density=700)
paper = material_of("Paper")
for body in (flat, leaf):  # the mesh is the ground's, the material their own
    body.material_slots[0].link, body.material_slots[0].material = "OBJECT", paper
# Scaled unevenly, with a turned child: the child is sheared.
press = place("Press", cube, (0, -4, 0.8), scale=(2, 0.5, 1), type="static")
place("Skew", ring, (0, 0, 1.4), turn=(0.4, 0.3, 0.2), parent=press, mass=1.5)

# A camera and a light, for pictures; the export leaves them out.
camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
camera.location, camera.rotation_euler, camera.data.lens = (11, -11.5, 8), Euler((1.17, 0, 0.76)), 37
sun = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
sun.rotation_euler, sun.data.energy, sun.data.angle = Euler((0.7, 0.25, 0.4)), 2.2, 0.08
scene.collection.objects.link(camera)
scene.collection.objects.link(sun)
scene.camera = camera
scene.world = bpy.data.worlds.new("World")
scene.world.use_nodes = True
scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.42, 0.46, 0.52, 1)
scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", 96, False  # Debian builds no denoiser
scene.render.resolution_x, scene.render.resolution_y = 640, 360
scene.view_settings.view_transform = "Standard"

bodies = [o for o in bpy.data.objects if o.type == "MESH"]
if len(bodies) != 20:
    raise RuntimeError(f"{len(bodies)} bodies")
bpy.ops.export_scene.gltf(filepath=arguments[0], export_format="GLB", export_extras=True)
if len(arguments) > 1:
    bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(arguments[1]))
print(f"nacre: laid out {len(bodies)} bodies")
