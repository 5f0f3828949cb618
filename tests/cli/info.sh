#!/usr/bin/env bash
# nacre info: scenes, meshes, runs, as text and as JSON.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
boxes 4 >boxes.yaml
expect 0 "$nacre" run boxes.yaml --steps 0 -o start.nacre -q

expect 0 "$nacre" info boxes.yaml --json
json out.txt 'd["kind"] == "scene" and d["bodies"] == d["dynamic"] == 4 and d["static"] == 0 and d["steps"] == 24'
json out.txt 'd["title"] == "Tumbling boxes" and d["starts_intersecting"] is False and d["expectations"] is True'
hash=$(value out.txt hash)
expect 0 "$nacre" info start.nacre --json
[ "$(value out.txt hash)" = "$hash" ] || fail "a scene's hash is not that of frame 0 of its run"
expect 0 "$nacre" info boxes.yaml
says out.txt "Tumbling boxes"
says out.txt "$hash"
expect 0 "$nacre" info boxes.yaml --set world.duration=2 --json
json out.txt 'd["steps"] == 48'
crossing | sed 's/position: \[-1.95, 0.1, 0.2\]/position: [0.5, 0.1, 0.2]/' >overlap.yaml
expect 4 "$nacre" info overlap.yaml --json
json out.txt 'd["starts_intersecting"] is True'

# Meshes: a closed tetrahedron in OBJ, a triangle in STL.
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >tetra.obj
expect 0 "$nacre" info tetra.obj --json
json out.txt 'd["kind"] == "mesh" and d["closed"] and d["triangles"] == 4 and d["edges"] == 6 and d["vertices"] == 4'
json out.txt 'abs(d["volume"] - 1 / 6) < 1e-15 and abs(d["area"] - (1.5 + 3 ** 0.5 / 2)) < 1e-14'
json out.txt 'd["box_low"] == [0, 0, 0] and d["box_high"] == [1, 1, 1] and d["precision"] == "float64"'
expect 0 "$nacre" info tetra.obj
says out.txt "closed"
printf 'solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid t\n' >one.stl
"$nacre" info one.stl --json >out.txt 2>err.txt
case $? in
0) json out.txt 'd["precision"].startswith("float32") and d["triangles"] == 1 and not d["closed"] and "volume" not in d' ;;
2) says err.txt "assimp" ;;
*) fail "info of an STL file: $(cat err.txt)" ;;
esac
printf 'v 0 0 0\nf 1 2 9\n' >bad.obj
expect 3 "$nacre" info bad.obj
says err.txt "bad.obj:2"
silent out.txt

# A file without a telling name is looked into.
cp boxes.yaml plain
expect 0 "$nacre" info plain --json
json out.txt 'd["kind"] == "scene"'
cp start.nacre other
expect 0 "$nacre" info other --json
json out.txt 'd["kind"] == "run"'

# Texts in JSON: quotes, backslashes, control characters, and file names that are not UTF-8.
sed 's/^title: .*/title: "a \\"b\\" \\\\ \\t é 船"/' boxes.yaml >$'odd\xff name.yaml'
expect 0 "$nacre" info $'odd\xff name.yaml' --json
json out.txt 'd["title"] == "a \"b\" \\ \t é 船" and d["file"] == "odd\ufffd name.yaml"'

# Damage is found.
expect 0 "$nacre" info start.nacre --verify --json
json out.txt 'd["verified"] is True'
head -c 3000 start.nacre >cut.nacre
expect 3 "$nacre" info cut.nacre
expect 2 "$nacre" info boxes.yaml --verify
expect 2 "$nacre" info start.nacre --set world.duration=1
expect 6 "$nacre" info nothing.yaml
expect 6 "$nacre" info .
finish
