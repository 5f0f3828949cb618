"""What the C library has, Python has: repair, looks, audits of steps, patterns of meshes, proximity, points, runs as worlds."""
from __future__ import annotations

import json
import pathlib
import re

import numpy as np
import pytest

import nacre

BOX = nacre.Mesh.shape("box", size=0.2)

# Functions of the public headers that Python has in another form, or on purpose not at all. Everything else that the
# headers declare must be called by the extension.
OTHERWISE = {
    "memory, buffers and errors are Python's": "nc_error_format",
    "worlds come from scenes, and cloth with them": (
        "nc_world_destroy nc_world_def_default nc_cloth_world_create nc_cloth_world_destroy nc_cloth_world_def_default nc_cloth_add"
        " nc_cloth_def_default nc_model_of_cloth"
    ),
    "models call them": (
        "nc_world_step nc_world_time nc_world_step_count nc_world_measure nc_world_audit nc_world_hash nc_world_save nc_world_restore nc_world_bodies"
        " nc_world_body_count nc_body_name nc_body_mesh nc_world_mesh_count nc_world_add_mesh nc_cloth_step nc_cloth_measure nc_cloth_audit nc_cloth_hash"
        " nc_cloth_save nc_cloth_restore nc_cloth_read nc_cloth_frame nc_cloth_time nc_cloth_jammed nc_cloth_settings nc_model_gravity"
    ),
    "settings do it": "nc_world_set_gravity",
    "NumPy does it": "nc_mesh_recenter nc_color_light nc_color_byte nc_appearance_color nc_appearance_merge nc_length_text nc_direction_text",
    "sessions and SQL do it": (
        "nc_run_restore nc_run_finish nc_run_extend nc_run_log nc_run_record_step nc_run_read_report nc_run_read_clusters nc_run_read_contacts"
        " nc_run_read_forces nc_run_read_accelerations nc_run_read_joints nc_run_read_event nc_run_pair_matters nc_run_estimate_size nc_run_summary_start nc_run_summary_add nc_scene_judge"
        " nc_scene_write_moved nc_scene_camera_load nc_session_model nc_session_warn nc_session_dumped"
    ),
    "conflicts have them": "nc_world_find_inside",
    "meshes are the targets of trajectories": "nc_target_level_set nc_target_csg nc_target_implicit nc_target_parametric "
    "nc_bezier_parametric nc_csg_value nc_csg_range",
    "contacts of a pair by points are asked of nacre query": "nc_trajectory_contacts nc_trajectory_list_free",
    "solids are shapes of scenes": "nc_csg_mesh",
    "ranks of MPI are processes of the program": "nc_session_follow nc_rank_work_name",
    "names that the package has as tuples": "nc_feature_kind_name nc_contact_phase_name",
}


def test_every_function_of_the_headers_is_reachable(root: pathlib.Path) -> None:
    declared = set()
    for header in sorted((root / "include/nacre").glob("*.h")):
        text = re.sub(r"//[^\n]*", "", header.read_text())
        if header.name == "vec.h":
            continue  # arithmetic of vectors is NumPy's
        declared |= set(re.findall(r"\b(nc_\w+)\((?!\*)[^;{}]*\);", text))
    calls = " ".join(path.read_text() for path in (root / "python/core").glob("*.[ch]"))
    used = set(re.findall(r"\bnc_\w+", calls))
    excused = set(" ".join(OTHERWISE.values()).split())
    assert excused <= declared, f"excused, and not declared: {sorted(excused - declared)}"
    missing = declared - used - excused
    assert len(declared) > 120 and not missing, sorted(missing)
    assert not excused & used, f"excused, and used: {sorted(excused & used)}"


def test_overlapping_bodies_are_found_and_moved_apart() -> None:
    world = nacre.World(gravity=(0, -9.8, 0), timestep=1 / 60, workers=1)
    a, b = world.add(BOX, name="a"), world.add(BOX, (0, 0.199, 0), name="b")
    (conflict,) = world.conflicts()
    assert (conflict.a, conflict.b) == (a, b) and conflict.kind == "overlapping" and conflict.depth == pytest.approx(0.001, rel=0.1)
    with pytest.raises(nacre.Intersecting):
        world.repair(limit=1e-4)
    moved = world.repair(pinned=[a])
    assert [row[0] for row in moved] == [b] and moved[0][1][1] > 0.001 and not world.conflicts()
    world.step()
    assert world.audit_step() == [] and world.pair_matters(a, b)


def test_a_scene_is_repaired_as_the_program_does() -> None:
    scene = nacre.Scene(gravity=(0, -9.8, 0), timestep=1 / 60)
    box = scene.shape("box", size=0.2)
    scene.body(box, name="a", type="static")
    scene.body(box, name="b", position=(0, 0.199, 0))
    with pytest.raises(nacre.Intersecting):
        nacre.World(scene)
    assert scene.repair() == 1 and len(scene.data["moved"]) == 1
    assert nacre.World(scene)["b"].position[1] > 0.2 and scene.repair() == 0


