#!/usr/bin/env bash
# Another reader of USD, TinyUSDZ, understands our .usda, and finds in it the poses of the run.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tools/need.sh"
need node python3 "$here/node_modules/tinyusdz"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
cat >scene.yaml <<'YAML'
nacre: 1
title: Things that fall
world: {gravity: [0, 0, -9.8], timestep: 1/25, duration: 0.4, friction: 0.3}
shapes:
  plate: {generate: plane, size: 4}
  boat: {generate: boat, length: 1, thickness: 0.01, density: 600}
bodies:
  - {name: plate, shape: plate, type: static, position: [0, -5, -2]}
  - {name: boat, shape: boat, position: [0, 0, 0], spin: [1, 2, 3]}
  - {name: other-boat, shape: boat, position: [2, 0, 0], velocity: [1, 2, 0]}
YAML
"$NACRE" run scene.yaml -q >run.txt || { cat run.txt; exit 1; }
"$NACRE" export scene.nacre -o scene.usda -q || exit 1
node "$here/read_usd.mjs" scene.usda >read.txt || exit 1
python3 - <<'PY' || { echo "FAIL: scene.usda is not as the run says"; exit 1; }
import re, sqlite3
text = open("read.txt", encoding="utf-8").read()
for line in ('upAxis = "Z"', "metersPerUnit = 1", "timeCodesPerSecond = 25", "endTimeCode = 10", 'defaultPrim = "World"'):
    assert re.search(rf"^\s*{line}$", text, re.M), line
db = sqlite3.connect("scene.nacre")
db.row_factory = sqlite3.Row
mass = dict(db.execute("select name, mass from body"))
prims = re.split(r'def Xform "', text)
compared = 0
for name, prim_name in (("boat", "boat"), ("other-boat", "other_boat")):
    prim = next(p for p in prims if p.startswith(prim_name + '"'))
    assert f'custom string nacre:name = "{name}"' in prim
    assert abs(float(re.search(r"physics:mass = ([\d.e+-]+)", prim)[1]) / mass[name] - 1) < 1e-6
    samples = re.search(r"xformOp:transform.timeSamples = \{(.*?)\}", prim, re.S)[1]
    rows = dict(re.findall(r"(\d+): \((.*)\),?", samples))
    poses = db.execute("select * from pose where body = (select id from body where name = ?) order by frame", (name,)).fetchall()
    assert len(rows) == len(poses) == 11, (len(rows), len(poses), samples[:300])
    for p in poses:
        m = [float(v) for v in re.findall(r"[-\d.e+]+", rows[str(p["frame"])])]
        assert all(abs(m[12 + k] - p["xyz"[k]]) < 1e-15 for k in range(3)) and m[3] == m[7] == m[11] == 0 and m[15] == 1, (m, tuple(p))
        w, x, y, z = p["qw"], p["qx"], p["qy"], p["qz"]
        s = 2 / (w * w + x * x + y * y + z * z)
        r = [1 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y),
             s * (x * y - w * z), 1 - s * (x * x + z * z), s * (y * z + w * x),
             s * (x * z + w * y), s * (y * z - w * x), 1 - s * (x * x + y * y)]
        assert all(abs(a - b) < 1e-15 for a, b in zip(r, m[0:3] + m[4:7] + m[8:11])), (r, m)
        compared += 1
print(f"TinyUSDZ finds {compared} poses of the run")
PY
# Bodies that come and go, wires and points, odd names; and the same as points of an instancer.
"$NACRE_BUILD/test_usd" --write sample.usda && "$NACRE_BUILD/test_usd" --write-points points.usda || exit 1
node "$here/read_usd.mjs" sample.usda >sample.txt && node "$here/read_usd.mjs" points.usda >points.txt || exit 1
python3 - <<'PY' || { echo "FAIL: the samples are not as they should be"; exit 1; }
import re
text = open("sample.txt", encoding="utf-8").read()
assert len(re.findall(r"xformOp:transform.timeSamples", text)) == 21
away = re.findall(r"visibility.timeSamples = \{(.*?)\}", text, re.S)
assert sorted(re.sub(r"\s+", "", a).rstrip(",") for a in away) == ['0:"inherited",10:"invisible"', '0:"inherited",5:"invisible",9:"inherited"', '0:"invisible",20:"inherited"'], away
text = open("points.txt", encoding="utf-8").read()
assert "def PointInstancer" in text
def samples(name):
    block = re.search(name + r".timeSamples = \{(.*?)\n\s*\}", text, re.S)[1]
    return {int(k): [tuple(map(float, t.split(","))) for t in re.findall(r"\(([^()]*)\)", v)] for k, v in re.findall(r"(\d+): \[(.*)\]", block)}
positions, orientations = samples(r"point3f\[\] positions"), samples(r"quatf\[\] orientationsf")
assert len(positions) == len(orientations) == 48 and all(len(v) == 21 for v in positions.values())
assert abs(positions[47][0][1] - (2 + 4.7)) < 1e-6 and abs(sum(c * c for c in orientations[47][5]) - 1) < 1e-6
assert all(sum(a * b for a, b in zip(orientations[k][5], orientations[k + 1][5])) > 0 for k in range(47)), "quaternions flip"
PY
# A reader that takes anything would prove nothing.
head -c 3000 scene.usda >damaged.usda
if node "$here/read_usd.mjs" damaged.usda >/dev/null 2>&1; then
    echo "FAIL: TinyUSDZ takes half a file"
    exit 1
fi
