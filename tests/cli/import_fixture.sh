#!/usr/bin/env bash
# nacre import: a fixture of rigid-ipc (JSON) becomes a scene that moves as it says, and what it does not take is named with its place.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

mkdir -p fixtures/deep meshes
cat >meshes/brick.obj <<'OBJ'
v -1 -1 -1
v 1 -1 -1
v 1 1 -1
v -1 1 -1
v -1 -1 1
v 1 -1 1
v 1 1 1
v -1 1 1
f 1 3 2
f 1 4 3
f 5 6 7
f 5 7 8
f 1 2 6
f 1 6 5
f 3 4 8
f 3 8 7
f 2 3 7
f 2 7 6
f 1 5 8
f 1 8 4
OBJ
cat >meshes/floor.obj <<'OBJ'
v -20 0 -20
v -20 0 20
v 20 0 20
v 20 0 -20
f 1 2 3
f 1 3 4
OBJ
# A body that may only fall, one that may only turn about y with a known torque, one that flies, one that is kinematic, and two of a group
# that start inside each other.
cat >fixtures/deep/drop.json <<'JSON'
{
  "scene_type": "distance_barrier_rb_problem",
  "#comment": "a comment",
  "timestep": 0.005,
  "max_time": 0.5,
  "rigid_body_problem": {
    "gravity": [0, -10, 0],
    "coefficient_friction": 0.25,
    "coefficient_restitution": 1,
    "rigid_bodies": [
      {"mesh": "floor.obj", "type": "static", "position": [0, -10, 0], "dimensions": [30, 0, 30]},
      {"mesh": "brick.obj", "position": [5, 0, 0], "rotation": [0, 0, 30], "dimensions": [2, 1, 1], "density": 500,
       "linear_velocity": [3, 0, 0], "is_dof_fixed": [true, false, true, true, true, true]},
      {"mesh": "brick.obj", "position": [-5, 0, 0], "scale": 0.5, "density": 100, "torque": [0, 57.29577951308232, 0],
       "is_dof_fixed": [1, 1, 1, 1, 0, 1]},
      {"mesh": "brick.obj", "position": [0, 5, 0], "scale": [1, 0.5, 0.25], "linear_velocity": [1, 0, 2], "angular_velocity": [0, 90, 0],
       "oriented": true},
      {"mesh": "brick.obj", "position": [0, 0, 8], "type": "kinematic", "linear_velocity": [0, 1, 0], "kinematic_max_time": 1},
      {"mesh": "brick.obj", "position": [0, 2, -8], "group_id": 3},
      {"mesh": "brick.obj", "position": [0.5, 2.5, -8], "group_id": 3},
      {"mesh": "brick.obj", "position": [0, 0, 0], "enabled": false}
    ]
  }
}
JSON
expect 0 "$nacre" import fixtures/deep/drop.json -o drop.yaml
for sentence in 'drop.json:2:3: "scene_type" is not supported and left out' 'drop.json:9:5: "coefficient_restitution" is not' \
    'drop.json:17:8: "oriented" is not' 'drop.json:18:103: "kinematic_max_time" is not'; do
    grep -qF "$sentence" err.txt out.txt || fail "not named: $sentence"
done
grep -q '#comment' err.txt out.txt && fail "a comment is named"
expect 0 "$nacre" run drop.yaml -o drop.nacre --audit -q
python3 - <<'PY' || fail "the bodies did not move as the fixture says"
import math, sqlite3, sys
db = sqlite3.connect("drop.nacre")
last, = db.execute("select max(frame) from pose").fetchone()
bodies = {name: row for name, *row in db.execute(
    "select name, x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz, mass from pose join body on body.id = pose.body where frame = ?", (last,))}
near = lambda a, b, by: abs(a - b) <= by or bool(print("is", a, "not", b))
falls, turns, flies, moves = (bodies[n] for n in ("brick", "brick-2", "brick-3", "brick-4"))
ok = len(bodies) == 7
ok &= near(falls[0], 5, 1e-9) and near(falls[2], 0, 1e-9) and near(falls[8], -5, 1e-9) and near(falls[3], math.cos(math.pi / 12), 1e-9)
ok &= near(falls[13], 500 * 2 * 1 * 1, 1e-6)
# torque 1 N m about y on a cube of 1 m and 100 kg: 1 / (100 / 6) rad/s^2 for half a second
ok &= near(turns[0], -5, 1e-9) and near(turns[1], 0, 1e-9) and near(turns[11], 0.5 * 6 / 100, 1e-6) and near(turns[10], 0, 1e-12)
ok &= near(flies[7], 1, 1e-9) and near(flies[9], 2, 1e-9) and near(flies[13], 1000 * 2 * 1 * 0.5, 1e-6) and near(flies[11], math.pi / 2, 1e-6)
ok &= near(moves[1], 0.5, 1e-9)
sys.exit(not ok)
PY


