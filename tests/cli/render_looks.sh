#!/usr/bin/env bash
# nacre render: colours, metal and glass, lenses, cameras that move, and passes that agree with rays cast in double precision.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
. "$root/tests/tools/need.sh"
export PYTHONPATH=$root/tests/tools PYTHONDONTWRITEBYTECODE=1
if ! "$nacre" doctor | grep -q '^ok *render'; then
    [ "${NACRE_REQUIRE_ALL:-0}" != 1 ] || fail "this build cannot render, and NACRE_REQUIRE_ALL=1"
    [ "$failures" = 0 ] || finish
    echo "SKIPPED: this build cannot render"
    exit 77
fi

# Five balls before a wall of two colours; the camera looks along -z, 10 m before the balls.
cat >row.yaml <<'SCENE'
nacre: 1
world: {gravity: [0, 0, 0], timestep: 1/24, duration: 1/6}
camera: {position: [0, 0, 10], target: [0, 0, 0], fov: 32}
shapes:
  ball: {generate: sphere, radius: 0.8, splits: 10}
  wall: {generate: box, width: 12, height: 4, depth: 0.2}
bodies:
  - {name: plain, shape: ball, position: [-4, 0, 0]}
  - {name: green, shape: ball, position: [-2, 0, 0], color: "#208040", material: matte}
  - {name: metal, shape: ball, position: [0, 0, 0], material: metal, color: gold}
  - {name: glass, shape: ball, position: [2, 0, 0], material: glass}
  - {name: wood, shape: ball, position: [4, 0, 0], material: wood, spin: [0, 0, 40]}
  - {name: red, shape: wall, type: static, position: [0, 2.2, -6], color: red}
  - {name: blue, shape: wall, type: static, position: [0, -2.2, -6], color: blue}
SCENE
expect 0 "$nacre" run row.yaml -q
small=(--size 320x180 --samples 16 -q)
expect 0 "$nacre" render row.nacre --frame 0 -o row.png "${small[@]}"
python3 - <<'PY' || fail "materials do not look like themselves"
from picture import picture
p = picture("row.png")
tall = 2.867453857588
def at(x, y):
    return p.at(0.5 + x / (2 * tall * 16 / 9), 0.5 - y / (2 * tall))
def pure(c, k, by=30):  # channel k is the largest, by so much
    assert all(c[k] > c[i] + by for i in range(3) if i != k), c
pure(at(-3, 1), 0), pure(at(-3, -1.2), 2)      # the walls between the balls
pure(at(-2, 0), 1)                              # green paint
# A ball of glass turns what is behind it upside down: blue above, red below.
pure(at(2, 0.35), 2, 15), pure(at(2, -0.35), 0, 15)
# Gold reflects what is around it in its own colour: nothing of it is bluer than it is yellow, and it is not even.
gold = [at(0.5 * dx, 0.5 * dy) for dx in (-1, -0.5, 0, 0.5, 1) for dy in (-1, -0.5, 0, 0.5, 1)]
assert sum(c[0] - c[2] for c in gold) > 25 * 15, gold
assert max(sum(c) for c in gold) - min(sum(c) for c in gold) > 150, gold
# Wood has grain: more tones than a ball of one colour.
def tones(x):
    return [at(x + 0.06 * i, 0.06 * j) for i in range(-5, 6) for j in range(-5, 6)]
def roughness(cs):
    return sum(abs(a[0] - b[0]) for a, b in zip(cs, cs[1:])) / len(cs)
assert roughness(tones(4)) > 2 * roughness(tones(-2)), (roughness(tones(4)), roughness(tones(-2)))
PY
for threads in 1 3 8; do
    expect 0 "$nacre" render row.nacre --frame 1 -o threads.png "${small[@]}" --shutter 1 --aperture 0.1 -t $threads
    cp -n threads.png first.png
    cmp -s first.png threads.png || fail "$threads threads give another picture of glass and metal"
done

# A rope has no surface, and is drawn: dark from the anchor above to the ball that swings to and fro, no longer there once it broke.
cat >rope.yaml <<'SCENE'
nacre: 1
world: {timestep: 1/240, duration: 1/4}
camera: {position: [0, 0, 8], target: [0, 0, 0], fov: 32}
shapes: {ball: {generate: sphere, radius: 0.5, splits: 6, mass: 1}}
bodies: [{name: ball, shape: ball, position: [0, -1.2, 0], color: white}]
joints: [{kind: distance, body: ball, anchor: [0, -0.7, 0], anchor_b: [0, 1.8, 0], length: {max: 2.5}}]
SCENE
sed 's/length:/break_force: 1, length:/' rope.yaml >torn.yaml
for name in rope torn; do
    expect 0 "$nacre" run $name.yaml -q
    expect 0 "$nacre" render $name.nacre --frame 20 -o $name.png "${small[@]}" --shutter 0.5 --no-ground
