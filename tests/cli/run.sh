#!/usr/bin/env bash
# nacre run: files, summaries, settings, expectations, audits, and the exit codes of what goes wrong.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
boxes 4 >boxes.yaml
crossing >crossing.yaml

# The plain case: the run is named after the scene, the summary is data, the rest is messages.
expect 0 "$nacre" run boxes.yaml
[ -f boxes.nacre ] || fail "no boxes.nacre"
[ "$(echo boxes.nacre*)" = boxes.nacre ] || fail "files beside the run: $(echo boxes.nacre*)"
grep -Eq '^boxes.nacre: 4 bodies still move; no two came near each other; [0-9.e-]+ s of CPU$' out.txt || fail "no summary: $(cat out.txt)"
[ "$(wc -l <out.txt)" = 1 ] || fail "more than one line: $(cat out.txt)"
says err.txt "4 bodies, 24 steps"
grep -q "about .*B" err.txt || fail "no size estimate"
grep -q $'[\r\033]' err.txt && fail "progress or colour although stderr is no terminal"
expect 0 "$nacre" info boxes.nacre --json
json out.txt 'd["kind"] == "run" and d["finished"] and d["steps"] == 24 and d["frames"] == 25 and len(d["hash"]) == 16'
hash=$(value out.txt hash)

# Details on request.
expect 0 "$nacre" run boxes.yaml -o verbose.nacre --verbose
says out.txt "verbose.nacre: finished, 24 steps (1 s), 25 frames"
says out.txt "state hash $hash"

# The summary says what came to rest, what broke off before its end, and what may cross.
cat >rest.yaml <<SCENE
nacre: 1
world: {timestep: 1/60, duration: 1}
shapes: {ground: {generate: plane, size: 10}, crate: {generate: box}}
bodies:
  - {name: floor, shape: ground, type: static}
  - {name: crate, shape: crate, position: [0, 0.51, 0]}
  - {name: bird, shape: crate, position: [3, 3, 0], velocity: [0, 20, 0]}
SCENE
expect 0 "$nacre" run rest.yaml
says out.txt "rest.nacre: 1 of 2 bodies came to rest, 1 still moves; nothing ever crossed; "
expect 0 "$nacre" run rest.yaml -f --set bodies.bird.type=static --set bodies.bird.velocity=
says out.txt "rest.nacre: 1 body came to rest; nothing ever crossed; "
expect 0 "$nacre" run rest.yaml -f --set 'filters=[[floor, bird]]'
says out.txt "; nothing ever crossed but for pairs that may; "
expect 0 "$nacre" run --resume rest.nacre --until 2 -q
expect 0 "$nacre" run boxes.yaml -o part.nacre
expect 0 "$nacre" run --resume part.nacre --steps 30 -q
expect 0 "$nacre" run --resume part.nacre --steps 20 -q
silent err.txt

# Not overwritten without --force; nothing but a run is overwritten with it.
cp boxes.nacre before.nacre
expect 2 "$nacre" run boxes.yaml
says err.txt "--force"
cmp -s boxes.nacre before.nacre || fail "a refused run changed the file"
expect 0 "$nacre" run boxes.yaml --force --quiet
silent err.txt
cp boxes.yaml before.yaml
expect 2 "$nacre" run boxes.yaml -o boxes.yaml --force
cmp -s boxes.yaml before.yaml || fail "--force overwrote a scene"

# The same bits from any number of threads.
for threads in 1 2 3 8; do
    expect 0 "$nacre" run boxes.yaml -o "t$threads.nacre" --threads $threads --json -q
    silent err.txt
    json out.txt 'd["status"] == "finished" and d["run"].endswith(".nacre")'
    [ "$(value out.txt hash)" = "$hash" ] || fail "another hash with $threads threads"
done

# Settings.
expect 0 "$nacre" run boxes.yaml -o a.nacre --set world.timestep=1/48 --set world.duration=1/4 --json
json out.txt 'd["steps"] == 12 and abs(d["time"] - 0.25) < 1e-12'
expect 0 "$nacre" run boxes.yaml -o b.nacre --steps 7 --json
json out.txt 'd["steps"] == 7 and d["steps_wanted"] == 7 and d["frames"] == 8'
expect 0 "$nacre" run boxes.yaml -o c.nacre --until 1/2 --json
json out.txt 'd["steps"] == 12'
expect 0 "$nacre" run boxes.yaml -o d.nacre --every 5 --json
json out.txt 'd["steps"] == 24 and d["frames"] == 6'
[ "$(value out.txt hash)" = "$hash" ] || fail "another hash with --every"
expect 0 "$nacre" run boxes.yaml -o e.nacre --frame-rate 12 --json
json out.txt 'd["frames"] == 13'
expect 0 "$nacre" run boxes.yaml -o f.nacre --frame-rate 10 --json
says err.txt "frames per second, not 10"
expect 0 "$nacre" run boxes.yaml -o g.nacre --steps 0 --json
json out.txt 'd["steps"] == 0 and d["frames"] == 1 and d["status"] == "finished"'
expect 0 "$nacre" run -qj -n3 -oh.nacre -- boxes.yaml
json out.txt 'd["steps"] == 3'

