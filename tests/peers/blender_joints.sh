#!/usr/bin/env bash
# Mechanisms laid out in Blender with rigid-body constraints: exported by blender_export.py, imported and run by nacre, and
# compared with closed forms and with Blender's own simulation of the same file.
set -u
here=$(cd "$(dirname "$0")" && pwd)
scripts=$here/../../scripts
. "$here/../tools/need.sh"
need blender
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() {
    echo "FAIL: $1"
    exit 1
}
blender --background --factory-startup --python-exit-code 3 --python "$here/blender_joints.py" -- \
    "$scripts" "$scratch/layout.glb" "$scratch/poses.json" >"$scratch/layout.log" 2>&1 ||
    { tail -n 20 "$scratch/layout.log"; fail "Blender"; }
"$NACRE" import "$scratch/layout.glb" -o "$scratch/scene.yaml" >"$scratch/import.log" 2>&1 ||
    { cat "$scratch/import.log"; fail "import"; }
# What becomes no joint is named with its objects and the reason.
for name in '"One lock" (GENERIC of "Still" and "Bob") is left out: one rotation' '"Off" (FIXED of "Still" and "Bob") is left out: it is not enabled' \
    '"Alone" (HINGE of "Still" and "") is left out: it needs two objects' '"Nothing moves" (POINT of "Loose" and "Loose.001") is left out: neither'; do
    grep -qF "$name" "$scratch/import.log" || { cat "$scratch/import.log"; fail "no note: $name"; }
done
[ "$(grep -c '^note:' "$scratch/import.log")" = 4 ] || { cat "$scratch/import.log"; fail "other notes than these four"; }
grep -q '^nacre: damping' "$scratch/layout.log" && fail "no body has damping, but the export names some"
"$NACRE" run "$scratch/scene.yaml" --until 2.5 -o "$scratch/run.nacre" -q || fail "run"
python3 "$here/blender_joints_judge.py" "$scratch/run.nacre" "$scratch/poses.json" || fail "numbers"

# The script as it is called by hand; a wrong name is a sentence and exit code 1.
blender --background --factory-startup --python "$scripts/blender_export.py" -- "$scratch/cube.glb" >"$scratch/cube.log" 2>&1
grep -q '^nacre: wrote .*cube.glb: 0 rigid bodies, 0 constraints' "$scratch/cube.log" && [ -s "$scratch/cube.glb" ] ||
    { cat "$scratch/cube.log"; fail "by hand"; }
blender --background --factory-startup --python "$scripts/blender_export.py" -- "$scratch/cube.obj" >"$scratch/wrong.log" 2>&1
[ $? = 1 ] && grep -q "^nacre: .*does not end with .glb" "$scratch/wrong.log" || { cat "$scratch/wrong.log"; fail "a wrong name"; }