# ---- the same without a scene file ----------------------------------------------------------------------------------
expect 0 "$nacre" check fixtures/deep/drop.json
grep -qF 'drop.json:17:8: "oriented" is not supported' err.txt || fail "check does not name what it leaves out"
expect 0 "$nacre" run fixtures/deep/drop.json -o direct.nacre --audit
for sentence in 'drop.json:2:3: "scene_type" is not supported and left out' 'drop.json:18:103: "kinematic_max_time" is not'; do
    grep -qF "$sentence" err.txt || fail "run does not name: $sentence"
done
[ -z "$(find fixtures meshes -newer drop.yaml -type f)" ] || fail "a file was written beside the fixture"
python3 - <<'PY' || fail "run of the fixture and run of its import differ"
import sqlite3, sys
rows = [sqlite3.connect(f).execute("select frame, name, x, y, z, qw, qx, qy, qz, vx, vy, vz, wx, wy, wz from pose "
        "join body on body.id = pose.body order by frame, name").fetchall() for f in ("drop.nacre", "direct.nacre")]
sys.exit(not (len(rows[0]) > 100 and rows[0] == rows[1]))
PY
expect 0 "$nacre" run fixtures/deep/drop.json -o stopped.nacre -n 20 -q --set world.friction=0.5
expect 0 "$nacre" run --resume stopped.nacre -n 30 -q
expect 3 "$nacre" run fixtures/deep/drop.json -o none.nacre --set world.frction=1
grep -qF 'frction' err.txt || fail "a wrong --set is not named"
[ ! -e none.nacre ] || fail "a run was left"
# JSON that is a scene stays one
echo '{"nacre": 1, "bodies": [{"shape": {"box": [1, 1, 1]}, "colour": "red"}]}' >plain.json
"$nacre" run plain.json -o plain.nacre -n 1 -q >out.txt 2>err.txt
grep -q 'rigid-ipc' err.txt && fail "a scene is read as a fixture"

# ---- wrong files --------------------------------------------------------------------------------------------------
refuse() { # refuse JSON SENTENCE
    printf '%s' "$1" >bad.json
    expect 3 "$nacre" import bad.json -o bad.yaml
    grep -qF "$2" err.txt || { cat err.txt; fail "the error does not say: $2"; }
    [ ! -e bad.yaml ] || fail "a scene was left"
    case $1 in *rigid_bodies*)
        expect 3 "$nacre" run bad.json -o bad.nacre
        grep -qF "$2" err.txt || { cat err.txt; fail "the error of run does not say: $2"; }
        [ ! -e bad.nacre ] || fail "a run was left" ;;
    esac
}
refuse '{"timestep": 0.01}' "rigid_body_problem.rigid_bodies is not there"
refuse '{"rigid_body_problem": {"rigid_bodies": [{"mesh": "none.obj"}]}}' 'bad.json:1:43: "mesh" expects a file'
refuse '{"rigid_body_problem": {"rigid_bodies": [{"mesh": "brick.obj", "position": [1, 2]}]}}' 'bad.json:1:64: "position" expects a list of 3 numbers'
refuse '{"rigid_body_problem": {"rigid_bodies": [{"mesh": "brick.obj", "type": "soft"}]}}' '"type" expects dynamic, static or kinematic'
refuse '{"rigid_body_problem": {"rigid_bodies": [{"mesh": "brick.obj", "scale": -1}]}}' '"scale" expects positive numbers'
refuse '{"rigid_body_problem": {"rigid_bodies": [{"vertices": []}]}}' 'inline vertices are not supported'
refuse '{"rigid_body_problem": {"rigid_bodies": 3}}' 'bad.json:1:25: this is no fixture of rigid-ipc: rigid_body_problem.rigid_bodies is no list'
refuse '{"rigid_body_problem": {"rigid_bodies": [{"mesh": "brick.obj", "density": 0}]}}' '"density" expects a positive number'
refuse '{"rigid_body_problem": ' 'its JSON is wrong'
# A folder whose path is cut exactly where a part of it ends
deep=$(printf 'd%.0s' $(seq 99))
folder=$(for _ in $(seq 25); do printf '%s/' "$deep"; done)
(for _ in $(seq 25); do mkdir -p "$deep" && cd "$deep" || exit; done; printf '{"rigid_body_problem": {"rigid_bodies": [{"mesh": "brick.obj"}]}}' >far.json)
expect 3 "$nacre" check "${folder}far.json"
grep -qF '1:43: "mesh" expects a file' err.txt || fail "a path that was cut is taken for a mesh"
# ---- rigid-ipc's own fixtures, where there are some ---------------------------------------------------------------
if [ -n "${NACRE_RIGID_IPC:-}" ]; then
    for name in unit-tests/5-cubes chain/10-links mechanisms/bolt compactor/multiple-cubes codimensional/edges/chain-net-4x4; do
        expect 0 "$nacre" import -f "$NACRE_RIGID_IPC/fixtures/3D/$name.json" -o own.yaml
    done
else
    echo "SKIPPED the fixtures of rigid-ipc: NACRE_RIGID_IPC does not name a folder with its fixtures and meshes"
fi
finish
