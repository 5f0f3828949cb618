#!/usr/bin/env bash
# nacre import: a glTF file becomes a scene whose bodies are where its nodes are, with what its properties say.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
export PYTHONPATH="$root/tests/cli" PYTHONDONTWRITEBYTECODE=1

# make FILE: Python on stdin that changes the file `g` before it is written.
make() {
    python3 -c 'import sys; from make_glb import *; g = Glb(); exec(sys.stdin.read()); g.write(sys.argv[1])' "$1" || fail "making $1"
}

# A lone root, copies, a parent that turns and scales, a mirror, a child that is sheared, a matrix, properties.
make layout.glb <<'PY'
crate = g.box("Crate")
g.node("Lone", crate, translation=[10, 0, 0])
g.node("Cop.y", crate, translation=[10, 2, 0], extras={"mass": 2, "friction": 0.5, "restitution": 1, "note": "hello"})
top = g.node("Top", translation=[0, 5, 0], rotation=[0, 0, 2**-0.5, 2**-0.5], scale=[2, 2, 2])
g.node("Child", crate, top, translation=[1, 0, 0], extras={"velocity": [1, 2, 3], "type": "Dynamic"})
g.node("Mirror", crate, translation=[-10, 0, 0], scale=[-1, 1, 1])
press = g.node("Press", crate, translation=[0, 0, 20], scale=[3, 1, 1], extras={"type": "static"})
g.node("Skew", crate, press, translation=[0, 3, 0], rotation=[0, 0, 0.5**0.5, 0.5**0.5])
g.node("Skew", crate, press, translation=[0, 9, 0], rotation=[0, 0, 0.38268343, 0.92387953])
g.node("Matrix", crate, matrix=[0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, -20, 1, 2, 1])
g.node("", crate, translation=[30, 0, 0])
g.node("böse \"Name\": {}", crate, translation=[40, 0, 0])
g.node("Empty", translation=[50, 0, 0])
g.root["nodes"].append({"name": "not in the scene", "mesh": crate})
PY
expect 0 "$nacre" import layout.glb -o scene.yaml
silent out.txt
says err.txt "10 bodies of 6 meshes"
expect 0 "$nacre" check scene.yaml
expect 0 "$nacre" run scene.yaml -q --steps 1
python3 - <<'PY' || fail "the bodies are not where the nodes are"
import sqlite3, struct
db = sqlite3.connect("scene.nacre")
bodies = {}
for name, type, mass, friction, restitution, blob, *pose in db.execute(
        "select name, type, mass, friction, restitution, vertices, x, y, z, qw, qx, qy, qz, vx, vy, vz from body join pose on "
        "pose.body = body.id join mesh on mesh.id = body.mesh where frame = 0"):
    (x, y, z, qw, qx, qy, qz), velocity = pose[:7], pose[7:]
    corners = []
    for v in struct.iter_unpack("<3d", blob):
        t = [2 * (qy * v[2] - qz * v[1]), 2 * (qz * v[0] - qx * v[2]), 2 * (qx * v[1] - qy * v[0])]
        n = qw * qw + qx * qx + qy * qy + qz * qz
        corners.append([p + v[i] + (qw * t[i] + (qy * t[2] - qz * t[1], qz * t[0] - qx * t[2], qx * t[1] - qy * t[0])[i]) / n
                        for i, p in enumerate((x, y, z))])
    bodies[name] = (type, mass, friction, restitution, corners, velocity)
def box(name, low, high):
    corners = bodies[name][4]
    assert len(corners) == 8, (name, len(corners))
    for i in range(3):
        found = min(c[i] for c in corners), max(c[i] for c in corners)
        assert abs(found[0] - low[i]) < 1e-6 and abs(found[1] - high[i]) < 1e-6, (name, i, found)
box("Lone", (9.5, -0.5, -0.5), (10.5, 0.5, 0.5))
box("Cop_y", (9.5, 1.5, -0.5), (10.5, 2.5, 0.5))
box("Child", (-1, 6, -1), (1, 8, 1))
box("Mirror", (-10.5, -0.5, -0.5), (-9.5, 0.5, 0.5))
box("Press", (-1.5, -0.5, 19.5), (1.5, 0.5, 20.5))
box("Skew", (-1.5, 2.5, 19.5), (1.5, 3.5, 20.5))
d = 0.5 ** 0.5
box("Skew-2", (-3 * d, 9 - d, 19.5), (3 * d, 9 + d, 20.5))
box("Matrix", (-21, 0, 1), (-19, 2, 3))
box("Crate", (29.5, -0.5, -0.5), (30.5, 0.5, 0.5))
box("b_se__Name_____", (39.5, -0.5, -0.5), (40.5, 0.5, 0.5))
assert len(bodies) == 10
assert bodies["Press"][0] == "static" and bodies["Child"][0] == "dynamic"
assert bodies["Cop_y"][1:4] == (2, 0.5, 1) and abs(bodies["Mirror"][1] - 1000) < 1e-3, bodies["Mirror"]
assert bodies["Child"][5] == [1, 2, 3]
PY
# Instances share their mesh: ten bodies, and one file for each size.
[ "$(ls scene_meshes | wc -l)" = 6 ] || fail "meshes: $(ls scene_meshes)"
says scene.yaml '"Crate": {file: "scene_meshes/Crate.obj"}'

