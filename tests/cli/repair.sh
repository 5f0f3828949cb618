#!/usr/bin/env bash
# nacre repair, nacre run --repair and the refusal that names them: twelve layouts that touch or overlap are refused,
# repaired, and run.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

ground='ground: {generate: plane, size: 40}'
on_ground='  - {name: ground, shape: ground, type: static}'

# scene NAME SHAPES: begins a scene on a ground; bodies come from the standard input.
scene() {
    printf 'nacre: 1\nworld: {duration: 1, timestep: 1/100}\nshapes:\n  %s\n' "$ground" >"$1.yaml"
    printf '  %s\n' "${@:2}" >>"$1.yaml"
    printf 'bodies:\n%s\n' "$on_ground" >>"$1.yaml"
    cat >>"$1.yaml"
}

scene stack 'crate: {generate: box, size: 1}' <<'YAML'
  # 25 crates, no gaps
  - {shape: crate, position: [0, 0.5, 0], tower: {count: 25, spacing: 1}}
YAML
scene wall 'brick: {generate: box, width: 0.5, height: 0.25, depth: 0.25}' <<'YAML'
  - {shape: brick, position: [0, 0.125, 0], wall: {count: [20, 10], spacing: [0.5, 0.25]}}
YAML
scene table 'top: {generate: box, width: 2, height: 0.1, depth: 1}' 'leg: {generate: box, width: 0.1, height: 0.7, depth: 0.1}' \
    'plate: {generate: cylinder, radius: 0.15, height: 0.02}' 'cup: {generate: cylinder, radius: 0.04, height: 0.1}' <<'YAML'
  - {name: top, shape: top, position: [0, 0.75, 0]}
  - {name: leg, shape: leg, position: [0, 0.35, 0], grid: {count: [2, 1, 2], spacing: [1.9, 1, 0.9]}}
  - {name: plate, shape: plate, position: [0, 0.81, 0], grid: {count: [4, 1, 2], spacing: [0.4, 1, 0.5]}}
  - {name: cup, shape: cup, position: [0, 0.87, 0], grid: {count: [4, 1, 2], spacing: [0.4, 1, 0.5]}}
YAML
scene screws 'screw: {generate: bolt, radius: 0.02, depth: 0.002, pitch: 0.01, turns: 8, segments: 12}' <<'YAML'
  - {name: screw, shape: screw, position: [0, 1, 0], grid: {count: [10, 5, 10], spacing: [0.0399, 0.0995, 0.0399], jitter: 0.0002, seed: 4}}
YAML
scene books 'book: {generate: box, width: 0.04, height: 0.25, depth: 0.18}' <<'YAML'
  - {name: book, shape: book, position: [0, 0.125, 0], grid: {count: [12, 1, 1], spacing: [0.0397, 1, 1]}}
YAML
scene dishes 'bowl: {generate: bowl, radius: 0.2, angle: 1.2}' <<'YAML'
  - {name: bowl, shape: bowl, position: [0, 0.2, 0], tower: {count: 6, spacing: 0.004, jitter: [0.002, 0, 0.002], seed: 1}}
YAML
scene tiles 'tile: {generate: box, width: 0.3, height: 0.02, depth: 0.3}' <<'YAML'
  - {name: tile, shape: tile, position: [0, 0.01, 0], grid: {count: [6, 1, 6], spacing: [0.3, 1, 0.3]}}
YAML
scene dominoes 'domino: {generate: box, width: 0.02, height: 0.2, depth: 0.1}' <<'YAML'
  - {name: domino, shape: domino, position: [0, 0.0995, 0], grid: {count: [20, 1, 1], spacing: [0.1, 1, 1]}}
YAML
scene balls 'ball: {generate: sphere, radius: 0.5, splits: 4}' <<'YAML'
  - {name: ball, shape: ball, position: [0, 0.5, 0], pyramid: {count: 4, spacing: [1, 0.70710678, 1]}}
YAML
scene sheets 'card: {generate: plane, size: 1, mass: 0.1}' <<'YAML'
  - {name: flat, shape: card, position: [0, 1, 0]}
  - {name: upright, shape: card, position: [0.1, 1.49, 0.1], rotation: {euler: [90, 0, 0]}}
YAML
scene pyramid 'crate: {generate: box, size: 1}' <<'YAML'
  - {name: crate, shape: crate, position: [0, 0.5, 0], pyramid: {count: 6, spacing: [1, 1, 1]}}
YAML
scene block 'cube: {generate: box, size: 0.2}' <<'YAML'
  - {name: cube, shape: cube, position: [0, 1, 0], grid: {count: [10, 10, 10], spacing: [0.2, 0.199, 0.2]}}
YAML

layouts=${LAYOUTS:-stack wall table screws books dishes tiles dominoes balls sheets pyramid block}
for layout in $layouts; do
    expect 4 "$nacre" run "$layout.yaml" -q
    says err.txt "nacre repair $layout.yaml"
    expect 0 "$nacre" repair "$layout.yaml" -o "$layout-repaired.yaml" --json || continue
    json out.txt 'd["repaired"] and len(d["moves"]) > 0 and not d["left"]'
    expect 0 "$nacre" check "$layout-repaired.yaml" -q
    expect 0 "$nacre" run "$layout-repaired.yaml" -q --steps 2 --audit
