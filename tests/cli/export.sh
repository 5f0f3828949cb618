#!/usr/bin/env bash
# nacre export: glTF, USD, files for ParaView, OBJ sequences, CSV and JSON lines of reports and of poses.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
boxes 3 >boxes.yaml
expect 0 "$nacre" run boxes.yaml -q

expect 0 "$nacre" export boxes.nacre -o film.glb
says err.txt "25 frames"
silent out.txt
[ "$(head -c 4 film.glb)" = glTF ] || fail "film.glb does not begin with glTF"
python3 - film.glb <<'PY' || fail "film.glb is not as expected"
import json, struct, sys
data = open(sys.argv[1], "rb").read()
magic, version, length = struct.unpack_from("<III", data)
size, kind = struct.unpack_from("<II", data, 12)
g = json.loads(data[20:20 + size])
assert version == 2 and length == len(data) and kind == 0x4E4F534A
assert len(g["meshes"]) == 1
assert len({c["target"]["node"] for c in g["animations"][0]["channels"]}) == 3
times = g["accessors"][g["animations"][0]["samplers"][0]["input"]]
assert times["count"] == 25, times
PY
expect 0 "$nacre" export boxes.nacre -o film.glb --frames 0:11 --every 3 -q
silent err.txt

expect 0 "$nacre" export boxes.nacre -o film.usda --frames 4:
says err.txt "21 frames"
says film.usda 'startTimeCode = 4'
says film.usda 'endTimeCode = 24'
[ "$(grep -c 'PhysicsRigidBodyAPI' film.usda)" = 3 ] || fail "film.usda has not three rigid bodies"
[ "$(grep -c 'timeSamples' film.usda)" = 3 ] || fail "film.usda has not three animated bodies"

