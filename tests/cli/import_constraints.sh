#!/usr/bin/env bash
# nacre import: rigid-body constraints of Blender, as scripts/blender_export.py writes them, become joints. The same with
# Blender itself is tests/peers/blender_joints.sh.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
export PYTHONPATH="$root/tests/cli" PYTHONDONTWRITEBYTECODE=1

# make FILE: Python on stdin that adds to a file with a static body "Fix.1", dynamic ones "Box.1", "Box.2", far from each other.
make() {
    python3 -c '
import sys
from make_glb import *
g = Glb("Khronos glTF Blender I/O v3.4.50")
box = g.box("Box", 0.1)
g.node("Fix.1", box, translation=[0, 0, 0], extras={"type": "static"})
g.node("Box.1", box, translation=[1, 0, 0], extras={"type": "dynamic"})
g.node("Box.2", box, translation=[2, 0, 0])
def constraint(name, kind, first="Fix.1", second="Box.1", node={}, **more):
    g.node(name, extras={"constraint": kind, "constraint_object1": first, "constraint_object2": second,
                         **{"constraint_" + key: value for key, value in more.items()}}, **node)
exec(sys.stdin.read())
g.write(sys.argv[1])' "$1" || fail "making $1"
}
# line NAME WORDS: the joint of that name has the words.
line() {
    grep -F "name: \"$1\"" scene.yaml >line.txt || fail "no joint $1"
    says line.txt "$2"
}

# Blender's local z is y of glTF, its y is -z. Blender's hinge counts object 1 as seen from object 2.
make kinds.glb <<'PY'
constraint("Fix", "FIXED", breaking_threshold=0.05, substep=1 / 480, substeps=20)
constraint("Ball", "POINT", disable_collisions=1)
constraint("Hinge.A", "HINGE", limit_ang_z=[-0.5, 1])
constraint("Hinge.B", "HINGE", "Box.1", "Fix.1", limit_ang_z=[-0.5, 1], disable_collisions=False)
constraint("Slide.A", "SLIDER", limit_lin_x=[-0.25, 1], node={"rotation": [0, 0, 0.5**0.5, 0.5**0.5], "translation": [1, 2, 3]})
constraint("Slide.B", "SLIDER", "Box.1", "Fix.1", limit_lin_x=[-0.25, 1])
constraint("Piston", "PISTON", limit_lin_x=[-0.25, 1], limit_ang_x=[2, 1])
zero = [0, 0]
constraint("All", "GENERIC", **{f"limit_{a}_{b}": zero for a in ("lin", "ang") for b in "xyz"})
constraint("Turn y", "GENERIC", limit_lin_x=zero, limit_lin_y=[-1, 2], limit_ang_x=zero, limit_ang_y=[-0.25, 0.5], limit_ang_z=zero)
constraint("Order", "GENERIC", "Box.1", "Fix.1", limit_lin_z=[-1, 2])
constraint("Free", "GENERIC_SPRING", "Box.1", "Box.2", spring_type="SPRING2", spring_lin_x=[100, 2], spring_ang_x=[5, 1], spring_ang_y=[7, 1], spring_ang_z=[7, 1])
constraint("Motor", "MOTOR", motor_lin=[2, 30], motor_ang=[-3, 4])
constraint("Mirror", "HINGE", node={"scale": [-1, 1, 1]})
PY
expect 0 "$nacre" import kinds.glb -o scene.yaml
[ "$(grep -c '^note:' err.txt)" = 0 ] || fail "notes: $(cat err.txt)"
says scene.yaml "timestep: 1/480, duration: 10, output: {every: 20}"
line Fix 'kind: fixed, name: "Fix", body: "Box_1", to: "Fix_1", anchor: [0, 0, 0], break_force: 24, break_torque: 24}'
line Ball 'kind: ball, name: "Ball", body: "Box_1", to: "Fix_1", anchor: [0, 0, 0], collide: false}'
line Hinge_A 'body: "Box_1", to: "Fix_1", anchor: [0, 0, 0], axis: [0, 1, 0], limits: {min: -1, max: 0.5}}'
line Hinge_B 'body: "Box_1", to: "Fix_1", anchor: [0, 0, 0], axis: [0, 1, 0], limits: {min: -0.5, max: 1}}'
line Slide_A 'kind: slider, name: "Slide_A", body: "Box_1", to: "Fix_1", anchor: [1, 2, 3], axis: [0, 1, 0], limits: {min: -0.25, max: 1}}'
line Slide_B 'limits: {min: -1, max: 0.25}}'
line Piston 'kind: cylindrical, name: "Piston", body: "Box_1", to: "Fix_1", anchor: [0, 0, 0], axis: [1, 0, 0], axes: {x: {limits: {min: -0.25, max: 1}}}}'
line All 'axes: {x: {locked: true}, y: {locked: true}, z: {locked: true}, turn_x: {locked: true}, turn_y: {locked: true}, turn_z: {locked: true}}}'
# Free about Blender's y, -z here: the joint's x; its y is Blender's z, its z Blender's x. Angles count the other way round.
line Turn_y 'axis: [0, 0, -1], axis_y: [0, 1, 0], axes: {x: {limits: {min: -1, max: 2}}, z: {locked: true}, turn_x: {limits: {min: -0.5, max: 0.25}}, turn_y: {locked: true}, turn_z: {locked: true}}}'
line Order 'body: "Fix_1", to: "Box_1", anchor: [0, 0, 0], axis: [1, 0, 0], axis_y: [0, 0, -1], axes: {z: {limits: {min: -1, max: 2}}}}'
line Free 'axes: {x: {stiffness: 100, damping: 2}, turn_x: {stiffness: 5, damping: 1}, turn_y: {stiffness: 7, damping: 1}}}'
line Motor 'axes: {x: {drive: {mode: velocity, target: -2, max_force: 30}}, turn_x: {drive: {mode: velocity, target: 3, max_force: 4}}}}'
line Mirror 'axis: [0, -1, 0]'
[ "$(grep -c 'kind: ' scene.yaml)" = 13 ] || fail "not 13 joints"

