#!/usr/bin/env bash
# The round trip: 20 bodies laid out in Blender, exported, imported by nacre, run, and brought back by blender_import.py and
# by glTF: poses in Blender are those of the run.
set -u
here=$(cd "$(dirname "$0")" && pwd)
scripts=$here/../../scripts
. "$here/../tools/need.sh"
need blender
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
blend() { # LOG ARGUMENTS...
    local log=$1
    shift
    blender --background --factory-startup --python-exit-code 3 "$@" >"$scratch/$log" 2>&1 ||
        { tail -n 20 "$scratch/$log"; echo "FAIL: Blender ($log)"; exit 1; }
}
blend layout.log --python "$here/blender_layout.py" -- "$scratch/layout.glb" "$scratch/layout.blend"
"$NACRE" import "$scratch/layout.glb" -o "$scratch/scene.yaml" || exit 1
"$NACRE" run "$scratch/scene.yaml" --until 2 -o "$scratch/run.nacre" -q || exit 1
"$NACRE" check "$scratch/run.nacre" || exit 1
"$NACRE" export "$scratch/run.nacre" -o "$scratch/export.glb" -q || exit 1
"$NACRE" check "$scratch/export.glb" || exit 1
blend back.log "$scratch/layout.blend" --python "$here/blender_round_trip.py" -- \
    "$scratch/run.nacre" "$scratch/export.glb" "$scripts"
grep '^nacre: Blender' "$scratch/back.log" || { tail -n 20 "$scratch/back.log"; echo "FAIL: no verdict"; exit 1; }

# The same colours in the viewer's data and in a picture: what the run has was compared with the artist's above.
"$NACRE" export "$scratch/run.nacre" -o "$scratch/page.html" -q || exit 1
if "$NACRE" doctor | grep -q '^ok *render'; then
    "$NACRE" render "$scratch/run.nacre" -o "$scratch/a.png" --frame 0 --size 320x180 --samples 1 --passes id,albedo -q || exit 1
fi
PYTHONPATH=$here/../tools python3 "$here/blender_colours.py" "$scratch" || { echo "FAIL: colours in the viewer or in a picture"; exit 1; }

# The script as it is called by hand; a wrong file is a sentence and exit code 1.
blend save.log --python "$scripts/blender_import.py" -- "$scratch/run.nacre" --frames 0:20 --every 2 --save "$scratch/run.blend"
grep -q '^nacre: 20 bodies, frames 0 to 10' "$scratch/save.log" && [ -s "$scratch/run.blend" ] ||
    { cat "$scratch/save.log"; echo "FAIL: --save"; exit 1; }
blender --background --factory-startup --python "$scripts/blender_import.py" -- "$scratch/layout.glb" >"$scratch/wrong.log" 2>&1
[ $? = 1 ] && grep -q "^nacre: .*layout.glb" "$scratch/wrong.log" || { cat "$scratch/wrong.log"; echo "FAIL: a wrong file"; exit 1; }
