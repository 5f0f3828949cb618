#!/usr/bin/env bash
# Bodies that break, from scene to export: run, check, resume across a break to the same bits, patterns from files, mistakes.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

# rows RUN SQL: what the run file answers.
rows() {
    python3 -c 'import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2]).fetchall())' "$1" "$2"
}
all='select fracture.*, piece.body from fracture left join piece on piece.fracture = fracture.id order by id, piece.body'

# pane FRACTURE...: a pane that a ball hits in the third step.
pane() {
    cat <<SCENE
nacre: 1
title: A pane
world: {timestep: 1/60, duration: 0.2}
shapes:
  ground: {generate: plane, size: 6}
  pane: {generate: plane, size: 1, area_density: 10, fracture: {$1}}
  ball: {generate: sphere, radius: 0.1, density: 2000}
bodies:
  - {shape: ground, type: static}
  - {shape: pane, type: static, position: [0, 0.6, 0], rotation: {axis: [1, 0, 0], angle: 80}}
  - {shape: ball, position: [0.1, 0.7, 0.6], velocity: [0, 1, -10]}
expect: {separation: true, fractures: {min: 1}, pieces: {min: 10}, unbroken: 0}
SCENE
}
pane 'threshold: 1, pattern: glass, rays: 7, rings: 2, seed: 3' >pane.yaml
expect 0 "$nacre" run pane.yaml -o whole.nacre --audit --expect --json -q
json out.txt 'd["contact"]["fractures"] >= 1 and d["contact"]["pieces"] >= 10 and d["audit"]["intersecting_pairs"] == 0'
hash=$(value out.txt hash)
expect 0 "$nacre" check whole.nacre
expect 0 "$nacre" info whole.nacre --verify
says out.txt ": pane, hit by"
says out.txt "pieces by glass"
expect 0 "$nacre" info whole.nacre --json
json out.txt 'd["fracture_list"][0]["name"] == "pane" and d["fracture_list"][0]["impulse"] > 1 and d["fracture_list"][0]["pieces"] >= 10'

# Stopped before, in and after the step that breaks it, and with several steps per frame.
for steps in 1 2 3 4 7; do
    expect 0 "$nacre" run pane.yaml -o part.nacre -f -q --steps $steps
    expect 0 "$nacre" run --resume part.nacre -q --json --steps 12
    [ "$(value out.txt hash)" = "$hash" ] || fail "another hash after a stop at step $steps"
    expect 0 "$nacre" info part.nacre --verify
    [ "$(rows part.nacre "$all")" = "$(rows whole.nacre "$all")" ] || fail "other fractures after a stop at step $steps"
done
expect 0 "$nacre" run pane.yaml -o sparse.nacre -f -q --json --every 4
[ "$(value out.txt hash)" = "$hash" ] || fail "another hash with four steps per frame"
count='select count(*) from fracture'
[ "$(rows sparse.nacre "$count")" = "$(rows whole.nacre "$count")" ] || fail "fractures between frames are lost"
expect 0 "$nacre" run pane.yaml -o two.nacre -f -q --json -t 2
[ "$(value out.txt hash)" = "$hash" ] || fail "another hash with two threads"

# A body is in the frames from its birth to its end, in every export.
born=$(rows whole.nacre 'select min(frame) from fracture' | tr -dc 0-9)
mkdir obj
expect 0 "$nacre" export whole.nacre -o obj/f%04d.obj -q
grep -qx 'o pane' "$(printf 'obj/f%04d.obj' $((born - 1)))" || fail "no pane before it breaks"
if grep -qx 'o pane' "$(printf 'obj/f%04d.obj' "$born")"; then fail "a pane after it broke"; fi
grep -qx 'o pane/0' "$(printf 'obj/f%04d.obj' "$born")" || fail "no piece"
expect 0 "$nacre" export whole.nacre -o pane.glb -q
expect 0 "$nacre" check pane.glb
expect 0 "$nacre" export whole.nacre -o pane.usda -q
says pane.usda invisible

# A pattern of meshes, in the world and after a resume.
expect 0 "$nacre" pattern make voronoi --set count=12 -o tiles.obj
pane 'threshold: 1, file: tiles.obj' >tiles.yaml
expect 0 "$nacre" run tiles.yaml -o tiles.nacre -q --audit --json
hash=$(value out.txt hash)
json out.txt 'd["contact"]["fractures"] >= 1'
expect 0 "$nacre" run tiles.yaml -o part.nacre -f -q --steps 2
expect 0 "$nacre" run --resume part.nacre -q --json --steps 12
[ "$(value out.txt hash)" = "$hash" ] || fail "another hash with a pattern of meshes"

pane 'threshold: 1, file: none.obj' >bad.yaml
expect 3 "$nacre" run bad.yaml -o bad.nacre
says err.txt "bad.yaml:6:85"
pane 'threshold: 1, pattern: glass, rays: 2' >bad.yaml
expect 3 "$nacre" run bad.yaml -o bad.nacre
says err.txt "rays: found"
finish
