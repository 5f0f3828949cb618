#!/usr/bin/env bash
# What is asked and told about the start of a scene: masses that look wrong, surfaces that cross themselves.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"

# cube SIZE [OTHER_SIZE]: one or two boxes of these sizes.
cube() {
    echo 'nacre: 1'
    echo 'world: {gravity: [0, 0, 0], timestep: 1/24, duration: 0.1}'
    echo "shapes: {cube: {generate: box, size: $1}, other: {generate: box, size: ${2:-1}}}"
    echo 'bodies:'
    echo '  - {name: cube, shape: cube}'
    [ -z "${2:-}" ] || echo '  - {name: other, shape: other, position: [9000, 0, 0]}'
}
cube 40 >heavy.yaml
expect 0 "$nacre" run heavy.yaml
says err.txt 'warning: "cube" has a mass of 64000 t and is 69.3 m large: is its mesh in millimetres?'
says err.txt "unit: mm"
says out.txt "heavy.nacre: 1 body came to rest; " # and nothing of two that came near each other
grep -q 'no two\|crossed' out.txt && fail "one body alone cannot cross another"
cube 1e-6 >tiny.yaml
expect 0 "$nacre" run tiny.yaml
says err.txt 'was its mesh scaled twice?'
cube 8 0.01 >ratio.yaml
expect 0 "$nacre" run ratio.yaml
says err.txt 'times as heavy as "other"'
for size in 0.001 1 10; do
    cube $size >plain.yaml
    expect 0 "$nacre" run plain.yaml -f
    grep -q 'warning' err.txt && fail "a cube of $size m: $(cat err.txt)"
done

# Two triangles through each other, without a common vertex; and the same flat.
printf 'v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0.3 -0.5 0.5\nv 0.3 0.5 0.5\nv 1.3 0 0.4\nf 1 2 3\nf 4 5 6\n' >crossed.obj
sed 's/^v 0.3 -0.5/v 3.3 -0.5/; s/^v 0.3 0.5/v 3.3 0.5/; s/^v 1.3 0/v 4.3 0/' crossed.obj >apart.obj
rag() {
    echo 'nacre: 1'
    echo "world: {${2}timestep: 1/24, duration: 0.1}"
    echo "shapes: {rag: {file: $1, area_density: 1}}"
    echo "bodies: [{name: rag, shape: rag, $3position: [0, 1, 0]}]"
}
rag crossed.obj "" "" >rigid.yaml
expect 0 "$nacre" run rigid.yaml
says err.txt 'note: "rag" intersects itself: 1 pair of its triangles, the first 0 and 1, near (0.66'
says err.txt 'Contact is not affected'
rag apart.obj "" "" >rigid.yaml
expect 0 "$nacre" run rigid.yaml -f
grep -q 'intersects itself' err.txt && fail "what is apart is said to intersect itself"
sed -i 's/, area_density: 1//' rigid.yaml
cloth() {
    rag "$1" "pipeline: acm, acm: {thickness: 0.01}, " "type: cloth, " | sed 's/, area_density: 1//; s/position/cloth: {stretch: 200}, position/'
}
cloth apart.obj >cloth.yaml
expect 0 "$nacre" run cloth.yaml
cloth crossed.obj >cloth.yaml
expect 4 "$nacre" run cloth.yaml -f
says err.txt 'cloth.yaml:4:10: the scene starts intersecting: triangle 0 of "rag" and triangle 1 of "rag" intersect at (0.65, 1, 0.45)'
says err.txt '1 pair of triangles in all: 1 of "rag" with itself'
says err.txt 'Move its vertices apart'
cat >sheet.yaml <<SCENE
nacre: 1
world: {pipeline: acm, timestep: 1/24, duration: 0.1, acm: {thickness: 0.05}}
shapes: {ball: {generate: sphere, radius: 0.4, splits: 2}, sheet: {generate: sheet, size: 2, columns: 6, rows: 6}, rag: {file: crossed.obj}}
bodies:
  - {name: ball, shape: ball, type: static}
  - {name: sheet, shape: sheet, type: cloth, position: [0.05, 0.2, 0], cloth: {stretch: 200}}
  - {name: rag, shape: rag, type: cloth, position: [5, 0.2, 0], cloth: {stretch: 200}}
SCENE
expect 4 "$nacre" run sheet.yaml
says err.txt 'pairs of triangles in all: 44 of "ball" and "sheet", 1 of "rag" with itself'
finish