# Files that exist stay.
expect 2 "$nacre" import layout.glb -o scene.yaml
expect 2 "$nacre" import layout.glb -o other.yaml -m scene_meshes
says err.txt "scene_meshes/Crate.obj"
expect 0 "$nacre" import layout.glb -o scene.yaml --force -q
silent err.txt
mkdir deep
expect 0 "$nacre" import layout.glb -o deep/scene.yml -m "the parts"
[ -e "deep/the parts/Crate-2.obj" ] || fail "no mesh in 'deep/the parts'"
expect 0 "$nacre" check deep/scene.yml

# Vectors of custom properties: Blender's are z up, and it says who it is; --up has the last word.
for generator in "Khronos glTF Blender I/O v3.4" "by hand"; do
    python3 - "$generator" <<'PY'
import sys
from make_glb import *
g = Glb(sys.argv[1])
g.node("a", g.box(), extras={"velocity": [1, 2, 3], "spin": [0.5, 0, 0]})
g.write(sys.argv[1].split()[-1] + ".glb")  # v3.4.glb, hand.glb
PY
done
expect 0 "$nacre" import v3.4.glb -o blender.yaml
says blender.yaml "velocity: [1, 3, -2], spin: [0.5, 0, 0]"
expect 0 "$nacre" import v3.4.glb -o y.yaml --up y
says y.yaml "velocity: [1, 2, 3]"
expect 0 "$nacre" import hand.glb -o hand.yaml
says hand.yaml "velocity: [1, 2, 3]"
expect 2 "$nacre" import hand.glb -o x.yaml --up x

# Properties of a mesh are for all its bodies; a node's own go first. A misspelt one is asked about.
make mesh.glb <<'PY'
ball = g.box("Ball", extras={"density": 300, "friction": 0.2})
g.node("a", ball)
g.node("b", ball, translation=[3, 0, 0], extras={"friction": 0.9, "frictoin": 3})
PY
expect 0 "$nacre" import mesh.glb -o mesh.yaml
says err.txt 'node "b" has a custom property "frictoin", which is ignored. Did you mean "friction"?'
says mesh.yaml "density: 300, friction: 0.2}"
says mesh.yaml "density: 300, friction: 0.9}"

# Bad properties: the node, the property, what was found and what is allowed.
bad() {
    make bad.glb <<<"g.node('Crate', g.box(), extras={$1})"
    expect 3 "$nacre" import bad.glb -o bad.yaml
    says err.txt "bad.glb: node \"Crate\": the custom property $2"
    [ ! -e bad.yaml ] && [ ! -e bad_meshes ] || fail "a failed import left files"
}
bad '"mass": "heavy"' '"mass" is "heavy"; allowed: a number above 0'
bad '"mass": 0' '"mass" is 0; allowed: a number above 0'
bad '"mass": [1, 2]' '"mass" is a list of 2 numbers; allowed: a number'
bad '"friction": -1' '"friction" is -1; allowed: a number from 0 to 100'
bad '"restitution": 2' '"restitution" is 2; allowed: a number from 0 to 1'
bad '"friction": True' '"friction" is true; allowed'
bad '"density": None' '"density" is something else; allowed'
bad '"type": "fixed"' '"type" is "fixed"; allowed: static, kinematic, dynamic'
bad '"velocity": [1, 2]' '"velocity" is a list of 2 numbers; allowed: a list of 3 numbers'
bad '"velocity": 3' '"velocity" is 3; allowed: a list of 3 numbers'
bad '"velocity": [1, "x", 2]' '"velocity" is something else; allowed: a list of 3 numbers'

# What is animated becomes kinematic, with keyframes; what says it is dynamic does not.
make moving.glb <<'PY'
crate = g.box()
arm = g.node("Arm")
g.node("Hand", crate, arm, translation=[2, 0, 0])
g.node("Free", crate, translation=[9, 0, 0], extras={"type": "dynamic"})
g.animate("swing", (arm, "rotation", [0, 1, 2], [(0, 0, 0, 1), (0, 0, 2**-0.5, 2**-0.5), (0, 0, 2**-0.5, 2**-0.5)]),
          (2, "translation", [0, 1], [(9, 0, 0), (20, 0, 0)]))
