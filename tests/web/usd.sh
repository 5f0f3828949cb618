#!/usr/bin/env bash
# three.js, in a real browser, reads our .usda: every body at its place, with its triangles.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$here/../tools/need.sh"
need node chromium python3 "$root/web/node_modules/playwright-core"
scratch=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
cat >scene.yaml <<'YAML'
nacre: 1
title: Things in the air
world: {timestep: 1/24, duration: 0.25}
shapes:
  plate: {generate: plane, size: 20}
  boat: {generate: boat, length: 1, thickness: 0.01, density: 600}
  box: {generate: box, size: 0.5, density: 500}
bodies:
  - {name: plate, shape: plate, type: static, position: [0, -20, 0], rotation: {axis: [1, 0, 0], angle: 10}}
  - {name: boat, shape: boat, position: [-6, 0, 1], spin: [1, 2, 3], rotation: {axis: [1, 2, 0], angle: 50}}
  - {name: box, shape: box, position: [0, 3, 0], velocity: [0, 5, 0], rotation: {axis: [0, 1, 0], angle: 30}}
YAML
"$NACRE" run scene.yaml -q >run.txt || { cat run.txt; exit 1; }
"$NACRE" export scene.nacre -o scene.usda -q || exit 1
python3 - <<'PY' || exit 1
import json, sqlite3
db = sqlite3.connect("scene.nacre")
db.row_factory = sqlite3.Row
rows = db.execute("select body.name, pose.*, length(mesh.triangles) / 12 as triangles from pose join body on body.id = pose.body join mesh on mesh.id = body.mesh where frame = 0")
json.dump([dict(row) for row in rows], open("truth.json", "w"))
PY
node "$here/usd.mjs" "$root/web" scene.usda truth.json
