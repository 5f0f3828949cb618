# Judges a run of the mechanisms that blender_joints.py lays out: joints by what was set, motions by closed forms and by Blender.
# blender_joints_judge.py RUN POSES.json
import json
import sqlite3
import sys
from math import cos, pi, sin, sqrt

run, poses = sys.argv[1:]
db = sqlite3.connect(f"file:{run}?mode=ro", uri=True)
blender = json.load(open(poses, encoding="utf-8"))
frames = len(blender)
failures = []


def judge(what, found, expected, tolerance):
    good = abs(found - expected) <= tolerance
    print(f"{'ok  ' if good else 'FAIL'} {what}: {found:.6g}, expected {expected:.6g} +- {tolerance:g}")
    if not good:
        failures.append(what)


def joint(name, frame, *columns):
    row = db.execute(f"select {', '.join(columns)} from joint where name = ? and frame = ?", (name, frame)).fetchone()
    if row is None:
        sys.exit(f"FAIL: there is no joint {name} in frame {frame}")
    return row


def places(name):
    """(time, x, y, z, qw, qx, qy, qz, wx, wy, wz) of a body by frame."""
    return db.execute("select time, x, y, z, qw, qx, qy, qz, wx, wy, wz from pose join frame on frame.id = pose.frame"
                      " join body on body.id = pose.body where body.name = ? order by frame", (name,)).fetchall()


last = frames - 1
# The hinges: about z of an empty that is turned by 0.3 about Blender's x, within its limits, in Blender's sense.
for name, lower, upper, angle in (("Hinge_Door", -0.4, 0.9, -0.4), ("Hinge_Door2", -0.9, 0.4, -0.9)):
    found = joint(name, last, "axis_x", "axis_y", "axis_z", "lower_turn_x", "upper_turn_x", "turn_x")
    for what, value, expected in zip(("axis x", "axis y", "axis z", "lower limit", "upper limit", "final angle"), found,
                                     (0, cos(0.3), sin(0.3), lower, upper, angle)):
        judge(f"{name} {what}", value, expected, 1e-6)
# What slides falls to its limit: below a parent that is turned and scaled; a piston; where they come to rest.
judge("Sled at its limit", places("Sled")[last][2], -0.5, 1e-5)
judge("Rod at its limit", places("Rod")[last][2], -0.25, 1e-5)
# A pendulum of 1 m and a cube of 0.2 m, from 0.2 rad: T = 2 pi sqrt((l^2 + s^2 / 6) / (g l)) (1 + a^2 / 16 + 11 a^4 / 3072).
swing = [(row[0], row[1] - 9) for row in places("Bob")]
zeros = [a[0] + (b[0] - a[0]) * a[1] / (a[1] - b[1]) for a, b in zip(swing, swing[1:]) if a[1] * b[1] < 0]
judge("period of the pendulum", 2 * (zeros[1] - zeros[0]), 2 * pi * sqrt((1 + 0.04 / 6) / 9.8) * (1 + 0.04 / 16 + 11 * 0.2**4 / 3072), 1e-3)
# 1 kg on 100 N/m with 2 N s/m: z = -(m g / k) (1 - exp(-d t) (cos w t + d / w sin w t)), d = c / 2 m, w^2 = k / m - d^2.
w = sqrt(100 - 1)
worst = max(abs(row[2] + 0.098 * (1 - 2.718281828459045 ** -row[0] * (cos(w * row[0]) + sin(w * row[0]) / w))) for row in places("Mass"))
judge("mass on the spring, largest difference", worst, 0, 1e-4)
# The motor reaches 2 rad/s about Blender's y, which is -z here, after w I / M = 2 * 0.08 / 0.5 s.
rotor = places("Rotor")
judge("spin of the rotor", rotor[last][10], -2, 1e-6)
judge("spin of the rotor on its way", rotor[5][10], -0.5 / 0.08 * rotor[5][0], 1e-6)
# 3 N on 2 kg along -x: Blender's motors drive object 1, which stands here.
judge("travel of the linear motor", places("Pushed")[last][1] - 18, -0.75 * rotor[last][0] ** 2, 1e-6)
# 0.035 N s in a step of 1/240 s are 8.4 N: less than the weight, so it falls; 0.05 N s are 12 N.
judge("broken joints", db.execute("select sum(joint_breaks) from report").fetchone()[0], 1, 0)
judge("weight that is held", places("Weight_002")[last][2], 0, 1e-9)
judge("joint error", db.execute("select max(joint_error) from report").fetchone()[0], 0, 1e-9)
# Blender's own simulation: its integrator gains g t dt / 2 in free fall, 0.051 m at 2.5 s; bounces of limits differ for moments.
for name in blender[0]:
    mine = places(name.replace(".", "_").replace(" ", "_"))
    tolerance = 0.075 if name == "Weight.001" else 0.01
    apart = max(max(abs(mine[f][1 + k] - blender[f][name][k]) for k in range(3)) for f in range(frames))
    turned = min(abs(sum(a * b for a, b in zip(mine[f][4:8], blender[f][name][3:]))) for f in range(frames))
    judge(f"{name}: largest distance from Blender's", apart, 0, tolerance)
    judge(f"{name}: smallest cosine of half the angle to Blender's", turned, 1, 1e-3)
sys.exit(1 if failures else 0)