# What is left out is named, joint or part.
make left.glb <<'PY'
zero = [0, 0]
constraint("One", "GENERIC", limit_ang_x=zero)
constraint("Off", "FIXED", enabled=0)
constraint("Alone", "HINGE", second="")
constraint("Gone", "HINGE", second="Nobody")
constraint("Same", "HINGE", second="Fix.1")
constraint("Weak", "MOTOR", motor_lin=[1, 0])
constraint("Flat", "POINT", node={"scale": [0, 1, 1]})
constraint("Cone", "GENERIC", limit_ang_x=[-0.5, 0.5], limit_ang_y=[-0.25, 0.125], limit_ang_z=[-0.5, 0.75])
constraint("Part", "GENERIC", limit_ang_x=[-0.5, 0.5], limit_ang_y=[-0.25, 0.125])
constraint("Uneven", "GENERIC_SPRING", spring_type="SPRING1", spring_lin_x=[10, 0.5], spring_ang_y=[5, 1], spring_ang_z=[7, 1])
constraint("Bent", "GENERIC", limit_ang_x=[0.5, 0.5], limit_ang_y=zero, limit_ang_z=zero)
PY
expect 0 "$nacre" import left.glb -o scene.yaml -f
says err.txt 'constraint "One" (GENERIC of "Fix.1" and "Box.1") is left out: one rotation of three is locked'
says err.txt 'constraint "Off" (FIXED of "Fix.1" and "Box.1") is left out: it is not enabled'
says err.txt 'constraint "Alone" (HINGE of "Fix.1" and "") is left out: it needs two objects'
says err.txt 'constraint "Gone" (HINGE of "Fix.1" and "Nobody") is left out: its objects are not two bodies'
says err.txt 'constraint "Same" (HINGE of "Fix.1" and "Fix.1") is left out: its objects are not two bodies'
says err.txt 'constraint "Weak" (MOTOR of "Fix.1" and "Box.1") is left out: its motor has no force'
says err.txt 'constraint "Flat" (POINT of "Fix.1" and "Box.1") is left out: it is scaled to zero'
says err.txt 'constraint "Cone" (GENERIC): limits of two rotations become one cone'
says err.txt 'constraint "Part" (GENERIC): the limit of one rotation beside two others is left out'
says err.txt 'constraint "Uneven" (GENERIC_SPRING): springs of two rotations with different stiffness or damping are left out'
says err.txt 'constraint "Uneven" (GENERIC_SPRING): the damping of springs of type SPRING1 is a factor'
says err.txt 'constraint "Bent" (GENERIC): a rotation that is locked at another angle than 0 is locked where it starts'
line Cone 'turn_x: {limits: {min: -0.5, max: 0.5}}, turn_y: {limits: {min: 0, max: 0.75}}}'
line Uneven 'axes: {x: {stiffness: 10, damping: 0}}}'
[ "$(grep -c 'kind: ' scene.yaml)" = 4 ] || fail "not 4 joints"
expect 0 "$nacre" import left.glb -o scene.yaml -f -q
silent err.txt

