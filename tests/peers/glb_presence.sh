#!/usr/bin/env bash
# A .glb in which bodies come and go, with wires, points and odd names (test_glb writes it): the Khronos validator finds
# no fault in it, and Blender shows each body when it should be there.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tools/need.sh"
need node "$here/node_modules/gltf-validator" blender
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$NACRE_BUILD/test_glb" --write "$scratch/sample.glb" || exit 1
node "$here/validate_glb.js" "$scratch/sample.glb" || exit 1
blender --background --factory-startup --python-exit-code 3 --python "$here/glb_presence.py" -- "$scratch/sample.glb" \
    >"$scratch/blender.log" 2>&1 || { tail -n 20 "$scratch/blender.log"; echo "FAIL: Blender"; exit 1; }
grep '^nacre:' "$scratch/blender.log"
