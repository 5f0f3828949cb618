#!/usr/bin/env bash
# nacre render: pictures with everything where it belongs, the same bytes from any number of threads, blur, films, errors.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
. "$root/tests/tools/need.sh"
export PYTHONPATH=$root/tests/tools PYTHONDONTWRITEBYTECODE=1

# A build without Embree says what to install, and its help is there all the same.
expect 2 "$NACRE_BUILD/no_render" run.nacre -o a.png
says err.txt "libembree-dev"
expect 0 "$NACRE_BUILD/no_render" --help
if ! "$nacre" doctor | grep -q '^ok *render'; then
    expect 2 "$nacre" render run.nacre -o a.png
    says err.txt "libembree-dev"
    [ "${NACRE_REQUIRE_ALL:-0}" != 1 ] || fail "this build cannot render, and NACRE_REQUIRE_ALL=1"
    [ "$failures" = 0 ] || finish
    echo "SKIPPED: this build cannot render"
    exit 77
fi

# The palette is the viewer's.
colours() { grep -oE '"#[0-9a-f]{6}"' "$1" | head -n 13; }
[ "$(colours "$root/web/src/palette.ts")" = "$(colours "$root/src/render/colour.c")" ] ||
    fail "the palettes of web/src/palette.ts and src/render/colour.c differ"

# Three boxes and a scripted one in the plane z = 0 before a camera at z = 10: 10 tan(16 degrees) = 2.867 m to each side.
cat >boxes.yaml <<'SCENE'
nacre: 1
title: Boxes before a camera
world: {gravity: [0, 0, 0], timestep: 1/24, duration: 1/6}
camera: {position: [0, 0, 10], target: [0, 0, 0], fov: 32}
shapes:
  brick: {generate: box, size: 0.8}
  bar: {generate: box, width: 2, height: 0.3, depth: 0.3}
bodies:
  - {name: a, shape: brick, position: [-3, 1.5, 0]}
  - {name: b, shape: brick, position: [0, 1.5, 0]}
  - {name: c, shape: brick, position: [3, 1.5, 0], velocity: [0, -24, 0]}
  - {name: script, shape: brick, type: kinematic, position: [-3, -1.5, 0]}
  - {name: bar, shape: bar, position: [0, -1.3, 0], spin: [0, 0, 150.79644737231007]} # a whole turn per step
SCENE
expect 0 "$nacre" run boxes.yaml -q
small=(--size 320x180 --samples 16)
expect 0 "$nacre" render boxes.nacre --frame 0 -o still.png "${small[@]}"
says err.txt "1 frame"
silent out.txt
expect 0 "$nacre" render boxes.nacre --frame 1 -o sharp.png "${small[@]}" -q
silent err.txt
expect 0 "$nacre" render boxes.nacre --frame 1 -o blurred.png "${small[@]}" --shutter 1 -q
python3 - "$root/web/src/palette.ts" <<'PY' || fail "the pictures do not show what is there"
import re, sys
from picture import picture
palette = [tuple(int(h[k:k + 2], 16) for k in (0, 2, 4)) for h in re.findall(r'"#([0-9a-f]{6})"', open(sys.argv[1]).read())]
still, sharp, blurred = picture("still.png"), picture("sharp.png"), picture("blurred.png")
tall = 2.867453857588
def place(x, y):
    return 0.5 + x / (2 * tall * 16 / 9), 0.5 - y / (2 * tall)
def near(colour, wanted, within):
    scale = sum(colour) / sum(wanted)
    assert 0.5 < scale < 1.6, (colour, wanted)
    assert max(abs(a / scale - b) for a, b in zip(colour, wanted)) < within, (colour, wanted)
back = still.at(*place(-1.5, 0))
assert still.width == 320 and still.height == 180 and min(back) > 200, back
for body, (x, y) in {0: (-3, 1.5), 1: (0, 1.5), 2: (3, 1.5)}.items():
    near(still.at(*place(x, y)), palette[(7 * body) % 12], 12)
near(still.at(*place(-3, -1.5)), palette[12], 12)
near(still.at(*place(3, -1.5)), back, 4)
for x, y in (-2.4, 0.85), (-2.4, 2.2), (-3.8, 0.85), (-3.8, 2.2):  # a little off the corners of the box
    near(still.at(*place(x, y)), back, 6)
# c falls by 1 m in a step, and leaves its way behind it in a picture with the shutter open.
near(sharp.at(*place(3, 1.5)), back, 6)
near(sharp.at(*place(3, 0.5)), palette[(7 * 2) % 12], 12)
smear = blurred.at(*place(3, 1))
assert smear != sharp.at(*place(3, 1)) and blurred.at(*place(3, 1.5)) != sharp.at(*place(3, 1.5))
half = blurred.at(*place(3, 1.5))
assert all(abs(h - s) > 8 for h, s in zip(half, back)), (half, back)
# Its pose after a step is that before, but the bar has been everywhere around its middle.
sides = [blurred.at(*place(0.6 * dx, -1.3 + 0.6 * dy)) for dx, dy in ((0, 1), (0, -1), (1, 0), (0.7, 0.7), (-0.7, 0.7))]
near(sharp.at(*place(0, -1.9)), back, 6)  # as always beside it
for side in sides:
    assert max(b - s for b, s in zip(back, side)) > 3, (side, back)
    assert max(abs(a - b) for a, b in zip(side, sides[0])) < 8, sides
