#!/usr/bin/env bash
# The viewer in a real browser: Chromium, driven by Playwright: viewer.sh SUITE, which is one of viewer*.mjs without its
# extension. Screenshots go to web/ in the build folder.
set -u
suite=${1:?usage: viewer.sh SUITE}
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$here/../tools/need.sh"
need node chromium python3 "$root/web/node_modules/playwright-core"
if ! "$NACRE" doctor | grep -q '^ok *viewer'; then
    [ "${NACRE_REQUIRE_ALL:-0}" = 1 ] && { echo "FAIL: this build has no viewer"; exit 1; }
    echo "SKIPPED because this build has no viewer (npm or civetweb was absent)"
    exit 77
fi
scratch=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf "$scratch"' EXIT
shots=${NACRE_BUILD:-$scratch}/web
mkdir -p "$shots"
cd "$scratch" || exit 1
export OMP_WAIT_POLICY=passive

# Things that fall into a bowl; things of many shapes; very many things.
cat >bowl.yaml <<'YAML'
nacre: 1
title: Things in a bowl
world: {timestep: 1/24, duration: 1.5, friction: 0.2}
shapes:
  bowl: {generate: bowl, radius: 2, segments: 24, rings: 8}
  boat: {generate: boat, length: 1, thickness: 0.01, density: 600}
  box: {generate: box, size: 0.4, density: 500}
bodies:
  - {name: bowl, shape: bowl, type: static}
  - {name: boat, shape: boat, position: [0.2, 0.3, 0], rotation: {axis: [1, 0, 0], angle: 20}}
  - {name: red-box, shape: box, position: [-0.8, 0.6, 0.3], spin: [1, 2, 0]}
  - {name: blue-box, shape: box, position: [0.6, 0.9, -0.5], spin: [0, 2, 1]}
YAML
{
    echo 'nacre: 1'
    echo 'title: Sixty shapes'
    echo 'world: {timestep: 1/24, duration: 0.25}'
    echo 'shapes:'
    for i in $(seq 60); do echo "  s$i: {generate: box, width: 0.$((i + 20)), height: 0.3, depth: 0.5, density: 500}"; done
    echo 'bodies:'
    for i in $(seq 60); do echo "  - {name: s$i, shape: s$i, position: [$((i % 10)), $((i / 10)), 0], spin: [0, $i, 1]}"; done
} >shapes.yaml
cat >many.yaml <<'YAML'
nacre: 1
title: Ten thousand boats
world: {timestep: 1/24, duration: 0.5}
shapes:
  boat: {generate: boat, length: 1, thickness: 0.01, density: 600}
bodies:
  - {name: boat, shape: boat, pile: {count: [25, 16, 25], spacing: 1.6, tumble: 1, spin_jitter: 3}}
YAML
# Thrown straight up above a large floor: it is near its start again at the end.
cat >toss.yaml <<'YAML'
nacre: 1
title: A toss
world: {timestep: 1/24, duration: 1.95833}
shapes: {floor: {generate: plane, size: 60}, ball: {generate: sphere, radius: 0.3, splits: 2, density: 500}}
bodies:
  - {name: floor, shape: floor, type: static}
  - {name: ball, shape: ball, position: [0, 0.5, 0], velocity: [0, 9.81, 0]}
YAML
# Nothing but certify may change their motion: in the first step they stick, and move on as one.
cat >meet.yaml <<'YAML'
nacre: 1
title: Two that meet
world: {gravity: [0, 0, 0], timestep: 1/24, duration: 0.125, collision_iterations: 0, dynamic_iterations: 0, failsafe: none}
shapes: {box: {generate: box, size: 1, density: 500}}
bodies:
  - {name: left, shape: box, position: [-1, 0, 0], velocity: [40, 0, 0]}
  - {name: right, shape: box, position: [1, 0.1, 0], velocity: [-40, 0, 0]}
  - {name: other, shape: box, position: [0, 3, 0]}
YAML
# A rod on a hinge with limits, a sledge on a rail with ends, a load on a weld that breaks, and a rope.
cat >joints.yaml <<'YAML'
nacre: 1
title: Joints
world: {timestep: 1/48, duration: 0.75}
shapes:
  rod: {generate: box, width: 1, height: 0.1, depth: 0.1, mass: 1}
  box: {generate: box, size: 0.3, mass: 2}
bodies:
  - {name: rod, shape: rod, position: [0.5, 0, 0]}
  - {name: sledge, shape: box, position: [0, 0.8, 0], velocity: [1, 0, 0]}
  - {name: load, shape: box, position: [-1, 0.8, 0]}
  - {name: ball, shape: box, position: [-1.8, 0.3, 0], velocity: [1, 0, 0]}