def test_looks() -> None:
    world = nacre.World(workers=1)
    body = world.add(BOX, color="red", material="glass")
    assert body.color == nacre.colors()["red"] and body.material == "glass"
    body.color, body.material = "#102030", ""
    assert (body.color, body.material) == ("#102030", "")
    body.color = None
    assert body.color is None and nacre.materials()["glass"].transmission > 0
    with pytest.raises(ValueError, match="colour"):
        body.color = "no such colour"
    with pytest.raises(ValueError, match="material"):
        body.material = "cheese"


def test_inertia_and_angular_momentum() -> None:
    world = nacre.World(gravity=(0, 0, 0), workers=1)
    body = world.add(BOX, mass=2.0, inertia=np.diag([1.0, 2.0, 2.5]), spin=(1, 1, 0))
    assert body.mass == 2.0 and body.angular_momentum == pytest.approx([1, 2, 0])
    with pytest.raises(nacre.BadArgument, match="moments"):
        world.add(BOX, (1, 0, 0), mass=2.0, inertia=np.diag([1.0, 1.0, 9.0]))


def test_a_pattern_of_meshes_breaks_a_body() -> None:
    world = nacre.World(gravity=(0, 0, 0), timestep=1 / 60, workers=1)
    half = nacre.Mesh.shape("box", width=0.5, height=1, depth=1)
    halves = [nacre.Mesh(half.vertices + (side * 0.25, 0, 0), half.triangles) for side in (-1, 1)]
    plate = world.add(BOX, name="plate")
    world.add(nacre.Mesh.shape("sphere", radius=0.05), (0, 0.3, 0), velocity=(0, -8, 0), density=7800)
    with pytest.raises(nacre.BadArgument, match="normal"):
        plate.fracture(0.1, halves, normal=(0, 0, 0))
    plate.fracture(0.1, halves, generations=1)
    assert plate.threshold == pytest.approx(0.1)
    plate.fracture(None)
    assert plate.threshold == 0
    plate.fracture(0.1, halves, generations=1, normal=(0, -1, 0))
    world.step(6)
    (event,) = world.fractures()
    assert event.name == "plate" and len(event.pieces) == 2 and not plate.alive, event.reason


def test_questions_about_meshes(tmp_path: pathlib.Path) -> None:
    near = nacre.proximity(BOX, None, BOX, (0.21, 0, 0), 0.02)
    assert len(near) >= 4 and near["distance"] == pytest.approx(0.01) and near["normal"][:, 0] == pytest.approx(-1)
    assert len(nacre.proximity(BOX, None, BOX, (0.21, 0, 0), 0.02, every_pair=True)) > len(near)
    assert len(nacre.proximity(BOX, None, BOX, (0.31, 0, 0), 0.02)) == 0
    points = BOX.sample(0.05)
    inner = points[np.abs(points[:, [0, 2]]).max(axis=1) < 0.09]
    assert np.array_equal(points[:8], BOX.vertices) and len(points) > 50 and np.abs(points).max() <= 0.1 + 1e-12
    hit = nacre.trajectory(inner, nacre.Motion(nacre.Pose((0, 1, 0)), travel=(0, -2, 0)), BOX)
    assert hit.verdict == "hit" and hit.toi == pytest.approx(0.4, abs=1e-5) and hit.normal == pytest.approx([0, 1, 0])
    assert nacre.trajectory(points, nacre.Motion(nacre.Pose((0, 1, 0)), travel=(0, -0.5, 0)), BOX).verdict == "clear"
    assert nacre.point_triangle_distance((0.2, 0.2, 3), [(0, 0, 0), (1, 0, 0), (0, 1, 0)]).distance == pytest.approx(3)
    assert nacre.point_segment_distance((0, 2, 0), [(-1, 0, 0), (1, 0, 0)]).on_b == pytest.approx([0, 0, 0])
    assert nacre.segment_segment_distance([(-1, 0, 0), (1, 0, 0)], [(0, 1, -1), (0, 1, 1)]).normal == pytest.approx([0, -1, 0])
    start = np.array([(0.2, 0.2, 1), (0, 0, 0), (1, 0, 0), (0, 1, 0)], dtype=float)
    end = start - [(0, 0, 2), (0, 0, 0), (0, 0, 0), (0, 0, 0)]
    assert nacre.ccd_vertex_triangle(start, end).toi == pytest.approx(0.5, abs=1e-5) and nacre.ccd_vertex_triangle(start, start).verdict == "clear"
    edges = np.array([(-1, 0, 0), (1, 0, 0), (0, 1, -1), (0, 1, 1)], dtype=float)
    assert nacre.ccd_edge_edge(edges, edges - [(0, 0, 0), (0, 0, 0), (0, 2, 0), (0, 2, 0)]).verdict == "hit"
    with pytest.raises(ValueError, match="points"):
        nacre.point_triangle_distance((0, 0, 0), [(0, 0, 0)])
    BOX.save(tmp_path / "a.obj")
    BOX.save(tmp_path / "b.obj")
    assert [len(mesh.vertices) for mesh in nacre.Mesh.load_all(tmp_path)] == [8, 8]