expect 0 "$nacre" export boxes.nacre -o film.pvd --every 6
says err.txt "5 frames"
[ "$(ls film | wc -l)" = 10 ] || fail "VTK files: $(ls film)"
[ "$(grep -c 'file="film/film_0' film.pvd)" = 5 ] || fail "film.pvd does not name five frames"

mkdir frames
expect 0 "$nacre" export boxes.nacre -o frames/f%03d.obj --frames 0:8 --every 4
[ "$(ls frames | wc -l)" = 3 ] || fail "OBJ files: $(ls frames)"
for file in frames/*.obj; do
    expect 0 "$nacre" info "$file" --json
    json out.txt 'd["triangles"] == 36'
done

expect 0 "$nacre" export boxes.nacre -o table.csv
expect 0 "$nacre" export boxes.nacre -o poses.csv --poses --frames 3:4
python3 - <<'PY' || fail "the CSV files do not agree with the run"
import csv, sqlite3
rows = list(csv.DictReader(open("table.csv")))
db = sqlite3.connect("boxes.nacre")
stored = db.execute("select time, kinetic, potential from report order by frame").fetchall()
assert len(rows) == 25 == len(stored)
for row, (time, kinetic, potential) in zip(rows, stored):
    assert (float(row["time"]), float(row["kinetic"]), float(row["potential"])) == (time, kinetic, potential)
columns = {c[1] for c in db.execute("pragma table_info(report)")} - {"steps", "sum"}
assert set(rows[0]) == columns and all(len(row) == len(columns) and None not in row.values() for row in rows), rows[0]
for row, (pairs, sweeps, settle) in zip(rows, db.execute("select pairs, sweeps, seconds_settle from report order by frame")):
    assert (int(row["pairs"]), int(row["sweeps"])) == (pairs, sweeps) and row["smallest_distance"] == ""
    assert abs(float(row["seconds_settle"]) - settle) <= 1e-5 * settle
poses = list(csv.DictReader(open("poses.csv")))
assert len(poses) == 6 and {p["frame"] for p in poses} == {"3", "4"} and poses[0]["name"] == "brick.0", poses
assert abs(float(poses[0]["vy"]) - (4 - 9.8 * 3 / 24)) < 1e-12
PY
# The same as JSON, an object per line.
expect 0 "$nacre" export boxes.nacre -o table.jsonl
expect 0 "$nacre" export boxes.nacre -o poses.jsonl --poses --frames 3:4
python3 - <<'PY' || fail "the JSON lines do not agree with the CSV files"
import csv, json
lines = lambda name: [json.loads(line) for line in open(name)]
table, poses = lines("table.jsonl"), lines("poses.jsonl")
rows = list(csv.DictReader(open("table.csv")))
assert len(table) == len(rows) and all(set(a) == set(b) for a, b in zip(table, rows))
assert all(a[k] is None if b[k] == "" else a[k] == float(b[k]) for a, b in zip(table, rows) for k in b)
rows = list(csv.DictReader(open("poses.csv")))
assert len(poses) == len(rows) == 6
for a, b in zip(poses, rows):
    assert a["name"] == b["name"] and [a["frame"], a["body"]] == [int(b["frame"]), int(b["body"])]
    assert a["position"] == [float(b[k]) for k in "xyz"] and a["spin"] == [float(b["spin_" + k]) for k in "xyz"]
    assert a["orientation"] == [float(b["q" + k]) for k in "wxyz"] and a["velocity"] == [float(b["v" + k]) for k in "xyz"]
PY
expect 0 "$nacre" export boxes.nacre -o -
cmp -s out.txt table.csv || fail "CSV on the standard output differs"
silent err.txt

# A page with the run inside, where the build has the page.
if "$nacre" doctor | grep -q 'viewer .*no page'; then
    expect 2 "$nacre" export boxes.nacre -o film.html
    says err.txt "npm"
else
    expect 0 "$nacre" export boxes.nacre -o film.html --every 2
    says err.txt "13 frames"
    python3 - <<'PY' || fail "film.html is not as expected"
import base64, json, re, struct
page = open("film.html", encoding="utf-8").read()
def parts(kind):
    return re.findall(r'<script type="[a-z/]*" data-nacre="%s"[^>]*>(.*?)</script>' % kind, page, re.S)
head = json.loads(parts("head")[0])
assert head["frames"] == 25 and head["bodies"] == 3 and len(parts("mesh")) == 1
frames = b"".join(base64.b64decode(part) for part in parts("frames"))
assert len(frames) == 13 * (24 + 3 * 44), len(frames)
assert [struct.unpack_from("<I", frames, k * (24 + 132))[0] for k in range(13)] == list(range(0, 25, 2))
reports = json.loads(parts("reports")[0])
assert reports["count"] == 13 and reports["step"] == list(range(0, 25, 2))
assert "src=" not in re.sub(r"<script>.*?</script>", "", page, flags=re.S), "the page loads something"
PY
fi
# Nothing that a scene says can end an element of the page.
sed 's|Tumbling boxes|"</script><script>alert(1)</script>"|' boxes.yaml >evil.yaml
expect 0 "$nacre" run evil.yaml -q -n 2
"$nacre" doctor | grep -q 'viewer .*no page' || {
    expect 0 "$nacre" export evil.nacre -o evil.html
    grep -q 'alert(1)</script>' evil.html && fail "a title ends a script element"
}

# What rounding to single precision brings together is said, with exit code 1; the file is there all the same.
cat >far.yaml <<'YAML'
nacre: 1
world: {gravity: [0, 0, 0], timestep: 1/24, duration: 0.125, rest_distance: 0.01, proximity: 0.02, floor_distance: 0.0001, bounds: {low: [-1e7, -1e7, -1e7], high: [1e7, 1e7, 1e7]}}
shapes: {brick: {generate: box, size: 1}}
bodies:
  - {name: left, shape: brick, position: [1000000, 0, 0]}
  - {name: right, shape: brick, position: [1000001.02, 0, 0]}
YAML
expect 0 "$nacre" run far.yaml -q
expect 0 "$nacre" check far.nacre
expect 1 "$nacre" export far.nacre -o far.glb
says err.txt "rounding to single precision makes bodies intersect that the run keeps apart: 4 pairs in 4 of 4 frames"
says err.txt "of left and triangle"
[ -s far.glb ] || fail "far.glb does not exist"
expect 1 "$nacre" export far.nacre -o far.glb -q --every 3
says err.txt "2 pairs in 2 of 2 frames"
expect 0 "$nacre" export far.nacre -o far.glb --no-recheck
# USD keeps poses in double precision, and the page tells places relative to the middle of them.
expect 0 "$nacre" export far.nacre -o far.usda
"$nacre" doctor | grep -q 'viewer .*no page' || expect 0 "$nacre" export far.nacre -o far.html
# Rounding is not blamed for what met before.
crossing_run crossed.nacre 12
expect 1 "$nacre" check crossed.nacre
expect 0 "$nacre" export crossed.nacre -o crossed.glb

expect 2 "$nacre" export boxes.nacre -o film.obj --no-recheck
expect 2 "$nacre" export boxes.nacre -o film.glb --contacts
expect 2 "$nacre" export boxes.nacre
expect 2 "$nacre" export boxes.nacre -o film.mp4
says err.txt "film.mp4"
expect 2 "$nacre" export boxes.nacre -o frame.obj
expect 2 "$nacre" export boxes.nacre -o frame%s.obj
expect 2 "$nacre" export boxes.nacre -o film.glb --poses
expect 2 "$nacre" export boxes.nacre -o film.glb --frames 90:
expect 2 "$nacre" export boxes.yaml -o film.glb
expect 6 "$nacre" export nothing.nacre -o film.glb
expect 6 "$nacre" export boxes.nacre -o no/such/film.glb
expect 6 "$nacre" export boxes.nacre -o no/such/film.usda
expect 6 "$nacre" export boxes.nacre -o no/such/film.pvd
expect 6 "$nacre" export boxes.nacre -o no/such/table.csv
expect 6 "$nacre" export boxes.nacre -o no/such/%d.obj
expect 6 "$nacre" export boxes.nacre -o /dev/full/x.csv
head -c 3000 boxes.nacre >cut.nacre
expect 3 "$nacre" export cut.nacre -o cut.glb
[ ! -e cut.glb ] || fail "a failed export left a file"
[ -z "$(ls -a | grep -E 'part|tmp')" ] || fail "temporary files are left: $(ls -a)"

# Contacts and forces of a run that stores them: a box of 1 kg comes to rest on the ground, and a moment later presses it
# with its weight.
cat >rest.yaml <<'YAML'
nacre: 1
world: {timestep: 1/60, duration: 1, gravity: [0, -10, 0], restitution: 0}
shapes: {ground: {generate: plane, size: 8}, box: {generate: box}}
bodies:
  - {name: ground, shape: ground, type: static}
  - {name: a_box, shape: box, mass: 1, position: [0, 0.55, 0]}
YAML
expect 0 "$nacre" run rest.yaml --store contacts -q
expect 0 "$nacre" export rest.nacre -o contacts.csv --contacts -q
expect 0 "$nacre" export rest.nacre -o forces.jsonl --forces -q
expect 0 "$nacre" export rest.nacre -o forces.csv --forces -q
python3 - <<'PY' || fail "contacts and forces"
import csv, json, sqlite3
rows = list(csv.DictReader(open("contacts.csv")))
assert any(r["phase"] == "impact" for r in rows) and any(r["phase"] != "impact" for r in rows)
assert all(r["name_b"] == "a_box" for r in rows)
forces = [json.loads(line) for line in open("forces.jsonl")]
last = forces[-1]
assert last["frame"] == 60 and abs(last["force"][1] + 10) < 1e-4 and abs(last["normal"] - 10) < 1e-4, last
summed = sum(float(r["normal_impulse"]) for r in rows if r["frame"] == "60") * 60
assert abs(summed - last["normal"]) < 1e-9
table = list(csv.DictReader(open("forces.csv")))
assert len(table) == len(forces) and abs(float(table[-1]["fy"]) - last["force"][1]) < 1e-12
db = sqlite3.connect("rest.nacre")
assert abs(db.execute("select fy from pair_force where frame = 60").fetchone()[0] - last["force"][1]) < 1e-9
PY
# A body at rest has no acceleration, nor has the ground; what falls has that of gravity.
expect 0 "$nacre" export rest.nacre -o accelerations.csv --accelerations -q
expect 0 "$nacre" export rest.nacre -o accelerations.jsonl --accelerations -q
python3 - <<'PY' || fail "accelerations"
import csv, json, sqlite3
rows = list(csv.DictReader(open("accelerations.csv")))
lines = [json.loads(line) for line in open("accelerations.jsonl")]
db = sqlite3.connect("rest.nacre")
frames = db.execute("select max(id) from frame").fetchone()[0]
assert len(rows) == len(lines) == 2 * frames == db.execute("select count(*) from acceleration").fetchone()[0], len(rows)
assert [float(r["ay"]) for r in rows] == [l["acceleration"][1] for l in lines]
assert [float(r["alpha_x"]) for r in rows] == [l["angular_acceleration"][0] for l in lines]
assert all(max(map(abs, l["acceleration"] + l["angular_acceleration"])) < 1e-4 for l in lines if l["frame"] > 50)
PY
boxes 1 1 >fall.yaml
expect 0 "$nacre" run fall.yaml -o fall.nacre -q
expect 0 "$nacre" export fall.nacre -o fall.jsonl --accelerations -q
python3 - <<'PY' || fail "acceleration of a falling body"
import json
lines = [json.loads(line) for line in open("fall.jsonl")]
assert len(lines) == 24 and all(abs(l["acceleration"][1] + 9.8) < 1e-10 and abs(l["acceleration"][0]) < 1e-10 for l in lines), lines[:2]
PY
# A run that was stopped and resumed has the same bytes.
expect 0 "$nacre" run rest.yaml --steps 31 -o stopped.nacre -q
expect 0 "$nacre" run --resume stopped.nacre --until 1 -q
expect 0 "$nacre" export stopped.nacre -o stopped.csv --accelerations -q
cmp -s stopped.csv accelerations.csv || fail "accelerations after a resume"
expect 0 "$nacre" run rest.yaml -o plain.nacre -q
expect 2 "$nacre" export plain.nacre -o contacts.csv --contacts
says err.txt "store contacts"
expect 2 "$nacre" export rest.nacre -o film.glb --forces
expect 2 "$nacre" export rest.nacre -o table.csv --forces --poses
expect 2 "$nacre" export rest.nacre -o film.glb --accelerations
says err.txt "accelerations is for .csv"
expect 2 "$nacre" export rest.nacre -o table.csv --accelerations --poses
finish