PY

# Bytes do not depend on threads.
for threads in 2 3 8; do
    expect 0 "$nacre" render boxes.nacre --frame 1 -o threads.png "${small[@]}" --shutter 1 -t $threads -q
    cmp -s blurred.png threads.png || fail "$threads threads give another picture"
done

# The blur of a run that stores paths is that of the paths: a ball thrown over 24 steps leaves an arc; without them, a straight line.
cat >arc.yaml <<'SCENE'
nacre: 1
world: {gravity: [0, -9.6, 0], timestep: 1/24, duration: 1, output: {every: 24}}
camera: {position: [0, 0.6, 10], target: [0, 0.6, 0], fov: 40}
shapes: {ball: {generate: sphere, radius: 0.5}}
bodies: [{shape: ball, color: red, position: [-2, 0, 0], velocity: [4, 4.8, 0]}]
SCENE
expect 0 "$nacre" run arc.yaml -q -o none.nacre
expect 0 "$nacre" run arc.yaml -q -o paths.nacre --store paths
for way in none paths; do
    expect 0 "$nacre" render $way.nacre -o $way.png --frame 1 --shutter 1 --size 160x90 --samples 64 --no-ground -q
done
python3 - <<'PY' || fail "the blur does not follow the stored paths"
from picture import picture
def red(name, y):  # how much redder than beside it, in the middle of the flight
    p = picture(name)
    (r, g, b), (r0, g0, b0) = (p.at(0.5 + x / 12.94, 0.5 - (y - 0.6) / 7.279) for x in (0, 5))
    return (r - g) - (r0 - g0)
arc, line = ([red(name, y) for y in (1.2, 0)] for name in ("paths.png", "none.png"))
assert arc[0] > 8 and abs(arc[1]) < 4 and line[1] > 8 and abs(line[0]) < 4, (arc, line)
PY

# Things on a ground in a bowl, with lone edges and points, framed by itself: it is all there, and nothing is cut off.
cat >bowl.yaml <<'SCENE'
nacre: 1
world: {timestep: 1/48, duration: 1/8}
shapes:
  ground: {generate: plane, size: 60}
  bowl: {generate: bowl, radius: 3}
  boat: {generate: boat, length: 1, thickness: 0.01, density: 600}
bodies:
  - {shape: ground, type: static, position: [0, -3.5, 0]}
  - {name: bowl, shape: bowl, type: static}
  - {name: boat, shape: boat, position: [0, -1, 0], pile: {count: [2, 1, 2], spacing: 1.5}}