# Expectations and audits.
expect 0 "$nacre" run boxes.yaml -o expect.nacre --expect --json
json out.txt 'd["expect"]["failed"] == 0 and len(d["expect"]["lines"]) >= 3 and d["audit"]["frames"] == 25'
crossing_run crossing.nacre 23
cp crossing.nacre audit.nacre
expect 1 "$nacre" run --resume crossing.nacre --steps 24 --expect --json
json out.txt 'd["expect"]["failed"] == 1 and d["audit"]["intersecting_frames"] > 5'
expect 1 "$nacre" run --resume audit.nacre --steps 24 --audit
says out.txt "frames have intersecting bodies, the first is frame"

# Contact: bodies that meet bounce, and the summary says so.
expect 0 "$nacre" run crossing.yaml -o met.nacre --audit --json
json out.txt 'd["audit"]["intersecting_frames"] == 0 and d["contact"]["collisions"] > 0'
json out.txt '0 < d["contact"]["smallest_distance"] < 1 and d["contact"]["jams"] == 0'
expect 0 "$nacre" run crossing.yaml -o met.nacre --force -v
grep -Eq '^contact: [1-9][0-9]* collisions?, .*smallest distance [0-9.e-]+ m$' out.txt || fail "no line of contact: $(cat out.txt)"
expect 0 "$nacre" info met.nacre --json
json out.txt 'd["collisions"] > 0 and d["smallest_distance"] > 0'
python3 - <<'PY' || fail "info does not sum up what the run stores"
import json, sqlite3
d = json.load(open("out.txt"))
row = sqlite3.connect("met.nacre").execute("select total(collisions), total(contacts), min(smallest_distance) from report").fetchone()
assert (d["collisions"], d["contacts"], d["smallest_distance"]) == row, (row, d)
PY
expect 0 "$nacre" run boxes.yaml -o alone.nacre -v
says out.txt "contact: no close approaches"
expect 0 "$nacre" run boxes.yaml -o alone.nacre --force --json
json out.txt 'd["contact"]["collisions"] == 0 and d["contact"]["smallest_distance"] is None'
expect 0 "$nacre" run crossing.yaml -o limits.nacre --set world.collision_iterations=0 --set world.dynamic_iterations=0 --audit --json
json out.txt 'd["audit"]["intersecting_frames"] == 0 and d["contact"]["collisions"] == 0'
sed '/^expect/d' crossing.yaml >met.yaml
echo 'expect: {collisions: 0, smallest_distance: {min: 1}, jams: 0}' >>met.yaml
expect 1 "$nacre" run met.yaml -o judged.nacre --expect --json
json out.txt 'd["expect"]["failed"] == 2'
expect 0 "$nacre" run boxes.yaml -o audit2.nacre --audit
says out.txt "audit: no intersections in 25 frames"
sed '/^expect/d' boxes.yaml >plain.yaml
expect 0 "$nacre" run plain.yaml --expect
says err.txt "no 'expect' block"

# Distances at the start: what is near stays so, what is nearer than the floor lowers it, what all but touches is refused.
near() {
    cat <<SCENE
nacre: 1
world: {timestep: 1/24, duration: 0.5, rest_distance: 0.005}
shapes: {ground: {generate: plane, size: 20}, brick: {generate: box, size: 1}}
bodies:
  - {shape: ground, type: static}
  - {name: brick, shape: brick, position: [0, $1, 0]}
SCENE
}
near 0.501 >near.yaml
expect 0 "$nacre" run near.yaml -o near.nacre --audit
says err.txt "note: 1 pair is nearer than the rest distance at the start, the nearest 0.001 m"
grep -q warning err.txt && fail "a warning without reason: $(cat err.txt)"
near 0.50001 >near.yaml
expect 0 "$nacre" run near.yaml -o near.nacre --force --audit
says err.txt 'warning: floor_distance is lowered from 5e-05 m to 1.25e-06 m: "ground" and "brick" start 1e-05 m apart'
expect 0 "$nacre" info near.yaml --json
json out.txt 'd["floor_distance"] == 5e-5 and abs(d["start_floor"] - 1.25e-6) < 1e-12 and d["near_pairs"] == 1 and abs(d["nearest"] - 1e-5) < 1e-12'
near 0.50000000001 >near.yaml
expect 4 "$nacre" info near.yaml
expect 4 "$nacre" run near.yaml -o touching.nacre
says err.txt 'near.yaml:6:5: the world starts touching: "ground" and "brick" are 1e-11 m apart'
[ ! -e touching.nacre ] || fail "a run of a scene that starts touching"
near 0.505 | sed 's/0, 0.505/300, 0.505/; s/size: 20/size: 700/' >near.yaml
expect 0 "$nacre" run near.yaml -o near.nacre --force --steps 1
says err.txt "warning: floor_distance 5e-05 m is below 2^-20 of the largest coordinate of what moves (300 m)"

