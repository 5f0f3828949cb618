#!/usr/bin/env bash
# Runs of cloth from the command line: run, resume, check, export, plot, render, and a jam.
. "$(dirname "$0")/common.bash"

cat >sheet.yaml <<'YAML'
nacre: 1
title: A sheet falls on a ball
world: {pipeline: acm, timestep: 1/24, duration: 0.5, restitution: 0, acm: {thickness: 0.05}}
shapes:
  ball: {generate: sphere, radius: 0.4, splits: 2}
  sheet: {generate: sheet, size: 1.6, columns: 5, rows: 5}
bodies:
  - {shape: ball, type: static}
  - {name: sheet, shape: sheet, type: cloth, position: [0.05, 0.6, 0], cloth: {stretch: 200}}
expect: {separation: true, crossings: 0, jammed: 0, contact_kicks: {min: 1}, bodies: {sheet: {lowest: {min: -1}}}}
YAML
expect 0 "$nacre" run sheet.yaml --expect --audit --verbose
says out.txt "no intersections in 13 frames and during 12 steps, which are"
says out.txt "ok    separation"
whole=$(grep -o 'state hash [0-9a-f]*' out.txt)
expect 0 "$nacre" run sheet.yaml -o parts.nacre --steps 5
expect 0 "$nacre" run --resume parts.nacre --steps 12 -t 2 -v
says out.txt "$whole"
cat >columns.py <<'PY'
import sqlite3, sys
# docs/run-file.md: what a finder did before a checkpoint is not in it.
may = {"contact_events", "rollbacks", "windows", "contacts", "active_contacts", "smallest_step", "audited_pieces", "sum"}
a, b = [sqlite3.connect(name) for name in sys.argv[1:]]
for table in "report", "cloth":
    columns = [row[1] for row in a.execute("pragma table_info(%s)" % table)]
    rows = [run.execute("select * from %s order by frame" % table).fetchall() for run in (a, b)]
    if len(rows[0]) != 13 or len(rows[1]) != 13:
        sys.exit("%s has %d and %d rows" % (table, len(rows[0]), len(rows[1])))
    for first, second in zip(*rows):
        for name, p, q in zip(columns, first, second):
            if p != q and name not in may and not name.startswith("seconds"):
                sys.exit("%s.%s of frame %d is %s, resumed %s" % (table, name, first[0], p, q))
PY
python3 columns.py sheet.nacre parts.nacre || fail "a resumed run has other reports"
expect 0 "$nacre" check sheet.nacre
says out.txt "no intersections in 13 frames"
expect 0 "$nacre" check sheet.yaml
expect 0 "$nacre" info sheet.nacre --json
json out.txt 'd["pipeline"] == "acm" and d["contact_kicks"] > 0 and d["vertices"] > 36'
expect 0 "$nacre" info sheet.yaml --json
json out.txt 'd["sheets"] == 1 and d["obstacles"] == 1 and d["vertices_of_cloth"] == 36'

# Files for others.
for file in a.glb a.usda a.pvd f%02d.obj a.csv a.jsonl; do
    expect 0 "$nacre" export sheet.nacre -o "$file"
done
expect 0 "$nacre" check f%02d.obj
says out.txt "no intersections in 13 frames"
grep -q 'points.timeSamples' a.usda || fail "a.usda has no points in time"
head -n 1 a.csv | grep -q 'contact_kicks.*step_50' || fail "a.csv has no columns of cloth"
expect 0 "$nacre" plot sheet.nacre -o a.svg
grep -q 'Vertex time steps' a.svg || fail "a.svg has no panel of time steps"
expect 0 "$nacre" plot sheet.nacre -o b.svg --columns step_5,step_95 --log
if "$nacre" doctor | grep -q '^ok *render'; then
    expect 0 "$nacre" render sheet.nacre -o first.png --frame 0 --fit 0:-1 -s 64x48 -n 1
    expect 0 "$nacre" render sheet.nacre -o last.png --frame -1 --fit 0:-1 -s 64x48 -n 1
    cmp -s first.png last.png && fail "the picture of the last frame is that of the first"
fi

# Cloth that crosses itself is found: the last frame of a run, with a vertex moved by hand.
cat >fold.py <<'PY'
import sqlite3, struct, sys
shape = [(0, 0, 0), (1, 0, 0), (0, 0, 1), (1, 0, 1), (0.2, -0.5, 0.2), (0.6, 0.5, 0.3), (0.3, 0.5, 0.6)]
with open("fold.obj", "w") as f:
    for v in shape:
        f.write("v %g %g %g\n" % v)
    f.write("f 1 2 3\nf 2 4 3\nf 5 6 7\n")
PY
python3 fold.py
cat >fold.yaml <<'YAML'
nacre: 1
world: {pipeline: acm}
shapes: {fold: {file: fold.obj}}
bodies: [{shape: fold, type: cloth}]
YAML
expect 1 "$nacre" check fold.yaml
expect 4 "$nacre" run fold.yaml
says err.txt "the scene starts intersecting"

# Walls that meet leave no room: every frame is kept, and the place is named.
cat >jam.yaml <<'YAML'
nacre: 1
title: A sheet between two walls that meet
world: {pipeline: acm, timestep: 1/24, duration: 1, gravity: [0, 0, 0], acm: {thickness: 0.1, max_layer: 64}}
shapes:
  wall: {generate: plane, size: 2}
  sheet: {generate: sheet, size: 0.5, columns: 1, rows: 1}
bodies:
  - {name: low, shape: wall, type: kinematic, position: [0, -0.3, 0], velocity: [0, 1, 0]}
  - {name: high, shape: wall, type: kinematic, position: [0, 0.3, 0], velocity: [0, -1, 0]}
  - {name: sheet, shape: sheet, type: cloth}
expect: {separation: true, jammed: 1, jam_time: {min: 0.1, max: 0.35}}
YAML
expect 1 "$nacre" run jam.yaml
says err.txt "jammed: no room left at"
says out.txt "jammed"
expect 0 "$nacre" run jam.yaml -o expected.nacre --expect
expect 0 "$nacre" check jam.nacre
expect 3 "$nacre" run jam.yaml -o mixed.nacre --set bodies.sheet.type=dynamic
says err.txt "a rigid body that physics moves cannot be in a scene of cloth"
finish