done
expect 0 "$nacre" render rope.nacre --frame 20 -o rope_id.png "${small[@]}" --passes id
python3 - <<'PY' || fail "ropes are not drawn where they are"
from picture import picture
rope, torn = picture("rope.png"), picture("torn.png")
light = lambda p, x, y: min(sum(p.pixel(x + i, y)) for i in range(-2, 3))
for y in (45, 60, 80):  # rows between the upper anchor (20) and the ball
    assert light(rope, 160, y) < 0.6 * sum(rope.pixel(120, y)), ("no rope in row", y)
    assert light(torn, 160, y) > 0.9 * sum(torn.pixel(120, y)), ("a broken rope in row", y)
PY

# A lens: what is in focus is as sharp as without, the rest is not.
expect 0 "$nacre" render row.nacre --frame 0 -o near.png "${small[@]}" --aperture 0.3 --focus 0,0,0.8
expect 0 "$nacre" render row.nacre --frame 0 -o far.png "${small[@]}" --aperture 0.3 --focus 0,0,-6
python3 - <<'PY' || fail "the lens does not blur what it should"
from picture import picture
tall = 2.867453857588
def edge(name, x, y0, y1):  # the steepest step from row to row
    p = picture(name)
    rows = [p.at(0.5 + x / (2 * tall * 16 / 9), 0.5 - (y0 + (y1 - y0) * i / 60) / (2 * tall)) for i in range(61)]
    return max(sum(abs(a - b) for a, b in zip(r, s)) for r, s in zip(rows, rows[1:]))
seam = {n: edge(n, -1, -0.6, 0.6) for n in ("row.png", "near.png", "far.png")}      # between the walls, at z = -6
rim = {n: edge(n, -2, 0.5, 1.1) for n in ("row.png", "near.png", "far.png")}        # of the green ball
assert seam["far.png"] > 0.7 * seam["row.png"] and seam["near.png"] < 0.8 * seam["row.png"], seam
assert rim["near.png"] > 0.6 * rim["row.png"] and rim["far.png"] < 0.8 * rim["row.png"], rim
PY

# Noise is taken out: 8 samples come nearer to 256, edges and grain stay, and threads do not matter.
expect 0 "$nacre" render row.nacre --frame 0 -o many.png --size 320x180 --samples 256 -q
expect 0 "$nacre" render row.nacre --frame 0 -o noisy.png --size 320x180 --samples 8 -q
for threads in 1 3; do
    expect 0 "$nacre" render row.nacre --frame 0 -o "clean$threads.png" --size 320x180 --samples 8 --denoise -q -t $threads
done
cmp -s clean1.png clean3.png || fail "threads change what is left of noise"
# What is dull is lit by the studio, whose walls have the colour of the background.
for colour in ffb070 70b0ff; do
    expect 0 "$nacre" render row.nacre --frame 0 -o "$colour.png" "${small[@]}" --background $colour
done
python3 - <<'PY' || fail "noise or the light of the studio"
from picture import picture
many, noisy, clean = (picture(n + ".png") for n in ("many", "noisy", "clean1"))
def error(p, x):  # of 28 x 28 pixels about the middle of a ball
    return sum((p.rows[y][i] - many.rows[y][i]) ** 2 for y in range(76, 104) for i in range(3 * x - 42, 3 * x + 42))
for name, x, part in ("plain", 34, 0.3), ("green", 97, 0.4), ("metal", 160, 0.6), ("glass", 223, 0.95), ("wood", 286, 0.6):
    assert error(clean, x) < part * error(noisy, x), (name, error(noisy, x), error(clean, x))
    print("%s: mean squared error %.3g, without noise %.3g" % (name, error(noisy, x) / 2352, error(clean, x) / 2352))
# Both faces of glass look at lights with more samples than their share: with the first alone it was 269.
assert error(noisy, 223) < 120 * 2352, error(noisy, 223)
def steepest(p, x): return max(sum(abs(a - b) for a, b in zip(p.pixel(x, y), p.pixel(x, y + 1))) for y in range(60, 120))
assert steepest(clean, 125) > 0.8 * steepest(many, 125), "the seam of the walls is blurred"
def grain(p): return sum(abs(p.pixel(x, 90)[0] - p.pixel(x + 1, 90)[0]) for x in range(275, 295))
assert grain(clean) > 0.7 * grain(many), "the grain is blurred"
warm, cold = (picture(n + ".png").pixel(35, 85) for n in ("ffb070", "70b0ff"))
assert warm[0] - warm[2] > cold[0] - cold[2] + 20, (warm, cold)
PY