SCENE
expect 0 "$nacre" run bowl.yaml -q
expect 0 "$nacre" render bowl.nacre -o bowl.png "${small[@]}" -q
expect 0 "$nacre" render bowl.nacre -o far.png "${small[@]}" -q --zoom 0.2
expect 0 "$nacre" render bowl.nacre -o hidden.png "${small[@]}" -q --hide bowl,boat.0
cmp -s bowl.png hidden.png && fail "hidden bodies are in the picture"
expect 2 "$nacre" render bowl.nacre -o hidden.png "${small[@]}" -q --hide bowl,kettle
says err.txt 'there is no body "kettle" to hide'
expect 0 "$nacre" render bowl.nacre -o bare.png "${small[@]}" -q --zoom 0.2 --no-ground
python3 - <<'PY' || fail "the boats are not framed"
from picture import picture
p, far, bare = picture("bowl.png"), picture("far.png"), picture("bare.png")
coloured = [(x, y) for y in range(p.height) for x in range(p.width) if max(p.pixel(x, y)) - min(p.pixel(x, y)) > 40]
assert len(coloured) > 0.04 * p.width * p.height, len(coloured)
assert len({tuple(c // 32 for c in p.pixel(x, y)) for x, y in coloured}) > 12
# The boats are in the middle, as large as the picture allows, and not cut off.
for k, size in enumerate((p.width, p.height)):
    low, high = (f(c[k] for c in coloured) / size for f in (min, max))
    assert low > 0.02 and high < 0.98 and abs(low + high - 1) < 0.15, (k, low, high)
assert max(max(c[k] for c in coloured) - min(c[k] for c in coloured) for k in (0, 1)) > 0.6 * p.height
# Without the ground that pictures draw, the scene's own plate is a body.
assert min(bare.at(0.2, 0.8)) < min(far.at(0.2, 0.8)) - 5, (bare.at(0.2, 0.8), far.at(0.2, 0.8))
PY

# The camera: a zoom, a direction, a place; the options over the scene.
for camera in "--zoom 2" "--azimuth -60" "--elevation 90" "--position 3,2,9" "--target 0,1.5,0" "--fov 60"; do
    expect 0 "$nacre" render boxes.nacre --frame 0 -o camera.png "${small[@]}" -q $camera
    cmp -s camera.png still.png && fail "$camera changes nothing"
done
expect 0 "$nacre" render boxes.nacre --frame 0 -o camera.png "${small[@]}" -q --background 203040
python3 -c 'from picture import picture; c = picture("camera.png").at(0.35, 0.5); assert max(c) < 80 and c[2] > c[0] + 15, c' ||
    fail "--background is not seen"

# A scene text that was tampered with is noticed.
cp boxes.nacre strange.nacre
python3 - <<'PY'
import sqlite3
db = sqlite3.connect("strange.nacre")
db.execute("update run set scene = replace(scene, 'camera', 'kamera')")
db.commit()
PY
expect 3 "$nacre" render strange.nacre --frame 0 -o strange.png "${small[@]}"

# Sequences are named by frame; a picture of a sequence is the picture of that frame.
mkdir frames
expect 0 "$nacre" render boxes.nacre -o frames/f%03d.png "${small[@]}" --frames 1:4 --every 2
says err.txt "2 frames"
[ "$(ls frames | tr '\n' ' ')" = "f001.png f003.png " ] || fail "the sequence: $(ls frames)"
cmp -s frames/f001.png sharp.png || fail "frame 1 of a sequence is not the picture of frame 1"

# Films.
if command -v ffmpeg >/dev/null && command -v ffprobe >/dev/null; then
    expect 0 "$nacre" render boxes.nacre -o film.mp4 --size 160x90 --samples 4
    says err.txt "5 frames"
    ffprobe -v error -count_frames -show_entries stream=codec_name,width,height,r_frame_rate,nb_read_frames -of json film.mp4 >probe.json
    json probe.json 'd["streams"] == [{"codec_name": "h264", "width": 160, "height": 90, "r_frame_rate": "24/1", "nb_read_frames": "5"}]'
    expect 0 "$nacre" render boxes.nacre -o again.mp4 --size 160x90 --samples 4 -t 3 -q
    cmp -s film.mp4 again.mp4 || fail "the same film has other bytes"
    expect 0 "$nacre" render boxes.nacre -o film.mp4 --size 160x90 --samples 1 --fps 10 -q
    ffprobe -v error -show_entries stream=r_frame_rate -of csv=p=0 film.mp4 >rate.txt
    says rate.txt "10/1"
    expect 6 "$nacre" render boxes.nacre -o no/such/film.mp4 --size 160x90 --samples 1
elif [ "${NACRE_REQUIRE_ALL:-0}" = 1 ]; then
    fail "no ffmpeg, and NACRE_REQUIRE_ALL=1"
fi
mkdir bare_path
ln -s "$(command -v env)" bare_path/env
PATH=$scratch/bare_path expect 2 "$nacre" render boxes.nacre -o x.mp4 --size 160x90 --samples 1
says err.txt "apt install ffmpeg"

# Ctrl-C: nothing half is left.
"$nacre" render boxes.nacre -o slow.png --size 1920x1080 --samples 4096 -t 1 2>err.txt &
sleep 0.7
kill -INT $!
wait $!
[ $? = 130 ] || fail "an interrupted picture does not end with 130"
[ ! -e slow.png ] || fail "an interrupted picture was written"

# Wrong questions.
wrong() { # wrong WORDS ARGUMENTS...
    local words=$1
    shift
    expect 2 "$nacre" render boxes.nacre "$@" && says err.txt "$words"
    silent out.txt
}
wrong "render needs --output"
wrong "film.gif" -o film.gif
wrong "one field" -o frames/%d_%d.png
wrong "WIDTHxHEIGHT" -o a.png --size 1280
wrong "WIDTHxHEIGHT" -o a.png --size 1280x0
wrong "WIDTHxHEIGHT" -o a.png --size 99999x99999
wrong "even" -o film.mp4 --size 161x90
wrong "between 1 and 4096" -o a.png --samples 0
wrong "between 0 and 1" -o a.png --shutter 1.5
wrong "frames 0 to 4" -o a.png --frame 5
wrong "frames 0 to 4" -o f%d.png --frames 9:
wrong "frames 0 to 4" -o a.png --fit 9:
wrong "--frames" -o film.mp4 --frame 2
wrong "--frame" -o a.png --frames 0:2
wrong "--fps" -o a.png --fps 24
wrong "X,Y,Z" -o a.png --position 1,2
wrong "X,Y,Z" -o a.png --target 1,2,x
wrong "rrggbb" -o a.png --background bluish
expect 2 "$nacre" render boxes.yaml -o a.png
says err.txt "not a run file"
expect 6 "$nacre" render absent.nacre -o a.png
expect 6 "$nacre" render boxes.nacre -o no/such/a.png --size 16x16 --samples 1
head -c 3000 boxes.nacre >cut.nacre
expect 3 "$nacre" render cut.nacre -o cut.png
[ ! -e a.png ] && [ ! -e cut.png ] || fail "a refused picture was written"
[ -z "$(ls -a | grep part)" ] || fail "temporary files are left: $(ls -a)"
finish