joints:
  - {kind: hinge, name: top, body: rod, anchor: [0, 0, 0], axis: [0, 0, 1], limits: {min: -1, max: 1.2}}
  - {kind: slider, name: rail, body: sledge, anchor: [0, 0.8, 0], axis: [1, 0, 0], limits: {min: -0.4, max: 0.6}}
  - {kind: fixed, name: weld, body: load, anchor: [-1, 1, 0], break_force: 15}
  - {kind: distance, name: rope, body: ball, anchor: [-1.8, 0.45, 0], anchor_b: [-1.8, 1, 0], length: {max: 0.6}}
YAML
# A pane that breaks in the third step, while it is looked at.
cat >pane.yaml <<'YAML'
nacre: 1
title: A pane that breaks
world: {timestep: 1/60, duration: 0.5, gravity: [0, 0, 0]}
shapes:
  pane: {generate: plane, size: 1, area_density: 10, fracture: {threshold: 1, pattern: glass, rays: 7, rings: 2, generations: 1}}
  ball: {generate: box, size: 0.1, density: 2000}
bodies:
  - {name: ball, shape: ball, position: [0.05, 0.3, 0.02], velocity: [0, -6, 0]}
  - {name: pane, shape: pane}
YAML
cat >cloth.yaml <<'YAML'
nacre: 1
title: A sheet and a grain
world: {pipeline: acm, timestep: 1/24, duration: 0.5, acm: {thickness: 0.05}}
shapes:
  ball: {generate: sphere, radius: 0.4, splits: 2}
  sheet: {generate: sheet, size: 2, columns: 6, rows: 6}
  grain: {generate: grains, columns: 1, rows: 1}
bodies:
  - {shape: ball, type: static}
  - {name: sheet, shape: sheet, type: cloth, position: [0.05, 0.6, 0], cloth: {stretch: 200}}
  - {name: grain, shape: grain, type: cloth, position: [0, 1.5, 0]}
YAML
# A sheet whose folds turn away from the eye.
cat >fold.yaml <<'YAML'
nacre: 1
title: Folds
world: {pipeline: acm, timestep: 1/24, duration: 0.75, acm: {thickness: 0.02}}
shapes:
  ball: {generate: sphere, radius: 0.4, splits: 2}
  sheet: {generate: sheet, size: 2, columns: 16, rows: 16}
bodies:
  - {shape: ball, type: static}
  - {name: sheet, shape: sheet, type: cloth, position: [0.05, 0.5, 0], cloth: {stretch: 200}}
YAML
# Scenes that cannot start: bodies that touch and overlap, cloth that crosses itself and an obstacle.
cat >refused.yaml <<'YAML'
nacre: 1
title: A stack that touches
shapes: {ground: {generate: plane, size: 10}, crate: {generate: box}}
bodies:
  - {name: floor, shape: ground, type: static}
  - {name: low, shape: crate, position: [0, 0.5, 0]}
  - {name: high, shape: crate, position: [0.1, 1.46, 0.1], rotation: {axis: [0, 1, 0], angle: 20}}
  - {name: free, shape: crate, position: [2.2, 1.3, 0]}
YAML
cat >crossed.obj <<'OBJ'
v 0 0 0
v 1 0 0
v 1 0 1
v 0.3 -0.5 0.5
v 0.3 0.5 0.5
v 1.3 0 0.4
f 1 2 3
f 4 5 6
OBJ
cat >tangled.yaml <<'YAML'
nacre: 1
title: A tangled sheet
world: {pipeline: acm, timestep: 1/24, duration: 0.5, acm: {thickness: 0.01}}
shapes: {rag: {file: crossed.obj}}
bodies: [{name: rag, shape: rag, type: cloth, position: [0, 1, 0], cloth: {stretch: 200}}]
YAML
for scene in bowl toss shapes many meet pane cloth fold joints; do
    "$NACRE" run $scene.yaml -q >run.txt || { cat run.txt; exit 1; }
done
"$NACRE" export bowl.nacre -o bowl.html -q && "$NACRE" export meet.nacre -o meet.html -q &&
    "$NACRE" export cloth.nacre -o cloth.html -q && "$NACRE" export cloth.nacre -o "cloth%d.obj" -q &&
    "$NACRE" export pane.nacre -o pane.html -q && "$NACRE" export joints.nacre -o joints.html -q && "$NACRE" export bowl.nacre -o contacts.html --contacts --every 4 -q || exit 1
"$NACRE" run bowl.yaml -o forces.nacre --store contacts -q >run.txt || { cat run.txt; exit 1; }
python3 - <<'PY' || exit 1
import json, sqlite3
db = sqlite3.connect("bowl.nacre")
db.row_factory = sqlite3.Row
rows = lambda sql: [dict(row) for row in db.execute(sql)]
json.dump({"bodies": rows("select id, name, mass, type from body"), "poses": rows("select * from pose"), "reports": rows("select * from report")}, open("truth.json", "w"))
db = sqlite3.connect("joints.nacre")
db.row_factory = sqlite3.Row
json.dump(rows("select * from joint"), open("joints.json", "w"))
PY
NODE_PATH=$root/web/node_modules node "$here/$suite.mjs" "$NACRE" "$root/web" "$shots"
