#!/usr/bin/env bash
# Others read files of cloth: the validator finds no fault in the .glb, Blender shows every frame where the run had it, and
# TinyUSDZ finds the same points in the .usda. (Debian's Blender is built without USD.)
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tools/need.sh"
need node python3 "$here/node_modules/gltf-validator" "$here/node_modules/tinyusdz" blender
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
cat >sheet.yaml <<'YAML'
nacre: 1
title: A sheet falls on a ball
world: {pipeline: acm, timestep: 1/24, duration: 0.5, restitution: 0, acm: {thickness: 0.05}}
shapes:
  ball: {generate: sphere, radius: 0.4, splits: 2}
  sheet: {generate: sheet, size: 1.6, columns: 5, rows: 5}
bodies:
  - {name: ball, shape: ball, type: static}
  - {name: sheet, shape: sheet, type: cloth, position: [0.05, 0.6, 0], cloth: {stretch: 200}}
YAML
"$NACRE" run sheet.yaml -q >run.txt || { cat run.txt; exit 1; }
for file in sheet.glb sheet.usda f%02d.obj; do
    "$NACRE" export sheet.nacre -o "$file" -q || exit 1
done
node "$here/validate_glb.js" sheet.glb || exit 1
blender --background --factory-startup --python-exit-code 3 --python "$here/cloth_glb.py" -- sheet.glb sheet f??.obj \
    >blender.log 2>&1 || { tail -n 20 blender.log; echo "FAIL: Blender"; exit 1; }
grep '^nacre:' blender.log
node "$here/read_usd.mjs" sheet.usda >read.txt || exit 1
python3 - <<'PY' || { echo "FAIL: sheet.usda is not as the run says"; exit 1; }
import glob, re
text = open("read.txt", encoding="utf-8").read()
samples = re.search(r"points\.timeSamples = \{(.*?)\}", text, re.S)
assert samples, "no points in time"
frames = re.findall(r"([-\d.]+): \[(.*?)\]", samples.group(1), re.S)
files = sorted(glob.glob("f??.obj"))
assert len(frames) == len(files) == 13, (len(frames), len(files))
for (time, body), file in zip(frames, files):
    got = [float(n) for n in re.findall(r"[-+\d.e]+", body)]
    obj = open(file, encoding="utf-8").read().split("o sheet\n")[1]
    wanted = [float(n) for line in obj.splitlines() if line.startswith("v ") for n in line.split()[1:]]
    assert len(got) == len(wanted) == 3 * 36, (file, len(got), len(wanted))
    off = max(abs(a - b) for a, b in zip(got, wanted))
    assert off < 1e-5, (file, off)
print("nacre: TinyUSDZ has the same points in 13 frames")
PY
