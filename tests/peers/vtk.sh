#!/usr/bin/env bash
# VTK, which ParaView is made of, reads our .pvd and .vtp files and finds the run in them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../tools/need.sh"
python=/usr/bin/python3 # the one that Debian's python3-vtk9 is for
need $python /usr/lib/python3/dist-packages/vtkmodules
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
cat >scene.yaml <<'YAML'
nacre: 1
title: Boats on a plate
world: {timestep: 1/24, duration: 0.75, friction: 0.3}
shapes:
  plate: {generate: plane, size: 8}
  boat: {generate: boat, length: 1, thickness: 0.01, density: 600}
bodies:
  - {name: plate, shape: plate, type: static, position: [0, -0.5, 0]}
  - {name: boat, shape: boat, position: [0, 0, 0], spin: [0, 2, 0]}
  - {name: other, shape: boat, position: [2, 0, 0], velocity: [-1, 0, 0]}
YAML
"$NACRE" run scene.yaml -q >run.txt || { cat run.txt; exit 1; }
"$NACRE" export scene.nacre -o 'a film.pvd' -q || exit 1
$python "$here/read_vtk.py" scene.nacre 'a film.pvd'
