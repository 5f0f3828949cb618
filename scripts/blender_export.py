# Exports the open Blender file for `nacre import`, with what glTF leaves out: rigid bodies and rigid-body constraints.
#
#   blender layout.blend --background --python scripts/blender_export.py -- layout.glb
#   nacre import layout.glb -o scene.yaml
#
# Every object with a rigid body gets the custom properties that `nacre import` reads (type, mass, friction, restitution), unless
# it has such a property already; every object with a rigid-body constraint gets properties constraint_*, which become a joint
# (docs/blender.md). They are removed again after the export: the open file stays as it was. From Python: export_scene(...).
import argparse
import sys

import bpy
import numpy

if "bool" not in vars(numpy):
    numpy.bool = bool  # the glTF add-on of Blender 3.4 uses a name that numpy 1.24 to 1.26 do not have

AXES = ("lin_x", "lin_y", "lin_z", "ang_x", "ang_y", "ang_z")
SPRINGS = ("x", "y", "z", "ang_x", "ang_y", "ang_z")  # Blender's names of the springs of AXES
LIMITED = {"HINGE": ("ang_z",), "SLIDER": ("lin_x",), "PISTON": ("lin_x", "ang_x"), "GENERIC": AXES, "GENERIC_SPRING": AXES}


class ExportError(Exception):
    """What is wrong with the request, in a sentence."""


def body_properties(body):
    """A rigid body as keys of a body in a scene of Nacre."""
    if body.kinematic:
        properties = {"type": "kinematic"}
    elif body.type == "ACTIVE" and body.enabled:
        properties = {"type": "dynamic", "mass": body.mass}
    else:
        properties = {"type": "static"}
    return {**properties, "friction": body.friction, "restitution": body.restitution}


def motor_properties(constraint):
    found = {}
    for kind in ("lin", "ang"):
        if getattr(constraint, f"use_motor_{kind}"):
            found[f"constraint_motor_{kind}"] = [getattr(constraint, f"motor_{kind}_target_velocity"),
                                                 getattr(constraint, f"motor_{kind}_max_impulse")]
    return found


def spring_properties(constraint):
    found = {"constraint_spring_type": constraint.spring_type}
    for axis, spring in zip(AXES, SPRINGS):
        if getattr(constraint, f"use_spring_{spring}"):
            found[f"constraint_spring_{axis}"] = [getattr(constraint, f"spring_stiffness_{spring}"),
                                                  getattr(constraint, f"spring_damping_{spring}")]
    return found


def constraint_properties(constraint, scene):
    """A constraint as Blender has it: signs, axes and units are those of Blender."""
    world = scene.rigidbody_world
    substeps = world.substeps_per_frame if world else 10
    speed = world.time_scale if world else 1
    found = {"constraint": constraint.type,
             "constraint_object1": constraint.object1.name if constraint.object1 else "",
             "constraint_object2": constraint.object2.name if constraint.object2 else "",
             "constraint_enabled": int(constraint.enabled),
             "constraint_disable_collisions": int(constraint.disable_collisions),
             "constraint_substep": speed * scene.render.fps_base / (scene.render.fps * substeps),
             "constraint_substeps": substeps}
    for axis in LIMITED.get(constraint.type, ()):
        if getattr(constraint, f"use_limit_{axis}"):
            found[f"constraint_limit_{axis}"] = [getattr(constraint, f"limit_{axis}_lower"),
                                                 getattr(constraint, f"limit_{axis}_upper")]
    if constraint.type == "GENERIC_SPRING":
        found.update(spring_properties(constraint))
    if constraint.type == "MOTOR":
        found.update(motor_properties(constraint))
    if constraint.use_breaking:
        found["constraint_breaking_threshold"] = constraint.breaking_threshold
    return found


def names_of(objects):
    shown = ", ".join(o.name for o in objects[:8])
    return shown + (f" and {len(objects) - 8} more" if len(objects) > 8 else "")


def tell_left_out(objects):
    """Names what Nacre does not take over from rigid bodies, in lines."""
    bodies = [o for o in objects if o.rigid_body]
    damped = [o for o in bodies if o.rigid_body.type == "ACTIVE" and (o.rigid_body.linear_damping or o.rigid_body.angular_damping)]
    others = [o for o in objects if o.type == "MESH" and not o.rigid_body and "type" not in o and "type" not in o.data]
    if damped:
        print(f"nacre: damping is not exported, Nacre's bodies have none: {names_of(damped)}")
    if bodies and others:
        print(f"nacre: these meshes have no rigid body in Blender and are dynamic bodies for Nacre; "
              f"a custom property type, such as static, changes that: {names_of(others)}")


def add_properties(objects, scene):
    """Adds the properties; returns what was added, as (object, key)."""
    added = []
    for o in objects:
        found = body_properties(o.rigid_body) if o.rigid_body else {}
        if o.rigid_body_constraint:
            found.update(constraint_properties(o.rigid_body_constraint, scene))
        if found.get("mass") and any(key in o for key in ("mass", "density", "area_density")):
            del found["mass"]
        for key, value in found.items():
            if key not in o:
                o[key] = value
                added.append((o, key))
    return added


def export_scene(path):
    """Writes the scene of the context as a .glb file; returns the numbers of rigid bodies and of constraints."""
    if not path.lower().endswith(".glb"):
        raise ExportError(f"'{path}' does not end with .glb")
    scene = bpy.context.scene
    objects = list(scene.objects)
    frame = scene.frame_current
    start = scene.rigidbody_world.point_cache.frame_start if scene.rigidbody_world else frame
    scene.frame_set(start)  # where Blender's own simulation begins
    added = add_properties(objects, scene)
    try:
        bpy.ops.export_scene.gltf(filepath=path, export_format="GLB", export_extras=True, export_yup=True)
    except RuntimeError as error:
        raise ExportError(f"Blender cannot write '{path}': {error}") from error
    finally:
        for o, key in added:
            del o[key]
        scene.frame_set(frame)
    tell_left_out(objects)
    return sum(bool(o.rigid_body) for o in objects), sum(bool(o.rigid_body_constraint) for o in objects)


def main(arguments):
    parser = argparse.ArgumentParser(prog="blender_export.py", description="Exports the open file for `nacre import`.")
    parser.add_argument("output", metavar="FILE.glb", help="the file to write")
    chosen = parser.parse_args(arguments)
    try:
        bodies, constraints = export_scene(chosen.output)
    except ExportError as error:
        print(f"nacre: {error}", file=sys.stderr)
        sys.exit(1)
    print(f"nacre: wrote {chosen.output}: {bodies} rigid bodies, {constraints} constraints")


if __name__ == "__main__":
    main(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else [])
