#!/usr/bin/env bash
# Every number that a run prints is explained in docs/glossary.md.
. "$(dirname "${BASH_SOURCE[0]}")/common.bash"
crossing >rigid.yaml
cat >cloth.yaml <<SCENE
nacre: 1
world: {pipeline: acm, timestep: 1/24, duration: 0.1, acm: {thickness: 0.05}}
shapes: {ball: {generate: sphere, radius: 0.4, splits: 2}, sheet: {generate: sheet, size: 2, columns: 6, rows: 6}}
bodies:
  - {name: ball, shape: ball, type: static}
  - {name: sheet, shape: sheet, type: cloth, position: [0.05, 0.5, 0], cloth: {stretch: 200}}
expect: {separation: true}
SCENE
for scene in rigid cloth; do
    expect 0 "$nacre" run $scene.yaml --json --audit --expect -q
    cp out.txt $scene.json
    expect 0 "$nacre" info $scene.nacre --json
    cp out.txt $scene.info.json
done
cat >glossary.py <<'PY'
import json, re, sys
page = open(sys.argv[1] + "/docs/glossary.md").read()
section = page[page.index("## Numbers that a run prints"):]
explained = {name.split(".")[-1] for name in re.findall(r"`([a-z_.]+)`", section)}
# Facts about the file and its settings, which are no counters: docs/run-file.md, docs/scene-format.md.
FACTS = {"kind", "file", "title", "scene", "format_version", "finished", "pipeline", "timestep", "steps_a_frame", "last_checkpoint", "events", "file_size"}
# Objects of which the members are explained.
OBJECTS = {"contact", "cloth", "audit", "expect", "report"}

def keys(value):
    for key, inner in value.items():
        if key not in OBJECTS | FACTS:
            yield key
        if isinstance(inner, dict) and key != "report":
            yield from keys(inner)

missing = set()
for name in "rigid.json", "cloth.json", "rigid.info.json", "cloth.info.json":
    missing |= {key for key in keys(json.load(open(name))) if key not in explained}
# Counters that are printed when they are not 0, and keys of expect: all rows of the tables that are not only stored.
for table in "report.def", "cloth_report.def":
    rows = re.findall(r"^NC_(?:CLOTH_)?REPORT\((\w+), [^,]+, \w+, \w+, (\w+),", open(f"{sys.argv[1]}/include/nacre/{table}").read(), re.M)
    assert len(rows) > 20, table
    missing |= {name for name, use in rows if use != "STORED" and name not in explained}
if missing:
    sys.exit("not in docs/glossary.md: " + " ".join(sorted(missing)))
PY
python3 glossary.py "$root" || fail "the glossary is not complete"
# The test must see what is missing.
mkdir -p copy/docs copy/include
cp -r "$root/include/nacre" copy/include
sed 's/`unconverged`//; s/`deepest_layer`//' "$root/docs/glossary.md" >copy/docs/glossary.md
python3 glossary.py copy 2>seen.txt && fail "what is missing is not seen"
grep -q 'unconverged' seen.txt && grep -q deepest_layer seen.txt || fail "what is missing is not named: $(cat seen.txt)"
finish