# Passes: rays of the test's own, in double precision, against every triangle of the run.
sed 's/splits: 10/splits: 3/' row.yaml >few.yaml
expect 0 "$nacre" run few.yaml -q
expect 0 "$nacre" render few.nacre --frame 2 -o p.png --size 48x27 --samples 1 -q --passes depth,id,normal,albedo
python3 - <<'PY' || fail "the passes do not agree with rays"
import math, sqlite3, struct
from exr import exr
from picture import png16
depth, normal, albedo, ids = exr("p.depth.exr"), exr("p.normal.exr"), exr("p.albedo.exr"), png16("p.id.png")
assert (depth.channels, normal.channels, albedo.channels) == (["Y"], ["B", "G", "R"], ["B", "G", "R"])
assert (depth.width, depth.height, ids.width, ids.height) == (48, 27, 48, 27)
db = sqlite3.connect("few.nacre")
def sub(a, b): return [x - y for x, y in zip(a, b)]
def dot(a, b): return sum(x * y for x, y in zip(a, b))
def cross(a, b): return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
triangles = []
for body, vertices, faces, x, y, z, w, i, j, k in db.execute(
        "select body.id, vertices, triangles, x, y, z, qw, qx, qy, qz from body join pose on pose.body = body.id join mesh on "
        "mesh.id = body.mesh where frame = 2"):
    points = []
    for v in struct.iter_unpack("<3d", vertices):
        t = cross((i, j, k), v)
        u = cross((i, j, k), [w * a + b for a, b in zip(v, t)])
        n = w * w + i * i + j * j + k * k
        points.append([c + a + 2 * b / n for c, a, b in zip((x, y, z), v, u)])
    triangles += [(body, *(points[c] for c in f)) for f in struct.iter_unpack("<3i", faces)]
tall = math.tan(math.radians(16))
eye, hits, edges, worst = [0, 0, 10], 0, 0, [0, 0]
for py in range(27):
    for px in range(48):
        ray = [(2 * (px + 0.5) / 48 - 1) * tall * 48 / 27, (1 - 2 * (py + 0.5) / 27) * tall, -1]  # depth 1 along -z
        best, nearly = None, False
        for body, a, b, c in triangles:
            e, f = sub(b, a), sub(c, a)
            p = cross(ray, f)
            det = dot(e, p)
            if abs(det) < 1e-12:
                continue
            s = sub(eye, a)
            u = dot(s, p) / det
            q = cross(s, e)
            v, t = dot(ray, q) / det, dot(f, q) / det
            if -1e-4 < u and -1e-4 < v and u + v < 1 + 1e-4 and t > 0:
                inside = u > 1e-4 and v > 1e-4 and u + v < 1 - 1e-4
                if best is None or t < best[0]:
                    best = t, body, cross(e, f), inside
        if best is None:
            assert ids.at(px, py) == 0 and depth.at(px, py) == [math.inf] and normal.at(px, py) == [0, 0, 0], (px, py)
            continue
        t, body, n, inside = best
        if not inside:  # at the rim of a triangle the ray tracer may take the neighbour
            edges += 1
            continue
        hits += 1
        assert ids.at(px, py) == body + 1, (px, py, ids.at(px, py), body)
        size = math.sqrt(dot(n, n))
        n = [c / size * (-1 if dot(n, ray) > 0 else 1) for c in n]
        worst[0] = max(worst[0], abs(depth.at(px, py)[0] - t) / t)
        worst[1] = max(worst[1], max(abs(a - b) for a, b in zip(normal.at(px, py), n)))
print(f"{hits} pixels agree, {edges} at rims left out; depth within {worst[0]:.1e}, normals within {worst[1]:.1e}")
assert hits > 800 and edges < 40 and worst[0] < 2e-6 and worst[1] < 2e-5, (hits, edges, worst)
green = albedo.at(*next((x, y) for y in range(27) for x in range(48) if ids.at(x, y) == 2))
assert all(abs(a - b) < 1e-5 for a, b in zip(green, (0.0144438, 0.2158605, 0.0512695))), green
PY
# A program of others reads the same values: ffmpeg, and Pillow and OpenCV where they are installed.
if command -v ffmpeg >/dev/null; then
    for pass in depth.exr normal.exr id.png; do
        expect 0 ffmpeg -v error -y -i p.$pass -f rawvideo "$pass.raw"
    done
    OPENCV_IO_ENABLE_OPENEXR=1 python3 - <<'PY' || fail "other programs read other values from passes"