done
[ -n "${LAYOUTS:-}" ] && finish

# What was repaired stands.
for layout in stack table books; do
    expect 0 "$nacre" run "$layout-repaired.yaml" -q --steps 30 --json -f
    json out.txt 'd["kinetic"] < 1e-4 and d["contact"]["unconverged"] == 0'
done

# What the refusal says: how many, the deepest, which way, and the command.
expect 4 "$nacre" run stack.yaml
says err.txt 'stack.yaml:9:5: the scene starts intersecting: '
says err.txt 'touching; apart when "crate.0" moves up'
says err.txt '(25 pairs touch). To move them apart: nacre repair stack.yaml -o repaired.yaml'
expect 4 "$nacre" run dominoes.yaml
says err.txt '0.5 mm deep; apart when "domino.0" moves up'

# What the report says; comments stay, and a second repair finds nothing to do.
expect 0 "$nacre" repair dominoes.yaml -o d.yaml
says out.txt "20 pairs of bodies not apart"
says out.txt "  overlapping  ground, domino.0: 0.5 mm deep, domino.0 goes up"
says out.txt "20 bodies moved"
grep -q '^  domino.3: 0.7.* mm up$' out.txt || fail "no line for domino.3: $(grep domino.3: out.txt)"
says err.txt "d.yaml: no two bodies touch or overlap (exact test)"
expect 0 "$nacre" repair stack.yaml -o s.yaml -q
says s.yaml "  # 25 crates, no gaps"
says s.yaml '  - {"body": "crate.24", "position": ['
expect 0 "$nacre" repair s.yaml
says out.txt "no two bodies touch or overlap"
expect 2 "$nacre" repair stack.yaml -o s.yaml
says err.txt "--force"

# A list that is there already is carried on.
sed 's/"crate.24", "position": \[0, [0-9.]*/"crate.24", "position": [0, 24.5/' s.yaml >s2.yaml
expect 0 "$nacre" repair s2.yaml -o s3.yaml --limit 0.05
says out.txt "1 body moved"
[ "$(grep -c '"body":' s3.yaml)" = 25 ] || fail "s3.yaml has $(grep -c '"body":' s3.yaml) bodies in its list"
[ "$(grep -c '^moved:' s3.yaml)" = 1 ] || fail "s3.yaml has not one list"
# Of text that nothing can be appended to a new one is made.
python3 - <<'PY'
import json
box = {"generate": "box", "size": 1}
json.dump({"nacre": 1, "shapes": {"box": box}, "bodies": [{"name": "a", "shape": "box"}, {"name": "b", "shape": "box", "position": [1, 0, 0]}]}, open("flow.yaml", "w"))
PY
expect 0 "$nacre" repair flow.yaml -o flow2.yaml
expect 0 "$nacre" check flow2.yaml
expect 0 "$nacre" repair flow.yaml -o - --pin a
grep -q '"body": "b"' out.txt || fail "b is not in the list"
grep -q '"body": "a"' out.txt && fail "a was pinned"
expect 3 "$nacre" repair flow.yaml --pin c

# A run that repairs: its file has the repaired scene, and can be resumed.
expect 0 "$nacre" run tiles.yaml --repair -o tiles.nacre --steps 2 --audit
says err.txt "bodies were moved apart, the farthest by"
expect 0 "$nacre" run tiles.yaml --repair --resume -o tiles.nacre --steps 4
expect 0 "$nacre" check tiles.nacre

# What cannot be repaired is named, and nothing is written.
sed 's/0.0995/0.05/' dominoes.yaml >deep.yaml
expect 4 "$nacre" repair deep.yaml -o deep2.yaml
says err.txt '"ground" and "domino.0" cannot be moved apart within the limit'
says out.txt "20 pairs left"
[ ! -e deep2.yaml ] || fail "a scene that was refused was written"
expect 0 "$nacre" repair deep.yaml -o deep2.yaml --limit 0.5 -q
sed 's/1.49/1.1/' sheets.yaml >crossed.yaml
expect 4 "$nacre" repair crossed.yaml
says out.txt "flat, upright"
sed 's/position: \[0.1, 1.49.*/position: [0, 1, 0]}/; s/plane, size: 1/box, size: 1/' sheets.yaml >same.yaml
expect 4 "$nacre" repair same.yaml
scene nested 'box: {generate: box, size: 1}' 'pea: {generate: sphere, radius: 0.1}' <<'YAML'
  - {name: box, shape: box, position: [0, 2, 0]}
  - {name: pea, shape: pea, position: [0, 2, 0]}
YAML
expect 0 "$nacre" repair nested.yaml
says out.txt "pea is inside the closed surface of box"
expect 0 "$nacre" run nested.yaml --steps 1
says err.txt 'warning: "pea" is inside the closed surface of "box"'

# The list itself.
moved() {
    (cat stack.yaml; printf 'moved:\n  - %s\n' "$1") >moved.yaml
    expect 3 "$nacre" info moved.yaml
    says err.txt "$2"
}
moved '{body: nobody, position: [0, 0, 0]}' 'there is no body "nobody"'
moved '{body: crate.1}' 'allowed: position, rotation or both beside body'
moved '{position: [0, 0, 0]}' 'body'
finish
