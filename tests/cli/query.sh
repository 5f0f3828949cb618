#!/usr/bin/env bash
# nacre query: every question, from a file and from the standard input, and errors with their places.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

# ask TEXT: the question on the standard input; the answer in out.txt.
ask() {
    printf '%s\n' "$1" >question.txt
    expect "${2:-0}" "$nacre" query - <question.txt
}
"$nacre" query --help >help.txt
says help.txt '"ask": "sweep"'

# Two boxes of 1 m, centres 1.25 m apart along x.
boxes='a: {generate: box}, b: {generate: box}, pose_b: {position: [1.25, 0, 0]}'
ask "{ask: distance, $boxes}"
silent err.txt
json out.txt 'd["ask"] == "distance" and d["distance"] == 0.25 and 0.2499999 < d["lower_bound"] <= 0.25'
json out.txt 'd["on_a"][0] == 0.5 and d["on_b"][0] == 0.75 and d["normal"] == [-1, 0, 0]'
json out.txt 'd["feature"]["kind"] in ("vertex_face", "face_vertex", "edge_edge")'

ask "{ask: intersection, $boxes}"
json out.txt 'd == {"ask": "intersection", "intersects": False}'
ask '{ask: intersection, a: {generate: box}, b: {generate: box}, pose_b: {position: [1, 0, 0]}}' # touching counts
json out.txt 'd["intersects"] and d["element_a"]["kind"] == "triangle" and d["place"][0] == 0.5'

ask "{ask: proximity, within: 0.2, $boxes}"
json out.txt 'd["count"] == 0 and d["contacts"] == []'
ask "{ask: proximity, within: 0.3, $boxes}"
json out.txt 'd["count"] == len(d["contacts"]) > 0 and all(c["distance"] == 0.25 for c in d["contacts"])'
cp out.txt contacts.txt
ask "{ask: proximity, within: 0.3, every_pair: true, $boxes}"
[ "$(value out.txt count)" -gt "$(value contacts.txt count)" ] || fail "every pair is not more than the contacts"

# B comes nearer by 1 m: the gap of 0.05 m is reached after 0.2 of it.
ask "{ask: sweep, gap: 0.05, motion_b: {travel: [-1, 0, 0]}, $boxes}"
json out.txt 'd["verdict"] == "hit" and 0.1999 < d["time"] <= 0.2 and abs(d["nearest"][0] + 0.05) < 1e-5'
json out.txt 'd["distance_bound"] >= 0.05 and d["work"]["feature_tests"] > 0'
ask "{ask: sweep, motion_b: {travel: [-1, 0, 0]}, t_max: 0.2, $boxes}"
json out.txt 'd["verdict"] == "clear" and d["time"] == 0.2 and "feature" not in d'
# A bar of 3 m turns over a post that its ends' chords miss.
bar='a: {generate: box, scale: [3, 0.1, 0.1]}, b: {generate: box, scale: 0.1}, pose_b: {position: [1, 1, 0]}'
ask "{ask: sweep, motion_a: {rotation: [0, 0, 1.57]}, $bar}"
json out.txt 'd["verdict"] == "hit" and 0.4 < d["time"] < 0.5'
ask "{ask: sweep, chords: true, motion_a: {rotation: [0, 0, 3.1415926]}, $bar}"
json out.txt 'd["verdict"] == "clear"'

ask "{ask: trajectory, epsilon: 1e-4, motion_a: {travel: [1, 0, 0]}, $boxes}"
json out.txt 'd["verdict"] == "hit" and 0.2498 < d["time"] <= 0.25 and d["points"] == 8 and abs(d["normal"][0]) == 1'
ask "{ask: trajectory, spacing: 0.2, motion_b: {travel: [0, 1, 0]}, $boxes}"
json out.txt 'd["verdict"] == "clear" and d["points"] > 8'

# A box of 0.4 m falls flat into a dish, a slab without a ball: four corners touch it, at 0.8 - (0.5 - sqrt(0.25 - 0.08)) m.
dish='{csg: {difference: [{solid: box, size: [2, 0.4, 2]}, {solid: sphere, radius: 0.5, position: [0, 0.5, 0]}]}, cell: 0.04}'
fall='a: {generate: box, size: 0.4}, pose_a: {position: [0, 1, 0]}, motion_a: {travel: [0, -1, 0]}'
exact='abs(d["time"] - (0.8 - (0.5 - (0.25 - 0.08) ** 0.5)))'
for target in solid implicit; do
    ask "{ask: contacts, window: 1e-3, target: $target, b: $dish, $fall}"
    json out.txt "d['count'] == 4 and $exact < 2e-6 and all(c['body'] == 'a' for c in d['contacts'])"
    json out.txt 'all(abs(c["normal"][1] - 0.824621) < 1e-5 for c in d["contacts"])'
