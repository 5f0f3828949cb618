#!/usr/bin/env bash
# nacre check on animations of others: .glb with every kind of key, OBJ files one per frame. The verdict is that on runs.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
export PYTHONPATH="$root/tests/cli" PYTHONDONTWRITEBYTECODE=1

# make FILE: Python on stdin that changes the file `g` before it is written.
make() {
    python3 -c 'import sys; from make_glb import *; g = Glb(); exec(sys.stdin.read()); g.write(sys.argv[1])' "$1" || fail "making $1"
}
# frames_are PYTHON: the frames of the last findings are those of a list.
frames_are() {
    json out.txt "[h['frame'] for h in d['intersections']] == list($1) and d['complete']"
}

# ---- what Nacre itself exports: the verdict on the run and on its exports is one
crossing_run crossing.nacre 24
boxes 4 >boxes.yaml
expect 0 "$nacre" run boxes.yaml -q
mkdir good bad
for name in boxes:good crossing:bad; do
    "$nacre" export "${name%:*}.nacre" -o "${name%:*}.glb" -q 2>>notes.txt || fail "export of ${name%:*}.glb"
    "$nacre" export "${name%:*}.nacre" -o "${name#*:}/f%04d.obj" -q 2>>notes.txt || fail "export of ${name%:*} as OBJ"
done
for what in boxes.glb good good/f%04d.obj good/; do
    expect 0 "$nacre" check $what
    says out.txt "no intersections in 25 frames"
    silent err.txt
done
for what in crossing.glb bad bad/f%04d.obj bad/f%d.obj; do
    expect 1 "$nacre" check $what --json --limit 0
    frames_are 'range(12, 24)'
    json out.txt 'd["frames"] == 25 and d["intersecting_frames"] == d["intersecting_pairs"] == 12'
    json out.txt '{d["intersections"][0][k] for k in ("body_a", "body_b")} == {"left", "right"}'
done
json out.txt 'd["intersections"][0]["file"] == "bad/f0012.obj" and d["intersections"][0]["time"] is None'
expect 1 "$nacre" check crossing.glb
says out.txt "frame 12 (0.5 s): triangle"
says out.txt "crossing.glb: 12 of 25 frames have intersecting bodies; the first is frame 12"
expect 1 "$nacre" check bad --limit 3 --threads 3
says out.txt "frame 12 (bad/f0012.obj): triangle"
says out.txt "and 9 more"
expect 0 "$nacre" check bad --frames :11
says out.txt "12 frames"
expect 2 "$nacre" check crossing.glb --frames 30:
says err.txt "frames 0 to 24"

# Static bodies may be in each other, in the run and in what comes of it.
cat >walls.yaml <<'SCENE'
nacre: 1
world: {gravity: [0, 0, 0], timestep: 1/24, duration: 0.25}
shapes: {brick: {generate: box, size: 1}}
bodies:
  - {name: wall, shape: brick, type: static}
  - {name: corner, shape: brick, type: static, position: [0.5, 0, 0]}
  - {name: ball, shape: brick, position: [5, 0, 0], velocity: [1, 0, 0]}
SCENE
expect 0 "$nacre" run walls.yaml -q
mkdir walls
"$nacre" export walls.nacre -o walls.glb -q && "$nacre" export walls.nacre -o walls/%d.obj -q || fail "export of walls"
for what in walls.nacre walls.glb walls; do
    expect 0 "$nacre" check $what
    says out.txt "no intersections in 7 frames"
done