# What goes wrong.
printf 'nacre: 1\nworld: {gravitty: [0, 0, 0]}\n' >bad.yaml
expect 3 "$nacre" run bad.yaml
silent out.txt
says err.txt "nacre: bad.yaml:2:9: "
[ ! -e bad.nacre ] || fail "a bad scene left a run file"
sed 's/position: \[-1.95, 0.1, 0.2\]/position: [0.5, 0.1, 0.2]/' crossing.yaml >overlap.yaml
expect 4 "$nacre" run overlap.yaml
says err.txt "left"
says err.txt "right"
[ ! -e overlap.nacre ] || fail "a scene that starts intersecting left a run file"
expect 6 "$nacre" run nowhere.yaml
says err.txt "nowhere.yaml"
expect 6 "$nacre" run boxes.yaml -o no/such/folder/run.nacre
expect 2 "$nacre" run boxes.nacre
says err.txt "--resume"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >mesh.obj
expect 2 "$nacre" run mesh.obj
says err.txt "is a mesh"
expect 3 "$nacre" run boxes.yaml -o i.nacre --set world.gravitty=1
expect 3 "$nacre" run boxes.yaml -o i.nacre --set world.timestep=-1

# A disk that is full: a clean error, and what was stored is there.
boxes 200 4 >many.yaml
(ulimit -f 1000; "$nacre" run many.yaml --quiet >out.txt 2>err.txt)
[ $? = 6 ] || fail "a full disk is not exit code 6: $(cat err.txt)"
expect 0 "$nacre" info many.nacre --verify --json
json out.txt 'not d["finished"] and d["frames"] > 1'
expect 0 "$nacre" run --resume many.nacre --json -q
resumed=$(value out.txt hash)
expect 0 "$nacre" run many.yaml -o again.nacre --json -q
[ "$(value out.txt hash)" = "$resumed" ] || fail "after a full disk the run resumes to other bits"

# Standard output that cannot be written.
expect 6 bash -c '"$1" --help >/dev/full' - "$nacre"
# Scripted bodies that wait, and bodies that are left in place, are named at the end, and are events.
cat >press.yaml <<SCENE
nacre: 1
world: {timestep: 1/60, duration: 1}
shapes: {ground: {generate: plane, size: 10}, crate: {generate: box}, press: {generate: box, width: 2, height: 0.2, depth: 2}}
bodies:
  - {name: floor, shape: ground, type: static}
  - {name: cup, shape: crate, position: [0, 0.52, 0]}
  - {name: press, shape: press, type: kinematic, position: [0, 1.4, 0], velocity: [0, -0.5, 0]}
SCENE
expect 0 "$nacre" run press.yaml -o press.nacre
says err.txt 'warning: "press" waited for "cup" from 0.5'
says err.txt ' to the end, in '
says err.txt 'what the script asks for was not reached; see on_jam'
python3 -c 'import sqlite3; assert sqlite3.connect("press.nacre").execute("select count(*) from event where kind = \"stalled\"").fetchone()[0] >= 1' || fail "no event of the wait"
expect 0 "$nacre" run press.yaml -o press.nacre --force --json -q
silent err.txt
json out.txt 'd["waits"][0]["body"] == "press" and d["waits"][0]["by"] == "cup" and max(w["to"] for w in d["waits"]) == 1'
# Two that wait for the same body are named together.
cat >grip.yaml <<SCENE
nacre: 1
world: {timestep: 1/60, duration: 1.5}
shapes: {ground: {generate: plane, size: 10}, crate: {generate: box}, jaw: {generate: box, width: 0.2, height: 1, depth: 1}}
bodies:
  - {name: floor, shape: ground, type: static}
  - {name: cup, shape: crate, position: [0, 0.52, 0]}
  - {name: left, shape: jaw, type: kinematic, position: [-1, 0.9, 0], velocity: [0.4, 0, 0]}
  - {name: right, shape: jaw, type: kinematic, position: [1, 0.9, 0], velocity: [-0.4, 0, 0]}
SCENE
expect 0 "$nacre" run grip.yaml
says err.txt 'warning: "left" and "right" waited for "cup" from 0.9'
says err.txt ' to the end, in '
[ "$(sqlite3 grip.nacre "select count(*) from event where kind = 'stalled' and text like '%left%and%right%cup%to the end%'")" = 1 ] || fail "no event that names both: $(sqlite3 grip.nacre 'select * from event')"
expect 0 "$nacre" run press.yaml -o press.nacre --force --set bodies.press.velocity='[0, 0, 0]'
! grep -q warning err.txt || fail "a warning without a cause"
expect 0 "$nacre" run press.yaml -o press.nacre --force --set world.pipeline=vsp --until 0.1
says err.txt "above 0.01 s its energies are not reliable"
expect 0 "$nacre" run press.yaml -o press.nacre --force --set bodies.cup.velocity='[0, 1e9, 0]' --set bodies.cup.position='[50, 2, 0]' --until 1
says err.txt 'warning: "cup" was left where it is from 0'
finish