done
ask "{ask: trajectory, target: solid, b: $dish, $fall}"
json out.txt "d['verdict'] == 'hit' and $exact < 2e-6 and d['points'] == 8"
ask "{ask: trajectory, target: level_set, cell: 0.02, b: $dish, $fall}"
json out.txt "d['verdict'] == 'hit' and $exact < 2e-3"
ask "{ask: trajectory, target: mesh, b: $dish, $fall}"
json out.txt "d['verdict'] == 'hit' and $exact < 0.02"
# A patch whose control points are level is a square: met after 0.8 m.
flat=$(for x in -1 -0.3 0.3 1; do for z in -1 -0.3 0.3 1; do printf '[%s, 0, %s], ' $x $z; done; done)
ask "{ask: contacts, patch: [${flat%, }], $fall}"
json out.txt 'd["count"] == 4 and abs(d["time"] - 0.8) < 2e-6 and all(abs(c["normal"][1] - 1) < 1e-9 for c in d["contacts"])'
ask "{ask: trajectory, patch: [[0, 0, 0], [1, 0, 0]], $fall}" 3
says err.txt '2 points; allowed: the 16 control points'
ask "{ask: trajectory, target: solid, b: {generate: box}, $fall}" 3
says err.txt 'only a solid (csg) is touched so; allowed: mesh'
ask "{ask: trajectory, $fall}" 3
says err.txt 'the key "b" is missing'

# The orientation: a quarter turn about z swaps the sides of a long box.
ask '{ask: distance, a: {generate: box, scale: [2, 1, 1]}, b: {generate: box},
      pose_a: {orientation: [0.70710678118654752, 0, 0, 0.70710678118654752]}, pose_b: {position: [2, 0, 0]}}'
json out.txt 'abs(d["distance"] - 1) < 1e-12'

# JSON from a file; mesh files are relative to it.
mkdir -p sub
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >sub/triangle.obj
printf '{"ask": "distance", "a": {"file": "triangle.obj"}, "b": {"file": "triangle.obj"},\n "pose_b": {"position": [0, 0, 2]}}' >sub/q.json
expect 0 "$nacre" query sub/q.json
json out.txt 'd["distance"] == 2'

# Errors: the place, what was found, what is allowed.
ask '{ask: distanse, a: {generate: box}, b: {generate: box}}' 3
silent out.txt
says err.txt 'standard input:1:7: ask: found "distanse"; allowed: distance, proximity, sweep, trajectory, contacts, intersection'
ask '{ask: sweep, gapp: 1, a: {generate: box}, b: {generate: box}}' 3
says err.txt 'did you mean "gap"?'
ask '{ask: distance, gap: 1, a: {generate: box}, b: {generate: box}}' 3
says err.txt 'gap: this key is not used by the query distance'
ask '{ask: sweep, tolerance: 0, a: {generate: box}, b: {generate: box}}' 3
says err.txt 'tolerance: found "0"; allowed: a number above 0'
ask '{ask: proximity, a: {generate: box}, b: {generate: box}}' 3
says err.txt 'the key "within" is missing'
ask '{ask: distance, a: {generate: bxo}, b: {generate: box}}' 3
says err.txt 'standard input:1:31: a.generate: there is no shape "bxo"; did you mean "box"?'
ask '{ask: distance, a: {generate: box}}' 3
says err.txt 'the key "b" is missing'
ask '{ask: distance, a: {file: nothing.obj}, b: {generate: box}}' 3
says err.txt 'a.file: "nothing.obj"'
ask '{ask: distance, a: {generate: box}, b: {generate: box}, pose_a: {orientation: [0, 0, 0, 0]}}' 3
says err.txt 'pose_a.orientation'
ask '[1, 2]' 3
says err.txt 'allowed: a map'
ask '{ask: distance' 3
ask '' 3
expect 6 "$nacre" query nowhere.json
says err.txt "nowhere.json"
expect 2 "$nacre" query a.json b.json
expect 2 "$nacre" query --gap 1
finish