# ---- between keys: a box that passes through another one from key to key, in a straight line, in a jump, on a curve
make linear.glb <<'PY'
box = g.box()
g.node("post", box)
a = g.node("bird", box, translation=[-3, 0.1, 0.2])
g.animate("fly", (a, "translation", [0, 1], [(-3, 0.1, 0.2), (3, 0.1, 0.2)]))
PY
expect 0 "$nacre" check linear.glb
says out.txt "no intersections in 2 frames"
expect 1 "$nacre" check linear.glb --rate 100 --json --limit 0
frames_are 'range(34, 67)'
make step.glb <<'PY'
box = g.box()
g.node("post", box)
a = g.node("bird", box)
g.animate("jump", (a, "translation", [0, 0.5, 1], [(-3, 0, 0), (0.5, 0, 0), (3, 0, 0)], "STEP"))
PY
expect 1 "$nacre" check step.glb --rate 10 --json --limit 0
frames_are 'range(5, 10)'
make cubic.glb <<'PY'
box = g.box()
g.node("post", box)
a = g.node("bird", box)
# x = -2 + 16 (u - u^2): out to 2 and back
g.animate("arc", (a, "translation", [0, 1], [(0, 0, 0), (-2, 0, 0), (16, 0, 0), (-16, 0, 0), (-2, 0, 0), (0, 0, 0)], "CUBICSPLINE"))
PY
expect 0 "$nacre" check cubic.glb
expect 1 "$nacre" check cubic.glb --rate 100 --json --limit 0
frames_are '[k for k in range(101) if abs(-2 + 16 * (k / 100 - (k / 100) ** 2)) <= 1]'
# A turn that carries a child along, half a turn per second: it meets the post at a quarter of it.
make turn.glb <<'PY'
box = g.box()
g.node("post", box, translation=[2 * 0.5**0.5, 2 * 0.5**0.5, 0])
arm = g.node("arm")
g.node("hand", box, arm, translation=[2, 0, 0])
g.animate("turn", (arm, "rotation", [0, 1], [(0, 0, 0, 1), (0, 0, 2**-0.5, 2**-0.5)]))
PY
expect 0 "$nacre" check turn.glb
expect 1 "$nacre" check turn.glb --rate 8 --json
json out.txt '4 in [h["frame"] for h in d["intersections"]] and d["frames"] == 9 and not {0, 1, 8} & {h["frame"] for h in d["intersections"]}'
# Whole numbers that stand for fractions, and one accessor of times for all.
make whole.glb <<'PY'
box = g.box()
g.node("post", box)
a = g.node("bird", box, translation=[0, 1.2, 0])
times = g.numbers([0, 1, 2])
turn = g.numbers([(0, 0, 0, 127), (0, 0, 49, 117), (0, 0, 0, 127)], BYTE, normalized=True)
g.root["animations"] = [{"samplers": [{"input": times, "output": turn}], "channels": [{"sampler": 0, "target": {"node": a, "path": "rotation"}}]}]
PY
expect 1 "$nacre" check whole.glb --json
frames_are '[1]'

# ---- who is there, and who counts
# Scaled to nothing is not there; sizes may change; two that never move may be in each other.
make scale.glb <<'PY'
box = g.box()
g.node("wall", box)
g.node("wall in the wall", box, translation=[0.5, 0, 0])
a = g.node("ghost", box)
b = g.node("balloon", box, translation=[0, 0, 2])
g.animate("come", (a, "scale", [0, 1, 2, 3], [(0, 0, 0), (1, 1, 1), (0, 0, 0), (0, 0, 0)], "STEP"),
          (b, "scale", [0, 1, 2, 3], [(1, 1, 1), (1, 1, 1), (1, 1, 1), (1, 1, 4)]))
PY
expect 1 "$nacre" check scale.glb --json
json out.txt '[(h["frame"], h["body_a"], h["body_b"]) for h in d["intersections"]] == [(1, "wall", "ghost"), (1, "wall in the wall", "ghost"), (3, "wall", "balloon"), (3, "wall in the wall", "balloon")]'
make still.glb <<'PY'
box = g.box()
g.node("wall", box)
g.node("", box, translation=[0.5, 0, 0])
PY
expect 1 "$nacre" check still.glb
says err.txt "note: still.glb: nothing in it is animated"
says out.txt "of wall intersects triangle"
says out.txt "of node 1 at"

# Several animations play together, unless they drive the same thing.
make two.glb <<'PY'
box = g.box()
a = g.node("a", box, translation=[-3, 0, 0])
b = g.node("b", box, translation=[3, 0, 0])
g.animate("left", (a, "translation", [0, 1], [(-3, 0, 0), (-0.4, 0, 0)]))
g.animate("right", (b, "translation", [0, 1], [(3, 0, 0), (0.4, 0, 0)]))
PY
expect 1 "$nacre" check two.glb
expect 0 "$nacre" check two.glb --animation left
expect 6 "$nacre" check two.glb --animation up
says err.txt '"left", "right"'
make same.glb <<'PY'
a = g.node("a", g.box())
g.animate("walk", (a, "translation", [0, 1], [(-3, 0, 0), (0, 0, 0)]))
g.animate("run", (a, "translation", [0, 1], [(-3, 0, 0), (0, 0, 0)]))
PY
expect 3 "$nacre" check same.glb
says err.txt 'two animations drive node 0 ("a")'
expect 0 "$nacre" check same.glb --animation run

