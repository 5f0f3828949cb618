#!/usr/bin/env bash
# nacre check: what intersects is named and counted, what does not is not.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
boxes 4 >boxes.yaml
crossing >crossing.yaml
expect 0 "$nacre" run boxes.yaml -q
crossing_run crossing.nacre 24

expect 0 "$nacre" check boxes.nacre
says out.txt "no intersections in 25 frames"
silent err.txt
expect 0 "$nacre" check boxes.yaml
says out.txt "no intersections in 1 frame"

# What was simulated with contact does not intersect.
expect 0 "$nacre" run crossing.yaml -o met.nacre -q
expect 0 "$nacre" check met.nacre
says out.txt "no intersections in 25 frames"

# The box on the left moves by 1/6 m per step from x = -1.95; the other is at x = 1, both have sides of 1 m: they
# share points while the centres are at most 1 m apart along x, in frames 12 to 23.
expect 1 "$nacre" check crossing.nacre --json
json out.txt 'd["complete"] and d["frames"] == 25 and d["intersecting_pairs"] == d["intersecting_frames"] == 12'
json out.txt 'd["intersections"][0]["frame"] == 12 and d["intersections"][-1]["frame"] == 23'
json out.txt '{d["intersections"][0][k] for k in ("body_a", "body_b")} == {"left", "right"}'
json out.txt 'abs(d["intersections"][0]["place"][0] - 0.5) < 0.051 and d["intersections"][0]["kind_a"] == "triangle"'
expect 1 "$nacre" check crossing.nacre
says out.txt "frame 12 (0.5 s): triangle"
says out.txt "12 of 25 frames have intersecting bodies; the first is frame 12"
expect 1 "$nacre" check crossing.nacre --limit 3
[ "$(grep -c '^frame' out.txt)" = 3 ] || fail "--limit 3 names $(grep -c '^frame' out.txt)"
says out.txt "and 9 more"
for threads in 1 2 5; do
    expect 1 "$nacre" check crossing.nacre --limit 0 --threads $threads
    [ "$(grep -c '^frame' out.txt)" = 12 ] || fail "--limit 0 names $(grep -c '^frame' out.txt)"
done

# Frames.
expect 0 "$nacre" check crossing.nacre --frames 0:11
says out.txt "no intersections in 12 frames"
expect 1 "$nacre" check crossing.nacre --frames 12
expect 1 "$nacre" check crossing.nacre --frames=-2 --json
json out.txt 'd["frames"] == 1 and d["intersections"][0]["frame"] == 23'
expect 0 "$nacre" check crossing.nacre --frames :3
says out.txt "4 frames"
expect 2 "$nacre" check crossing.nacre --frames 100:
says err.txt "frames 0 to 24"

# Exempt pairs are not looked at.
(cat crossing.yaml; echo 'filters: [[left, right]]') >exempt.yaml
expect 0 "$nacre" run exempt.yaml -q
expect 0 "$nacre" check exempt.nacre

# The start of a scene.
sed 's/position: \[-1.95, 0.1, 0.2\]/position: [0.5, 0.1, 0.2]/' crossing.yaml >overlap.yaml
expect 1 "$nacre" check overlap.yaml
cat out.txt err.txt >both.txt
says both.txt "left"
says both.txt "right"
expect 0 "$nacre" check overlap.yaml --set bodies.0.position=[-3,0,0]
expect 1 "$nacre" check overlap.yaml --json
json out.txt 'd["intersecting_pairs"] == 1'

# A frame that was changed behind Nacre's back: an error, and no verdict.
cp boxes.nacre changed.nacre
python3 -c 'import sqlite3; db = sqlite3.connect("changed.nacre"); db.execute("update pose set x = x + 1 where frame = 9"); db.commit()'
expect 3 "$nacre" check changed.nacre
silent out.txt
expect 3 "$nacre" check changed.nacre --json
json out.txt 'not d["complete"]'
expect 3 "$nacre" info changed.nacre --verify

# Between frames: two boxes that meet.
expect 0 "$nacre" run crossing.yaml -o paths.nacre --store paths --every 3 -q
expect 0 "$nacre" check paths.nacre --paths
says out.txt "no crossings on the paths of 24 steps"
expect 0 "$nacre" check paths.nacre --paths --json
json out.txt 'd[1]["steps"] == 24 and d[1]["proven_pairs"] == d[1]["near_pairs"] > 0'
expect 2 "$nacre" check boxes.nacre --paths
says err.txt "store paths"
expect 2 "$nacre" check boxes.yaml --paths
python3 -c 'import sqlite3; db = sqlite3.connect("paths.nacre"); db.execute("update path set dx = dx + 1 where step = 9"); db.commit()'
expect 3 "$nacre" check paths.nacre --paths
expect 2 "$nacre" run --resume boxes.nacre --store contacts
says err.txt "set when a run starts"

# What cannot be checked.
expect 2 "$nacre" check boxes.yaml --frames 1:2
expect 2 "$nacre" check boxes.nacre --set world.duration=1
expect 6 "$nacre" check nothing.nacre
head -c 3000 boxes.nacre >cut.nacre
expect 3 "$nacre" check cut.nacre
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >mesh.obj
expect 2 "$nacre" check mesh.obj
finish