# Only joints change the time step.
make none.glb <<<'constraint("Off", "FIXED", enabled=0)'
expect 0 "$nacre" import none.glb -o scene.yaml -fq
says scene.yaml "timestep: 1/24, duration: 10}"

# A pendulum of an imported joint keeps its period: 2 pi sqrt((l^2 + s^2 / 6) / (g l)) (1 + a^2 / 16), l = 1 m, s = 0.2 m.
make pendulum.glb <<'PY'
from math import cos, sin
g.node("Bob", box, translation=[5 + sin(0.1), -cos(0.1), 0])
g.node("Pivot.1", box, translation=[5, 0, 0], extras={"type": "static"})
constraint("Point", "POINT", "Pivot.1", "Bob", node={"translation": [5, 0, 0]})
PY
expect 0 "$nacre" import pendulum.glb -o scene.yaml -fq
expect 0 "$nacre" run scene.yaml -o run.nacre -q --until 2.5
python3 - <<'PY' || fail "the period of the pendulum"
import math, sqlite3
rows = sqlite3.connect("run.nacre").execute(
    "select time, x - 5 from motion where name = 'Bob' order by frame").fetchall()
zeros = [a[0] + (b[0] - a[0]) * a[1] / (a[1] - b[1]) for a, b in zip(rows, rows[1:]) if a[1] * b[1] < 0]
period = 2 * (zeros[1] - zeros[0])
# the box is not turned with the arm; its inertia is the same about all axes
assert abs(period / (2 * math.pi * math.sqrt((1 + 0.04 / 6) / 9.8) * (1 + 0.01 / 16)) - 1) < 2e-4, period
PY

# Wrong properties are errors with the node and what is allowed.
wrong() {
    make wrong.glb
    expect 3 "$nacre" import wrong.glb -o wrong.yaml
    says err.txt "$1"
    [ ! -e wrong.yaml ] || fail "a failed import left files"
}
wrong 'node "c": the custom property "constraint" is "WELD"; allowed: FIXED, POINT, HINGE' <<<'constraint("c", "WELD")'
wrong 'node "c": the custom property "constraint_object1" is 3; allowed: the name of an object' <<<'constraint("c", "FIXED", first=3)'
wrong '"constraint_limit_ang_z" is a list of 3 numbers; allowed: a list of 2 numbers' <<<'constraint("c", "HINGE", limit_ang_z=[1, 2, 3])'
wrong '"constraint_spring_lin_x" is a list of 2 numbers; allowed: a list of 2 numbers from 0 on' <<<'constraint("c", "GENERIC_SPRING", spring_lin_x=[-1, 2])'
wrong '"constraint_motor_ang" is a list of 2 numbers; allowed: a list of 2 numbers, a velocity' <<<'constraint("c", "MOTOR", motor_ang=[1, -2])'
wrong '"constraint_enabled" is "yes"; allowed: true, false, 1, 0' <<<'constraint("c", "FIXED", enabled="yes")'
wrong '"constraint_spring_type" is "SPRING3"; allowed: SPRING1, SPRING2' <<<'constraint("c", "GENERIC_SPRING", spring_type="SPRING3")'
wrong '"constraint_breaking_threshold" is -1; allowed: a number from 0 on' <<<'constraint("c", "FIXED", breaking_threshold=-1)'
wrong '"constraint_substep" is 0; allowed: a number above 0' <<<'constraint("c", "FIXED", substep=0)'
wrong '"constraint_substeps" is 1.5; allowed: a whole number' <<<'constraint("c", "FIXED", substeps=1.5)'

finish