# ---- wrong animations
wrong() {
    make wrong.glb <<<"a = g.node('a', g.box()); $2"
    expect 3 "$nacre" check wrong.glb
    says err.txt "$1"
    silent out.txt
}
wrong "times must ascend" 'g.animate("x", (a, "translation", [1, 0], [(0, 0, 0), (1, 0, 0)]))'
wrong "times must ascend" 'g.animate("x", (a, "translation", [0, float("nan")], [(0, 0, 0), (1, 0, 0)]))'
wrong "values must be finite" 'g.animate("x", (a, "translation", [0, 1], [(0, 0, 0), (float("inf"), 0, 0)]))'
wrong "one time and one value" 'g.animate("x", (a, "translation", [0, 1, 2], [(0, 0, 0), (1, 0, 0)]))'
wrong "one time and one value" 'g.animate("x", (a, "rotation", [0, 1], [(0, 0, 0), (1, 0, 0)]))'
wrong "one time and one value (three when cubic)" 'g.animate("x", (a, "scale", [0, 1], [(0, 0, 0), (1, 0, 0)], "CUBICSPLINE"))'
wrong "must be LINEAR, STEP or CUBICSPLINE" 'g.animate("x", (a, "scale", [0, 1], [(0, 0, 0), (1, 0, 0)], "SMOOTH"))'
wrong "quaternions of length 1" 'g.animate("x", (a, "rotation", [0, 1], [(0, 0, 0, 0), (0, 0, 0, 1)]))'
wrong "placed by a matrix" 'g.root["nodes"][a]["matrix"] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]; g.animate("x", (a, "scale", [0], [(1, 1, 1)]))'
wrong "morph targets" 'g.animate("x", (a, "weights", [0], [0.5]))'
wrong "there are only 1 nodes" 'g.animate("x", (7, "scale", [0], [(1, 1, 1)]))'
head -c 700 crossing.glb >cut.glb
expect 3 "$nacre" check cut.glb
expect 6 "$nacre" check nothing.glb

# ---- OBJ: by o, by g, by what hangs together
# box NAME X: an OBJ box of side 1 about (X, 0, 0); vertices count back from the end.
box() {
    [ -z "$1" ] || echo "$1"
    awk -v at="$2" 'BEGIN { for (k = 0; k < 8; k++) print "v", at + (k > 3) - 0.5, int(k / 2) % 2 - 0.5, k % 2 - 0.5 }'
    printf 'f -8 -7 -5 -6\nf -4 -2 -1 -3\nf -8 -4 -3 -7\nf -6 -5 -1 -2\nf -8 -6 -2 -4\nf -7 -3 -1 -5\n'
}
for kind in o g none; do
    mkdir $kind
    for i in 8 9 10 11; do
        {
            if [ $kind = none ]; then box "" 0; box "" $((i - 12)); box "" 9; box "" 9.5
            else box "$kind post" 0; box "$kind the bird " $((i - 12)); box "$kind wall" 9; box "$kind pane" 9.5; fi
        } >$kind/$i.obj
    done
    expect 1 "$nacre" check $kind --json
    frames_are '[3]'
    json out.txt 'd["frames"] == 4 and d["intersections"][0]["file"].endswith("/11.obj")'
done
json out.txt '(d["intersections"][0]["body_a"], d["intersections"][0]["body_b"]) == ("part 0", "part 1")'
expect 1 "$nacre" check o/%d.obj --json
json out.txt '(d["intersections"][0]["body_a"], d["intersections"][0]["body_b"]) == ("post", "the bird")'
# Groups within objects name nothing, and an object may go on further down.
{ box "o a" 0; echo "g face"; box "o b" 3; echo "g face"; echo "o a"; box "" 0.2; } >o/12.obj
expect 0 "$nacre" check o --frames 4
rm o/9.obj
expect 1 "$nacre" check o
says err.txt "1 of the numbers from 8 to 12 have no file"
# One frame: everybody counts.
mkdir one && { box "o a" 0; box "o b" 0.5; } >one/only.obj
expect 1 "$nacre" check one
says out.txt "frame 0 (one/only.obj): triangle"

# Wrong sequences.
echo "f 1 2 3" >>o/10.obj
sed -i 's/^f -8 -7 -5 -6$/f 99 1 2/' o/10.obj
expect 3 "$nacre" check o
says err.txt "o/10.obj:10:"
silent out.txt
mkdir empty
expect 6 "$nacre" check empty
says err.txt "empty'/*.obj"
expect 6 "$nacre" check nowhere/%d.obj
expect 6 "$nacre" check o/x%d.obj
expect 3 "$nacre" check o/%s.obj
expect 3 "$nacre" check %d/a.obj
expect 2 "$nacre" check o --rate 3
expect 2 "$nacre" check o --set world.duration=1
expect 2 "$nacre" check boxes.nacre --animation x
expect 2 "$nacre" check boxes.yaml --rate 2
finish