def test_a_run_becomes_a_world_that_continues_with_the_same_bits(tmp_path: pathlib.Path, boxes: nacre.Scene) -> None:
    whole = nacre.World(boxes, workers=1)
    whole.step(40)
    run = nacre.simulate(boxes, tmp_path / "a.nacre", steps=20, workers=1, store=("contacts", "paths")).run
    world = run.world(workers=1)
    assert world.step_count == 20 and world.hash == int(run.hash[-1])
    world.step(20)
    assert world.hash == whole.hash
    # On the certified paths: the ends are the frames.
    start, end = run.between(20, 0.0), run.between(20, 1.0)
    for body in (1, 4):
        assert start[body].x == pytest.approx(run.x[19, body], abs=1e-9) and end[body].x == pytest.approx(run.x[20, body], abs=1e-9)
    assert isinstance(run.events(), list) and isinstance(run.clusters(-1), dict) and run.fractures() == []


def test_a_recorder_stores_contacts_and_a_recorded_run_becomes_a_world(tmp_path: pathlib.Path, boxes: nacre.Scene) -> None:
    world = nacre.World(boxes, workers=1)
    with world.record(tmp_path / "own.nacre", store=("contacts",)):
        world.step(30)
    run = nacre.open(tmp_path / "own.nacre")
    assert sum(len(run.contacts(frame)) for frame in range(31)) > 0 and run.info["store"] == 1
    again = run.world()
    assert again.hash == world.hash
    again.step(2)
    with pytest.raises(ValueError, match="store"):
        world.record(tmp_path / "other.nacre", store=("everything",))


def test_fractures_of_a_run(tmp_path: pathlib.Path, root: pathlib.Path) -> None:
    run = nacre.simulate(root / "scenes/cookbook/window.yaml", tmp_path / "w.nacre", steps=8).run
    rows = run.fractures()
    assert [row.step for row in rows] == [row[0] for row in run.sql("select step from fracture order by id")]
    for row in rows:
        assert row.impulse > row.threshold and (row.reason or len(row.pieces) > 1)


def test_emitters_and_merit() -> None:
    scene = nacre.Scene(gravity=(0, -9.8, 0), timestep=1 / 60, pipeline="vsp")
    scene.body(scene.shape("plane", size=4), type="static")
    scene.emit(scene.shape("box", size=0.1), 20, nacre.Box((-0.3, 0.6, -0.3), (0.3, 1, 0.3)), name="rain", count=10, seed=1)
    world = nacre.World(scene, workers=1)
    world.trace_merit()
    world.step(30)
    (rain,) = world.emitters
    assert rain.name == "rain" and rain.planned == 10 and 0 < rain.appeared <= rain.due <= 10 and len(world) == 1 + rain.appeared
    while not len(world.merit):
        world.step()
    assert np.isfinite(world.merit).all() and world.time < 2


def test_cloth_says_what_it_has_not() -> None:
    scene = nacre.Scene(pipeline="acm", timestep=1 / 60, gravity=(0, -9.8, 0))
    scene.body(scene.shape("sheet", size=0.5, columns=4, rows=4), name="sheet", type="cloth", position=(0, 1, 0))
    world = nacre.World(scene)
    world.trace_audit()
    world.step()
    assert world.report["crossings"] == 0
    with pytest.raises(nacre.Unsupported, match="contact_kicks"):
        world.contacts


def test_scripts_and_recorders_work_in_a_batch(tmp_path: pathlib.Path) -> None:
    worlds = []
    for k in range(3):
        world = nacre.World(gravity=(0, -9.8, 0), timestep=1 / 60, workers=1)
        world.add(BOX, type="kinematic", name="plate").script = lambda t, k=k: (0.1 * k * t, 0, 0)  # type: ignore[misc]
        world.add(nacre.Mesh.shape("sphere", radius=0.05), (0, 0.3, 0))
        worlds.append(world)
    with worlds[1].record(tmp_path / "b.nacre"):
        batch = nacre.map(worlds, None, 30, threads=2)
    assert batch.x[:, 0, 0] == pytest.approx([0, 0.05, 0.1]) and len(nacre.open(tmp_path / "b.nacre")) == 31


def test_judge_finds_what_crosses_in_an_animation(tmp_path: pathlib.Path, program: str) -> None:
    for k, height in enumerate((0.5, 0.21, 0.15)):  # the last frame overlaps
        lines = []
        for name, y, first in (("low", 0.0, 1), ("high", height, 9)):
            lines += [f"o {name}"] + [f"v {x!r} {v!r} {z!r}" for x, v, z in (BOX.vertices + (0, y, 0)).tolist()]
            lines += ["f " + " ".join(str(i + first) for i in row) for row in BOX.triangles.tolist()]
        (tmp_path / f"{k:04d}.obj").write_text("\n".join(lines) + "\n")
    verdict = nacre.judge(tmp_path)
    assert verdict.intersects and json.dumps(verdict.data).count("high") >= 1
    (tmp_path / "0002.obj").unlink()
    assert not nacre.judge(tmp_path).intersects
    with pytest.raises(nacre.Unsupported):
        nacre.judge(tmp_path / "nothing.glb")
