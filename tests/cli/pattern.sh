#!/usr/bin/env bash
# nacre pattern: every built-in pattern made, checked and moved apart; files that do not tile a box; mistakes.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

expect 0 "$nacre" pattern list
says out.txt "glass: "
says out.txt "  rays "
expect 0 "$nacre" pattern list --json
json out.txt 'sorted(d) == list(d) and len(d) == 6 and d["glass"]["parameters"]["rays"] == 12'

for name in $(python3 -c 'import json; print(*json.load(open("out.txt")))'); do
    expect 0 "$nacre" pattern make "$name" -o "$name.obj" --seed 3
    silent out.txt
    says err.txt "pieces"
    expect 0 "$nacre" pattern check "$name.obj"
    says out.txt "The pieces tile the box."
    # Moved apart, they do not meet.
    expect 0 "$nacre" pattern preview "$name.obj" -o "$name.glb" --explode 0.2 -q
    silent err.txt
    expect 0 "$nacre" check "$name.glb"
    expect 1 "$nacre" pattern check "$name.glb"
    says out.txt "do not tile"
done

# The same seed makes the same file, another one does not.
expect 0 "$nacre" pattern make glass -o again.obj --seed 3
cmp -s glass.obj again.obj || fail "the same seed made another pattern"
expect 0 "$nacre" pattern make glass -o again.obj --seed 4
cmp -s glass.obj again.obj && fail "another seed made the same pattern"
expect 0 "$nacre" pattern make glass --set rays=5 --set rings=1 -o few.obj
says err.txt "10 pieces"

# A .glb and a folder are patterns, too.
expect 0 "$nacre" pattern make shards -o shards.glb
expect 0 "$nacre" pattern check shards.glb --json
json out.txt 'd["tiles"] and d["pieces"] == 40 and d["gaps"] == d["overlaps"] == 0 and abs(d["volume"] - 1) < 1e-6'
mkdir folder
python3 - <<'PY'
parts = open("few.obj").read().split("o piece_")[1:]
first = 1
for i, part in enumerate(parts):
    rows = part.splitlines()[1:]
    vertices = [r for r in rows if r[0] == "v"]
    with open("folder/%02d.obj" % i, "w") as out:
        for r in rows:
            out.write(r if r[0] == "v" else "f " + " ".join(str(int(x) - first + 1) for x in r.split()[1:]))
            out.write("\n")
    first += len(vertices)
PY
expect 0 "$nacre" pattern check folder
says out.txt "pieces: 10"
rm folder/03.obj
expect 1 "$nacre" pattern check folder
says out.txt "gaps: "
expect 0 "$nacre" pattern check voronoi --set count=5

# Mistakes.
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >open.obj
expect 3 "$nacre" pattern check open.obj
says err.txt "mesh 0 of the pattern is not closed"
expect 6 "$nacre" pattern check nothing.obj
mkdir empty
expect 3 "$nacre" pattern check empty
says err.txt "holds no meshes"
expect 2 "$nacre" pattern mak glass
says err.txt "Did you mean 'make'?"
expect 2 "$nacre" pattern make
expect 2 "$nacre" pattern make glass -o glass.txt
expect 2 "$nacre" pattern make glas -o x.obj
says err.txt "did you mean 'glass'?"
expect 2 "$nacre" pattern make glass --set rays=many -o x.obj
expect 2 "$nacre" pattern make glass --set rays=1000 -o x.obj
says err.txt "must lie between 3 and 128"
expect 2 "$nacre" pattern make glass --set ray=4 -o x.obj
says err.txt "did you mean 'rays'?"
[ ! -e x.obj ] || fail "a mistake left a file"
finish