g.animate("other", (0, "translation", [0, 1], [(0, 0, 0), (0, 0, 9)]))
PY
expect 0 "$nacre" import moving.glb -o moving.yaml
expect 0 "$nacre" run moving.yaml --until 1 -q
python3 - <<'PY' || fail "the keyframes do not follow the animation"
import sqlite3
rows = sqlite3.connect("moving.nacre").execute("select name, type, x, y, z from motion where frame = (select max(id) from frame)").fetchall()
hand, free = sorted(rows, reverse=True)
assert hand[:2] == ("Hand", "kinematic") and max(abs(a - b) for a, b in zip(hand[2:], (0, 2, 9))) < 1e-6, hand
assert free[:2] == ("Free", "dynamic") and free[2] == 9, free
PY
expect 0 "$nacre" import moving.glb -o still.yaml --no-animation
grep -q keyframes still.yaml && fail "--no-animation made keyframes"
expect 0 "$nacre" import moving.glb -o swing.yaml --animation swing --rate 10
[ "$(grep -c 'time: ' swing.yaml)" = 11 ] || fail "--rate 10: $(grep -c 'time: ' swing.yaml) keyframes"
expect 6 "$nacre" import moving.glb -o x.yaml --animation sing
says err.txt '"swing", "other"'

# A scene that starts intersecting is written, with a warning.
make crowd.glb <<'PY'
crate = g.box()
g.node("left", crate)
g.node("right", crate, translation=[0.5, 0.25, 0.1])
PY
expect 0 "$nacre" import crowd.glb -o crowd.yaml
says err.txt "warning: "
says err.txt "left"
expect 1 "$nacre" check crowd.yaml
# With --repair what overlaps a little is moved apart; what is too deep is named.
make touch.glb <<'PY'
crate = g.box()
g.node("left", crate)
g.node("right", crate, translation=[1, 0, 0])
PY
expect 0 "$nacre" import touch.glb -o touch.yaml --repair
says out.txt "touching     left, right"
expect 0 "$nacre" check touch.yaml
expect 4 "$nacre" import crowd.glb -o crowd.yaml --force --repair
says err.txt '"left" and "right" cannot be moved apart'

# Files that are wrong: a sentence, exit code 3, and nothing is left.
wrong() {
    cat >wrong.py
    make wrong.glb <wrong.py
    expect 3 "$nacre" import wrong.glb -o wrong.yaml
    says err.txt "$1"
    [ ! -e wrong.yaml ] && [ -z "$(ls wrong_meshes 2>/dev/null)" ] || fail "a failed import left files"
    rm -rf wrong_meshes
}
wrong "no node of its scene has a mesh" <<<'g.node("a")'
wrong 'node 0: "mesh" is 3, but there are only 1 meshes' <<<'g.box(); g.node("a", 3)'
wrong "below each other in a circle" <<<'g.box(); g.node("a", 0); g.root["nodes"] += [{"children": [2]}, {"children": [1]}]'
wrong "below two nodes" <<<'g.box(); g.node("a", 0); g.root["nodes"] += [{"children": [0]}, {"children": [0]}]'
wrong "an index is larger" <<<'g.mesh("m", [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [0, 1, 3]); g.node("a", 0)'
wrong "goes beyond the end of buffer view" <<<'g.box(); g.node("a", 0); g.root["accessors"][0]["count"] = 10000'
wrong "goes beyond the end of the file" <<<'g.box(); g.node("a", 0); g.root["bufferViews"][0]["byteOffset"] = 10000'
wrong "is sparse" <<<'g.box(); g.node("a", 0); g.root["accessors"][0]["sparse"] = {}'
wrong "bent by a skin" <<<'g.box(); g.node("a", 0, skin=0)'
wrong "morph targets" <<<'g.box(weights=[0, 0.5]); g.node("a", 0)'
wrong "KHR_draco_mesh_compression" <<<'g.box(); g.node("a", 0); g.root["extensionsRequired"] = ["KHR_draco_mesh_compression"]'
wrong "finite numbers" <<<'g.box(); g.node("a", 0, translation=[0, 0])'
wrong "quaternion of length 1" <<<'g.box(); g.node("a", 0, rotation=[0, 0, 0, 0])'
wrong "must be finite" <<<'g.mesh("m", [(0, 0, 0), (1, 0, 0), (0, float("nan"), 0)], [0, 1, 2]); g.node("a", 0)'
wrong "its size changes" <<<'g.box(); a = g.node("a", 0); g.animate("s", (a, "scale", [0, 1], [(1, 1, 1), (2, 2, 2)]))'
make good.glb <<<'g.box(); g.node("a", 0)'
for size in 0 10 30 200 500; do
    head -c $size good.glb >cut.glb
    expect 3 "$nacre" import cut.glb -o cut.yaml
    says err.txt "cut.glb"
done
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >mesh.obj
expect 3 "$nacre" import mesh.obj -o cut.yaml
says err.txt "no .glb file"
expect 6 "$nacre" import nothing.glb -o cut.yaml
expect 6 "$nacre" import good.glb -o no/such/place.yaml
expect 2 "$nacre" import good.glb
expect 2 "$nacre" import good.glb -o x.yaml --no-animation --rate 3
[ ! -e cut.yaml ] || fail "a failed import left a file"
finish