import struct
from exr import exr
from picture import png16
depth, normal, ids, size = exr("p.depth.exr"), exr("p.normal.exr"), png16("p.id.png"), 48 * 27
pixels = [(i % 48, i // 48) for i in range(size)]
read = lambda name, kind: struct.unpack(kind, open(name, "rb").read())
assert read("depth.exr.raw", "<%df" % size) == tuple(depth.at(*at)[0] for at in pixels)
planes = read("normal.exr.raw", "<%df" % (3 * size))  # green, blue, red
assert [(planes[2 * size + i], planes[i], planes[size + i]) for i in range(size)] == [tuple(normal.at(*at)) for at in pixels]
assert read("id.png.raw", ">%dH" % size) == tuple(ids.at(*at) for at in pixels)
try:
    from PIL import Image
    assert list(Image.open("p.id.png").getdata()) == [ids.at(*at) for at in pixels]
except ImportError:
    pass
try:
    import cv2
    assert cv2.imread("p.depth.exr", cv2.IMREAD_UNCHANGED)[13][9] == depth.at(9, 13)[0]
    assert cv2.imread("p.id.png", cv2.IMREAD_UNCHANGED)[13][9] == ids.at(9, 13)
except ImportError:
    pass
PY
elif [ "${NACRE_REQUIRE_ALL:-0}" = 1 ]; then
    fail "no ffmpeg, and NACRE_REQUIRE_ALL=1"
fi

# Cameras that move: around one frame, and along keyframes.
mkdir frames
expect 0 "$nacre" render row.nacre -o frames/%d.png --turntable 4 --frame 0 --size 64x36 --samples 4 -q --passes id
[ "$(ls frames | wc -l)" = 8 ] || fail "a turntable of 4: $(ls frames)"
cmp -s frames/0.png frames/2.png && fail "the turntable does not turn"
cat >path.yaml <<'SCENE'
nacre: 1
world: {gravity: [0, 0, 0], timestep: 1/24, duration: 1/6}
camera:
  fov: 40
  keyframes:
    - {time: 0, position: [0, 0, 10], target: [0, 0, 0]}
    - {time: 1/12, position: [0, 0, 10], target: [2, 0, 0]}
    - {time: 1/6, position: [0, 0, 5], target: [2, 0, 0]}
shapes: {ball: {generate: sphere, radius: 0.5}}
bodies: [{shape: ball, color: blue}]
SCENE
expect 0 "$nacre" run path.yaml -q
expect 0 "$nacre" render path.nacre -o frames/k%d.png --size 64x36 --samples 4 -q --passes id
python3 - <<'PY' || fail "the camera does not follow its keyframes"
from picture import png16
def seen(k):
    p = png16(f"frames/k{k}.id.png")
    cells = [(x, y) for y in range(36) for x in range(64) if p.at(x, y)]
    return len(cells), sum(x for x, y in cells) / len(cells)
(a, x0), (b, x1), (c, x2), (d, x3), (e, x4) = map(seen, range(5))
assert abs(x0 - 31.5) < 0.6 and x0 > x1 > x2 > x4, (x0, x1, x2, x3, x4)   # it turns to the right, then comes nearer
assert abs(a - c) < 0.3 * a and e > 2.5 * a and a < d + 12 < e + 12, (a, b, c, d, e)
PY

# A note names the body that is drawn as the ground; a body with a colour is drawn.
cat >floor.yaml <<'SCENE'
nacre: 1
world: {timestep: 1/24, duration: 1/24}
shapes: {ball: {generate: box, size: 1}, table: {generate: plane, size: 8}}
bodies: [{name: table, shape: table, type: static}, {shape: ball, position: [0, 0.6, 0]}]
SCENE
expect 0 "$nacre" run floor.yaml -q
expect 0 "$nacre" render floor.nacre -o floor.png --preview --size 160x90
says err.txt '"table" is drawn as the ground'
sed -i 's/type: static}/type: static, color: olive}/' floor.yaml
expect 0 "$nacre" run floor.yaml -q --force
expect 0 "$nacre" render floor.nacre -o olive.png --preview --size 160x90
grep -q "drawn as the ground" err.txt && fail "a table with a colour is not drawn"
python3 -c 'from picture import picture
a, b = picture("floor.png").at(0.15, 0.75), picture("olive.png").at(0.15, 0.75)
assert max(a) - min(a) < 12 and b[1] > b[2] + 30, (a, b)' || fail "the table's colour is not seen"

# Wrong questions.
wrong() { # wrong WORDS ARGUMENTS...
    local words=$1
    shift
    expect 2 "$nacre" render row.nacre "$@" && says err.txt "$words"
}
wrong "depth, id, normal, albedo" -o a.png --passes depth,colour
wrong "depth, id, normal, albedo" -o a.png --passes ""
wrong "--passes is for pictures" -o a.mp4 --passes depth
wrong "--turntable is for films" -o a.png --turntable 4
wrong "give it by --frame" -o a%d.png --turntable 4 --frames 0:1
wrong "X,Y,Z" -o a.png --focus 1
[ ! -e a.png ] || fail "a refused picture was written"
finish
