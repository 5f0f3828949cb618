#!/usr/bin/env bash
# Others read our .glb: the Khronos validator finds no fault in it, Blender opens it and finds every moving body.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tools/need.sh"
need node "$here/node_modules/gltf-validator" blender
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/scene.yaml" <<'YAML'
nacre: 1
title: Seven things in the air, over a plate that stays
world: {gravity: [0, -9.8, 0], timestep: 1/24, duration: 1}
shapes:
  plate: {generate: plane, size: 20}
  boat: {generate: boat, length: 1, thickness: 0.01, density: 600}
  box: {generate: box, size: 0.5, density: 500}
bodies:
  - {shape: plate, type: static, position: [0, -20, 0]}
  - {shape: boat, position: [-6, 0, 0], spin: [1, 2, 3]}
  - {shape: boat, position: [-4, 0, 0], spin: [3, 1, 2]}
  - {shape: boat, position: [-2, 0, 0], spin: [2, 3, 1]}
  - {shape: box, position: [0, 0, 0], velocity: [0, 5, 0]}
  - {shape: box, position: [2, 0, 0], velocity: [0, 6, 0], spin: [9, 0, 1]}
  - {shape: box, position: [4, 0, 0], velocity: [0, 7, 0], spin: [0, 9, 1]}
  - {shape: box, position: [6, 0, 0], velocity: [0, 8, 0], spin: [1, 0, 9]}
YAML
"$NACRE" run "$scratch/scene.yaml" -o "$scratch/run.nacre" || exit 1
"$NACRE" export "$scratch/run.nacre" -o "$scratch/run.glb" || exit 1
node "$here/validate_glb.js" "$scratch/run.glb" || exit 1
# A validator that finds no fault in a damaged file would prove nothing.
head -c 1000 "$scratch/run.glb" >"$scratch/damaged.glb"
if node "$here/validate_glb.js" "$scratch/damaged.glb" >/dev/null 2>&1; then
    echo "FAIL: the validator takes half a file"
    exit 1
fi
blender --background --factory-startup --python-exit-code 3 --python "$here/open_glb.py" -- "$scratch/run.glb" 8 7 \
    >"$scratch/blender.log" 2>&1 || { tail -n 20 "$scratch/blender.log"; echo "FAIL: Blender"; exit 1; }
grep '^nacre:' "$scratch/blender.log"
