#!/usr/bin/env bash
# mypy finds nothing in the package, and something in a file with a mistake.
set -u
. "$(dirname "$0")/common.bash"
need mypy
need_module numpy
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$root/python" || exit 1
mypy --config-file mypy.ini --python-version 3.11 --cache-dir "$scratch/cache" || exit 1
cat >"$scratch/bad.py" <<'P'
import nacre
world = nacre.World("scene.yaml")
world["cup"].mass = "heavy"
print(world.tiem)
P
found=$(MYPYPATH=$root/python mypy --strict --python-version 3.11 --cache-dir "$scratch/cache" "$scratch/bad.py")
[ "$(echo "$found" | grep -c error:)" = 3 ] || { echo "$found"; echo "FAIL: mypy does not see three mistakes of a user"; exit 1; }
